"""Annealing of classes: records change places while what they lose falls, at a temperature that sinks.

Temperatures of an annealing, and how long it stays at each.

The course of an annealing: a cooling shows at which temperatures loss is saved, a second stays there.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qidguard.sdk import Progress
from qidguard_standard.anonymizers.clustering import moves, steps
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.moves import MovableClasses, Points, Values
from qidguard_standard.anonymizers.clustering.neighborhood import nearest
from qidguard_standard.anonymizers.clustering.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HIGHEST, _LOWEST = 16.0, 0.001
"""Temperatures between which the first cooling goes, in mean losses of a record."""
LEVELS = 66
_COOLING = round((_LOWEST / _HIGHEST) ** (1 / (LEVELS - 1)), 12)
_MOLTEN = 1.15
"""The second cooling begins where the loss is no more than so many times that of the start."""
_EVENLY = 0.02
"""Share of the second cooling that is spent evenly over all temperatures."""


def temperatures(mean_loss: float) -> list[float]:
    """Return the temperatures of the first cooling; the loss of a record sets their scale."""
    levels = [_HIGHEST * mean_loss]
    while len(levels) < LEVELS:
        # products are the same on every machine, powers are not
        levels.append(levels[-1] * _COOLING)
    return levels


def shares(losses: list[float], start: float) -> list[float]:
    """Return which part of the second cooling lies between each temperature and the next, Σ = 1.

    It is the root of what is saved there, smoothed, beside a small part for all. What lies above the loss of
    the start would only be lost and found again.
    """
    saved = [max(one - two, 0.0) for one, two in pairwise(losses)]
    ends = [saved[0]] * 2 + saved + [saved[-1]] * 2
    smooth = [sum(w * ends[i + j] for j, w in enumerate((1, 2, 3, 2, 1))) for i in range(len(saved))]
    begin = next((i for i, loss in enumerate(losses[:-1]) if loss < _MOLTEN * start), len(saved) - 1)
    roots = [float(np.sqrt(one)) if i >= begin else 0.0 for i, one in enumerate(smooth)]
    total, used = sum(roots), len(saved) - begin
    even = [1.0 / used if i >= begin else 0.0 for i in range(len(saved))]
    if not total:
        return even
    return [(1 - _EVENLY) * root / total + _EVENLY * one for root, one in zip(roots, even, strict=True)]


def temperature_at(levels: list[float], parts: list[float], way: float) -> float:
    """Return the temperature after a share of the second cooling."""
    for level, share in enumerate(parts):
        if way <= share:
            part = way / share if share else 0.0
            return levels[level] + part * (levels[level + 1] - levels[level])
        way -= share
    return levels[-1]


class Kernel(NamedTuple):
    """The functions of the inner loops, as they are or compiled; both come to the same."""

    refresh: Callable[..., Any] = moves.refresh
    anneal: Callable[..., Any] = steps.anneal
    descend: Callable[..., Any] = steps.descend


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much is done.

    Args:
        steps: Steps of annealing, ≥ 0.
        until: When, by the monotonic clock, what is best so far is taken; ∞ for no limit.
        seed: Seeds whatever is random.
    """

    steps: int
    until: float
    seed: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Annealed:
    """What came of it.

    Args:
        classes: Shape (points,), numbered from 0.
        before: The loss of the classes from which it began.
        after: Their loss, no more than before.
        done: Share of the steps that were taken, 0..1; 1 unless the time was over.
    """

    classes: "NDArray[np.int64]" = field(repr=False)
    before: float
    after: float
    done: float


_HEIGHTS = np.round(-np.log((np.arange(4096) + 0.5) / 4096), 6)
"""Quantiles of the exponential distribution: a step may add as much as a draw times the temperature."""
_CHUNK = 1 << 16
"""Steps between two words of progress, some hundredths of a second if compiled."""
_NEAREST = 20
_FIRST_SHARE = 0.1
"""Share of the steps that the first cooling takes."""
_FEW_EACH = 1000
"""With fewer steps a record the classes are not melted: one cooling, which begins at the loss of a record."""
_PASSES = 30
"""Descents are cut off after so many passes."""
_IDLE = 2
"""Passes that do nothing before a descent ends: each picks others of equal points."""


