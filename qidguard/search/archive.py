"""The archive: every set that a search has measured, packed, and what stands out among them."""

import math
from collections.abc import Callable, Iterator, Sequence

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
        ours = [f for mask, f in zip(masks, fitness, strict=True) if mask.bit_count() <= self._largest]
        self.best_fitness = max([self.best_fitness, *ours])

    def row(self, mask: int) -> NDArray[np.float64]:
        """Return the figures of a set; KeyError when it is not here."""
        block, i = self._index[mask]
        row: NDArray[np.float64] = self._blocks[block][1][i]
        return row

    def first(self) -> int | None:
        """Return the first candidate that was remembered; None when there is none."""
        return next((mask for mask, _, _ in self._candidates()), None)

    def best(self, most: int) -> list[int]:
        """Return the best sets, best first: by fitness, then the smallest, then the first by columns."""
        found = [(-fitness, mask) for mask, _, fitness in self._candidates() if fitness > -math.inf]
        if len(found) > most:
            # ties with the last one are broken below, so all of them stay
            last = np.partition([f for f, _ in found], most - 1)[most - 1]
            found = [(f, mask) for f, mask in found if f <= last]
        return [mask for _, mask in sorted(found, key=lambda one: (one[0], *order(one[1])))[:most]]

    def front(self, values: Callable[[NDArray[np.float64]], Sequence[float]]) -> list[int]:
        """Return the sets that none other beats in every term, best fitness first."""
        found = [(mask, row, f) for mask, row, f in self._candidates() if f > -math.inf]
        every = np.array([values(row) for _, row, _ in found])
        kept = [found[i] for i in front(every)]
        return [mask for mask, _, f in sorted(kept, key=lambda one: (-one[2], *order(one[0])))]

    def _candidates(self) -> Iterator[tuple[int, NDArray[np.float64], float]]:
        for masks, rows, fitness in self._blocks:
            for mask, row, f in zip(masks, rows, fitness, strict=True):
                if mask.bit_count() <= self._largest:
                    yield mask, row, f


def order(mask: int) -> tuple[int, tuple[int, ...]]:
    """Return by what equally good sets are ordered: few columns first, then the table's first columns.

    Example:
        >>> sorted([0b110, 0b011, 0b100], key=order) == [0b100, 0b011, 0b110]
        True
    """
    return mask.bit_count(), tuple(i for i in range(mask.bit_length()) if mask >> i & 1)
