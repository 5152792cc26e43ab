"""Metrics of single cells against loops over the cells, and what coarser cells do to them."""

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard_standard.utility.cells import GCP, NCP
from qidguard_standard.utility.cells_kept import DISCERNIBILITY_WITH_SUPPRESSION, GRANULARITY, ORIGINALITY
from qidguard_standard.utility.information import INFORMATION_LOSS, NON_UNIFORM_ENTROPY_METRICS
from two_tables import measured, view

LOST, KEPT = NON_UNIFORM_ENTROPY_METRICS
AGES = [20, 24, 30, 60]
JOBS = ["x", "x", "y", "z"]
SETTINGS = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)


@pytest.mark.parametrize("metric", [NCP, GCP, GRANULARITY, ORIGINALITY, INFORMATION_LOSS, KEPT])
def test_suppressed_cells_cost_what_suppressed_records_cost(metric):
    """To publish ``*`` in every cell of a record, or not to publish the record, is the same loss."""
    before = {"a": AGES, "c": JOBS}
    cells = view(before, {"a": ["20", "24", "30", "*"], "c": ["x", "x", "y", "*"]})
    record = view(before, {"a": AGES[:3], "c": JOBS[:3]}, [True, True, True, False])
    assert measured(metric, cells) == pytest.approx(measured(metric, record), abs=1e-12)


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
