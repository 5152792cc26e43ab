"""Ordered t-closeness against the dense formula."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.sdk import Cells, Grouping, NotMeasurable
from qidguard_standard.metrics.t_closeness_ordered import T_CLOSENESS_ORDERED, ordered_distances


def cells_of(records: list[tuple[int, int]], *, has_missing: bool = False) -> Cells:
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


class View:
    """A table of cells."""

    def __init__(self, cells: Cells) -> None:
        self.made = cells

    def cells(self, grouping: Grouping) -> Cells:
        """Return the cells it was made with."""
        assert grouping.sensitive == "pay"
        return self.made


def measure(cells: Cells) -> float:
    """Measure the metric."""
    view: Any = View(cells)
    return T_CLOSENESS_ORDERED.method.measure(view, Grouping(qids=("age",), sensitive="pay"), {})


def dense(cells: Cells) -> list[float]:
    """Compute the formula over all classes × values."""
    values = len(cells.table_n)
    p = np.zeros((len(cells.size), values))
    p[cells.class_id, cells.value] = cells.n
    p /= p.sum(axis=1, keepdims=True)
    shift = np.cumsum(p - cells.table_n / cells.table_n.sum(), axis=1)
    return (np.abs(shift).sum(axis=1) / max(1, values - 1)).tolist()


def test_salaries_of_the_paper():
    """Li et al. 2007: of nine salaries 3k–11k, {3k,4k,5k} is at .375 and {6k,8k,11k} at .167."""
    records = [(0, 0), (0, 1), (0, 2), (1, 3), (1, 5), (1, 8), (2, 4), (2, 6), (2, 7)]
    distances = ordered_distances(cells_of(records))
    assert distances[0] == pytest.approx(0.375)
    assert distances[1] == pytest.approx(1 / 6)
    assert measure(cells_of(records)) == pytest.approx(0.375)


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


def test_entities_with_two_values_are_shares_of_their_values():
    """Where a class of two entities shows three values among them, shares are of the three."""
    cells = Cells(
        class_id=np.array([0, 0, 1]),
        value=np.array([0, 1, 1]),
        n=np.array([2, 1, 1]),
        size=np.array([2, 1]),
        table_n=np.array([2, 2]),
        has_missing=False,
    )
    assert ordered_distances(cells).tolist() == pytest.approx([2 / 3 - 1 / 2, 1 / 2])


def test_reversed_order_changes_nothing():
    """Counting the order from the other end gives the same distances."""
    records = [(0, 0), (0, 0), (0, 3), (1, 1), (1, 2), (2, 3), (2, 1)]
    turned = [(c, 3 - v) for c, v in records]
    assert ordered_distances(cells_of(records)).tolist() == pytest.approx(
        ordered_distances(cells_of(turned)).tolist()
    )


def test_single_class_mirrors_the_table():
    """One class is the table: 0."""
    assert measure(cells_of([(0, 0), (0, 1), (0, 1)])) == pytest.approx(0, abs=1e-12)


def test_one_value_is_no_distance():
    """A sensitive attribute with one value gives 0."""
    assert measure(cells_of([(0, 0), (1, 0)])) == 0


def test_two_extremes_are_half_apart():
    """Two classes at the two ends of a two-valued order are at 1/2 from the table."""
    assert measure(cells_of([(0, 0), (1, 1)])) == 0.5


def test_missing_values_have_no_place_in_an_order():
    """NULL in the sensitive attribute gives no number and says which metric does."""
    with pytest.raises(NotMeasurable, match=r"'pay' has missing values.*use t_closeness"):
        measure(cells_of([(0, 0), (1, 1)], has_missing=True))


def test_empty_table():
    """Without a class there is nothing to compare."""
    with pytest.raises(NotMeasurable, match="no records"):
        measure(cells_of([]))


def test_engine_ranks_numbers_by_size():
    """Through DuckDB: pay 9 < 10 < 100 as numbers; classes {9, 10} and {100} by the dense formula."""
    frame = pd.DataFrame({"age": [1, 1, 2], "pay": [9, 10, 100]})
    with ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings()) as table:
        figure = T_CLOSENESS_ORDERED.method.measure(table, Grouping(qids=("age",), sensitive="pay"), {})
    # class 2: |0−1/3| + |0−2/3| over 2 steps; class 1: |1/2−1/3| + |1−2/3| over 2 steps
    assert figure == pytest.approx(1 / 2)


def test_engine_with_missing_pay_is_not_measurable():
    """Through DuckDB: one NULL in the sensitive attribute leaves no number."""
    frame = pd.DataFrame({"age": [1, 1, 2], "pay": [9, None, 100]})
    with (
        ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings()) as table,
        pytest.raises(NotMeasurable, match="missing values"),
    ):
        T_CLOSENESS_ORDERED.method.measure(table, Grouping(qids=("age",), sensitive="pay"), {})
