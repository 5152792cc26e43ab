"""A generalized quasi-identifier: original and published value of each record, and who was generalized."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from qidguard.core.column import ColumnValues
from qidguard.undoing.persons import dense

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LARGEST_TABLE = 1 << 20
"""Pairs of a published and an original value up to which their counts are held in a full table."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """One quasi-identifier over some records.

    Args:
        qid: Its name.
        values: Shape (records,), the code of the original value, ≥ 0.
        published: Shape (records,), the code of the published value, ≥ 0.
        is_open: Shape (records,), whose published value stands for another one somewhere. Whether it does
            here only the original shows, so guesses are judged on all of these.
        is_hidden: Shape (records,), which of them were generalized and are not told by the published value.
        persons: Shape (records,), the number of the person; None where each record is one.
        has_entity: Whether a column says who is whom; else equal rows share a number, and each is a person.
    """

    qid: str
    values: "NDArray[np.int64]" = field(repr=False)
    published: "NDArray[np.int64]" = field(repr=False)
    is_open: "NDArray[np.bool_]" = field(repr=False)
    is_hidden: "NDArray[np.bool_]" = field(repr=False)
    persons: "NDArray[np.int64] | None" = field(repr=False)
    has_entity: bool

    @cached_property
    def kinds(self) -> int:
        """One more than the largest code of an original value."""
        return int(self.values.max()) + 1 if len(self.values) else 1

    @cached_property
    def classes(self) -> int:
        """One more than the largest code of a published value."""
        return int(self.published.max()) + 1 if len(self.published) else 1

    @cached_property
    def weights(self) -> "NDArray[np.float64]":
        """What each open record counts: all of a person 1 together, the others 0."""
        import numpy as np

        if self.persons is None:
            return self.is_open.astype(np.float64)
        counts = np.bincount(self.persons[self.is_open], minlength=int(self.persons.max(initial=0)) + 1)
        return np.where(self.is_open, 1.0 / np.maximum(counts[self.persons], 1), 0.0)

    @cached_property
    def hidden(self) -> float:
        """|E|, of how many persons the value is hidden."""
        return float(self.weights[self.is_hidden].sum())

    @cached_property
    def low_keys(self) -> "NDArray[np.int64]":
        """The code of each original value, and two bits below it: whether it is open, whether hidden."""
        return self.values << 2 | self.is_open.astype("i8") << 1 | self.is_hidden

    @cached_property
    def _shares(self) -> "_Shares":
        return _Shares(self)

    def unguessed(self, at: "NDArray[np.int64]", guesses: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """Return 1 − the share of a guess among the others of the published value, for records at places."""
        return 1.0 - self._shares.of(at, guesses)

    def at(self, places: "NDArray[np.int64]") -> "Target":
        """Return the target over records of different persons at places."""
        return Target(
            qid=self.qid,
            values=dense(self.values[places])[0],
            published=dense(self.published[places])[0],
            is_open=self.is_open[places],
            is_hidden=self.is_hidden[places],
            persons=None,
            has_entity=self.has_entity,
        )


class _Shares:
    """How often each original value stands in each class of the published value, by persons."""

    def __init__(self, target: Target) -> None:
        import numpy as np

        self._target = target
        keys = target.published * target.kinds + target.values
        if target.persons is None:
            self._keys, self._counts = np.unique(keys, return_counts=True)
        else:
            both = np.unique(dense(keys)[0] * (int(target.persons.max(initial=0)) + 1) + target.persons)
            self._keys = np.unique(keys)
            counted = both // (int(target.persons.max(initial=0)) + 1)
            self._counts = np.bincount(counted, minlength=len(self._keys))
        self._sizes = np.bincount(self._keys // target.kinds, weights=self._counts, minlength=target.classes)
        everywhere = np.bincount(self._keys % target.kinds, weights=self._counts, minlength=target.kinds)
        self._everywhere = everywhere / max(1.0, float(everywhere.sum()))
        self._table: NDArray[np.float64] | None = None
        if target.classes * target.kinds <= LARGEST_TABLE:
            self._table = np.zeros(target.classes * target.kinds)
            self._table[self._keys] = self._counts

    def of(self, at: "NDArray[np.int64]", guesses: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """Return the share of guesses among the others with the published value of the records at places.

        The share in the whole table counts as one more of them: a class of one has no others.
        """
        import numpy as np

        target = self._target
        published = target.published[at]
        own_or_first = np.maximum(guesses, 0)
        keys = published * target.kinds + own_or_first
        if self._table is not None:
            counts = self._table[keys]
        else:
            places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            counts = np.where(self._keys[places] == keys, self._counts[places], 0.0)
        own = target.values[at] == guesses
        others = self._sizes[published] - 1
        shares: NDArray[np.float64] = (counts - own + self._everywhere[own_or_first]) / (others + 1)
        shares = np.where(guesses < 0, 0.0, shares)
        return np.clip(shares, 0.0, 1.0)


def same_code(before: ColumnValues, after: ColumnValues) -> "NDArray[np.int64]":
    """Return for each published code that of the same original value, −1 where there is none."""
    import numpy as np

    code_of = {text: code for code, text in enumerate(before.texts)}
    same = np.array([code_of.get(text, -1) for text in after.texts], dtype=np.int64)
    if before.has_order and after.has_order and before.numbers is not None and after.numbers is not None:
        order = np.argsort(before.numbers[1:], kind="stable") + 1
        ordered = before.numbers[order]
        if len(ordered):
            places = np.minimum(np.searchsorted(ordered, after.numbers), len(ordered) - 1)
            is_equal = (same < 0) & (ordered[places] == after.numbers)
            same[is_equal] = order[places[is_equal]]
    return same