class Annealing:
    """Classes on their way down.

    Args:
        space: The points; a number adds squares to the loss.
        rule: What each class must keep, in the order of points.
        classes: Shape (points,), from which to begin; each keeps the rule.
        effort: How much is done.
        progress: Hears of it.
        title: What it is called there.
    """

    def __init__(
        self,
        space: Space,
        rule: ClassRule,
        classes: "NDArray[np.int64]",
        effort: Effort,
        kernel: Kernel,
        heard: "tuple[Progress, str]",
    ) -> None:
        self._effort, self._kernel = effort, kernel
        self._progress, self._title = heard
        self._source = np.random.PCG64(effort.seed)
        self._points = self._placed(space, rule)
        self._classes, self._values = _state_of(self._points, space, rule, classes)
        self._taken = 0
        self.before = self.best = self._refreshed()
        self.best_classes = self._classes.of.copy()

    def _dice(self, count: int) -> "NDArray[np.int64]":
        """Return random numbers below 2³¹; the raw numbers of PCG64 are the same everywhere."""
        raw = np.asarray(self._source.random_raw((count + 1) // 2), dtype=np.uint64)
        both = np.stack([raw >> np.uint64(33), raw & np.uint64(0x7FFFFFFF)], axis=1)
        return both.reshape(-1)[:count].astype(np.int64)

    def _placed(self, space: Space, rule: ClassRule) -> Points:
        numbers, codes = np.ascontiguousarray(space.scaled().T), space.codes.T.astype(np.int64)
        every = np.concatenate([numbers, codes], axis=1)
        is_new = np.append(True, (every[1:] != every[:-1]).any(axis=1))
        first = np.append(np.flatnonzero(is_new), space.records)
        places = len(first) - 1
        count = min(_NEAREST, places - 1)
        if count:
            near = nearest(
                numbers[first[:-1]],
                codes[first[:-1]],
                space.weights,
                count,
                self._dice,
                lambda done, of: self._progress.step("looking for neighbors", done, of),
            )
        else:
            near = np.empty((places, 0), dtype=np.int64)
        # who has company at their own place is nearest to it
        own = np.arange(places)[:, None]
        is_shared = (np.diff(first) > 1)[:, None]
        near = np.where(
            is_shared, np.append(own, near, axis=1), np.append(near, near[:, -1:] if count else own, axis=1)
        )
        # without other rules a class of 2k may be cut in two, and nothing is lost
        most = 2 * rule.wanted.k - 1 if rule.counts_records else space.records
        return Points(
            numbers=numbers,
            near=np.ascontiguousarray(near),
            first=first,
            place=np.cumsum(is_new) - 1,
            limits=np.array([rule.wanted.k, most]),
        )

    def _refreshed(self) -> float:
        return float(self._kernel.refresh(self._points, self._classes, self._values))

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() >= self._effort.until

    def _tell(self, done: int) -> None:
        self._progress.step(self._title, done, max(self._effort.steps, done, 1))

    def _keep(self, loss: float) -> None:
        if loss < self.best:
            self.best = loss
            self.best_classes = self._classes.of.copy()

    def descend(self) -> None:
        """Go from the best classes down until no single move saves anything."""
        self._classes.of[:] = self.best_classes
        self._refreshed()
        points, least, idle = len(self._classes.of), 1e-12 * self.before, 0
        for turn in range(1, _PASSES + 1):
            done = 0
            for start in range(0, points, _CHUNK // 16):
                last = min(start + _CHUNK // 16, points)
                done += self._kernel.descend(
                    self._points, self._classes, self._values, start, last, least, turn
                )
                self._tell(self._taken)
                if self.is_over:
                    break
            self._keep(self._refreshed())
            idle = 0 if done else idle + 1
            if idle == _IDLE or self.is_over:
                break

    def _anneal(self, temperature: float, count: int) -> float:
        """Take steps at one temperature; the loss then."""
        left = count
        while left and not self.is_over:
            now = min(left, _CHUNK)
            dice = self._dice(steps.DICE * now)
            self._kernel.anneal(self._points, self._classes, self._values, temperature, _HEIGHTS, dice)
            self._taken += now
            left -= now
            self._tell(self._taken)
        loss = self._refreshed()
        self._keep(loss)
        return loss

    def cool(self) -> None:
        """Cool twice, the second time longest at the temperatures at which the first one saved most."""
        if self._effort.steps < _FEW_EACH * len(self._classes.of):
            self._cool_once()
            return
        first = int(self._effort.steps * _FIRST_SHARE) // LEVELS
        if not first:
            return
        levels = temperatures(self.best / len(self._classes.of))
        losses = [self._anneal(temperature, first) for temperature in levels]
        parts_of = shares(losses, self.before)
        rest = self._effort.steps - self._taken
        parts = max(LEVELS, rest // _CHUNK)
        for part in range(parts):
            if self.is_over:
                return
            size = rest // parts + (part < rest % parts)
            self._anneal(temperature_at(levels, parts_of, (part + 0.5) / parts), size)

    def _cool_once(self) -> None:
        """Take as many steps at each temperature from the loss of a record on."""
        mean, taken = self.best / len(self._classes.of), self._effort.steps
        levels = [temperature for temperature in temperatures(mean) if temperature <= mean]
        for at, temperature in enumerate(levels):
            self._anneal(temperature, taken * (at + 1) // len(levels) - taken * at // len(levels))

    def run(self) -> Annealed:
        """Return the best classes."""
        self._tell(0)
        done = 1.0
        if self.before > 0 and len(self._points.near) > 1:
            self.descend()
            self.cool()
            self.descend()
            done = 1.0 if not self.is_over or not self._effort.steps else self._taken / self._effort.steps
        self._tell(max(self._effort.steps, 1))
        classes = np.unique(self.best_classes, return_inverse=True)[1].reshape(-1).astype(np.int64)
        return Annealed(classes=classes, before=self.before, after=self.best, done=done)


def _state_of(
    points: Points, space: Space, rule: ClassRule, of: "NDArray[np.int64]"
) -> tuple[MovableClasses, Values]:
    """Return the classes of points, of which all else is still to be made."""
    # at most so many classes of the least size, and one more while they change
    count = max(int(of.max()) + 1, space.records // rule.wanted.k) + 1
    attributes = [rule.sensitive[name] for name in rule.wanted.l]
    least = list(rule.wanted.l.values())
    if rule.entity is not None:
        attributes, least = [rule.entity, *attributes], [rule.wanted.k, *least]
    held = np.array(attributes, dtype=np.int64).reshape(len(least), space.records)
    classes = MovableClasses(
        of=of.astype(np.int64).copy(),
        sizes=np.zeros(count, dtype=np.int64),
        centers=np.zeros((count, points.numbers.shape[1])),
        chain=np.zeros((2, space.records), dtype=np.int64),
        heads=np.zeros(count, dtype=np.int64),
        free=np.zeros(count + 1, dtype=np.int64),
        log=np.zeros((2, space.records), dtype=np.int64),
    )
    values = Values(
        codes=np.ascontiguousarray(space.codes.T.astype(np.int64)),
        weights=space.weights,
        attributes=np.ascontiguousarray(held.T),
        least=np.array(least, dtype=np.int64),
        most=np.zeros((count, len(space.codes)), dtype=np.int64),
        ties=np.zeros((count, len(space.codes)), dtype=np.int64),
        held=np.zeros((count, len(least)), dtype=np.int64),
        times=np.zeros(max(int(space.codes.max(initial=0)), int(held.max(initial=0))) + 1, dtype=np.int64),
        chain=classes.chain,
        heads=classes.heads,
    )
    return classes, values
