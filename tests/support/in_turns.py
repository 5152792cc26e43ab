"""Times of one run, side by side: a benchmark asserts their ratio, which a slow machine does not change."""

import statistics
import time
from collections.abc import Callable

import numpy as np
import pandas as pd


def in_turns(*works: Callable[[], object], repeats: int = 3) -> list[float]:
    """Return the median processor time of each work, in seconds; they take turns, and the first one ends."""
    spent: list[list[float]] = [[] for _ in works]
    for at in [*range(len(works))] * repeats + [0]:
        started = time.process_time()
        works[at]()
        spent[at].append(time.process_time() - started)
    return [statistics.median(times) for times in spent]


def distances() -> None:
    """Do a fixed work in numpy on one core: distances of 30,000 points of eight numbers to 100 of them."""
    values = np.random.default_rng(1).random((30_000, 8))
    for at in range(100):
        ((values - values[at]) ** 2).sum(axis=1).argmin()


def counting(frame: pd.DataFrame) -> Callable[[], object]:
    """Return the plain way to count classes: pandas groups the records by all columns."""
    return lambda: frame.groupby(list(frame), sort=False, dropna=False).size()
