"""Synthetic records from consistent marginals of a tree: post-processing, so a seed may draw them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import NotMeasurable
from qidguard_hybrid_dp.private.consistent import column_counts, consistent, consistent_given
from qidguard_hybrid_dp.private.measuring import Marginal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Table = NDArray[np.float64]


def synthetic_cells(
    tables: "Mapping[tuple[str, ...], Table]", random: np.random.Generator
) -> "dict[str, NDArray[np.int64]]":
    """Return column → the cell of each synthetic record, in random order.

    A child's cells are drawn given its parent's. The records of each cell are shared out by the expected
    numbers, rounded up or down at random, so that sampling adds less than one record of error a cell.

    Args:
        tables: Marginals as ``consistent`` returns them; the root's add up to the number of records.
        random: Draws the records.
    """
    root, *pairs = tables
    cells: dict[str, NDArray[np.int64]] = {}
    records = round(float(tables[root].sum()))
    cells[root[0]] = random.permutation(_shared_out(tables[root], records, random))
    for parent, child in pairs:
        drawn = np.zeros(records, dtype=np.int64)
        for cell, row in enumerate(tables[parent, child]):
            where = np.flatnonzero(cells[parent] == cell)
            if len(where):
                drawn[where] = random.permutation(_shared_out(row, len(where), random))
        cells[child] = drawn
    return cells


MOST_RECORDS = 10_000_000
"""Synthetic records that are drawn in memory at most."""


@dataclass(frozen=True, kw_only=True)
class Synthetic:
    """Synthetic records, and the counts that they were drawn from.

    Args:
        cells: Column → the cell of each record, in random order.
        counts: Column → the consistent number of records of each cell.
    """

    cells: "Mapping[str, NDArray[np.int64]]" = field(repr=False)
    counts: "Mapping[str, Table]" = field(repr=False)

    @property
    def records(self) -> int:
        """Number of records, ≥ 0."""
        return len(next(iter(self.cells.values())))


def synthetic(
    marginals: Sequence[Marginal], center: str, given: tuple[str, ...], random: np.random.Generator
) -> Synthetic:
    """Return synthetic records: a tree from ``center`` on, or a tree for each cell of the center.

    Args:
        marginals: The noisy marginals of a plan.
        center: The column that is drawn first.
        given: The center, where the marginals are those of a tree given it; else empty.
        random: Draws the records.

    Raises:
        NotMeasurable: When there would be more than 10,000,000 records.
    """
    if not given:
        tables = consistent(marginals, center)
        _check_records(tables[(center,)].sum())
        return Synthetic(cells=synthetic_cells(tables, random), counts=column_counts(tables))
    each = consistent_given(marginals, len(marginals[0].counts))
    _check_records(sum(next(iter(tables.values())).sum() for tables in each))
    drawn = [synthetic_cells(one, random) for one in each]
    sizes = [len(next(iter(one.values()))) for one in drawn]
    order = random.permutation(sum(sizes))
    counts = [column_counts(one) for one in each]
    cells = {name: np.concatenate([one[name] for one in drawn])[order] for name in drawn[0]}
    totals = np.array([float(next(iter(one.values())).sum()) for one in counts])
    return Synthetic(
        cells={center: np.repeat(np.arange(len(sizes)), sizes)[order], **cells},
        counts={center: totals, **{name: np.sum([one[name] for one in counts], axis=0) for name in cells}},
    )


def _check_records(records: float) -> None:
    if records > MOST_RECORDS:
        raise NotMeasurable(
            f"the noisy number of records is above {MOST_RECORDS:,}, mostly noise where the table is smaller;"
            " raise epsilon, or publish noisy_marginals"
        )


def _shared_out(weights: "Table", records: int, random: np.random.Generator) -> "NDArray[np.int64]":
    """Return that many cells, each as often as expected, rounded up or down: systematic sampling."""
    used = np.flatnonzero(weights)
    if not len(used):
        return np.zeros(0, dtype=np.int64)
    ends = np.cumsum(weights[used]) / weights.sum() * records
    ticks = random.random() + np.arange(records)
    return used[np.minimum(np.searchsorted(ends, ticks, side="right"), len(used) - 1)].astype(np.int64)
