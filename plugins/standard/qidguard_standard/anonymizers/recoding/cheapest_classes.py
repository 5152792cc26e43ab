"""The cheapest classes of a table: level vectors in the order of their cost, and classes that grow."""

import heapq
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Progress
from qidguard_standard.anonymizers.recoding.column_levels import ColumnLevels, thinned
from qidguard_standard.anonymizers.recoding.rows import EqualRows

if TYPE_CHECKING:
    from numpy.typing import NDArray


def cheapest_vectors(losses: "Sequence[NDArray[np.float64]]", most: int) -> Iterator[tuple[int, ...]]:
    """Yield level vectors in order of their summed loss, those that lose least first."""
    start = (0,) * len(losses)
    # every vector has one parent: itself with the last raised column one level lower
    waiting = [(sum(float(loss[0]) for loss in losses), start, 0)]
    for _ in range(most):
        if not waiting:
            return
        total, vector, last = heapq.heappop(waiting)
        yield vector
        for column in range(last, len(losses)):
            level = vector[column] + 1
            if level < len(losses[column]):
                step = float(losses[column][level] - losses[column][level - 1])
                raised = (*vector[:column], level, *vector[column + 1 :])
                heapq.heappush(waiting, (total + step, raised, column))


MOST_BYTES = 2**28
"""Largest memory of remembered partial sums."""


class LevelKeys:
    """A 64-bit number for each row at a level vector; rows have equal numbers where their groups are equal.

    The number is a sum of random ones, one for each group of each column: two rows that differ share one with
    a chance of 2⁻⁶⁴. The numbers are fixed, so that they are no source of chance in what comes out.

    Args:
        columns: The levels of each column.
        codes: Shape (rows, columns), the code of each value.
    """

    def __init__(self, columns: Sequence[ColumnLevels], codes: "NDArray[np.int32]") -> None:
        draw = np.random.default_rng(len(columns))
        self._of_code: list[NDArray[np.uint64]] = []
        for column in columns:
            numbers = draw.integers(0, 2**64, size=(column.groups.shape[1],), dtype=np.uint64)
            self._of_code.append(numbers[column.groups])
        self._codes = codes
        self._half = (len(columns) + 1) // 2
        self._rows = np.arange(len(codes))
        self._partial: dict[tuple[int, tuple[int, ...]], NDArray[np.uint64]] = {}

    def keep(self, rows: "NDArray[np.int64]") -> None:
        """Go on with some of the rows that were given at first, at these positions."""
        self._rows = rows
        self._partial = {}

    def at(self, vector: tuple[int, ...]) -> "NDArray[np.uint64]":
        """Return the key of each row at a level vector, shape (rows,)."""
        key: NDArray[np.uint64] = self._sum(0, vector[: self._half]) + self._sum(
            self._half, vector[self._half :]
        )
        return key

    def _sum(self, first: int, levels: tuple[int, ...]) -> "NDArray[np.uint64]":
        known = self._partial.get((first, levels))
        if known is not None:
            return known
        total = np.zeros(len(self._rows), dtype=np.uint64)
        for column, level in enumerate(levels, start=first):
            total += self._of_code[column][level][self._codes[self._rows, column]]
        if (len(self._partial) + 1) * total.nbytes <= MOST_BYTES:
            self._partial[first, levels] = total
        return total


def shared_by(key: "NDArray[np.uint64]", weight: "NDArray[np.float64]", least: int) -> "NDArray[np.int64]":
    """Return the rows that may share their key with rows of some weight in all, and few others.

    Example:
        >>> shared_by(np.array([2**63, 5, 2**63], dtype=np.uint64), np.ones(3), 2).tolist()
        [0, 2]
    """
    bits = max(8, len(key).bit_length() + 2)
    bucket = (key >> np.uint64(64 - bits)).view(np.int64)
    return np.flatnonzero((np.bincount(bucket, weights=weight) >= least)[bucket])


_TRIES = 3
"""Open classes, from the smallest up, that a group of rows is tried with at one level vector."""
_GROWTH = 2.0
"""How many times a group's own records an open class may have that is coarsened on the group's behalf."""


