"""How far the distributions of one column or two are from the original.

Marginal KS: how far the distributions of numeric quasi-identifiers moved.

It is no group-by: it compares two tables.

Marginal total variation: how far the frequencies of values moved.

Two-way total variation: how far the tables of two columns moved.

Example:
    >>> MARGINAL_KS.maximum
    1.0
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.shared import three_jobs
    >>> view = SimpleNamespace(changes=three_jobs())
    >>> measure = MARGINAL_TOTAL_VARIATION.method.measure
    >>> round(measure(view, Grouping(qids=("job",)), {}), 3)  # 1/4, 3/4, 0 for three times 1/3
    0.417
    >>> TWO_WAY_TOTAL_VARIATION.maximum
    1.0
"""

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    TableFunction,
    TableView,
)
from qidguard_standard.utility.changed_columns import changed_columns
from qidguard_standard.utility.numbers import numeric_columns
from qidguard_standard.utility.shared import (
    BY_NUMBERS,
    CELLS,
    EMPTY,
    EVENLY,
    NO_NUMBER,
    RATIO_TO_ONE,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_standard.utility.changed_columns import ChangedColumn


def _marginal_ks(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the largest distance; it compares two tables, so it is no group-by."""
    return max(_marginal_ks_distance(column) for column in numeric_columns(view, grouping))


def _marginal_ks_distance(column: "ChangedColumn") -> float:
    read = column.coverage
    placed = read.domain.order[: len(read.domain.positions)]
    weights = np.where(read.is_suppressed, 0, column.published_records)
    points = np.flatnonzero(read.is_point & (weights > 0))
    numbers = np.concatenate([read.domain.positions, read.lows[points]])
    before = np.concatenate([column.original_records[placed], np.zeros(len(points))])
    after = np.concatenate([read.spread(weights)[placed], weights[points]])
    if not after.sum():
        return 1.0 if before.sum() else 0.0
    order = np.argsort(numbers, kind="stable")
    gaps = np.cumsum(before[order]) / before.sum() - np.cumsum(after[order]) / after.sum()
    # equal numbers are one step
    is_last = np.append(np.diff(numbers[order]) > 0, True)
    return float(np.abs(gaps[is_last]).max())


MARGINAL_KS = Metric(
    name="marginal_ks",
    title="Kolmogorov-Smirnov distance of marginals",
    **RATIO_TO_ONE,
    method=TableFunction(measure=_marginal_ks),
    compares_tables=True,
    explanation=Explanation(
        meaning="How far the distribution of a numeric quasi-identifier moved, where it moved most: the "
        "largest difference between the shares of records up to some number. 0 means that all are kept.",
        formula="max over numeric QIDs of sup |F after − F before|, F the share of records up to a number. "
        f"{EVENLY} Where nothing is left of a column it is 1. {CELLS}",
        source="Kolmogorov 1933, Smirnov 1948; as a measure of utility Woo, Reiter, Oganian & Karr 2009",
        good_value=f"Lower keeps more. {NO_NUMBER}",
        **BY_NUMBERS,
        single_class="For one interval over everything, the distance from an even distribution over the "
        "values that occur.",
    ),
)


def _marginal_total_variation(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the largest distance; it compares two tables, so it is no group-by."""
    return max(_marginal_total_variation_distance(column) for column in changed_columns(view, grouping))


def _marginal_total_variation_distance(column: "ChangedColumn") -> float:
    read = column.coverage
    weights = np.where(read.is_suppressed, 0, column.published_records)
    before, after = column.original_records / column.before.records, read.spread(weights)
    elsewhere = float(weights[read.counts == 0].sum())  # numbers that do not occur in the original
    total = float(after.sum()) + elsewhere
    if not total:
        return 1.0
    return min(1.0, (float(np.abs(after / total - before).sum()) + elsewhere / total) / 2)


MARGINAL_TOTAL_VARIATION = Metric(
    name="marginal_total_variation",
    title="total variation of marginals",
    **RATIO_TO_ONE,
    method=TableFunction(measure=_marginal_total_variation),
    compares_tables=True,
    explanation=Explanation(
        meaning="How far the frequencies of a quasi-identifier's values moved, where they moved most: the "
        "share of records that would have to change their value to have the old frequencies again.",
        formula=f"max over QIDs of ½ Σ |p after − p before| over values, p the share of records. {EVENLY} "
        "Suppressed cells are left out; a published number that does not occur in the original differs "
        f"wholly. Where nothing is left of a column it is 1. {CELLS}",
        source="Total variation distance; as a measure of marginals kept Karr, Kohnen, Oganian, Reiter & "
        "Sanil 2006, A framework for evaluating the utility of data altered to protect confidentiality",
        good_value=f"Lower keeps more. {NO_NUMBER}",
        missing="NULL is a value like any other; where it suppresses a cell the cell is left out.",
        empty=EMPTY,
        single_class="For one set of everything, the distance from even frequencies.",
    ),
)


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


def _two_way_total_variation(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the mean distance; it compares two tables, so it is no group-by."""
    columns = changed_columns(view, grouping)
    if len(columns) < 2:  # noqa: PLR2004 - a table of two columns has two
        raise NotMeasurable("A table of two columns needs two quasi-identifiers; name another one.")
    tabulated = [_tabulated(column) for column in columns]
    return float(
        np.mean([_two_way_total_variation_distance(one, other) for one, other in combinations(tabulated, 2)])
    )


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


def _two_way_total_variation_distance(one: _Tabulated, other: _Tabulated) -> float:
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
    **RATIO_TO_ONE,
    method=TableFunction(measure=_two_way_total_variation),
    compares_tables=True,
    explanation=Explanation(
        meaning="How far the tables of two quasi-identifiers moved, on average over all pairs: the share of "
        "records that would have to change their cell of the table to have the old one again.",
        formula="mean over pairs of QIDs of ½ Σ |p after − p before| over the cells of their table, p the "
        f"share of records. A column of more than {MOST_ROWS} values is tabulated in {MOST_ROWS} rows: "
        "numbers in bands of about equal frequency in the original, others by the most frequent values and "
        f"the rest together. {EVENLY} Records with a suppressed cell of the two are left out of their table; "
        "a published number that does not occur in the original differs wholly. Where nothing is left it is "
        f"1. {CELLS}",
        source="Total variation distance; of two-way tables Karr, Kohnen, Oganian, Reiter & Sanil 2006, A "
        "framework for evaluating the utility of data altered to protect confidentiality",
        good_value=f"Lower keeps more. {NO_NUMBER}",
        missing="NULL is a value like any other; where it suppresses a cell the record is left out.",
        empty=EMPTY,
        single_class="For one set of everything, the distance from even frequencies.",
    ),
)

METRICS: tuple[Metric, ...] = (MARGINAL_KS, MARGINAL_TOTAL_VARIATION, TWO_WAY_TOTAL_VARIATION)
