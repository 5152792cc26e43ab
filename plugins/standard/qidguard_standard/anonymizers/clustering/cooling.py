"""Temperatures of an annealing, and how long it stays at each."""

from itertools import pairwise

import numpy as np

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