class OpenClasses:
    """Classes with the level vector that each was opened at.

    A group of k records of one sensitive value keeps no l, however coarse it gets, while the others have
    found classes without it. So such a group may join an open class that is alike at its own level vector,
    the smallest first, for that one is coarsened by it. Not so where t is asked for: one class seldom makes
    up for a group's distance, and what is coarsened meanwhile costs more than to wait.

    Args:
        columns: The levels of each column.
        codes: Shape (rows, columns), the code of each value.
        rows: The rows, and what a class of them has to keep.
    """

    def __init__(self, columns: Sequence[ColumnLevels], codes: "NDArray[np.int32]", rows: EqualRows) -> None:
        self._rule, self._weight = rows.rule, rows.weight
        self._columns = columns
        self._codes = codes
        self.class_of = np.full(len(codes), -1, dtype=np.int64)
        self._classes = 0
        self._first = np.zeros(0, dtype=np.int64)
        self._level = np.zeros((0, len(columns)), dtype=np.int64)
        self._records = np.zeros(0, dtype=np.int64)
        self._members: list[NDArray[np.int64]] = []
        self._keys: LevelKeys | None = None

    def open(self, vector: tuple[int, ...], number: "NDArray[np.int64]", rows: "NDArray[np.int64]") -> None:
        """Open a class for each of the numbers that occur; ``number`` is one a row."""
        if not len(rows):
            return
        keys, first, place = np.unique(number, return_index=True, return_inverse=True)
        self.class_of[rows] = place + self._classes
        self._classes += len(keys)
        if self._rule.counts_records:
            return
        self._first = np.append(self._first, rows[first])
        self._level = np.append(self._level, np.tile(vector, (len(keys), 1)), axis=0)
        records = np.bincount(place, weights=self._weight[rows])
        self._records = np.append(self._records, records.astype(np.int64))
        ordered = rows[np.argsort(place, kind="stable")]
        self._members += np.split(ordered, np.cumsum(np.bincount(place))[:-1])
        self._keys = None

    def join(
        self,
        vector: tuple[int, ...],
        keys: "NDArray[np.uint64]",
        number: "NDArray[np.int64]",
        rows: "NDArray[np.int64]",
    ) -> "NDArray[np.bool_]":
        """Let groups of rows join open classes alike at a level vector, where that keeps the rule.

        Shape (rows,), which rows have joined a class.
        """
        joined = np.zeros(len(rows), dtype=np.bool_)
        if not len(rows) or not self._classes or self._rule.wanted.t:
            return joined
        fit = np.flatnonzero((self._level <= np.array(vector)).all(axis=1))
        if self._keys is None:
            self._keys = LevelKeys(self._columns, self._codes[self._first])
        group = np.searchsorted(keys, key := self._keys.at(vector)[fit])
        group[group == len(keys)] = 0
        own = np.bincount(number, weights=self._weight[rows], minlength=len(keys))
        usable = (keys[group] == key) & (self._records[fit] <= _GROWTH * own[group])
        fit, group = fit[usable], group[usable]
        order = np.lexsort((fit, self._records[fit], group))
        fit, group = fit[order], group[order]
        rank = np.arange(len(fit)) - np.searchsorted(group, group)
        for turn in range(_TRIES):
            now = rank == turn
            if not now.any():
                break
            target = np.full(len(keys), -1, dtype=np.int64)
            target[group[now]] = fit[now]
            joined |= self._try(vector, target, number, rows, joined)
        return joined

    def _try(
        self,
        vector: tuple[int, ...],
        target: "NDArray[np.int64]",
        number: "NDArray[np.int64]",
        rows: "NDArray[np.int64]",
        joined: "NDArray[np.bool_]",
    ) -> "NDArray[np.bool_]":
        """Put each group that has not joined yet together with the open class meant for it."""
        asked = (target[number] >= 0) & ~joined
        groups = np.unique(number[asked])
        if not len(groups):
            return asked
        inside = [self._members[target[group]] for group in groups]
        sizes = [len(members) for members in inside]
        place = np.searchsorted(groups, number[asked])
        together = np.concatenate([place, np.repeat(np.arange(len(groups)), sizes)])
        fine = self._rule.keeps(together, len(groups), np.concatenate([rows[asked], *inside]))
        taken = asked.copy()
        taken[asked] = fine[place]
        self.class_of[rows[taken]] = target[number[taken]]
        for at in np.flatnonzero(fine):
            into = target[groups[at]]
            members = rows[taken & (number == groups[at])]
            self._members[into] = np.append(self._members[into], members)
            self._records[into] += self._weight[members].sum()
            self._level[into] = vector
        return taken


