"""The quasi-identifiers of original and published records as columns of numbers, for propensity scores."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_standard.utility.changed_columns import ChangedColumn

MOST_LEVELS = 50
"""The most frequent values of a text column that have an indicator of their own; the rest share one."""


def features(
    columns: "tuple[ChangedColumn, ...]", before: "NDArray[np.int64]", after: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    """Return the features of some original records, followed by those of some published ones.

    Numbers are standardised, with the middle of a generalised cell; NULL and suppressed cells stand at the
    mean and have an indicator. Text has an indicator for each value, the most frequent one left out, where a
    generalised cell has the weight 1/s in each of the s values that it covers. Constant features are dropped.

    Args:
        columns: The quasi-identifiers.
        before: Positions of original records.
        after: Positions of published records.

    Returns:
        Shape (records, features), those of ``before`` first.

    Units:
        Standard deviations for numbers, shares 0..1 for the rest.

    Raises:
        NotMeasurable: Never; the columns were read before.

    Example:
        >>> from types import SimpleNamespace
        >>> from qidguard import Grouping
        >>> from qidguard_standard.utility.changed_columns import changed_columns
        >>> from qidguard_standard.utility.example import three_jobs
        >>> jobs = changed_columns(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)))
        >>> features(jobs, np.arange(3), np.arange(2)).tolist()  # nurse, priest
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [1.0, 0.0]]
    """
    found = []
    for column in columns:
        original, published = _numbers(column) if column.is_numeric else _levels(column)
        found.append(
            np.concatenate([original[column.before.codes[before]], published[column.after.codes[after]]])
        )
    table = np.concatenate(found, axis=1)
    return table[:, table.min(axis=0) < table.max(axis=0)]


def _numbers(column: "ChangedColumn") -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return number, is NULL and is suppressed of each code."""
    numbers = column.before.numbers
    if numbers is None:
        numbers = np.full(len(column.before.texts), np.nan)
    is_known = np.isfinite(numbers)
    records = column.original_records * is_known
    mean = float(np.where(is_known, numbers, 0.0) @ records) / max(int(records.sum()), 1)
    variance = float(np.where(is_known, numbers - mean, 0.0) ** 2 @ records) / max(int(records.sum()), 1)

    def standard(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
        return np.where(np.isfinite(values), values - mean, 0.0) / (np.sqrt(variance) or 1.0)

    read = column.coverage
    nothing = np.zeros(len(numbers))
    lacks = ~np.isfinite(read.centres) & ~read.is_suppressed
    return (
        np.stack([standard(numbers), (~is_known).astype(float), nothing], axis=1),
        np.stack([standard(read.centres), lacks.astype(float), read.is_suppressed.astype(float)], axis=1),
    )


def _levels(column: "ChangedColumn") -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return the indicators of each code; suppressed cells have one of their own."""
    counts = column.original_records
    # of equally frequent values the first by code, whatever the order of the records
    ranked = np.lexsort((np.arange(len(counts)), -counts))
    level = np.full(len(counts), min(MOST_LEVELS, len(counts)))
    level[ranked[:MOST_LEVELS]] = np.arange(min(MOST_LEVELS, len(counts)))
    width = int(level.max()) + 2
    original = np.zeros((len(counts), width))
    original[np.arange(len(counts)), level] = 1.0
    read = column.coverage
    published = np.zeros((len(read.counts), width))
    for code in np.flatnonzero(read.counts * ~read.is_suppressed):
        covered = read.covered(int(code))
        published[code] = np.bincount(level[covered], minlength=width) / len(covered)
    published[read.is_suppressed, -1] = 1.0
    return original[:, 1:], published[:, 1:]  # the first one is what the others are compared with
