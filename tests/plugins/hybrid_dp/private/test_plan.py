"""A plan spends the whole budget and no more, and says what cannot be measured before anything is drawn."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import NotMeasurable, PrivacyGuarantee, ValueType
from qidguard_hybrid_dp.private.domain import Bins, Categories
from qidguard_hybrid_dp.private.plan import Structure, plan_of, split

NAMES = ("y", "a", "b", "c")
POSITIVE = st.fractions(min_value=Fraction(1, 1000), max_value=1000)


def cells(name, count=3):
    """Return a column of so many declared categories."""
    return Categories(name=name, values=tuple(f"{name}{at}" for at in range(count)))


def planned(
    names=NAMES, declared=NAMES, structure="star", epsilon=Fraction(1), delta=Fraction(0), count=3, **weights
):
    """Return a plan around the first column."""
    return plan_of(
        names,
        {name: cells(name, count) for name in declared},
        structure=Structure(structure),
        center=names[0],
        epsilon=epsilon,
        delta=delta,
        weights={name: Fraction(weight) for name, weight in weights.items()},
    )


@given(
    structure=st.sampled_from(list(Structure)),
    epsilon=st.fractions(min_value=Fraction(1, 20), max_value=10),
    unknown=st.integers(0, 4),
    columns=st.integers(1, 4),
)
def test_the_parts_cost_the_budget_exactly(structure, epsilon, unknown, columns):
    """ε and δ of all parts add up to what was asked for, without a rest; each map holds its part."""
    names = NAMES[:columns]
    delta = Fraction(1, 10**6) if names[unknown:] != names else Fraction(0)
    plan = planned(names, names[unknown:], structure, epsilon, delta)
    cost = PrivacyGuarantee(parts=plan.parts).cost
    assert (cost.epsilon, cost.delta, cost.rho) == (epsilon, delta, 0)
    assert all(Fraction(one.mapped) <= one.part.epsilon for one in (*plan.countings, *plan.choosings))
    for finding in plan.findings:
        assert Fraction(finding.mapped[0]) <= finding.part.epsilon
        assert Fraction(finding.mapped[1]) <= finding.part.delta
    assert all(part.reach == 1 for part in plan.parts)


def test_a_star_counts_each_column_beside_the_center():
    """Three marginals at a third of ε each, of scale 3; weight 2 gets twice as much; one column is alone."""
    plan = planned()
    steps = [(one.columns, one.part.epsilon, round(one.scale, 6)) for one in plan.countings]
    assert steps == [(("y", name), Fraction(1, 3), 3) for name in "abc"]
    shares = {one.columns[1]: one.part.epsilon for one in planned(b=2).countings}
    assert shares == {"a": Fraction(1, 4), "b": Fraction(1, 2), "c": Fraction(1, 4)}
    for structure in Structure:
        [counting] = planned(("y",), ("y",), structure).countings
        assert (counting.columns, counting.part.epsilon) == (("y",), 1)


def test_a_tree_chooses_one_pair_less_than_columns():
    """Counts of single columns 3/10, choices 1/10 and pairs 6/10 of ε."""
    plan = planned(structure="tree")
    spent = [
        sum(one.part.epsilon for one in steps) for steps in (plan.countings, plan.choosings, plan.chosen)
    ]
    assert spent == [Fraction(3, 10), Fraction(1, 10), Fraction(6, 10)]
    assert len(plan.chosen) == 3
    assert [choosing.part.mechanism for choosing in plan.choosings] == ["permute_and_flip"] * 3


def test_an_augmented_star_joins_the_other_columns_by_a_tree():
    """Each with the center first, and two edges for three of them; for one of them it is a star."""
    plan = planned(structure="augmented_star")
    assert (plan.given, [one.columns for one in plan.countings]) == (("y",), [("y", name) for name in "abc"])
    assert len(plan.choosings) == len(plan.chosen) == 2
    assert planned(("y", "a"), NAMES, "augmented_star") == planned(("y", "a"), NAMES, "star")


def test_what_cannot_be_measured_is_refused_before_anything_is_drawn():
    """Undeclared categories without a δ, by their columns and remedy; 600 by 600 cells."""
    with pytest.raises(NotMeasurable, match=r"categories of b, c are not declared.*set delta"):
        planned(declared=("y", "a"))
    with pytest.raises(NotMeasurable, match="marginal of y and a has 361,201 cells, more than 250,000"):
        planned(("y", "a"), ("y", "a"), count=600)


def test_bins_of_a_wide_column_do_not_grow_with_its_bounds():
    """Bounds of a million make as many cells as bins were asked for."""
    bins = Bins(name="a", bounds=(Fraction(0), Fraction(10**6)), bins=16, value_type=ValueType.NUMBER)
    assert bins.cells == 17


@given(total=POSITIVE, weights=st.lists(POSITIVE, min_size=1, max_size=12))
def test_shares_add_up_to_the_total_exactly(total, weights):
    """They sum to it without a rest, and are as their weights."""
    shares = split(total, weights)
    assert sum(shares) == total
    assert all(
        share * weights[0] == shares[0] * weight for share, weight in zip(shares, weights, strict=True)
    )


@pytest.mark.parametrize("weights", [[], [Fraction(0)], [Fraction(1), Fraction(-1)]])
def test_weights_are_above_zero(weights):
    """There is at least one, and none is 0 or less."""
    with pytest.raises(ValueError, match="above 0"):
        split(Fraction(1), weights)
