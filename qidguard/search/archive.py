"""The archive: every set that a search has measured, the best of them, and their Pareto front."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


class Archive:
    """Remembers figures and own fitness of sets, as bit masks; those above ``largest`` are never the best."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._index: dict[int, tuple[int, int]] = {}
        self._blocks: list[tuple[list[int], NDArray[np.float64], list[float]]] = []
        self.best_fitness = -math.inf
        self.plain: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, mask: int) -> bool:
        return mask in self._index

    def add(self, masks: list[int], rows: NDArray[np.float64], fitness: list[float]) -> None:
        """Remember sets that are not here yet."""
        block = len(self._blocks)
        # one step, so that Ctrl-C leaves a block or none
        self._blocks.append((masks, rows, fitness))
        self._index.update((mask, (block, i)) for i, mask in enumerate(masks))
        ours = [f for mask, f in zip(masks, fitness, strict=True) if self._is_candidate(mask)]
        self.best_fitness = max([self.best_fitness, *ours])

    def note(self, fitness: list[float], masks: list[int]) -> None:
        """Keep which set is best by another fitness, as the only (−fitness, set) of ``plain``."""
        found = [(-f, mask) for f, mask in zip(fitness, masks, strict=True) if self._is_candidate(mask)]
        self.plain = sorted([*self.plain, *found], key=lambda one: (one[0], *order(one[1])))[:1]

    def row(self, mask: int) -> NDArray[np.float64]:
        """Return the figures of a set; KeyError when it is not here."""
        block, i = self._index[mask]
        row: NDArray[np.float64] = self._blocks[block][1][i]
        return row

    def first(self) -> int | None:
        """Return the first candidate that was remembered; None when there is none."""
        return next(
            (mask for masks, _, _ in self._blocks for mask in masks if self._is_candidate(mask)), None
        )

    def best(self, most: int) -> list[int]:
        """Return the best sets, best first: by fitness, then the smallest, then the first by columns."""
        masks, _, fitness = self._with_fitness()
        # ties with the last one are broken below, so all of them stay
        last = np.partition(fitness, -most)[-most] if len(masks) > most else -math.inf
        found = np.flatnonzero(fitness >= last).tolist()
        return [masks[i] for i in sorted(found, key=lambda i: (-fitness[i], *order(masks[i])))[:most]]

    def front(self, values: Callable[[NDArray[np.float64], list[int]], NDArray[np.float64]]) -> list[int]:
        """Return the sets that none beats in every value, best first; ``values``: rows, sets → values."""
        masks, rows, fitness = self._with_fitness()
        found = front(values(rows, masks)).tolist()
        return [masks[i] for i in sorted(found, key=lambda i: (-fitness[i], *order(masks[i])))]

    def _is_candidate(self, mask: int) -> bool:
        return mask.bit_count() <= self._largest

    def _with_fitness(self) -> tuple[list[int], NDArray[np.float64], NDArray[np.float64]]:
        """Return masks, figures and own fitness of the candidates that have one."""
        masks = [mask for block in self._blocks for mask in block[0]]
        fitness = np.array([f for block in self._blocks for f in block[2]])
        rows = np.concatenate([block[1] for block in self._blocks])
        is_candidate = np.array([self._is_candidate(mask) for mask in masks])
        kept = np.flatnonzero((fitness > -math.inf) & is_candidate)
        return [masks[i] for i in kept.tolist()], rows[kept], fitness[kept]


def order(mask: int) -> tuple[int, tuple[int, ...]]:
    """Return by what equally good sets are ordered: few columns first, then the table's first columns."""
    return mask.bit_count(), tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def front(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rows that no other row dominates (Deb 2001, definition 2.5), ascending.

    A row dominates another one when it is nowhere lower and somewhere higher; equal rows do not. Values have
    shape (rows, terms), each to be maximized, and no NaN.
    """
    if not values.shape[0] or not values.shape[1]:
        return np.arange(values.shape[0])
    distinct, group = np.unique(values, axis=0, return_inverse=True)
    # a row's sum of ranks is below that of every row that dominates it, so the first one left is never beaten
    ranks = [np.unique(column, return_inverse=True)[1] for column in distinct.T]
    left = np.argsort(-np.sum(ranks, axis=0), kind="stable")
    kept = []
    while left.size:
        best = left[0]
        kept.append(best)
        left = left[(distinct[left] > distinct[best]).any(axis=1)]
    return np.flatnonzero(np.isin(group.ravel(), kept))
