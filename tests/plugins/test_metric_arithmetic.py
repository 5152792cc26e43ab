"""What metrics compute outside SQL: the size that a risk allows, levels of a class, distances in an order."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measured_people import measured_frame
from qidguard.sdk import Cells, Grouping, NotMeasurable
from qidguard_standard.metrics.closeness import T_CLOSENESS_ORDERED, ordered_distances
from qidguard_standard.metrics.diversity import recursive_levels
from qidguard_standard.metrics.prosecutor import LARGEST_SIZE, smallest_size_at


@pytest.mark.parametrize("size", [3, 5, 7, 10, 20, 25, 40, 50, 80, 100, 125, 1000])
def test_reciprocals_are_exact(size):
    """Written as a decimal, 1/size of these sizes is met by the size and exceeded below it."""
    written = Decimal(1) / Decimal(size)
    expected = size if Fraction(written) == Fraction(1, size) else size + 1
    assert smallest_size_at(float(written)) == expected


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


@given(records=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=30))
@pytest.mark.parametrize("c", ["0.1", "1", "1.1", "2.5", "7"])
def test_levels_of_every_class(records, c):
    """The vectorized levels equal those tried one by one in fractions."""
    classes = sorted({owner for owner, _ in records})
    counts = Counter(records)
    cells = Cells(
        class_id=np.array([classes.index(owner) for owner, _ in counts]),
        value=np.array([value for _, value in counts]),
        n=np.array(list(counts.values())),
        size=np.bincount([classes.index(owner) for owner, _ in records]),
        table_n=np.bincount([value for _, value in records]),
        has_missing=False,
    )
    expected = []
    for owner in classes:
        r = sorted((n for (o, _), n in counts.items() if o == owner), reverse=True)
        expected.append(
            max((n for n in range(2, len(r) + 1) if r[0] < Fraction(c) * sum(r[n - 1 :])), default=1)
        )
    assert expected == recursive_levels(cells, float(c)).tolist()


def cells_of(records, *, has_missing=False):
    """Make cells of records (class, value) whose classes and values are 0, 1, … without a gap."""
    pairs = sorted(set(records), reverse=True)
    classes = [c for c, _ in records]
    values = [v for _, v in records]
    return Cells(
        class_id=np.array([c for c, _ in pairs], dtype=np.int64),
        value=np.array([v for _, v in pairs], dtype=np.int64),
        n=np.array([records.count(pair) for pair in pairs], dtype=np.int64),
        size=np.bincount(classes) if records else np.zeros(0, dtype=np.int64),
        table_n=np.bincount(values) if records else np.zeros(0, dtype=np.int64),
        has_missing=has_missing,
    )


def distance(cells):
    """Measure ordered t-closeness on cells, which are those of its grouping and of no other."""
    grouping = Grouping(qids=("age",), sensitive="pay")
    view = SimpleNamespace(cells={grouping: cells}.__getitem__)
    return T_CLOSENESS_ORDERED.method.measure(view, grouping, {})


def dense(cells):
    """Compute the formula over all classes × values."""
    values = len(cells.table_n)
    p = np.zeros((len(cells.size), values))
    p[cells.class_id, cells.value] = cells.n
    p /= p.sum(axis=1, keepdims=True)
    shift = np.cumsum(p - cells.table_n / cells.table_n.sum(), axis=1)
    return (np.abs(shift).sum(axis=1) / max(1, values - 1)).tolist()


SALARIES = [(0, 0), (0, 1), (0, 2), (1, 3), (1, 5), (1, 8), (2, 4), (2, 6), (2, 7)]


@pytest.mark.parametrize(
    ("records", "figure"),
    [
        (SALARIES, pytest.approx(0.375)),
        # one class mirrors the table, one value is no distance, and two extremes are half apart
        ([(0, 0), (0, 1), (0, 1)], pytest.approx(0, abs=1e-12)),
        ([(0, 0), (1, 0)], 0),
        ([(0, 0), (1, 1)], 0.5),
    ],
)
def test_the_farthest_class_decides(records, figure):
    """Ordered t-closeness is the largest distance of a class."""
    assert distance(cells_of(records)) == figure


TWO_OF_ONE = Cells(
    class_id=np.array([0, 0, 1]), value=np.array([0, 1, 1]), n=np.array([2, 1, 1]),
    size=np.array([2, 1]), table_n=np.array([2, 2]), has_missing=False,
)  # fmt: skip
"""A class of two entities who show three values among them: shares are of the three."""


def test_distances_of_every_class():
    """Li et al. 2007: of nine salaries 3k–11k, {3k,4k,5k} is at .375 and {6k,8k,11k} at .167."""
    assert ordered_distances(cells_of(SALARIES))[:2] == pytest.approx([0.375, 1 / 6])
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


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (cells_of([(0, 0), (1, 1)], has_missing=True), r"'pay' has missing values.*use t_closeness"),
        (cells_of([]), "no records"),
    ],
    ids=["missing", "empty"],
)
def test_no_order_no_distance(cells, reason):
    """NULL has no place in an order, and no class nothing to compare: no number, with the reason."""
    with pytest.raises(NotMeasurable, match=reason):
        distance(cells)


def test_engine_ranks_numbers_by_size():
    """Through DuckDB: pay 9 < 10 < 100 as numbers; classes {9, 10} and {100} by the dense formula."""
    frame = pd.DataFrame({"age": [1, 1, 2], "pay": [9, 10, 100]})
    # class 2: |0−1/3| + |0−2/3| over 2 steps; class 1: |1/2−1/3| + |1−2/3| over 2 steps
    assert measured_frame(T_CLOSENESS_ORDERED, frame, ["age"], sensitive="pay") == pytest.approx(1 / 2)
    lacking = frame.assign(pay=[9, None, 100])
    with pytest.raises(NotMeasurable, match="missing values"):
        measured_frame(T_CLOSENESS_ORDERED, lacking, ["age"], sensitive="pay")
