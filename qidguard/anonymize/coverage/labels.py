"""The labels of a hierarchy: which original values each one stands for."""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.hierarchy import Hierarchy

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Labels:
    """Labels above the exact level of a hierarchy. One label for several groups stands for the widest.

    Args:
        hierarchy: The hierarchy.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        self._sorted: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    @cached_property
    def _places(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """Return label → its level, and its groups there: more than one where they share the label."""
        found: dict[str, tuple[int, tuple[int, ...]]] = {}
        most: dict[str, int] = {}
        for level in range(1, self._hierarchy.levels):
            sizes = np.bincount(self._hierarchy.groups[level], minlength=len(self._hierarchy.labels[level]))
            here: dict[str, list[int]] = {}
            for group, label in enumerate(self._hierarchy.labels[level]):
                if label is not None:
                    here.setdefault(label, []).append(group)
            for label, groups in here.items():
                size = int(sizes[groups].sum())
                if size > most.get(label, 0):
                    most[label], found[label] = size, (level, tuple(groups))
        return found

    def codes(self, label: str) -> "NDArray[np.int64] | None":
        """Return the original codes that a label stands for; None where it is none."""
        place = self._places.get(label)
        if place is None:
            return None
        level, groups = place
        order, starts = self._level(level)
        return np.concatenate([order[starts[group] : starts[group + 1]] for group in groups])

    def _level(self, level: int) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
        if level not in self._sorted:
            groups = self._hierarchy.groups[level]
            sizes = np.bincount(groups, minlength=len(self._hierarchy.labels[level]))
            self._sorted[level] = np.argsort(groups, kind="stable"), np.concatenate([[0], np.cumsum(sizes)])
        return self._sorted[level]
