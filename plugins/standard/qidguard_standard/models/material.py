"""Material: what models learn from and are tried on."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qidguard import Changes, NotMeasurable, read_coverage
from qidguard_standard.models.features import Feature, feature

MOST_CLASSES = 20
"""The largest number of values that a target may have; a column of more is no class but a quantity."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """Records of the original, and the same as published.

    Args:
        features: The columns.
        labels: Shape (records of the original,), the class of each record, −1 for a record without one.
        published_labels: Shape (published records,), the class of each as published, −1 for none of them.
        place: Shape (records of the original,), where each record stands in the published table, −1 for a
            suppressed one.
    """

    features: tuple[Feature, ...]
    labels: NDArray[np.int64] = field(repr=False)
    published_labels: NDArray[np.int64] = field(repr=False)
    place: NDArray[np.int64] = field(repr=False)

    def original(self, records: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the features of original records; shape (records, features)."""
        return np.hstack([one.original[one.before[records]] for one in self.features])

    @property
    def is_number(self) -> NDArray[np.bool_]:
        """Which features are of numbers; shape (features,)."""
        return np.repeat([one.is_numeric for one in self.features], [one.width for one in self.features])

    def published(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the features of published records; shape (records, features)."""
        return np.hstack([one.published[one.after[places]] for one in self.features])


def material(changes: Changes, target: str, qids: tuple[str, ...]) -> Material:
    """Return what models learn from.

    Args:
        changes: The original beside the published table.
        target: The column that is predicted.
        qids: The columns to learn from; those that are not published are left out.

    Returns:
        The material.

    Units:
        None.

    Raises:
        NotMeasurable: When nobody knows which record became which, the target has no 2 to 20 values or is not
            published, no column is, or published values cannot be read.

    Example:
        >>> from qidguard_standard.models.example import two_tables
        >>> material(two_tables(), "income", ("age",)).labels[:3].tolist()
        [1, 1, 0]
    """
    before, after, kept = changes.before, changes.after, changes.kept
    if kept is None:
        raise NotMeasurable(
            "Models are tried on records that they did not learn from, and nobody knows which published "
            "record is which of the original; measure a table that was made from its original here."
        )
    names = tuple(name for name in qids if name in after.names)
    if target not in after.names or not names:
        raise NotMeasurable(
            "Models learn the target from quasi-identifiers, and the published table lacks the target or all "
            "of them; publish both."
        )
    column = before.column(target)
    found = np.unique(column.codes[column.codes > 0])
    if not 1 < len(found) <= MOST_CLASSES:
        raise NotMeasurable(
            f"Models learn classes, 2 to {MOST_CLASSES} of them, and the target {target!r} has "
            f"{len(found):,} values; name a target of few values or put it into groups."
        )
    # the last place is that of what is none of the classes, and −1 finds it
    classes = np.full(len(column.texts) + 1, -1)
    classes[found] = np.arange(len(found))
    published = after.column(target)
    return Material(
        features=tuple(feature(changes, name) for name in names),
        labels=classes[column.codes],
        published_labels=classes[read_coverage(column, published).same][published.codes],
        place=np.where(kept, np.cumsum(kept) - 1, -1),
    )
