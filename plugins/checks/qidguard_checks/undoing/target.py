"""A generalized quasi-identifier: original and published value of each record, and who was generalized."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from qidguard.core.column import ColumnValues
from qidguard.undoing.persons import dense
from qidguard.undoing.scale import Scale
from qidguard.undoing.tally import tally_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

PRECISION = 0.95
"""The share of the told that must be right, and the certainty from which a record counts as told."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """One quasi-identifier over records of different persons.

    Args:
        original: The original column.
        values: Shape (records,), the code of the original value in it, ≥ 0.
        published: Shape (records,), the code of the published value, ≥ 0.
        classes: Shape (records,), the number of the published class over all quasi-identifiers, ≥ 0.
        is_open: Shape (records,), whose published value stands for another one somewhere. Whether it does
            here only the original shows, so guesses are judged on all of these.
        is_hidden: Shape (records,), which of them were generalized and are not told by the published value.
        places: Shape (records,), where they stand in the table.
    """

    original: Scale
    values: "NDArray[np.int64]" = field(repr=False)
    published: "NDArray[np.int64]" = field(repr=False)
    classes: "NDArray[np.int64]" = field(repr=False)
    is_open: "NDArray[np.bool_]" = field(repr=False)
    is_hidden: "NDArray[np.bool_]" = field(repr=False)
    places: "NDArray[np.int64]" = field(repr=False)

    @classmethod
    def of(
        cls,
        original: Scale,
        *,
        values: "NDArray[np.int64]",
        published: "NDArray[np.int64]",
        classes: "NDArray[np.int64]",
        is_open: "NDArray[np.bool_]",
        is_changed: "NDArray[np.bool_]",
        places: "NDArray[np.int64]",
    ) -> Self:
        """Return a quasi-identifier of which some values were changed."""
        itself = tally_of(published, values)
        is_told = (itself.certainty >= PRECISION) & (itself.guess == values)
        return cls(
            original=original,
            values=values,
            published=published,
            classes=classes,
            is_open=is_open,
            is_hidden=is_changed & ~is_told,
            places=places,
        )

    @cached_property
    def kinds(self) -> int:
        """One more than the largest code of an original value."""
        return int(self.values.max(initial=0)) + 1

    @cached_property
    def hidden(self) -> int:
        """|E|, of how many persons the value is hidden."""
        return int(self.is_hidden.sum())

    def unguessed(self, at: "NDArray[np.int64]", guesses: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """Return 1 − the share of a guess among the others of a record's published value, or of its class.

        The larger share counts. That in the whole table counts as one more of the others: a class of one has
        none.
        """
        everywhere = np.bincount(self.values, minlength=self.kinds) / max(1, len(self.values))
        best = np.zeros(len(at))
        for group, pairs, counts in self._counts:
            keys = group[at] * self.kinds + guesses
            places = np.minimum(np.searchsorted(pairs, keys), len(pairs) - 1)
            held = np.where(pairs[places] == keys, counts[places], 0) - (self.values[at] == guesses)
            best = np.maximum(best, (held + everywhere[guesses]) / np.bincount(group)[group[at]])
        return 1.0 - np.clip(best, 0.0, 1.0)

    @cached_property
    def _counts(self) -> "list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]":
        """By published value and by class: the group of each record, its pairs with values, and counts."""
        groups = [dense(codes)[0] for codes in (self.published, self.classes)]
        return [(g, *np.unique(g * self.kinds + self.values, return_counts=True)) for g in groups]


def same_code(before: ColumnValues, after: ColumnValues) -> "NDArray[np.int64]":
    """Return for each published code that of the same original value, −1 where there is none."""
    code_of = {text: code for code, text in enumerate(before.texts)}
    same = np.array([code_of.get(text, -1) for text in after.texts], dtype=np.int64)
    if before.has_scale and after.has_scale and before.numbers is not None and after.numbers is not None:
        order = np.argsort(before.numbers[1:], kind="stable") + 1
        ordered = before.numbers[order]
        if len(ordered):
            places = np.minimum(np.searchsorted(ordered, after.numbers), len(ordered) - 1)
            is_equal = (same < 0) & (ordered[places] == after.numbers)
            same[is_equal] = order[places[is_equal]]
    return same
