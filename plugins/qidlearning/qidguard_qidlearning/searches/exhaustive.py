"""Exhaustive search: every set up to a size."""

import math
from itertools import combinations, islice

from qidguard.sdk import Arguments, Parameter, Problem, Termination, UserError
from qidguard_qidlearning.searches.space import SetSpace

MOST_SETS = 1_000_000
"""Sets above which it refuses to begin."""

_BATCH = 4_096


class Exhaustive:
    """Measures every set up to a size, the small ones first; what it finds is the best one there is."""

    name = "exhaustive"
    title = "Exhaustive search: every set up to a size"
    parameters = (
        Parameter(
            name="largest_size",
            type=int,
            default=0,
            minimum=0,
            meaning="largest number of columns in a set; 0 is the largest that the search allows",
        ),
    )

    def search(self, problem: Problem, arguments: Arguments, seed: int) -> Termination:  # noqa: ARG002 - no chance in it
        """Evaluate all; UserError where they are more than a million."""
        space = SetSpace.of(problem)
        largest = min(arguments["largest_size"] or space.largest, space.largest)
        total = sum(math.comb(len(space.candidates), size) for size in range(1, largest + 1))
        if total > MOST_SETS:
            raise UserError(
                f"an exhaustive search looks at up to {MOST_SETS:,} sets, but {len(space.candidates)} "
                f"candidates have {total:,} of up to {largest} columns; name a smaller largest_size, fewer "
                "candidates or another strategy"
            )
        done = 0
        sets = (some for size in range(1, largest + 1) for some in combinations(space.candidates, size))
        while batch := list(islice(sets, _BATCH)):
            problem.report(_TITLE, done, total)
            if problem.is_stopped:
                break
            problem.evaluate([frozenset(some) for some in batch])
            done += len(batch)
        problem.report(_TITLE, done, total)
        return Termination(
            is_optimum=done == total and largest == space.largest,
            reason=f"every set of up to {largest} columns was measured",
        )


_TITLE = "exhaustive search"
