"""The quasi-identifiers of the original beside what is published of them, read once for all metrics."""

import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from qidguard.sdk import Changes, ColumnValues, Coverage, Grouping, NotMeasurable, TableView, read_coverage

if TYPE_CHECKING:
    from numpy.typing import NDArray


Found = TypeVar("Found")


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """What became of the records that are published: each pair of codes once.

    Args:
        published: Shape (pairs,), published codes.
        original: Shape (pairs,), original codes.
        records: Shape (pairs,), how many records went from the one to the other, ≥ 1.
    """

    published: "NDArray[np.int64]"
    original: "NDArray[np.int64]"
    records: "NDArray[np.int64]"


@dataclass(frozen=True, kw_only=True)
class ChangedColumn:
    """One quasi-identifier of the original table and of the published one.

    Args:
        before: The original column.
        after: The published column.
        coverage: What each published value stands for.
        kept: Which records are published; None where nobody knows.
    """

    before: ColumnValues = field(repr=False)
    after: ColumnValues = field(repr=False)
    coverage: Coverage = field(repr=False)
    kept: "NDArray[np.bool_] | None" = field(repr=False)

    @property
    def name(self) -> str:
        """The column's name."""
        return self.before.name

    @property
    def is_numeric(self) -> bool:
        """Whether it holds numbers, dates or moments."""
        return self.before.is_numeric

    @property
    def suppressed(self) -> int:
        """Number of records that are not published."""
        return self.before.records - self.after.records

    @cached_property
    def numbers(self) -> "NDArray[np.float64]":
        """Shape (original codes,): the finite number of each value, NaN where it is none."""
        numbers = self.before.numbers
        if numbers is None:
            return np.full(len(self.before.texts), np.nan)
        return np.where(np.isfinite(numbers), numbers, np.nan)

    @cached_property
    def original_records(self) -> "NDArray[np.int64]":
        """Shape (original codes,): the records with each value."""
        return np.bincount(self.before.codes, minlength=len(self.before.texts))

    @cached_property
    def published_records(self) -> "NDArray[np.int64]":
        """Shape (published codes,): the records with each value."""
        return np.bincount(self.after.codes, minlength=len(self.after.texts))

    @cached_property
    def suppressed_records(self) -> "NDArray[np.int64]":
        """Shape (original codes,): the records of each value that are not published."""
        return np.bincount(self.before.codes[~self._mask], minlength=len(self.before.texts))

    @cached_property
    def pairs(self) -> Pairs:
        """What became of the published records."""
        width = len(self.before.texts)
        keys = self.after.codes.astype(np.int64) * width + self.before.codes[self._mask]
        span = len(self.after.texts) * width
        if span <= 4 * max(len(keys), 1):  # counting is many times faster than sorting
            counted = np.bincount(keys, minlength=1)
            places = np.flatnonzero(counted)
            records = counted[places]
        else:
            places, records = np.unique(keys, return_counts=True)
        return Pairs(published=places // width, original=places % width, records=records)

    @property
    def _mask(self) -> "NDArray[np.bool_]":
        if self.kept is None:
            raise NotMeasurable(
                "It compares each record with its original, but nobody knows which record became which;"
                " give the original in the order of the published table."
            )
        return self.kept


_FOUND: "dict[int, dict[Hashable, object]]" = {}
"""What was found of changes, by their place in memory; it goes when these go."""


def remembered(changes: Changes, key: Hashable, make: "Callable[[], Found]") -> "Found":
    """Return what was made of these changes under a key, made once."""
    found = _FOUND.get(id(changes))
    if found is None:
        found = _FOUND[id(changes)] = {}
        weakref.finalize(changes, _FOUND.pop, id(changes), None)
    if key not in found:
        found[key] = make()
    return cast("Found", found[key])


def changed_columns(view: TableView, grouping: Grouping) -> tuple[ChangedColumn, ...]:
    """Return the quasi-identifiers of a grouping, before and after."""
    changes = original_and_published(view)
    return tuple(_read(changes, name) for name in grouping.qids)


def original_and_published(view: TableView) -> Changes:
    """Return both tables; NotMeasurable where the published one was not made of the original."""
    changes = view.changes
    if changes is None:
        raise NotMeasurable("It compares the table with its original, which nobody gave; give it.")
    if not changes.before.records:
        raise NotMeasurable("The original table has no records, so there was nothing to lose.")
    if changes.new_table is None and changes.after.records > changes.before.records:
        raise NotMeasurable(
            f"The published table has {changes.after.records:,} records and its original"
            f" {changes.before.records:,}, so it was not made from it; give the right original."
        )
    return changes


def _read(changes: Changes, name: str) -> ChangedColumn:
    changed = remembered(changes, ("column", name), lambda: _changed_column(changes, name))
    if changed.coverage.unreadable:
        raise NotMeasurable(
            f"What {changed.coverage.unreadable:,} published values of column {name!r} stand for cannot be"
            " read; name the hierarchy that they come from, or publish intervals, sets or the mark of"
            " suppression."
        )
    return changed


def _changed_column(changes: Changes, name: str) -> ChangedColumn:
    for source, words in ((changes.before, "the original"), (changes.after, "the published table")):
        if name not in source.names:
            raise NotMeasurable(f"Column {name!r} is not in {words}; give the table that has it.")
    before, after = changes.before.column(name), changes.after.column(name)
    return ChangedColumn(
        before=before,
        after=after,
        coverage=read_coverage(before, after, changes.hierarchies.get(name), changes.suppression_mark),
        kept=changes.kept,
    )
