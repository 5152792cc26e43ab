"""A guarantee of differential privacy adds up exactly, is told in numbers, and refused where it is none."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.core.noised import noise_words, odds_words
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


IN_PARTITIONS = part(3, partition="violating"), part(5, partition="rest"), part(1, "hours")
NEAR = part(5, reach=1)


@pytest.mark.parametrize(("parts", "more", "epsilon"), [
    # attributes of a record add up: a half and a third are five sixths
    ((part("1/2"), part("1/3", "hours")), {}, Fraction(5, 6)),
    # ε 3 and 5 are 5 where anybody may know the partition, else 8; what is drawn for all comes on top
    (IN_PARTITIONS, {"are_partitions_public": True}, 6),
    (IN_PARTITIONS, {}, 9),
    # attributes add up within a partition before partitions are compared: 3 + 3 in one beside 5 is 6
    ((part(3, partition="a"), part(3, "hours", "a"), part(5, partition="b")),
     {"are_partitions_public": True}, 6),
    # ε = 5 for a year of age is 365 from 17 to 90: scale 1/ε protects a neighbor, not a value
    ((NEAR,), {}, 365),
    # three records of ε = 1/2 are 3/2 for the person, and 1/2 for a record
    ((part("1/2"),), {"unit": ProtectedUnit.PERSON, "contributions": 3}, Fraction(3, 2)),
    ((part("1/2"),), {}, Fraction(1, 2)),
])  # fmt: skip
def test_what_parts_cost_together(parts, more, epsilon):
    """Exactly, over attributes, partitions, ranges and the records of a person."""
    assert epsilon_of(*parts, **more) == epsilon


def test_a_part_has_a_cost_of_its_own():
    """A guarantee tells what some of its columns cost, and a part whether it holds for neighbors alone."""
    parts = part("1/2"), part("1/3", "hours")
    assert PrivacyGuarantee(parts=parts).cost_of(["age"]).epsilon == Fraction(1, 2)
    assert (NEAR.is_by_distance, NEAR.scale) == (True, Fraction(1, 5))
    assert not part(5).is_by_distance


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


@pytest.mark.parametrize(("path", "value"), [
    (("epsilon",), "1/2"),
    (("parts", 0, "scale"), "1"),
    (("parts", 0, "is_checked"), False),
    (("partitions_compose",), "somehow"),
    (("unit",), "household"),
    (("contributions",), 0),
    (("parts",), []),
    (("more",), 1),
    (("parts", 0, "bounds"), ["17", "0.9/0"]),
])  # fmt: skip
def test_a_document_that_was_changed_is_refused(path, value):
    """Totals, scales and words that do not follow from the parts."""
    document = privacy_document(PrivacyGuarantee(parts=(part(),)))
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=r".+"):
        read_privacy(document)


def noise(mechanism="laplace", scale=4, reach=2, bounds=(0, 2), column="age", **cost):
    """Return noise of ε = 1/2 on whole numbers 0..2."""
    cost = cost or {"epsilon": Fraction(1, 2)}
    ends = None if bounds is None else (Fraction(bounds[0]), Fraction(bounds[1]))
    return NoisedPart(
        columns=(column,),
        mechanism=mechanism,
        scale=Fraction(scale),
        reach=Fraction(reach),
        bounds=ends,
        **cost,
    )


def words(*parts):
    """Return what is said of age."""
    return list(noise_words(PrivacyGuarantee(parts=parts), ["age"]))


NOISE = "noise of scale 4 (standard deviation 5.66 in its unit)"
BY_DISTANCE = (
    "age has laplace noise of scale 2 (standard deviation 2.83 in its unit), and no two values at most 1"
)
GAUSSIAN = (
    "age has gaussian noise of scale 4 (standard deviation 4 in its unit), which costs ρ = 1/8; no factor"
)
NO_TWO = "no two values in 0..2 make what is published more than"
ONE = "one record makes what is published at most e^(1/2) = 1.65 times as likely"
LIKELY = "times as likely, the one as the other"
BEYOND = f"what is published more than e^(1/2) = 1.65 {LIKELY} (e^1 over the whole range)"


@pytest.mark.parametrize(("given", "said"), [
    (noise(), f"age has laplace {NOISE}, and {NO_TWO} e^(1/2) = 1.65 {LIKELY}"),
    (noise(reach=1, scale=2), f"{BY_DISTANCE} apart in 0..2 make {BEYOND}"),
    (noise("gaussian", rho=Fraction(1, 8)), f"{GAUSSIAN} bounds it"),
    (noise("secret"), f"age has secret noise of scale 4, and {NO_TWO} e^(1/2) = 1.65 {LIKELY}"),
    (noise(bounds=None), f"counts over age have laplace {NOISE}, and {ONE}"),
    (noise(epsilon=Fraction(1, 2), delta=Fraction(1, 100)),
     f"age has laplace {NOISE}, and {NO_TWO} e^(1/2) = 1.65 {LIKELY}, but for a probability of 1/100"),
    (noise(epsilon=Fraction(219)), f"age has laplace {NOISE}, and {NO_TWO} e^219 {LIKELY}"),
], ids=["range", "by distance", "gaussian", "unknown", "counts", "delta", "large"])  # fmt: skip
def test_a_part_is_told_in_numbers(given, said):
    """Scale, standard deviation, and how far the published value narrows the true one."""
    assert words(given) == [said]


@pytest.mark.parametrize(("parts", "columns", "said"), [
    # of a combination without the column nothing is said, nor where noise bounds nothing
    ([noise()], ["wage"], ""),
    ([noise(bounds=None)], ["age"], ""),
    ([noise("gaussian", rho=Fraction(1, 8))], ["age"], ""),
    # two columns of ε = 1/2 in one partition and one of ε = 1 in another make e^(2 · 2)
    ([noise(), noise(column="wage"), noise(scale=2, epsilon=Fraction(1))], ["age", "wage"],
     "at odds of at most e^4 = 54.6 to 1"),
    # ε = 1/2 for values 1 apart in a range of 20 comes to 10, so two records are told apart by e^20
    ([noise(scale=2, reach=1, bounds=(0, 20))], ["age"], "at odds of at most e^20 = 4.85e+08 to 1"),
])  # fmt: skip
def test_the_odds_add_up_over_columns_partitions_and_the_whole_range(parts, columns, said):
    """The end of the sentence has the odds; without a bound there is no sentence."""
    found = odds_words(PrivacyGuarantee(parts=tuple(parts)), columns)
    assert found.endswith(said)
    assert bool(found) == bool(said)


def test_only_the_columns_that_are_asked_for_are_told():
    """Of a combination without the column nothing is said."""
    assert words(noise(column="wage")) == []


def test_no_outcome_tells_two_records_apart_by_more_than_is_said():
    """Every pair of values and of published ones, by the probabilities of discrete Laplace noise."""
    epsilon, scale = 0.5, 4

    def likely(published, true):
        return math.exp(-abs(published - true) / scale)  # its constant cancels

    worst = max(
        likely(y, a) * likely(z, b) / (likely(y, b) * likely(z, a))
        for a, b in product(range(3), repeat=2)
        for y, z in product(range(-9, 12), repeat=2)
    )
    assert worst == pytest.approx(math.exp(2 * epsilon))
