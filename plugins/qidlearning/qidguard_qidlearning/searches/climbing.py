"""Climbing: from a set to the best of its neighbours, as long as one is better."""

from qidguard import Evaluation, Problem
from qidguard_qidlearning.searches.space import Space

MOST_SWAPS = 4_000
"""Sets that differ by a swap are looked at up to this many; a table of hundreds of columns has more."""


def climb(problem: Problem, space: Space, start: Evaluation) -> Evaluation:
    """Return the top that steepest ascent by own fitness reaches: no flip and no swap of it is better.

    Swaps are looked at only where no flip is better, and only while they are at most ``MOST_SWAPS``.
    """
    top = start
    while not problem.is_stopped:
        found = space.best([top, *problem.evaluate(space.flips(top.qids))])
        if not found.own_fitness > top.own_fitness:
            swaps = space.swaps(top.qids)
            if len(swaps) > MOST_SWAPS:
                break
            found = space.best([top, *problem.evaluate(swaps)])
        if not found.own_fitness > top.own_fitness:
            break
        top = found
    return top
