"""Noisy marginals made to agree: post-processing, which costs nothing."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard_hybrid_dp.private.measuring import Marginal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Table = NDArray[np.float64]


def agreed(marginals: Sequence[Marginal]) -> "list[Table]":
    """Return the marginals with one total, and with one count for each cell of a column that they share.

    For marginals of which no two share more than one column it is the weighted least-squares solution:
    means, differences of a column and interactions are orthogonal, so each is the mean of its estimates,
    weighted by their precision (Qardaji, Yang & Li 2014, section 4.4). Counts may still be below 0.
    """
    tables = [marginal.counts.astype(np.float64) for marginal in marginals]
    weights = [1 / marginal.scale**2 for marginal in marginals]
    total = float(
        np.average(
            [table.sum() for table in tables],
            weights=[weight / table.size for weight, table in zip(weights, tables, strict=True)],
        )
    )
    tables = [table + (total - table.sum()) / table.size for table in tables]
    for name in dict.fromkeys(name for marginal in marginals for name in marginal.columns):
        having = [at for at, marginal in enumerate(marginals) if name in marginal.columns]
        axes = {at: marginals[at].columns.index(name) for at in having}
        sums = {at: _over(tables[at], axes[at]) for at in having}
        shared = np.average(
            np.stack([sums[at] for at in having]),
            axis=0,
            weights=[weights[at] * len(sums[at]) / tables[at].size for at in having],
        )
        for at in having:
            others = tables[at].size // len(shared)
            moved = (shared - sums[at]) / others
            tables[at] = tables[at] + (moved if tables[at].ndim == 1 or axes[at] else moved[:, None])
    return tables


def non_negative(counts: "Table", total: float) -> "Table":
    """Return the nearest counts, by least squares, that are at least 0 and add up to ``total`` ≥ 0.

    Example:
        >>> non_negative(np.array([3.0, 1.0, -2.0]), 4.0).tolist()
        [3.0, 1.0, 0.0]
    """
    if total <= 0:
        return np.zeros_like(counts)
    ordered = np.sort(counts)[::-1]
    excess = np.cumsum(ordered) - total
    used = np.arange(1, len(counts) + 1)
    # at least the largest keeps something, also where a total is too small for floats to tell
    last = int(np.flatnonzero(ordered - excess / used > 0).max(initial=0))
    made: Table = np.maximum(counts - excess[last] / (last + 1), 0.0)
    return made


def _over(table: "Table", axis: int) -> "Table":
    return table if table.ndim == 1 else table.sum(axis=1 - axis)


def consistent(
    marginals: Sequence[Marginal], root: str, total: float | None = None
) -> "Mapping[tuple[str, ...], Table]":
    """Return marginals of a tree, from its root on, that are non-negative and agree exactly.

    Args:
        marginals: Pairs that connect all columns without a circle; single columns beside them.
        root: The column that the tree hangs from.
        total: Number of records, ≥ 0; None takes what the marginals agree on.

    Returns:
        ``(root,)`` → its counts, then ``(parent, child)`` → counts of shape (cells of the parent, of the
        child), parents before their children. Each row of a pair adds up to the parent's count.
    """
    by_columns = dict(zip((marginal.columns for marginal in marginals), agreed(marginals), strict=True))
    of_root = next(
        _over(table, columns.index(root)) for columns, table in by_columns.items() if root in columns
    )
    known = max(0.0, float(of_root.sum())) if total is None else total
    made: dict[tuple[str, ...], Table] = {(root,): non_negative(of_root, known)}
    counts = {root: made[(root,)]}
    pairs = {columns: table for columns, table in by_columns.items() if len(columns) > 1}
    while pairs:
        columns = next(columns for columns in pairs if columns[0] in counts or columns[1] in counts)
        table = pairs.pop(columns)
        parent, child = columns if columns[0] in counts else columns[::-1]
        rows = table if parent == columns[0] else table.T
        made[parent, child] = np.stack(
            [non_negative(row, total) for row, total in zip(rows, counts[parent].tolist(), strict=True)]
        )
        counts[child] = made[parent, child].sum(axis=0)
    return made


def consistent_given(marginals: Sequence[Marginal], cells: int) -> "list[Mapping[tuple[str, ...], Table]]":
    """Return for each cell of a center the marginals of the other columns, as ``consistent`` does.

    Args:
        marginals: Of which each has the center first; without it they are those of a tree.
        cells: Cells of the center.
    """
    given = [
        [
            Marginal(columns=marginal.columns[1:], counts=marginal.counts[cell], scale=marginal.scale)
            for marginal in marginals
        ]
        for cell in range(cells)
    ]
    totals = np.array([float(agreed(slices)[0].sum()) for slices in given])
    kept = non_negative(totals, max(0.0, float(totals.sum())))
    root = marginals[0].columns[1]
    return [consistent(slices, root, total) for slices, total in zip(given, kept.tolist(), strict=True)]


def column_counts(tables: "Mapping[tuple[str, ...], Table]") -> "dict[str, Table]":
    """Return column → its counts, of consistent marginals."""
    return {
        columns[-1]: table if len(columns) == 1 else table.sum(axis=0) for columns, table in tables.items()
    }