MOST_VECTORS = 20_000
"""Level vectors that are tried; where there are more, levels are left out first."""
TITLE = "local recoding"
_COMPACT = 0.15
"""Share of the rows that have found a class from which on the others are gathered."""
_STEPS = 250


class CheapestClasses:
    """Classes found one level vector after the other, each row's the first that is large enough.

    Args:
        columns: The levels of each column.
        codes: Shape (rows, columns), the code of each value.
        rows: The rows, and what a class of them has to keep.
    """

    def __init__(
        self,
        columns: Sequence[ColumnLevels],
        codes: "NDArray[np.int32]",
        rows: EqualRows,
    ) -> None:
        self._columns = columns
        self._codes = codes
        self._rule = rows.rule
        self._open_classes = OpenClasses(columns, codes, rows)
        self._keys = LevelKeys(columns, codes)
        self._rows = np.arange(len(codes))
        self._whole = rows.weight.astype(np.float64)
        self._weight = self._whole.copy()
        self._done = 0

    @property
    def class_of(self) -> "NDArray[np.int64]":
        """The class of each row, from 0 without gaps, −1 for a row that has found none."""
        return self._open_classes.class_of

    def find(self, progress: Progress) -> None:
        """Try level vectors in order of their loss, until every row has a class or none is left."""
        some = thinned(self._columns, MOST_VECTORS)
        at = [
            [one.numbers.index(n) for n in few.numbers] for one, few in zip(self._columns, some, strict=True)
        ]
        total = len(self._codes)
        progress.step(TITLE, 0, total)
        coarsest = tuple(len(levels) - 1 for levels in at)
        for number, few in enumerate(cheapest_vectors([one.mean_loss for one in some], MOST_VECTORS)):
            vector = tuple(levels[level] for levels, level in zip(at, few, strict=True))
            self._open(vector)
            if not len(self._rows) or few == coarsest:
                return
            if number % _STEPS == 0:
                progress.step(TITLE, total - len(self._rows), total)
        self._raise_columns()

    def _open(self, vector: tuple[int, ...]) -> None:
        """Open the classes of a level vector that keep the rule, of rows that have none yet."""
        key = self._keys.at(vector)
        maybe = shared_by(key, self._weight, self._rule.wanted.k)
        maybe = maybe[self._weight[maybe] > 0]
        if not len(maybe):
            return
        keys, number = np.unique(key[maybe], return_inverse=True)
        rows = self._rows[maybe]
        enough = np.bincount(number, weights=self._weight[maybe]) >= self._rule.wanted.k
        if not enough.any():
            return
        if self._rule.counts_records:
            taken = enough[number]
        else:
            large = enough[number]
            maybe, rows = maybe[large], rows[large]
            keys, number = keys[enough], (np.cumsum(enough) - 1)[number[large]]
            taken = self._rule.keeps(number, len(keys), rows)[number]
            joined = self._open_classes.join(vector, keys, number[~taken], rows[~taken])
        self._open_classes.open(vector, number[taken], rows[taken])
        if not self._rule.counts_records:
            taken[~taken] = joined
        if not taken.any():
            return
        self._weight[maybe[taken]] = 0
        self._done += int(taken.sum())
        if self._done >= _COMPACT * len(self._rows):
            self._rows = self._rows[self._weight > 0]
            self._weight = self._whole[self._rows]
            self._keys.keep(self._rows)
            self._done = 0

    def _raise_columns(self) -> None:
        """Raise one column after the other, the one that brings most rows together for its loss first."""
        vector = [0] * len(self._columns)
        while len(self._rows):
            best = None
            for column, levels in enumerate(self._columns):
                if vector[column] + 1 == len(levels.numbers):
                    continue
                tried = (*vector[:column], vector[column] + 1, *vector[column + 1 :])
                cost = levels.mean_loss[vector[column] + 1] - levels.mean_loss[vector[column]]
                together = len(self._rows) / len(np.unique(self._keys.at(tried)))
                score = (np.log(together) + 1e-9) / (cost + 1e-9)
                if best is None or score > best[0]:
                    best = score, column
            if best is None:
                return
            vector[best[1]] += 1
            self._open(tuple(vector))
