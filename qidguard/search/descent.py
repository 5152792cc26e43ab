"""The end of every search: from the best set seen, on to one that no small change makes better.

What a strategy returns may be worse than a part of itself. So the host drops, adds and exchanges one column
at a time, takes the best of these sets, and goes on until none is better; then it walks the ways by which the
best sets are explained, so that no set on such a way is better than what is found.
"""

from collections.abc import Iterator

from qidguard.search.archive import order
from qidguard.search.problem import MeasuredProblem

MOST_SETS = 300
"""Sets that are measured on the way to one set; all steps of 24 columns. What is left then enters at once."""

MOST_SWAPS = 200
"""Exchanges of two columns that are tried at once; where there are more, none is."""

WAYS = 3
"""For how many of the best sets the way to them is walked."""

TITLE = "descent"


def descend(problem: MeasuredProblem) -> int:
    """Go on from the best set until no small change makes it better; return how many moves were made.

    Sets are measured by the problem, which counts them, and which raises ``BudgetSpent`` when time is up.
    """
    best = [] if problem.archive.first() is None else problem.archive.best(1)
    if not best:
        return 0  # no set has a fitness
    current, fitness, moves, walked = best[0], problem.archive.best_fitness, 0, set[int]()
    while True:
        problem.report(TITLE, moves, moves + 1)
        near = list(dict.fromkeys(_near(current, len(problem.candidates), problem.largest)))
        found = [one.own_fitness for one in problem.evaluate([problem.columns(mask) for mask in near])]
        at = min(range(len(near)), key=lambda i: (-found[i], *order(near[i])), default=None)
        if at is not None and found[at] > fitness:
            current, fitness, moves = near[at], found[at], moves + 1
            continue
        for mask in problem.archive.best(WAYS):
            if mask not in walked:
                walked.add(mask)
                _walk(problem, mask)
        ranked = problem.archive.best(WAYS)
        if ranked[0] == current and walked.issuperset(ranked):
            return moves
        # of equals the smallest is the best, and what is near to that may be better yet
        moves += problem.archive.best_fitness > fitness
        current, fitness = ranked[0], problem.archive.best_fitness


def _near(mask: int, columns: int, largest: int) -> Iterator[int]:
    """Yield the sets that have one column less or more, and where they are few those with one exchanged."""
    inside = [1 << i for i in range(columns) if mask >> i & 1]
    outside = [1 << i for i in range(columns) if not mask >> i & 1]
    if len(inside) > 1:
        yield from (mask ^ bit for bit in inside)
    if len(inside) < largest:
        yield from (mask | bit for bit in outside)
    if len(inside) * len(outside) <= MOST_SWAPS:
        yield from (mask ^ one | other for one in inside for other in outside)


def _walk(problem: MeasuredProblem, mask: int) -> None:
    """Measure the sets by which a set is explained: at each step the column that raises the fitness most."""
    left = [1 << i for i in range(len(problem.candidates)) if mask >> i & 1]
    inside = measured = 0
    while left and measured + len(left) <= MOST_SETS:
        found = problem.evaluate([problem.columns(inside | bit) for bit in left])
        measured += len(left)
        fitness = [one.own_fitness for one in found]
        inside |= left.pop(max(range(len(left)), key=fitness.__getitem__))
