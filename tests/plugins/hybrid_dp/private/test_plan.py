"""A plan spends the whole budget and no more, on cells that are declared."""

from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from private_tables import numbers, texts
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
    assert all(Fraction(one.mapped[0]) <= one.part.epsilon for one in (*plan.countings, *plan.choosings))
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


REAL = ValueType.NUMBER


def whole(low, high, bins, kind=ValueType.INTEGER):
    """Return bins of whole numbers."""
    return Bins(name="age", bounds=(Fraction(low), Fraction(high)), bins=bins, value_type=kind)


def test_what_is_missing_or_undeclared_shares_the_last_cell():
    """A category that nobody declared is counted as any other of its kind, and published as none."""
    domain = Categories(name="sex", values=("f", "m"))
    codes = domain.codes(texts("sex", ["m", None, "f", "x", "m"]))
    assert codes.tolist() == [1, 2, 0, 2, 1]
    assert domain.cells == 3
    assert domain.drawn(np.array([0, 2, 1]), np.random.default_rng(0)) == ["f", None, "m"]


@pytest.mark.parametrize(
    ("domain", "values", "codes"),
    [
        # numbers outside the bounds are counted in the outer bins, what is missing in a cell of its own
        (whole(10, 29, 2), [3, 10, 19, 20, 29, 95, None], [0, 0, 0, 1, 1, 1, 2]),
        # infinite numbers are beyond the bounds, and NaN is missing
        (whole(0, 9, 3, REAL), [1.5, float("inf"), float("-inf"), float("nan")], [0, 2, 0, 3]),
        # all equal and empty columns have cells too
        *((whole(0, 9, 3, kind), [4, 4, 4], [1, 1, 1]) for kind in (ValueType.INTEGER, REAL)),
        *((whole(0, 9, 3, kind), [None], [3]) for kind in (ValueType.INTEGER, REAL)),
    ],
)
def test_bins_are_where_the_bounds_say(domain, values, codes):
    """Cells do not depend on the values."""
    assert domain.codes(numbers("age", values, domain.value_type)).tolist() == codes


def test_whole_numbers_have_no_more_bins_than_numbers():
    """Three numbers make three bins, however many are asked for; twenty are cut in tens."""
    assert (whole(1, 3, 16).cells, whole(1, 3, 16).edges.tolist()) == (4, [1, 2, 3, 4])
    assert whole(10, 29, 2).edges.tolist() == [10, 20, 30]


@given(
    low=st.integers(-50, 50),
    width=st.integers(1, 200),
    bins=st.integers(1, 40),
    seed=st.integers(0, 9),
    kind=st.sampled_from([ValueType.INTEGER, ValueType.NUMBER]),
)
def test_a_drawn_number_stands_in_its_own_bin(low, width, bins, seed, kind):
    """What is drawn for a cell is counted in that cell, and lies within the bounds."""
    domain = whole(low, low + width, bins, kind)
    cells = np.arange(domain.cells).repeat(5)
    drawn = domain.drawn(cells, np.random.default_rng(seed))
    again = domain.codes(numbers("age", drawn, kind))
    assert all(value is None or low <= value <= low + width for value in drawn)
    if kind is ValueType.INTEGER:
        assert again.tolist() == cells.tolist()
        assert all(value is None or isinstance(value, int) for value in drawn)
    else:  # a rounded number may be the end that two bins share
        assert np.abs(again - cells).max() <= 1


def test_dates_are_drawn_as_dates():
    """They are days since 1970."""
    drawn = whole(0, 1, 1, ValueType.DATE).drawn(np.array([0]), np.random.default_rng(1))
    assert drawn[0] in {date(1970, 1, 1), date(1970, 1, 2)}
