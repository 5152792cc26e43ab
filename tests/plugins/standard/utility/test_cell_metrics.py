"""Metrics of single cells, against sums by hand and against loops over the cells."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import Hierarchy, NotMeasurable
from qidguard_standard.utility.discernibility_with_suppression import DISCERNIBILITY_WITH_SUPPRESSION
from qidguard_standard.utility.distortion_measure import DISTORTION_MEASURE
from qidguard_standard.utility.gcp import GCP
from qidguard_standard.utility.granularity import GRANULARITY
from qidguard_standard.utility.information_loss import INFORMATION_LOSS
from qidguard_standard.utility.kept_share import KEPT_SHARE
from qidguard_standard.utility.ncp import NCP
from qidguard_standard.utility.non_uniform_entropy import NON_UNIFORM_ENTROPY_METRICS
from qidguard_standard.utility.originality import ORIGINALITY
from two_tables import measured, view

LOST, KEPT = NON_UNIFORM_ENTROPY_METRICS
AGES = [20, 24, 30, 60]
JOBS = ["x", "x", "y", "z"]
SETTINGS = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)


def generalized():
    """Return four people: two in an interval and a set, one suppressed cell, one record suppressed."""
    return view(
        {"a": AGES, "c": JOBS},
        {"a": ["[20, 24]", "[20, 24]", "*"], "c": ["{x, y}", "x", "{x, y}"]},
        [True, True, True, False],
    )


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # ages 4/40, 4/40, 1, 1; jobs (2−1)/(3−1), 0, 1/2, 1
        (NCP, (0.1 + 0.1 + 1 + 1 + 0.5 + 0 + 0.5 + 1) / 8),
        # jobs 2/3, 0, 2/3, 1
        (GCP, (0.1 + 0.1 + 1 + 1 + 2 / 3 + 0 + 2 / 3 + 1) / 8),
        # two of the four ages are covered: 1/3
        (GRANULARITY, 1 - (1 / 3 + 1 / 3 + 1 + 1 + 0.5 + 0 + 0.5 + 1) / 8),
        (ORIGINALITY, 1 / 8),
        # without hierarchies it counts the NCP loss
        (DISTORTION_MEASURE, (0.1 + 0.1 + 1 + 1 + 0.5 + 0 + 0.5 + 1) / 8),
        (KEPT_SHARE, 3 / 4),
        # three classes of one, and a record that costs 4
        (DISCERNIBILITY_WITH_SUPPRESSION, 3 + 4),
        # ages log2(2/1), twice, log2(4/1) twice; jobs log2(3/2), 0, log2(3/1), log2(4/1)
        (LOST, 1 + 1 + 2 + 2 + math.log2(1.5) + math.log2(3) + 2),
        # everything: ages 4·2; jobs 1 + 1 + 2 + 2
        (KEPT, 1 - (1 + 1 + 2 + 2 + math.log2(1.5) + math.log2(3) + 2) / 14),
        # mean 33.5, mode x; ages 2² + 2² + 3.5² + 26.5²; jobs 1/2, 0, 1/2, 1
        (
            INFORMATION_LOSS,
            (4 + 4 + 12.25 + 702.25 + 0.5 + 0 + 0.5 + 1) / (13.5**2 + 9.5**2 + 3.5**2 + 26.5**2 + 2),
        ),
    ],
    ids=lambda case: getattr(case, "name", ""),
)
def test_by_hand(metric, expected):
    """Every cell's loss written out."""
    assert expected == pytest.approx(measured(metric, generalized()), abs=1e-12)


def everything_suppressed():
    """Return a table in which no cell says anything, of a constant column among others."""
    return view(
        {"a": AGES, "c": JOBS, "d": ["s"] * 4},
        {"a": ["*"] * 4, "c": ["*"] * 4, "d": ["*"] * 4},
    )


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (NCP, 1),
        (GCP, 1),
        (GRANULARITY, 0),
        (ORIGINALITY, 0),
        (DISTORTION_MEASURE, 1),
        (DISCERNIBILITY_WITH_SUPPRESSION, 16),
        (LOST, 14),
        (KEPT, 0),
        (INFORMATION_LOSS, 1),
    ],
    ids=lambda case: getattr(case, "name", ""),
)
def test_everything_suppressed(metric, expected):
    """A suppressed cell loses everything, in a column of one value as well."""
    assert expected == pytest.approx(measured(metric, everything_suppressed()))


