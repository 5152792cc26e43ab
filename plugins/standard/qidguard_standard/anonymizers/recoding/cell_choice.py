"""Cells that carry the suppression mark, a value like any other, and which cells of a combination go."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST_BITS = 17


class MarkedCells:
    """The QID columns of a table with the cells that are suppressed.

    A class is what is alike in the published columns, marks included. It is found by the sum of random
    64-bit numbers, one for each value of each column; two classes share one with a chance of 2⁻⁶⁴.

    Args:
        columns: The QIDs.
        mark: The text that is published for a suppressed cell.
        entity: Shape (records,), the code of each record's person; None where each record is one.
    """

    def __init__(
        self, columns: Sequence[ColumnValues], mark: str, entity: "NDArray[np.int32] | None"
    ) -> None:
        records = columns[0].records
        draw = np.random.default_rng(len(columns))
        self.kept = np.ones(records, dtype=np.bool_)
        self.is_marked = np.zeros((records, len(columns)), dtype=np.bool_)
        self.changed = np.zeros(len(columns), dtype=np.int64)
        self._entity = entity
        self._clock = 0
        self._exact = np.empty((len(columns), records), dtype=np.uint64)
        self._now = np.empty((len(columns), records), dtype=np.uint64)
        self._mark = np.empty(len(columns), dtype=np.uint64)
        for j, column in enumerate(columns):
            numbers = draw.integers(0, 2**64, len(column.texts) + 1, dtype=np.uint64)
            # a value of the table that reads like the mark is one with it in the published column
            code = column.texts.index(mark) if mark in column.texts else len(column.texts)
            self._mark[j] = numbers[code]
            self._exact[j] = numbers[column.codes]
        self._now[:] = self._exact

    @property
    def clock(self) -> int:
        """How many times anything was changed."""
        return self._clock

    def keys(self, columns: Sequence[int], rows: "NDArray[np.int64]") -> "NDArray[np.uint64]":
        """Return the class of each row over some columns."""
        total = np.zeros(len(rows), dtype=np.uint64)
        for j in columns:
            total += self._now[j] if len(rows) == self._now.shape[1] else self._now[j][rows]
        return total

    def with_marks(
        self, keys: "NDArray[np.uint64]", columns: Sequence[int], rows: "NDArray[np.int64]"
    ) -> "NDArray[np.uint64]":
        """Return the class that each row would be in if its cells in some columns were suppressed."""
        total = keys.copy()
        for j in columns:
            total += self._mark[j] - self._now[j][rows]
        return total

    def without_mark(
        self, keys: "NDArray[np.uint64]", column: int, rows: "NDArray[np.int64]"
    ) -> "NDArray[np.uint64]":
        """Return the class that each row would be in if its cell in a column were published."""
        back: NDArray[np.uint64] = keys + self._exact[column][rows] - self._mark[column]
        return back

    def persons(self, keys: "NDArray[np.uint64]", rows: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return for each row the persons of its class among these rows."""
        _, number = np.unique(keys, return_inverse=True)
        if self._entity is None:
            return np.bincount(number)[number]
        who = self._entity[rows].astype(np.int64)
        span = int(who.max(initial=0)) + 1
        pairs = np.unique(number * span + who)
        return np.bincount(pairs // span)[number]

    def small(self, keys: "NDArray[np.uint64]", rows: "NDArray[np.int64]", k: int) -> "NDArray[np.bool_]":
        """Return which rows are in classes of fewer than k persons."""
        if self._entity is not None:
            return self.persons(keys, rows) < k
        ordered = np.sort(keys)
        starts = (
            np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(keys) else np.zeros(0, int)
        )
        few = ordered[starts[np.diff(np.append(starts, len(keys))) < k]]
        if not len(few):
            return np.zeros(len(keys), dtype=np.bool_)
        return among(keys, few)

    def suppress(self, columns: Sequence[int], rows: "NDArray[np.int64]") -> None:
        """Suppress the cells of rows in some columns."""
        self._clock += 1
        for j in columns:
            self.is_marked[rows, j] = True
            self._now[j][rows] = self._mark[j]
            self.changed[j] = self._clock

    def publish(self, column: int, rows: "NDArray[np.int64]") -> None:
        """Take back the suppression of cells of rows in a column."""
        self._clock += 1
        self.is_marked[rows, column] = False
        self._now[column][rows] = self._exact[column][rows]
        self.changed[column] = self._clock

    def take_out(self, rows: "NDArray[np.int64]") -> None:
        """Suppress whole records."""
        self._clock += 1
        self.kept[rows] = False
        self.changed[:] = self._clock


def among(keys: "NDArray[np.uint64]", few: "NDArray[np.uint64]") -> "NDArray[np.bool_]":
    """Return which keys are among some few.

    Shape (rows,).

    Example:
        >>> among(np.array([3, 2**60, 3], dtype=np.uint64), np.array([2**60], dtype=np.uint64)).tolist()
        [False, True, False]
    """
    # a search costs a cache miss a step, so that most keys are told apart by their first bits
    bits = np.uint64(64 - _FIRST_BITS)
    table = np.zeros(1 << _FIRST_BITS, dtype=np.bool_)
    table[(few >> bits).view(np.int64)] = True
    value = table[(keys >> bits).view(np.int64)]
    maybe = np.flatnonzero(value)
    place = np.searchsorted(few, keys[maybe])
    place[place == len(few)] = 0
    value[maybe] = few[place] == keys[maybe]
    return value


MOST_SETS = 300
"""Column sets of one size that are tried; where there are more, fewer columns take part."""


class CellChoice:
    """Suppresses cells of one combination until every class has k persons, fewest columns first.

    For each set of columns, from single ones up, it is asked how many records in small classes would have
    enough company if their cells in these columns were suppressed; the set that helps most goes first. Sets
    with a column of a higher rank are tried only when none of lower ranks help. Where no set of their own
    helps, cells of records in large classes are suppressed in the same columns beside them; where that takes
    more cells than a record has, the record is suppressed in their place, as long as records may be.

    Args:
        cells: The table, which is changed.
        columns: The places of the combination's columns.
        rank: Shape (columns of the table,), the higher the later a column is suppressed.
        k: Smallest class, persons.
        may_go: Records that may be suppressed.
    """

    def __init__(
        self,
        cells: MarkedCells,
        columns: Sequence[int],
        rank: "NDArray[np.int64]",
        k: int,
        may_go: int,
    ) -> None:
        self._cells = cells
        self._columns = tuple(columns)
        self._rank = rank
        self._k = k
        self._may_go = may_go
        self._rows = np.zeros(0, dtype=np.int64)
        self._small = np.zeros(0, dtype=np.int64)

    def suppress(self) -> int:
        """Suppress cells, and records where cells are dearer; return the number of records."""
        if not self._find_small():
            return 0
        for rank in sorted({int(self._rank[j]) for j in self._columns}):
            allowed = tuple(j for j in self._columns if self._rank[j] <= rank)
            for size in range(1, len(allowed) + 1):
                for columns in self._by_use(allowed, size, rank):
                    resolved = self._resolved(columns)
                    if resolved.any():
                        self._cells.suppress(columns, self._small[resolved])
                        if not self._find_small():
                            return 0
        gone = 0
        while len(self._small):
            row = self._small[:1]
            columns, with_it = self._company(int(row[0]))
            if len(with_it) and (
                gone >= self._may_go or len(with_it) * len(columns) <= self._cells.is_marked.shape[1]
            ):
                self._cells.suppress(columns, with_it)
            else:
                self._cells.take_out(row)
                gone += 1
            self._find_small()
        return gone

    def _find_small(self) -> bool:
        """Find the rows in small classes; False where there are none."""
        self._rows = np.flatnonzero(self._cells.kept)
        self._keys = self._cells.keys(self._columns, self._rows)
        is_small = self._cells.small(self._keys, self._rows, self._k)
        self._small, self._is_small = self._rows[is_small], is_small
        return len(self._small) > 0

    def _resolved(self, columns: Sequence[int]) -> "NDArray[np.bool_]":
        """Return which rows in small classes would have company enough without these columns."""
        then = self._keys.copy()
        then[self._is_small] = self._cells.with_marks(self._keys[self._is_small], columns, self._small)
        # only classes that a row would move to matter, so most of the table is left out
        there = among(then, np.unique(then[self._is_small]))
        persons = self._cells.persons(then[there], self._rows[there])
        resolved: NDArray[np.bool_] = persons[self._is_small[there]] >= self._k
        return resolved

    def _by_use(self, allowed: tuple[int, ...], size: int, rank: int) -> Iterator[tuple[int, ...]]:
        """Yield sets of columns, some of them of this rank, those that help most records first."""
        uses = [
            (-int(self._resolved(columns).sum()), columns)
            for columns in combinations(self._pool(allowed, size), size)
            if max(self._rank[j] for j in columns) == rank
        ]
        yield from (columns for use, columns in sorted(uses) if use)

    def _pool(self, allowed: tuple[int, ...], size: int) -> tuple[int, ...]:
        """Return the columns that sets of a size are made of: where there are many, those that split most."""
        many = len(allowed)
        while many > size and comb(many, size) > MOST_SETS:
            many -= 1
        if many == len(allowed):
            return allowed
        key = self._keys[self._is_small]
        left = {j: len(np.unique(self._cells.with_marks(key, (j,), self._small))) for j in allowed}
        return tuple(sorted(allowed, key=lambda j: (-self._rank[j], left[j], j))[:many])

    def _sets(self) -> list[tuple[int, ...]]:
        """Return sets of columns: those of spared columns last, small ones first."""
        sizes = range(1, len(self._columns) + 1)
        sets = [columns for size in sizes for columns in combinations(self._pool(self._columns, size), size)]
        return sorted(sets, key=lambda columns: (max(self._rank[j] for j in columns), len(columns)))

    def _company(self, row: int) -> "tuple[tuple[int, ...], NDArray[np.int64]]":
        """Return columns, and rows whose cells in them are suppressed to give a row company; none at all."""
        at = int(np.searchsorted(self._rows, row))
        persons = self._cells.persons(self._keys, self._rows)
        for columns in self._sets():
            then = self._cells.with_marks(self._keys, columns, self._rows)
            like = np.flatnonzero(then == then[at])
            there = self._keys[like] == then[at]
            movable = like[~there & ~self._is_small[like]]
            # of each large class so many may go that it stays one
            order = movable[np.argsort(self._keys[movable], kind="stable")]
            first = np.searchsorted(self._keys[order], self._keys[order])
            spare = order[np.arange(len(order)) - first < persons[order] - self._k]
            small = like[~there & self._is_small[like]]
            if self._enough(like[there], np.append(small, spare)):
                chosen = self._fewest(like[there], small, spare)
            elif len(movable):
                # no class can spare any, so the smallest one goes as a whole
                smallest = movable[np.lexsort((self._keys[movable], persons[movable]))[0]]
                chosen = np.append(small, movable[self._keys[movable] == self._keys[smallest]])
            else:
                continue
            return columns, self._rows[chosen]
        return (), self._rows[:0]

    def _enough(self, there: "NDArray[np.int64]", moving: "NDArray[np.int64]") -> bool:
        rows = self._rows[np.append(there, moving)]
        return len(rows) > 0 and int(self._cells.persons(np.zeros(len(rows), np.uint64), rows)[0]) >= self._k

    def _fewest(
        self, there: "NDArray[np.int64]", small: "NDArray[np.int64]", spare: "NDArray[np.int64]"
    ) -> "NDArray[np.int64]":
        """Return as few rows that move as make the class large enough: all small ones, then spare ones."""
        low, high = 0, len(spare)
        while low < high:
            middle = (low + high) // 2
            if self._enough(there, np.append(small, spare[:middle])):
                high = middle
            else:
                low = middle + 1
        return np.append(small, spare[:low])
