"""The archive: every set that a search has measured, packed, and what stands out among them."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from qidguard.search.front import front


class Archive:
    """Remembers the figures and own fitness of sets, each a bit mask over the candidates.

    Args:
        largest: Sets with more columns are no candidates: remembered, but never the best.
    """

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._index: dict[int, tuple[int, int]] = {}
        self._blocks: list[tuple[list[int], NDArray[np.float64], list[float]]] = []
        self.best_fitness = -math.inf

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

    def front(self, values: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> list[int]:
        """Return the sets that none other beats in every term, best fitness first.

        Args:
            values: Figures, one row a set → terms, one row a set, all to be maximised.
        """
        masks, rows, fitness = self._with_fitness()
        found = front(values(rows)).tolist()
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
    """Return by what equally good sets are ordered: few columns first, then the table's first columns.

    Example:
        >>> sorted([0b110, 0b011, 0b100], key=order) == [0b100, 0b011, 0b110]
        True
    """
    return mask.bit_count(), tuple(i for i in range(mask.bit_length()) if mask >> i & 1)
