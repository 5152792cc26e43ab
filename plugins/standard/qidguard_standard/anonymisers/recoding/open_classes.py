"""The classes that are open already, which take in large groups of rows that lack variety."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymisers.recoding.column_levels import ColumnLevels
from qidguard_standard.anonymisers.recoding.level_keys import LevelKeys
from qidguard_standard.anonymisers.recoding.row_rule import RowRule

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
        rule: What a class has to keep.
    """

    def __init__(self, columns: Sequence[ColumnLevels], codes: "NDArray[np.int32]", rule: RowRule) -> None:
        self._rule = rule
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
        found, first, place = np.unique(number, return_index=True, return_inverse=True)
        self.class_of[rows] = place + self._classes
        self._classes += len(found)
        if self._rule.counts_records:
            return
        self._first = np.append(self._first, rows[first])
        self._level = np.append(self._level, np.tile(vector, (len(found), 1)), axis=0)
        records = np.bincount(place, weights=self._rule.weight[rows])
        self._records = np.append(self._records, records.astype(np.int64))
        ordered = rows[np.argsort(place, kind="stable")]
        self._members += np.split(ordered, np.cumsum(np.bincount(place))[:-1])
        self._keys = None

    def join(
        self,
        vector: tuple[int, ...],
        found: "NDArray[np.uint64]",
        number: "NDArray[np.int64]",
        rows: "NDArray[np.int64]",
    ) -> "NDArray[np.bool_]":
        """Let groups of rows join open classes that are alike at a level vector, where that keeps the rule.

        Args:
            vector: The level vector.
            found: The key of each group.
            number: Shape (rows,), the group of each row.
            rows: The rows.

        Returns:
            Shape (rows,), which rows have joined a class.

        Units:
            None.

        Raises:
            Nothing.

        Example:
            >>> OpenClasses.__name__
            'OpenClasses'
        """
        joined = np.zeros(len(rows), dtype=np.bool_)
        if not len(rows) or not self._classes or self._rule.wanted.t:
            return joined
        fit = np.flatnonzero((self._level <= np.array(vector)).all(axis=1))
        if self._keys is None:
            self._keys = LevelKeys(self._columns, self._codes[self._first])
        group = np.searchsorted(found, key := self._keys.at(vector)[fit])
        group[group == len(found)] = 0
        own = np.bincount(number, weights=self._rule.weight[rows], minlength=len(found))
        usable = (found[group] == key) & (self._records[fit] <= _GROWTH * own[group])
        fit, group = fit[usable], group[usable]
        order = np.lexsort((fit, self._records[fit], group))
        fit, group = fit[order], group[order]
        rank = np.arange(len(fit)) - np.searchsorted(group, group)
        for turn in range(_TRIES):
            now = rank == turn
            if not now.any():
                break
            target = np.full(len(found), -1, dtype=np.int64)
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
            self._records[into] += self._rule.weight[members].sum()
            self._level[into] = vector
        return taken