@pytest.mark.parametrize("metric", [NCP, GCP, GRANULARITY, ORIGINALITY, INFORMATION_LOSS, KEPT])
def test_suppressed_cells_cost_what_suppressed_records_cost(metric):
    """To publish ``*`` in every cell of a record, or not to publish the record, is the same loss."""
    before = {"a": AGES, "c": JOBS}
    cells = view(before, {"a": ["20", "24", "30", "*"], "c": ["x", "x", "y", "*"]})
    record = view(before, {"a": AGES[:3], "c": JOBS[:3]}, [True, True, True, False])
    assert measured(metric, cells) == pytest.approx(measured(metric, record), abs=1e-12)


def test_missing_values_by_hand():
    """NULL is one of five values; kept it costs nothing, in place of a value everything."""
    before = {"c": ["x", "y", "z", "w", None]}
    after = {"c": ["{, x}", "{x, y}", None, "w", None]}
    seen = view(before, after)
    assert pytest.approx(measured(NCP, seen)) == (1 / 4 + 1 / 4 + 1 + 0 + 0) / 5
    assert pytest.approx(measured(GRANULARITY, seen)) == 1 - (1 / 4 + 1 / 4 + 1) / 5
    assert measured(ORIGINALITY, seen) == pytest.approx(2 / 5)
    assert measured(LOST, seen) == pytest.approx(1 + 1 + math.log2(5))
    # modes tie: the first by code is NULL, so all four letters deviate by 1
    assert measured(INFORMATION_LOSS, seen) == pytest.approx((1 / 2 + 1 / 2 + 1) / 4)


def test_a_missing_value_that_hides_another_one():
    """As many NULLs as before, for the record that had one is suppressed: the hidden value is lost wholly."""
    seen = view({"c": ["x", None, "y", "z"]}, {"c": [None, "y", "z"]}, [True, False, True, True])
    assert measured(NCP, seen) == pytest.approx(2 / 4)
    assert measured(GRANULARITY, seen) == pytest.approx(2 / 4)
    # the mode is NULL, the first of those that tie: x deviates by 1, the suppressed NULL by 0, of 3 in all
    assert measured(INFORMATION_LOSS, seen) == pytest.approx(1 / 3)
    # numbers 1, 5, 9: 1 deviates from their mean by 16, of 32 in all
    seen = view({"a": [1, None, 5, 9]}, {"a": [None, 5, 9]}, [True, False, True, True])
    assert measured(INFORMATION_LOSS, seen) == pytest.approx(16 / 32)


def test_numbers_with_missing_values_by_hand():
    """NULL beside numbers: the cell that lost its number deviates as a suppressed one."""
    before = {"a": [1, 3, None, 8]}
    seen = view(before, {"a": [1, None, None, "[3, 8]"]})
    # mean 4: 9 + 1 + 16 = 26, variance 26/3; 3 that became NULL counts (3 − 4)², 8 at 5.5 counts 2.5²
    assert measured(INFORMATION_LOSS, seen) == pytest.approx((1 + 6.25) / 26)
    filled = view(before, {"a": [1, 3, 4, 8]})
    assert measured(INFORMATION_LOSS, filled) == pytest.approx((26 / 3) / 26)
    # NULL published as 4, which does not occur: the pair of both costs one of three other values
    assert measured(NCP, filled) == pytest.approx((1 / 3) / 4)


def test_mean_and_mode_lose_as_much_as_there_is():
    """Published means and modes make the information loss 1 (equations 10 and 11 are then the same)."""
    mean, before = 33.5, {"a": AGES, "c": JOBS}
    assert measured(INFORMATION_LOSS, view(before, {"a": [mean] * 4, "c": ["x"] * 4})) == pytest.approx(1)


def test_centroids_are_measured_as_published():
    """Rounded centroids enter rounded: (20 − 22)² + (24 − 22)² + (30 − 45)² and (60 − 45)², by 987."""
    seen = view({"a": AGES}, {"a": [22, 22, 45, 45]})
    assert measured(INFORMATION_LOSS, seen) == pytest.approx((4 + 4 + 225 + 225) / 987)
    assert measured(NCP, seen) == pytest.approx((2 + 2 + 15 + 15) / 40 / 4)


def test_wrong_categories():
    """A swapped value costs the pair that holds both, and all its bits."""
    seen = view({"c": JOBS}, {"c": ["x", "y", "y", "z"]})
    assert measured(NCP, seen) == pytest.approx((1 / 2) / 4)
    assert measured(GCP, seen) == pytest.approx((2 / 3) / 4)
    assert measured(LOST, seen) == pytest.approx(1)
    assert measured(INFORMATION_LOSS, seen) == pytest.approx(1 / 2)


