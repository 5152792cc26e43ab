"""The lattice of levels: every node's classes, merged from those of a finer node that are still at hand."""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymizers.full_domain.classes import SortedClasses, numbered
from qidguard_standard.anonymizers.full_domain.domain import Domain

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_KEPT = 256
"""Nodes whose classes are kept at most."""
_WORTH_KEEPING = 0.7
"""Only classes fewer than this share of those that they were merged from are worth their memory."""


class Lattice:
    """All combinations of one level a QID, from exact values to all of them suppressed.

    Args:
        domains: The QIDs.
        classes: The classes on exact values.
    """

    def __init__(self, domains: Sequence[Domain], classes: SortedClasses) -> None:
        self.domains = tuple(domains)
        self.shape = tuple(domain.levels for domain in domains)
        self.nodes = prod(self.shape)
        self._kept_levels: NDArray[np.int64] = np.zeros((1, len(self.domains)), dtype=np.int64)
        self._kept = [classes]
        self._is_one = [
            [bool(len(groups)) and int(groups.min()) == int(groups.max()) for groups in domain.groups]
            for domain in self.domains
        ]
        self._used = [0]
        self._clock = 0

    def classes(self, levels: tuple[int, ...]) -> SortedClasses:
        """Return the classes of a node over all QIDs."""
        self._clock += 1
        is_finer = (self._kept_levels <= np.array(levels)).all(axis=1)
        best = min(np.flatnonzero(is_finer).tolist(), key=lambda at: self._kept[at].count)
        self._used[best] = self._clock
        start = self._kept[best]
        merged = start.merged(*self.numbered(levels, start))
        if merged.count < _WORTH_KEEPING * start.count:
            self._keep(levels, merged)
        return merged

    def numbered(self, levels: tuple[int, ...], finer: SortedClasses) -> "tuple[NDArray[np.int64], int]":
        """Return for each class of a finer node its class of a node, and how many those are."""
        columns = [
            (domain.groups[level].take(codes), len(domain.labels[level]))
            for domain, level, codes, is_one in zip(
                self.domains, levels, finer.codes, self._is_one, strict=True
            )
            # a level of one group tells nothing
            if not is_one[level]
        ]
        return numbered(columns, finer.count)

    def _keep(self, levels: tuple[int, ...], classes: SortedClasses) -> None:
        if len(self._kept) >= _MOST_KEPT:
            # the exact classes stay for ever
            oldest = min(range(1, len(self._kept)), key=self._used.__getitem__)
            del self._kept[oldest], self._used[oldest]
            self._kept_levels = np.delete(self._kept_levels, oldest, axis=0)
        self._kept.append(classes)
        self._used.append(self._clock)
        self._kept_levels = np.vstack([self._kept_levels, np.array(levels)])
