"""What metrics compute outside SQL: the size that a risk allows, distances in an order, matches of a mark."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measured_people import measured_frame
from qidguard.sdk import Cells, Grouping, NotMeasurable
from qidguard_standard.metrics.class_sizes import WILDCARD_K_ANONYMITY, matching_persons
from qidguard_standard.metrics.closeness import T_CLOSENESS_ORDERED, ordered_distances
from qidguard_standard.metrics.prosecutor import LARGEST_SIZE, smallest_size_at
from seen_classes import Coded


@given(hundredths=st.integers(1, 10_000), size=st.integers(1, 20_000))
def test_equals_the_comparison_in_fractions(hundredths, size):
    """A class is smaller than the limit exactly when 1/size > τ, for every τ of four decimals."""
    assert (size < smallest_size_at(hundredths / 10_000)) == (
        Fraction(1, size) > Fraction(hundredths, 10_000)
    )


@pytest.mark.parametrize(("threshold", "size"), [(1.0, 1), (0.0, LARGEST_SIZE), (5e-324, LARGEST_SIZE)])
def test_ends_of_the_range(threshold, size):
    """Nothing is above 1, everything is above 0, and SQL can hold the size of the smallest float."""
    assert smallest_size_at(threshold) == size


def cells_of(records):
    """Make cells of records (class, value) whose classes and values are 0, 1, … without a gap."""
    pairs = sorted(set(records), reverse=True)
    classes = [c for c, _ in records]
    values = [v for _, v in records]
    return Cells(
        class_id=np.array([c for c, _ in pairs], dtype=np.int64),
        value=np.array([v for _, v in pairs], dtype=np.int64),
        n=np.array([records.count(pair) for pair in pairs], dtype=np.int64),
        size=np.bincount(classes),
        table_n=np.bincount(values),
        has_missing=False,
    )


def dense(cells):
    """Compute the formula over all classes × values."""
    values = len(cells.table_n)
    p = np.zeros((len(cells.size), values))
    p[cells.class_id, cells.value] = cells.n
    p /= p.sum(axis=1, keepdims=True)
    shift = np.cumsum(p - cells.table_n / cells.table_n.sum(), axis=1)
    return (np.abs(shift).sum(axis=1) / max(1, values - 1)).tolist()


SALARIES = [(0, 0), (0, 1), (0, 2), (1, 3), (1, 5), (1, 8), (2, 4), (2, 6), (2, 7)]


TWO_OF_ONE = Cells(
    class_id=np.array([0, 0, 1]), value=np.array([0, 1, 1]), n=np.array([2, 1, 1]),
    size=np.array([2, 1]), table_n=np.array([2, 2]), has_missing=False,
)  # fmt: skip
"""A class of two entities who show three values among them: shares are of the three."""


def test_distances_of_every_class():
    """Li et al. 2007: of nine salaries 3k–11k, {3k,4k,5k} is at .375 and {6k,8k,11k} at .167."""
    assert ordered_distances(cells_of(SALARIES))[:2] == pytest.approx([0.375, 1 / 6])
    # one class mirrors the table, one value is no distance, and two extremes are half apart
    flat = [([(0, 0), (0, 1), (0, 1)], 0), ([(0, 0), (1, 0)], 0), ([(0, 0), (1, 1)], 0.5)]
    for records, expected in flat:
        assert ordered_distances(cells_of(records)) == pytest.approx(expected, abs=1e-12)
    assert ordered_distances(TWO_OF_ONE).tolist() == pytest.approx([2 / 3 - 1 / 2, 1 / 2])


@given(
    records=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), min_size=1, max_size=40).map(
        lambda records: [
            (sorted({c for c, _ in records}).index(c), sorted({v for _, v in records}).index(v))
            for c, v in records
        ]
    )
)
def test_sparse_equals_dense(records):
    """Jumping from cell to cell gives what summing over every value gives."""
    cells = cells_of(records)
    assert ordered_distances(cells).tolist() == pytest.approx(dense(cells), abs=1e-12)


def test_engine_ranks_numbers_by_size():
    """Through DuckDB: pay 9 < 10 < 100 as numbers; classes {9, 10} and {100} by the dense formula."""
    frame = pd.DataFrame({"age": [1, 1, 2], "pay": [9, 10, 100]})
    # class 2: |0−1/3| + |0−2/3| over 2 steps; class 1: |1/2−1/3| + |1−2/3| over 2 steps
    assert measured_frame(T_CLOSENESS_ORDERED, frame, ["age"], sensitive="pay") == pytest.approx(1 / 2)
    lacking = frame.assign(pay=[9, None, 100])
    with pytest.raises(NotMeasurable, match=r"'pay' has missing values.*use t_closeness"):
        measured_frame(T_CLOSENESS_ORDERED, lacking, ["age"], sensitive="pay")


STAR = 3
"""The code of the suppression mark in these tables."""

tables = st.integers(1, 4).flatmap(
    lambda columns: st.lists(st.tuples(*[st.integers(0, STAR)] * columns), min_size=1, max_size=8)
)


def measure(view):
    """Measure k-anonymity with wildcards."""
    return WILDCARD_K_ANONYMITY.method.measure(view, Grouping(qids=view.qids), {})


def is_match(row, other):
    """Compare two records value by value."""
    return all(a == b or STAR in {a, b} for a, b in zip(row, other, strict=True))


@given(rows=tables)
def test_every_count_equals_comparing_all_pairs(rows):
    """Each record is matched by as many records as comparing it with every other finds."""
    view = Coded(rows, mark=STAR)
    expected = [sum(is_match(row, other) for other in rows) for row in sorted(set(rows))]
    assert matching_persons(view, view.table).tolist() == expected
    assert measure(view) == min(expected)


@given(rows=tables)
def test_without_a_mark_it_is_k_anonymity(rows):
    """Where no mark occurs the figure is the size of the smallest class."""
    assert measure(Coded(rows)) == min(rows.count(row) for row in rows)


@given(rows=tables, data=st.data())
def test_entities_are_counted_once(rows, data):
    """Distinct entities are counted, or there is no number where one suppresses different columns."""
    entities = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    view = Coded(rows, entities, mark=STAR)
    patterns = {(entity, tuple(v == STAR for v in row)) for row, entity in zip(rows, entities, strict=True)}
    if len(patterns) > len(set(entities)):
        with pytest.raises(NotMeasurable, match="differ in which QIDs are suppressed"):
            measure(view)
        return
    expected = min(
        len({entity for other, entity in zip(rows, entities, strict=True) if is_match(row, other)})
        for row in rows
    )
    assert measure(view) == expected


def test_too_many_patterns():
    """More than 500 different sets of suppressed columns are refused with a remedy."""
    rows = [tuple(STAR if number >> bit & 1 else 0 for bit in range(9)) for number in range(501)]
    with pytest.raises(NotMeasurable, match="has 501; name fewer QIDs or use k_anonymity"):
        measure(Coded(rows, mark=STAR))


def test_stops_when_asked():
    """A caller who asked to stop gets KeyboardInterrupt."""
    with pytest.raises(KeyboardInterrupt):
        measure(Coded([(1,)], is_interrupted=True))
