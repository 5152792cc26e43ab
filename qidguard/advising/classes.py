"""Count persons in too small classes: one row a person and class, each column on any level, in arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from qidguard.anonymizing.class_numbers import class_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class ClassLimit:
    """What every class over some columns has to hold.

    Args:
        columns: The places of the columns.
        persons: Persons that a class needs, k ≥ 1.
        distinct: Place of a sensitive attribute → distinct values that a class needs, l ≥ 1.
    """

    columns: tuple[int, ...]
    persons: int
    distinct: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Count:
    """What is in too small classes.

    Args:
        persons: Persons with at least one record in one.
        records: Records in them.
        rows: Shape (rows,), which rows are; None where nobody asked.
        alone: Persons who are the only one in a class; 0 where nobody asked.
    """

    persons: int
    records: int
    rows: "NDArray[np.bool_] | None" = field(default=None, repr=False)
    alone: int = 0


@dataclass(frozen=True, kw_only=True)
class DistinctRows:
    """Rows that stand for the records of a table, equal ones once.

    Args:
        codes: For each column its codes, shape (rows,), whole numbers ≥ 0.
        spans: For each column a number above all its codes.
        records: Shape (rows,), the records that a row stands for, ≥ 1.
        person: Shape (rows,), the number of the row's person; None where each record is one.
        sensitive: For each sensitive attribute its codes, shape (rows,).
        marks: For each sensitive attribute its code for a suppressed value, which is none; −1 where there is
            none. A class without any value left has nothing to learn, and misses nothing.
        seed: Seeds the keys of classes that are too many to be numbered.
    """

    codes: tuple["NDArray[np.int32]", ...] = field(repr=False)
    spans: tuple[int, ...]
    records: "NDArray[np.int64]" = field(repr=False)
    person: "NDArray[np.int64] | None" = field(default=None, repr=False)
    sensitive: tuple["NDArray[np.int32]", ...] = field(default=(), repr=False)
    marks: tuple[int, ...] = ()
    seed: int = 0

    @classmethod
    def of(
        cls,
        codes: "NDArray[np.int32]",
        *,
        person: "NDArray[np.integer] | None" = None,
        sensitive: "NDArray[np.int32] | None" = None,
        marks: tuple[int, ...] = (),
        seed: int = 0,
    ) -> Self:
        """Return the rows of records given as codes, shape (records, columns)."""
        beside = np.empty((len(codes), 0), dtype=np.int32) if sensitive is None else sensitive
        whole = [codes, beside]
        if person is not None:
            whole.append(np.asarray(person, dtype=np.int32).reshape(-1, 1))
        numbers = class_numbers(np.concatenate(whole, axis=1))
        first, records = _first(numbers), np.bincount(numbers)
        who = None if person is None else _dense(np.asarray(person)[first])
        return cls(
            codes=tuple(np.ascontiguousarray(column[first]) for column in codes.T),
            spans=tuple(int(column.max(initial=0)) + 1 for column in codes.T),
            records=records.astype(np.int64),
            person=who,
            sensitive=tuple(np.ascontiguousarray(column[first]) for column in beside.T),
            marks=marks or (-1,) * beside.shape[1],
            seed=seed,
        )

    def __len__(self) -> int:
        return len(self.records)

    @cached_property
    def persons(self) -> int:
        """Number of persons."""
        return int(self.records.sum()) if self.person is None else int(self.person.max(initial=-1)) + 1

    @cached_property
    def repeated(self) -> "NDArray[np.int64]":
        """The rows of persons who have several."""
        if self.person is None:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(np.bincount(self.person)[self.person] > 1)

    def moved(self, groups: Sequence["NDArray[np.int32] | None"]) -> Self:
        """Return the rows with each column's codes replaced by its groups; None keeps a column as it is."""
        nothing = np.broadcast_to(np.int32(0), len(self))  # a column of one group costs nothing
        codes = tuple(
            own if to is None else to[own] if to.any() else nothing
            for own, to in zip(self.codes, groups, strict=True)
        )
        spans = tuple(
            own if to is None else int(to.max(initial=0)) + 1
            for own, to in zip(self.spans, groups, strict=True)
        )
        return replace(self, codes=codes, spans=spans)

    def settled(self, limits: Sequence[ClassLimit]) -> Self:
        """Return fewer rows that count the same on these codes and on all coarser ones.

        Rows that became equal are one. Of a class over all columns with persons enough for every limit, only
        that many keep a row: whatever it is joined with has enough, too. ``records`` counts those of rows
        that are left, which are all that ever are in too small classes.
        """
        number = self._numbers(tuple(range(len(self.codes))))
        parts: list[NDArray[np.integer]] = [number, *self.sensitive]
        if self.person is not None:
            parts.append(self.person)
        same = class_numbers(np.stack(parts, axis=1))
        first = _first(same)
        records = np.bincount(same, weights=self.records).astype(np.int64)
        kept = replace(
            self,
            codes=tuple(column[first] for column in self.codes),
            records=records,
            person=None if self.person is None else self.person[first],
            sensitive=tuple(column[first] for column in self.sensitive),
        )
        if self.person is None or self.sensitive:
            return kept
        # rows stand in the order of their classes: the first ones of a large class are enough
        number = number[first]
        starts = np.flatnonzero(np.diff(number, prepend=-1))
        rank = np.arange(len(number)) - np.repeat(starts, np.diff(starts, append=len(number)))
        chosen = rank < max((limit.persons for limit in limits), default=1)
        return replace(
            kept,
            codes=tuple(column[chosen] for column in kept.codes),
            records=records[chosen],
            person=None if kept.person is None else kept.person[chosen],
        )

    def count(
        self,
        limits: Sequence[ClassLimit],
        *,
        has_rows: bool = False,
        has_alone: bool = False,
        is_exact: bool = False,
    ) -> Count:
        """Return what is in classes that miss any of the limits.

        Where there are too many combinations of values to be numbered, drawn keys of 63 bits stand for them,
        two of which are the same with a probability below 10^-6 in ten million rows. What is told is exact:
        so are counts with ``is_exact``, ``has_rows`` or ``has_alone``.
        """
        found = np.zeros(len(self), dtype=np.bool_)
        alone = np.zeros(len(self), dtype=np.bool_)
        for limit in limits:
            is_few, is_one = self._few(limit, is_exact=is_exact or has_rows or has_alone)
            found |= is_few
            if has_alone:
                alone |= is_one
        return Count(
            persons=self.persons_of(found),
            records=int(self.records[found].sum()),
            rows=found if has_rows else None,
            alone=self.persons_of(alone) if has_alone else 0,
        )

    def persons_of(self, rows: "NDArray[np.bool_]") -> int:
        """Return the number of persons of some rows."""
        if self.person is None:
            return int(self.records[rows].sum())
        several = self.repeated
        among = self.person[several][rows[several]]
        once = int(np.count_nonzero(rows)) - len(among)
        return once + int(np.count_nonzero(np.bincount(among))) if len(among) else once

    def _few(self, limit: ClassLimit, *, is_exact: bool) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
        """Return which rows are in classes that miss a limit, and which in classes of one person."""
        key, span = self._keys(limit.columns, is_exact=is_exact)
        if span <= max(_FEW, 4 * len(key)):  # counting is many times faster than sorting
            number, classes = key, span
        else:
            number, classes = _numbered(key)
        weights = self.records if self.person is None else None
        sizes: NDArray[np.number] = np.bincount(number, weights=weights, minlength=classes)
        sizes = self._once_each(number, sizes, limit.persons)
        is_few = sizes < limit.persons
        for place, wanted in limit.distinct:
            codes = self.sensitive[place].astype(np.int64)
            span = int(codes.max(initial=0)) + 1
            is_value = codes != self.marks[place]
            cells = np.unique(number[is_value] * span + codes[is_value]) // span
            found = np.bincount(cells, minlength=classes)
            is_few |= (found > 0) & (found < wanted)
        return is_few[number], (sizes == 1)[number]

    def _once_each(
        self, number: "NDArray[np.int64]", sizes: "NDArray[np.number]", persons: int
    ) -> "NDArray[np.number]":
        """Return class sizes in which a person with several rows in a class counts once.

        Only those are mended in which that decides whether a class is too small, or of one person.
        """
        several = self.repeated
        if not len(several):
            return sizes
        own = number[several]
        repeated = np.bincount(own, minlength=len(sizes))
        is_open = (repeated > 1) & (
            ((sizes >= persons) & (sizes - repeated + 1 < persons)) | ((sizes > 1) & (sizes == repeated))
        )
        among = is_open[own]
        pairs = np.sort(own[among].astype(np.int64) * self.persons + self._who(several[among]))
        again = pairs[1:][pairs[1:] == pairs[:-1]] // self.persons
        return sizes - np.bincount(again, minlength=len(sizes)) if len(again) else sizes

    def _who(self, rows: "NDArray[np.int64]") -> "NDArray[np.int64]":
        assert self.person is not None  # noqa: S101 - only persons repeat
        return self.person[rows]

    def _keys(self, columns: Sequence[int], *, is_exact: bool) -> "tuple[NDArray[np.int64], int]":
        """Return a key for the class of each row, and a number above all keys."""
        span = 1
        for place in columns:
            span *= self.spans[place]
        if span < _LARGEST:
            key = np.zeros(len(self), dtype=np.int64)
            for place in columns:
                if self.spans[place] > 1:
                    key *= self.spans[place]
                    key += self.codes[place]
            return key, span
        if is_exact:
            number = self._numbers(columns)
            return number, int(number.max(initial=0)) + 1
        mixed = np.zeros(len(self), dtype=np.int64)
        for place in (one for one in columns if self.spans[one] > 1):
            drawn = np.random.default_rng([self.seed, place]).integers(
                -_DRAWN, _DRAWN, self.spans[place], dtype=np.int64
            )
            mixed += drawn[self.codes[place]]  # beyond 64 bits it begins anew, which is meant
        return mixed, _DRAWN

    def _numbers(self, columns: Sequence[int]) -> "NDArray[np.int64]":
        if not columns:
            return np.zeros(len(self), dtype=np.int64)
        return class_numbers(np.stack([self.codes[place] for place in columns], axis=1))


_FEW = 1 << 16
_LARGEST = 1 << 62
_DRAWN = 1 << 62


def _numbered(key: "NDArray[np.int64]") -> "tuple[NDArray[np.int64], int]":
    """Return the number of each key among those that occur, and how many there are."""
    order = np.argsort(key)
    ordered = key[order]
    is_new = np.empty(len(key), dtype=np.bool_)
    is_new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    number = np.empty(len(key), dtype=np.int64)
    number[order] = np.cumsum(is_new) - 1
    return number, int(np.count_nonzero(is_new))


def _first(number: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return where each of the numbers 0, 1, … occurs first."""
    first = np.empty(int(number.max(initial=-1)) + 1, dtype=np.int64)
    first[number[::-1]] = np.arange(len(number) - 1, -1, -1)
    return first


def _dense(codes: "NDArray[np.integer]") -> "NDArray[np.int64]":
    number: NDArray[np.int64] = np.unique(codes, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return number
