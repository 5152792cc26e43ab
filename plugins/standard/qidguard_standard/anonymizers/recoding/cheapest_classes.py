"""The cheapest classes of a table: level vectors in the order of their cost."""

import heapq
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Progress
from qidguard_standard.anonymizers.recoding.column_levels import ColumnLevels, thinned
from qidguard_standard.anonymizers.recoding.open_classes import LevelKeys, OpenClasses, shared_by
from qidguard_standard.anonymizers.recoding.row_rule import RowRule

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
        rule: What a class has to keep.
    """

    def __init__(
        self,
        columns: Sequence[ColumnLevels],
        codes: "NDArray[np.int32]",
        rule: RowRule,
    ) -> None:
        self._columns = columns
        self._codes = codes
        self._rule = rule
        self._open_classes = OpenClasses(columns, codes, rule)
        self._keys = LevelKeys(columns, codes)
        self._rows = np.arange(len(codes))
        self._whole = rule.weight.astype(np.float64)
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
