"""Search of the lattice: the proven optimum, or a way down that stops at the first best neighbor."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymizers.full_domain.judging import Judge, Levels
from qidguard_standard.anonymizers.full_domain.lattice import Lattice
from qidguard_standard.anonymizers.full_domain.loss import Loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import Progress

TITLE = "searching the lattice of levels"
"""What progress calls the work."""
_SLACK = 1e-12
"""Losses this close, relative to the larger, are equal: sums of floats differ by their order."""


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What a search found.

    Args:
        levels: The best node's levels; None where no node keeps all requirements.
        loss: Its loss; infinite where there is none.
        checked: How many nodes were looked at.
    """

    levels: Levels | None
    loss: float
    checked: int


class _Best:
    """The best node so far."""

    def __init__(self, judge: Judge, lattice: Lattice, loss: Loss) -> None:
        self.levels: Levels | None = None
        self.loss = float("inf")
        self.checked = 0
        self.judge, self.lattice, self._loss = judge, lattice, loss

    @property
    def worth(self) -> float:
        """The bound from which a node is of no interest any more."""
        return self.loss if np.isinf(self.loss) else self.loss - _SLACK * max(1.0, abs(self.loss))

    def offer(self, levels: Levels, loss: float) -> None:
        """Take a node that keeps everything, where it loses less."""
        if loss < self.worth:
            self.levels, self.loss = levels, loss

    def try_out(self, levels: Levels) -> float:
        """Judge a node, take it where it is better, and return its loss; infinite where it breaks a limit."""
        self.checked += 1
        classes = self.lattice.classes(levels)
        judged = self.judge.judge(levels, classes)
        if not judged.is_met:
            return float("inf")
        loss = self._loss.of(levels, classes, judged.kept)
        self.offer(levels, loss)
        return loss

    def refine(self) -> None:
        """Take finer levels that lose no more, column by column: nothing is coarsened for nothing."""
        at = 0
        while self.levels is not None and at < len(self.levels):
            here = self.levels
            if here[at] > 0:
                finer = (*here[:at], here[at] - 1, *here[at + 1 :])
                if self.try_out(finer) <= self.loss + _SLACK * max(1.0, abs(self.loss)):
                    self.levels = finer
                    continue
            at += 1

    def solution(self) -> Solution:
        """Return what was found."""
        return Solution(levels=self.levels, loss=self.loss, checked=self.checked)


def optimum(lattice: Lattice, judge: Judge, loss: Loss, progress: "Progress") -> Solution:
    """Return the node of the smallest loss among all that keep the requirements, with proof.

    A node is closed unlooked at when a coarser one is hopeless, by what every finer one inherits, or when its
    bound is not below the best loss. Of the open nodes the one of the lowest bound begins a path of open ones
    upwards, on which bisection finds where hope begins (as Flash does, Kohlmayer et al. 2012). It ends when
    no open node is left, so what it returns is optimal whether the requirements are monotone or not.
    """
    best = _Best(judge, lattice, loss)
    least = loss.least()
    # a closed node's bound is infinite
    bound = least.copy()
    flat = bound.reshape(-1)
    progress.step(TITLE, 0, lattice.nodes)
    while True:
        lowest = int(np.argmin(flat))
        if not flat[lowest] < best.worth:
            break
        path = _path(tuple(int(i) for i in np.unravel_index(lowest, bound.shape)), bound, best.worth)
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if _visited(path[middle], best, loss, least, bound):
                high = middle - 1
            else:
                low = middle + 1
        if best.checked % 16 == 0:
            progress.step(TITLE, int((flat >= best.worth).sum()), lattice.nodes)
    best.refine()
    progress.step(TITLE, lattice.nodes, lattice.nodes)
    return best.solution()


def _visited(
    levels: Levels, best: _Best, loss: Loss, least: "NDArray[np.float64]", bound: "NDArray[np.float64]"
) -> bool:
    """Judge a node, close what is thereby decided, and return whether there is hope below it."""
    best.checked += 1
    classes = best.lattice.classes(levels)
    judged = best.judge.judge(levels, classes)
    if judged.is_met:
        best.offer(levels, loss.of(levels, classes, judged.kept))
    below = tuple(slice(0, level + 1) for level in levels)
    if judged.is_hopeless:
        bound[below] = np.inf
        return False
    np.maximum(bound[below], loss.finer(levels, classes, judged.removed, least[below]), out=bound[below])
    above = tuple(slice(level, None) for level in levels)
    np.maximum(bound[above], loss.coarser(classes), out=bound[above])
    bound[levels] = np.inf
    return True


def _path(start: Levels, bound: "NDArray[np.float64]", worth: float) -> list[Levels]:
    """Return open nodes from one upwards, each time to the neighbor of the lowest bound."""
    path = [start]
    while True:
        here = path[-1]
        above = [
            (*here[:at], here[at] + 1, *here[at + 1 :])
            for at in range(len(here))
            if here[at] + 1 < bound.shape[at]
        ]
        nearest = min(above, key=lambda node: (float(bound[node]), node), default=None)
        if nearest is None or not bound[nearest] < worth:
            return path
        path.append(nearest)


def descent(lattice: Lattice, judge: Judge, loss: Loss, progress: "Progress") -> Solution:
    """Return a node without proof: from the top down, each time to the finer neighbor that loses least."""
    best = _Best(judge, lattice, loss)
    here = tuple(levels - 1 for levels in lattice.shape)
    steps = sum(here)
    best.try_out(here)
    progress.step(TITLE, 0, max(1, steps))
    while best.levels is not None:
        for at in range(len(here)):
            if here[at] > 0:
                best.try_out((*here[:at], here[at] - 1, *here[at + 1 :]))
        if best.levels == here:
            break
        here = best.levels
        progress.step(TITLE, steps - sum(here), max(1, steps))
    best.refine()
    return best.solution()
