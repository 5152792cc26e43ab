"""Two-way total variation: how far the tables of two columns moved.

It is no group-by: it compares two tables.

Example:
    >>> TWO_WAY_TOTAL_VARIATION.maximum
    1.0
"""

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.utility.changed_columns import changed_columns
from qidguard_standard.utility.wording import CELLS, EMPTY, EVENLY, NO_NUMBER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_standard.utility.changed_columns import ChangedColumn

MOST_ROWS = 20
"""Rows or columns of a table: what has more values is tabulated in bands, or with the rarer ones together."""
_AT_ONCE = 1 << 16


@dataclass(frozen=True, kw_only=True)
class _Tabulated:
    """A column as rows of a table.

    Args:
        before: Shape (records,), the row of each original record.
        after: Shape (published records,), the kind of each published record.
        shares: Shape (kinds, rows), which part of a record of a kind counts in each row.
        suppressed: The kind of suppressed cells.
    """

    before: "NDArray[np.int64]"
    after: "NDArray[np.int64]"
    shares: "NDArray[np.float64]"
    suppressed: int


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the mean distance; it compares two tables, so it is no group-by."""
    columns = changed_columns(view, grouping)
    if len(columns) < 2:  # noqa: PLR2004 - a table of two columns has two
        raise NotMeasurable("A table of two columns needs two quasi-identifiers; name another one.")
    tabulated = [_tabulated(column) for column in columns]
    return float(np.mean([_distance(one, other) for one, other in combinations(tabulated, 2)]))


def _rows_of(column: "ChangedColumn") -> "NDArray[np.int64]":
    """Return the row of the table in which each original value is counted, by its code."""
    records = column.original_records
    values = np.flatnonzero(records)
    rows = np.zeros(len(records), dtype=np.int64)
    if len(values) <= MOST_ROWS:
        rows[values] = np.arange(len(values))
        return rows
    numbers = column.before.numbers
    if column.is_numeric and numbers is not None:
        order = values[np.argsort(np.nan_to_num(numbers[values], nan=-np.inf), kind="stable")]
        before = np.cumsum(records[order]) - records[order]
        rows[order] = before * MOST_ROWS // records.sum()
        return rows
    often = values[np.argsort(-records[values], kind="stable")]
    rows[often] = np.minimum(np.arange(len(often)), MOST_ROWS - 1)
    return rows


def _tabulated(column: "ChangedColumn") -> _Tabulated:
    rows, read = _rows_of(column), column.coverage
    width = int(rows.max(initial=0)) + 1
    nowhere, suppressed = width, width + 1
    kinds = np.full(len(read.counts), nowhere, dtype=np.int64)
    # values that are published as they are differ by their row alone
    is_exact = (read.counts == 1) & (read.same >= 0)
    kinds[is_exact] = rows[read.same[is_exact]]
    kinds[read.is_suppressed] = suppressed
    is_vague = (read.counts > 0) & ~is_exact & ~read.is_suppressed & (column.published_records > 0)
    vague = np.flatnonzero(is_vague)
    kinds[vague] = suppressed + 1 + np.arange(len(vague))
    shares = np.zeros((suppressed + 1 + len(vague), width))
    shares[:width] = np.eye(width)
    for kind, published in enumerate(vague.tolist(), start=suppressed + 1):
        covered = read.covered(published)
        shares[kind] = np.bincount(rows[covered], minlength=width) / len(covered)
    return _Tabulated(
        before=rows[column.before.codes],
        after=kinds[column.after.codes],
        shares=shares,
        suppressed=suppressed,
    )


def _distance(one: _Tabulated, other: _Tabulated) -> float:
    shape = (one.shares.shape[1], other.shares.shape[1])
    cells = one.before * shape[1] + other.before
    before = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape) / len(cells)
    is_left = (one.after != one.suppressed) & (other.after != other.suppressed)
    if not is_left.any():
        return 1.0
    keys = one.after[is_left] * len(other.shares) + other.after[is_left]
    pairs, records = np.unique(keys, return_counts=True)
    after = np.zeros(shape)
    for at in range(0, len(pairs), _AT_ONCE):
        some, weights = pairs[at : at + _AT_ONCE], records[at : at + _AT_ONCE]
        left, right = one.shares[some // len(other.shares)], other.shares[some % len(other.shares)]
        after += (left * weights[:, None]).T @ right
    total = float(records.sum())
    # what covers no value of the original differs wholly
    elsewhere = max(0.0, 1 - float(after.sum()) / total)
    return min(1.0, (float(np.abs(after / total - before).sum()) + elsewhere) / 2)


TWO_WAY_TOTAL_VARIATION = Metric(
    name="two_way_total_variation",
    title="total variation of two-way tables",
    unit=Unit.RATIO,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    compares_tables=True,
    explanation=Explanation(
        meaning="How far the tables of two quasi-identifiers moved, on average over all pairs: the share of "
        "records that would have to change their cell of the table to have the old one again.",
        formula="mean over pairs of QIDs of ½ Σ |p after − p before| over the cells of their table, p the "
        f"share of records. A column of more than {MOST_ROWS} values is tabulated in {MOST_ROWS} rows: "
        "numbers in bands of about equal frequency in the original, others by the most frequent values and "
        "the rest together. "
        f"{EVENLY} Records with a suppressed cell of the two are left out of their table; a published number "
        f"that does not occur in the original differs wholly. Where nothing is left it is 1. {CELLS}",
        source="Total variation distance; of two-way tables Karr, Kohnen, Oganian, Reiter & Sanil 2006, A "
        "framework for evaluating the utility of data altered to protect confidentiality",
        good_value=f"Lower keeps more. {NO_NUMBER}",
        missing="NULL is a value like any other; where it suppresses a cell the record is left out.",
        empty=EMPTY,
        single_class="For one set of everything, the distance from even frequencies.",
    ),
)
"""The mean total variation distance of a table of two columns."""
