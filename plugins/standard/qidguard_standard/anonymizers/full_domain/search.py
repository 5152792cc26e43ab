"""Search of the lattice: the proven optimum, or a way down that stops at the first best neighbor."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymizers.full_domain.classes import SortedClasses
from qidguard_standard.anonymizers.full_domain.judging import Judge, Levels, NodeJudgment
from qidguard_standard.anonymizers.full_domain.lattice import Lattice
from qidguard_standard.anonymizers.full_domain.loss import Loss

if TYPE_CHECKING:
    from qidguard.sdk import Progress

TITLE = "searching the lattice of levels"
"""What progress calls the work."""
_SLACK = 1e-12
"""Losses this close, relative to the larger, are equal: sums of floats differ by their order."""
_TOLD_EVERY = 16
"""Nodes after which progress is told."""


@dataclass(frozen=True, kw_only=True)
class FullDomainSolution:
    """What a search found.

    Args:
        levels: The best node's levels; None where no node keeps all requirements.
        loss: Its loss; infinite where there is none.
        tie: What it loses by the second criterion.
        checked: How many nodes were looked at.
        is_proven: Whether every other node is proven to be no better.
    """

    levels: Levels | None
    loss: float
    tie: float
    checked: int
    is_proven: bool = True


def _slack(loss: float) -> float:
    return 0.0 if np.isinf(loss) else _SLACK * max(1.0, abs(loss))


class _Best:
    """The best node so far: of the smallest loss, of these the smallest tie, of these the lowest levels."""

    def __init__(self, judge: Judge, lattice: Lattice, loss: Loss, tie: Loss) -> None:
        self.levels: Levels | None = None
        self.loss = self.tie = float("inf")
        self.checked = 0
        self.judge, self.lattice, self._loss, self._tie = judge, lattice, loss, tie

    def offer(self, levels: Levels, loss: float, tie: float) -> None:
        """Take a node that keeps everything, where it is better."""
        if self.levels is None or loss < self.loss - _slack(self.loss):
            is_better = True
        elif loss > self.loss + _slack(self.loss):
            is_better = False
        elif abs(tie - self.tie) > _slack(self.tie):
            is_better = tie < self.tie
        else:
            is_better = levels < self.levels
        if is_better:
            self.levels, self.loss, self.tie = levels, loss, tie

    def visit(self, levels: Levels) -> tuple[SortedClasses, NodeJudgment, float]:
        """Judge a node, take it where it is better, and return its loss; infinite where it breaks a limit."""
        self.checked += 1
        classes = self.lattice.classes(levels)
        judged = self.judge.judge(levels, classes)
        if not judged.is_met:
            return classes, judged, float("inf")
        loss = self._loss.of(levels, classes, judged.kept)
        if loss <= self.loss + _slack(self.loss):
            self.offer(levels, loss, self._tie.of(levels, classes, judged.kept))
        return classes, judged, loss

    def solution(self) -> FullDomainSolution:
        """Return what was found."""
        return FullDomainSolution(levels=self.levels, loss=self.loss, tie=self.tie, checked=self.checked)


class _Bounds:
    """What each node loses at least, by both criteria; infinite where a node is closed."""

    def __init__(self, lattice: Lattice, loss: Loss, tie: Loss) -> None:
        self.shape, self.top = lattice.shape, tuple(levels - 1 for levels in lattice.shape)
        self._losses = (loss, tie)
        self._least = (loss.least(), tie.least())
        self.loss, self._tie = (least.copy() for least in self._least)
        self._is_hopeful: dict[Levels, bool] = {}

    def lowest(self, best: _Best) -> Levels | None:
        """Return the open node of the lowest bounds; None where none can be better than the best."""
        flat, tie = self.loss.reshape(-1), self._tie.reshape(-1)
        least = float(flat.min())
        if np.isinf(least) or least > best.loss + _slack(best.loss):
            return None
        at = np.flatnonzero(flat <= least + _slack(least))
        if not least < best.loss - _slack(best.loss) and best.levels is not None:
            at = np.flatnonzero(flat <= best.loss + _slack(best.loss))
            slack = _slack(best.tie)
            is_before = at < np.ravel_multi_index(best.levels, self.shape)
            at = at[(tie[at] < best.tie - slack) | ((tie[at] <= best.tie + slack) & is_before)]
            if not len(at):
                return None
        nearest = at[np.argmin(tie[at])]
        return tuple(int(level) for level in np.unravel_index(nearest, self.shape))

    def is_hopeless(self, levels: Levels, best: _Best) -> bool:
        """Return whether no node up to this one keeps everything, judging it where that is not known."""
        known = self._is_hopeful.get(levels)
        if known is not None:
            return not known
        if np.isinf(self.loss[levels]):
            return True
        self._is_hopeful[levels] = is_hopeful = self._visited(levels, best)
        return not is_hopeful

    def first_hopeful(self, path: Sequence[Levels], best: _Best) -> int:
        """Return the place of the first node of a path upwards with hope, found by bisection."""
        low, high = 0, len(path)
        while low < high:
            middle = (low + high) // 2
            if self.is_hopeless(path[middle], best):
                low = middle + 1
            else:
                high = middle
        return low

    def _visited(self, levels: Levels, best: _Best) -> bool:
        """Judge a node, close what is thereby decided, and return whether there is hope up to it."""
        classes, judged, _ = best.visit(levels)
        below = tuple(slice(0, level + 1) for level in levels)
        if judged.is_hopeless:
            self.loss[below] = np.inf
            return False
        above = tuple(slice(level, None) for level in levels)
        for loss, bound, least in zip(self._losses, (self.loss, self._tie), self._least, strict=True):
            finer = loss.finer(levels, classes, judged.removed, least[below])
            np.maximum(bound[below], finer, out=bound[below])
            np.maximum(bound[above], loss.coarser(classes), out=bound[above])
        self.loss[levels] = np.inf
        return True

    def path(self, start: Levels, best: _Best) -> list[Levels]:
        """Return open nodes from one upwards, each time to the neighbor of the lowest bound."""
        path = [start]
        while True:
            here = path[-1]
            above = [_raised(here, at, here[at] + 1) for at in range(len(here)) if here[at] < self.top[at]]
            nearest = min(above, key=lambda node: (float(self.loss[node]), node), default=None)
            if nearest is None or not self.loss[nearest] < best.loss - _slack(best.loss):
                return path
            path.append(nearest)


def _raised(levels: Levels, at: int, level: int) -> Levels:
    return (*levels[:at], level, *levels[at + 1 :])


def optimum(
    lattice: Lattice, judge: Judge, loss: Loss, tie: Loss, progress: "Progress"
) -> FullDomainSolution:
    """Return the node of the smallest loss among all that keep the requirements, with proof.

    Of equal losses the smallest tie counts, then the lowest levels in the order of the columns. A node is
    closed unlooked at when a coarser one is hopeless, by what every finer one inherits, or when its bounds
    show that it is not better than the best. Of the open nodes the one of the lowest bounds begins a path of
    open ones upwards, on which bisection finds where hope begins (as Flash does, Kohlmayer et al. 2012). The
    last node without hope is raised, column by column, as far as there is none: what it closes then is as
    much as one node can, and the few columns that are left say why (compare the subsets of Incognito,
    LeFevre, DeWitt & Ramakrishnan 2005). Coarse nodes have few classes, so that this costs little. It ends
    when no open node is left, so what it returns is optimal whether the requirements are monotone or not.
    """
    best = _Best(judge, lattice, loss, tie)
    bounds = _Bounds(lattice, loss, tie)
    progress.step(TITLE, 0, lattice.nodes)
    for at in range(len(bounds.top)):
        column = [_raised(bounds.top, at, level) for level in range(bounds.top[at])]
        bounds.first_hopeful(column, best)
    told = 0
    while (lowest := bounds.lowest(best)) is not None:
        path = bounds.path(lowest, best)
        hope = bounds.first_hopeful(path, best)
        if hope:
            _close_all_below(path[hope - 1], lattice, bounds, best)
        if best.checked - told >= _TOLD_EVERY:
            told = best.checked
            progress.step(TITLE, int((bounds.loss > best.loss).sum()), lattice.nodes)
    progress.step(TITLE, lattice.nodes, lattice.nodes)
    return best.solution()


def _close_all_below(levels: Levels, lattice: Lattice, bounds: _Bounds, best: _Best) -> None:
    """Raise a hopeless node as far as it stays so, columns that tell least first."""
    tells = [len(domain.labels[level]) for domain, level in zip(lattice.domains, levels, strict=True)]
    for at in sorted(range(len(levels)), key=tells.__getitem__):
        top = bounds.top[at]
        if levels[at] == top:
            continue
        highest = _raised(levels, at, top)
        if bounds.is_hopeless(highest, best):
            levels = highest
            continue
        steps = [_raised(levels, at, level) for level in range(levels[at], top)]
        levels = steps[max(0, bounds.first_hopeful(steps, best) - 1)]


def descent(
    lattice: Lattice, judge: Judge, loss: Loss, tie: Loss, progress: "Progress"
) -> FullDomainSolution:
    """Return a node without proof: from the top down, each time to the finer neighbor that loses least."""
    best = _Best(judge, lattice, loss, tie)
    here = tuple(levels - 1 for levels in lattice.shape)
    steps = sum(here)
    best.visit(here)
    progress.step(TITLE, 0, max(1, steps))
    while best.levels is not None:
        for at in range(len(here)):
            if here[at] > 0:
                best.visit(_raised(here, at, here[at] - 1))
        if best.levels == here:
            break
        here = best.levels
        progress.step(TITLE, steps - sum(here), max(1, steps))
    return replace(best.solution(), is_proven=False)
