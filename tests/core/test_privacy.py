"""A guarantee of differential privacy adds up exactly, and is refused where it contradicts itself."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.core.privacy import NoisedPart, PrivacyCost, PrivacyGuarantee, ProtectedUnit
from qidguard.core.privacy_document import privacy_document, read_privacy

BOUNDS = Fraction(17), Fraction(90)


def part(epsilon=1, column="age", partition="", reach=73, bounds=BOUNDS, **more):
    """Return Laplace noise whose scale is just large enough."""
    epsilon, reach = Fraction(epsilon), Fraction(reach)
    fields = {"mechanism": "laplace", "scale": reach / (epsilon or 1), "epsilon": epsilon} | more
    return NoisedPart(columns=(column,), reach=reach, bounds=bounds, partition=partition, **fields)


def epsilon_of(*parts, **more):
    """Return what parts cost together."""
    return PrivacyGuarantee(parts=parts, **more).cost.epsilon


def test_attributes_of_a_record_add_up():
    """A half and a third are five sixths."""
    parts = part("1/2"), part("1/3", "hours")
    assert epsilon_of(*parts) == Fraction(5, 6)
    assert PrivacyGuarantee(parts=parts).cost_of(["age"]).epsilon == Fraction(1, 2)


def test_partitions_are_parallel_only_where_membership_is_public():
    """ε 3 and 5 are 5 where anybody may know the partition, else 8; what is drawn for all comes on top."""
    parts = part(3, partition="violating"), part(5, partition="rest"), part(1, "hours")
    assert epsilon_of(*parts, are_partitions_public=True) == 6
    assert epsilon_of(*parts) == 9


def test_attributes_add_up_within_a_partition_before_partitions_are_compared():
    """3 + 3 in one beside 5 in the other is 6."""
    parts = part(3, partition="a"), part(3, "hours", "a"), part(5, partition="b")
    assert epsilon_of(*parts, are_partitions_public=True) == 6


def test_what_is_bounded_by_distance_costs_the_whole_range():
    """ε = 5 for a year of age is 365 for an age from 17 to 90: scale 1/ε protects a neighbor, not a value."""
    near = part(5, reach=1)
    assert (near.is_by_distance, near.scale) == (True, Fraction(1, 5))
    assert epsilon_of(near) == 365
    assert not part(5).is_by_distance


def test_a_person_of_several_records_is_charged_for_each():
    """Three records of ε = 1/2 are 3/2 for the person, and 1/2 for a record."""
    assert epsilon_of(part("1/2"), unit=ProtectedUnit.PERSON, contributions=3) == Fraction(3, 2)
    assert epsilon_of(part("1/2")) == Fraction(1, 2)


@pytest.mark.parametrize("name", ["laplace", "discrete_laplace"])
def test_a_scale_that_is_too_small_is_refused(name):
    """Unit scale sold as range, and a scale a millionth short, do not give the ε that is claimed."""
    for scale in (Fraction(1), Fraction(73) * (1 - Fraction(1, 10**6))):
        with pytest.raises(ValueError, match="does not give the ε = 1 that is claimed for a reach of 73"):
            part(mechanism=name, scale=scale)
    assert part(mechanism=name, scale=Fraction(74)).is_checked


def test_the_scale_of_gaussian_noise_is_held_against_its_rho():
    """ρ = reach² / (2 scale²), Bun and Steinke 2016, Proposition 1.6."""
    given = {"mechanism": "gaussian", "epsilon": 0, "bounds": None, "reach": 2}
    assert part(**given, rho=Fraction(1, 2), scale=Fraction(2)).is_checked
    with pytest.raises(ValueError, match="does not give the ρ = 1/2"):
        part(**given, rho=Fraction(1, 2), scale=Fraction(19, 10))


def test_a_mechanism_that_nobody_knows_is_said_to_be_unchecked():
    """Its scale may be anything, and its document says so."""
    own = part(mechanism="exponential", scale=Fraction(1, 100))
    assert privacy_document(PrivacyGuarantee(parts=(own,)))["parts"][0]["is_checked"] is False


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: PrivacyGuarantee(parts=()), "at least one NoisedPart"),
        (lambda: part(epsilon=Fraction(1), scale=0.5), "scale must be a Fraction, not float"),
        (lambda: part(scale=Fraction(0)), "scale must be above 0"),
        (lambda: part(reach=74), "reach must not be larger"),
        (lambda: part(bounds=(Fraction(90), Fraction(17))), "the lower one first"),
        (lambda: replace(part(mechanism="own"), epsilon=Fraction(0)), "costs nothing protects nothing"),
        (lambda: PrivacyCost(delta=Fraction(1)), "delta must be below 1"),
        (lambda: PrivacyGuarantee(parts=(part(),), contributions=2), "1 where the unit is a record"),
        (lambda: PrivacyGuarantee(parts=(part(),), not_covered=("",)), "must be a line of text"),
        (lambda: PrivacyGuarantee(parts=(part(delta=Fraction(1, 2)), part(delta=Fraction(1, 2), column="b"))),
         "delta must be below 1"),
    ],
    ids=["empty", "float", "zero", "reach", "bounds", "free", "delta", "records", "text", "sum of delta"],
)  # fmt: skip
def test_what_makes_no_guarantee_is_refused(make, said):
    """By a sentence, when it is made."""
    with pytest.raises((ValueError, TypeError), match=said):
        make()


EPSILONS = st.fractions(min_value=Fraction(1, 1000), max_value=100, max_denominator=10**6)


@given(st.lists(st.tuples(EPSILONS, st.sampled_from(["", "a", "b"])), min_size=1, max_size=5), st.booleans())
def test_a_guarantee_comes_back_from_its_document(drawn, is_public):
    """And parallel composition never costs more than sequential."""
    parts = tuple(part(epsilon, f"c{at}", where) for at, (epsilon, where) in enumerate(drawn))
    guarantee = PrivacyGuarantee(parts=parts, are_partitions_public=is_public)
    assert read_privacy(privacy_document(guarantee)) == guarantee
    assert epsilon_of(*parts, are_partitions_public=True) <= epsilon_of(*parts)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("epsilon",), "1/2"),
        (("parts", 0, "scale"), "1"),
        (("parts", 0, "is_checked"), False),
        (("partitions_compose",), "somehow"),
        (("unit",), "household"),
        (("contributions",), 0),
        (("parts",), []),
        (("more",), 1),
        (("parts", 0, "bounds"), ["17", "0.9/0"]),
    ],
)
def test_a_document_that_was_changed_is_refused(path, value):
    """Totals, scales and words that do not follow from the parts."""
    document = privacy_document(PrivacyGuarantee(parts=(part(),)))
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=r".+"):
        read_privacy(document)
