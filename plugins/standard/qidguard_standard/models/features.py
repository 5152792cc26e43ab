"""Features: columns as numbers that models learn from, of original and of published values alike."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qidguard import Changes, ColumnValues, Coverage, NotMeasurable, read_coverage

MOST_LEVELS = 50
"""The most frequent values of a text column that have a feature of their own; the rest share one."""


@dataclass(frozen=True, kw_only=True)
class Feature:
    """One column as features.

    Of numbers there are two: the number, and 1 where it is NULL. An interval counts as its middle, a set of
    numbers as the middle of the lowest and highest, a centroid as itself. A suppressed cell has no number:
    like NULL it stands at the training part's mean, but without being NULL. Of text there is one for each of
    the original's values, NULL among them; a generalised cell has the weight 1/s in each of the s values that
    it covers, a suppressed one in all.

    Args:
        name: The column.
        is_numeric: Whether it holds numbers, which are standardised before a model sees them.
        original: Shape (original codes, features): NaN where a number is not known.
        published: Shape (published codes, features).
        before: Shape (records of the original,), codes.
        after: Shape (published records,), codes.
    """

    name: str
    is_numeric: bool
    original: NDArray[np.float64] = field(repr=False)
    published: NDArray[np.float64] = field(repr=False)
    before: NDArray[np.int32] = field(repr=False)
    after: NDArray[np.int32] = field(repr=False)

    @property
    def width(self) -> int:
        """Number of features, ≥ 1."""
        return int(self.original.shape[1])


def feature(changes: Changes, name: str) -> Feature:
    """Return a column's features.

    Args:
        changes: The original and the published table, which both have the column.
        name: The column.

    Returns:
        The features of every original and published code.

    Units:
        Those of the column for numbers, shares 0..1 for the rest.

    Raises:
        NotMeasurable: When published values cannot be read.

    Example:
        >>> from qidguard_standard.models.example import two_tables
        >>> feature(two_tables(), "age").published.tolist()  # NULL, "30" and "[17, 20]"
        [[nan, 1.0], [30.0, 0.0], [18.5, 0.0]]
    """
    before, after = changes.before.column(name), changes.after.column(name)
    coverage = read_coverage(before, after, changes.hierarchies.get(name), changes.suppression_mark)
    if coverage.unreadable:
        raise NotMeasurable(
            f"{coverage.unreadable:,} of the published values of {name!r} cannot be read as values, "
            "intervals or sets of the original; publish them as one of these or give the policy a hierarchy."
        )
    is_numeric = before.is_numeric and before.numbers is not None
    codes = {"name": name, "is_numeric": is_numeric, "before": before.codes, "after": after.codes}
    if is_numeric and before.numbers is not None:
        is_null = (np.arange(len(before.texts)) == 0).astype(np.float64)
        nothing = ((coverage.same == 0) & ~coverage.is_suppressed).astype(np.float64)
        return Feature(
            **codes,  # type: ignore[arg-type]  # a name and two arrays
            original=np.stack([before.numbers, is_null], axis=1),
            published=np.stack([coverage.centres, nothing], axis=1),
        )
    levels = _levels(before)
    original = np.zeros((len(before.texts), int(levels.max()) + 1))
    original[np.arange(len(levels)), levels] = 1.0
    return Feature(**codes, original=original, published=_spread(coverage, levels, original.shape[1]))  # type: ignore[arg-type]


def _levels(column: ColumnValues) -> NDArray[np.int64]:
    """Return the feature of each code of a text column: frequent ones have their own, the rest the last."""
    counts = np.bincount(column.codes, minlength=len(column.texts))
    # of equally frequent ones the first by code, whatever the order of the records
    ranked = np.lexsort((np.arange(len(counts)), -counts))
    levels = np.full(len(counts), MOST_LEVELS)
    levels[ranked[:MOST_LEVELS]] = np.arange(min(MOST_LEVELS, len(counts)))
    return levels


def _spread(coverage: Coverage, levels: NDArray[np.int64], width: int) -> NDArray[np.float64]:
    """Return for each published code the weight 1/s of each of the s values that it covers."""
    spread = np.zeros((len(coverage.counts), width))
    for code in np.flatnonzero(coverage.counts):
        covered = coverage.covered(int(code))
        spread[code] = np.bincount(levels[covered], minlength=width) / len(covered)
    return spread
