"""How fast this machine is just now, so that bounds in seconds mean the same on a slower one."""

import statistics
import time
from functools import cache

import numpy as np

REFERENCE_SECONDS = 0.07
"""What the yardstick takes where the bounds were written, told by ``mdav`` on Adult, 1.18 s there."""


def _yardstick() -> float:
    """Return the seconds of a fixed piece of work on one core: distances of 30,000 points to 100 of them."""
    values = np.random.default_rng(1).random((30_000, 8))
    started = time.perf_counter()
    for at in range(100):
        ((values - values[at]) ** 2).sum(axis=1).argmin()
    return time.perf_counter() - started


@cache
def slowness() -> float:
    """Return how many times longer this machine takes than the reference, ≥ 1: a faster one gets no less."""
    return max(1.0, statistics.median(_yardstick() for _ in range(5)) / REFERENCE_SECONDS)


def at_reference_speed(seconds: float) -> float:
    """Return what so many seconds of this machine are on the reference."""
    return seconds / slowness()
