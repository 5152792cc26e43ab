"""What a model learns from: columns as features, and records with a target."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Changes, ColumnValues, Coverage, NotMeasurable, UserError, read_coverage

MOST_LEVELS = 50
"""The most frequent values of a text column that have a feature of their own; the rest share one."""


@dataclass(frozen=True, kw_only=True)
class Feature:
    """One column as features.

    Of numbers there are two: the number, and 1 where it is NULL. An interval counts as its middle, a set of
    numbers as the middle of the lowest and highest, a centroid as itself. A suppressed cell has no number:
    like NULL it stands at the training part's mean, but without being NULL. Of text there is one for each of
    the original's values, NULL among them; a generalized cell has the weight 1/s in each of the s values that
    it covers, a suppressed one in all.

    Args:
        name: The column.
        is_numeric: Whether it holds numbers, which are standardized before a model sees them.
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
    """Return a column's features."""
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
            published=np.stack([coverage.centers, nothing], axis=1),
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


MOST_TARGET_VALUES = 20
"""The largest number of values that a target may have; a column of more is no class but a quantity."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """Records of the original, and the same as published.

    Args:
        features: The columns.
        labels: Shape (records of the original,), the class of each record, −1 for a record without one.
        published_labels: Shape (published records,), the class of each as published, −1 for none of them.
        place: Shape (records of the original,), where each record stands in the published table, −1 for a
            suppressed one; of a new table −1 for all.
        positive: The class whose F1 is asked for; None asks for the mean over all.
        table: What the published table is called among several.
        is_new: Whether it is a new table: models learn from as many of its records, and are tested on
            records of the original. All of these it may have been made of, also those of a test.
    """

    features: tuple[Feature, ...]
    labels: NDArray[np.int64] = field(repr=False)
    published_labels: NDArray[np.int64] = field(repr=False)
    place: NDArray[np.int64] = field(repr=False)
    positive: int | None = None
    table: str = ""
    is_new: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(one.name for one in self.features)

    def original(self, records: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the features of original records; shape (records, features)."""
        return np.hstack([feature.original[feature.before[records]] for feature in self.features])

    @property
    def is_number(self) -> NDArray[np.bool_]:
        """Which features are of numbers; shape (features,)."""
        return np.repeat(
            [feature.is_numeric for feature in self.features], [feature.width for feature in self.features]
        )

    def published(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the features of published records; shape (records, features)."""
        return np.hstack([feature.published[feature.after[places]] for feature in self.features])


def material(
    changes: Changes, target: str, columns: tuple[str, ...] | None = None, positive: str | None = None
) -> Material:
    """Return what models learn from; without names of columns, every published one but the target.

    Example:
        >>> from qidguard_learning.example import two_tables
        >>> material(two_tables(), "income", ("age",)).labels[:3].tolist()
        [1, 1, 0]
    """
    before, after, kept = changes.before, changes.after, changes.kept
    is_new = changes.new_table is not None
    if kept is None and not is_new:
        raise NotMeasurable(
            "Models are tried on records that they did not learn from, and nobody knows which published "
            "record is which of the original; measure a table that was made from its original here."
        )
    wanted = tuple(name for name in before.names if name != target) if columns is None else columns
    names = tuple(name for name in wanted if name in after.names)
    if target not in after.names or not names:
        raise NotMeasurable(
            "Models learn the target from quasi-identifiers, and the published table lacks the target or all "
            "of them; publish both."
        )
    column = before.column(target)
    distinct = np.unique(column.codes[column.codes > 0])
    if not 1 < len(distinct) <= MOST_TARGET_VALUES:
        raise NotMeasurable(
            f"Models learn classes, 2 to {MOST_TARGET_VALUES} of them, and the target {target!r} has "
            f"{len(distinct):,} values; name a target of few values or put it into groups."
        )
    # the last place is that of what is none of the classes, and −1 finds it
    classes = np.full(len(column.texts) + 1, -1)
    classes[distinct] = np.arange(len(distinct))
    if positive is not None and positive not in (column.texts[code] for code in distinct):
        raise UserError(
            f"the positive class must be a value of the target {target!r}, as text, and {positive!r} is none"
        )
    published = after.column(target)
    return Material(
        features=tuple(feature(changes, name) for name in names),
        labels=classes[column.codes],
        published_labels=classes[read_coverage(column, published).same][published.codes],
        place=np.full(before.records, -1) if kept is None else np.where(kept, np.cumsum(kept) - 1, -1),
        is_new=is_new,
        positive=None if positive is None else int(classes[column.texts.index(positive)]),
    )