def test_no_spread_to_take_a_loss_by():
    """Of constant columns there is no relative loss, unless nothing is lost."""
    assert measured(INFORMATION_LOSS, view({"a": [5, 5]}, {"a": [5, 5]})) == 0
    with pytest.raises(NotMeasurable, match="its spread is 0"):
        measured(INFORMATION_LOSS, view({"a": [5, 5]}, {"a": [5, 7]}))


def test_levels_of_a_hierarchy():
    """Of levels 0 to 3 the second counts 2/3; a value at level 0 nothing; a suppressed record 1."""
    levels = Hierarchy(
        column="c",
        groups=np.array([[0, 1, 2, 3], [0, 1, 1, 2], [0, 1, 1, 1], [0, 0, 0, 0]], dtype=np.int32),
        labels=((None, "x", "y", "z"), (None, "xy", "z"), (None, "xyz"), ("*",)),
    )
    before = {"c": ["x", "y", "z", "z", "z"]}
    after = {"c": ["xy", "xyz", "z", "{x, z}"]}
    seen = view(before, after, [True, True, True, True, False], hierarchies={"c": levels})
    # {x, z} is no label: its NCP loss, 1/2
    assert measured(DISTORTION_MEASURE, seen) == pytest.approx((1 / 3 + 2 / 3 + 0 + 1 / 2 + 1) / 5)
    # a wrong label counts the loss of what it covers with the original, not its level
    wrong = view(before, {"c": ["xy", "xy", "xy", "z", "z"]}, hierarchies={"c": levels})
    assert measured(DISTORTION_MEASURE, wrong) == pytest.approx((1 / 3 + 1 / 3 + 1) / 5)


def test_where_the_order_is_unknown_ncp_takes_what_cells_cover():
    """The same figure for right generalizations; centroids cannot be measured then."""
    before, after = {"a": AGES}, {"a": ["[20, 24]", "*", "30"]}
    kept = [True, True, True, False]
    for metric in (NCP, GCP):
        known, unknown = (view(before, after, kept, aligned=aligned) for aligned in (True, False))
        assert measured(metric, known) == pytest.approx(measured(metric, unknown))
        with pytest.raises(NotMeasurable, match="1 published numbers of column 'a' do not occur"):
            measured(metric, view(before, {"a": [20, 24, 31, 60]}, aligned=False))


INTERVALS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=9
)


@SETTINGS
@given(people=INTERVALS)
def test_coarser_never_costs_less(people):
    """Wider intervals around every age never lower ncp and gcp, nor raise what is kept."""
    ages = [age for age, _, _ in people]
    narrow = [f"[{age - less}, {age + less}]" for age, less, _ in people]
    wide = [f"[{age - less - more}, {age + less + more}]" for age, less, more in people]
    fine, coarse = view({"a": ages}, {"a": narrow}), view({"a": ages}, {"a": wide})
    for metric in (NCP, GCP, LOST):
        assert measured(metric, fine) <= measured(metric, coarse) + 1e-12
    for metric in (GRANULARITY, KEPT):
        assert measured(metric, fine) >= measured(metric, coarse) - 1e-12


@SETTINGS
@given(people=INTERVALS, kept=st.lists(st.booleans(), min_size=9, max_size=9))
def test_ncp_and_bits_equal_loops_over_the_cells(people, kept):
    """Interval by interval: its width within the ages over their range, and the ages that it holds."""
    kept = [*kept[: len(people) - 1], True]
    ages = [age for age, _, _ in people]
    first, last, counts = min(ages), max(ages), Counter(ages)
    ncp, bits, published = 0.0, 0.0, []
    for (age, less, more), is_kept in zip(people, kept, strict=True):
        low, high = age - less, age + more
        if not is_kept:
            ncp, bits = ncp + 1, bits + math.log2(len(ages) / counts[age])
            continue
        published.append(f"[{low}, {high}]")
        if last > first:
            ncp += (min(high, last) - max(low, first)) / (last - first)
        bits += math.log2(sum(counts[one] for one in range(low, high + 1)) / counts[age])
    seen = view({"a": ages}, {"a": published}, kept)
    assert ncp / len(ages) == pytest.approx(measured(NCP, seen), abs=1e-12)
    assert bits == pytest.approx(measured(LOST, seen), abs=1e-9)


def test_discernibility_of_hundred_thousand_equal_records():
    """n² of a large table is exact."""
    size = 100_001
    seen = view({"a": [1] * size}, {"a": [1] * (size - 1)}, [True] * (size - 1) + [False])
    assert (size - 1) ** 2 + size == measured(DISCERNIBILITY_WITH_SUPPRESSION, seen)
