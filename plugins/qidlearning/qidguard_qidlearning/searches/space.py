"""The space of a search: the non-empty sets of candidates up to a size, who is whose neighbor, and the climb.

QIDLearningLib writes a set as a binary vector x (section 4.6). N(x), which the paper leaves open, is here: x
with one column flipped in or out (``flips``); where a search says so, also x with one column exchanged for
another one (``swaps``). The empty set and sets above the largest size are nobody's neighbor.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Evaluation, Parameter, Problem

Columns = frozenset[str]

MOST_AT_RANDOM = 20
"""Columns of a random set at most: a search of a table with hundreds of columns begins with small sets."""


@dataclass(frozen=True, kw_only=True)
class SetSpace:
    """All sets that a search may look at: of its candidates, in the table's order, up to the largest size."""

    candidates: tuple[str, ...]
    largest: int

    @classmethod
    def of(cls, problem: Problem) -> "SetSpace":
        """Return the space of a problem."""
        return cls(candidates=problem.candidates, largest=problem.largest)

    @property
    def singles(self) -> list[Columns]:
        """The sets of one column."""
        return [frozenset((name,)) for name in self.candidates]

    def bits(self, qids: Columns) -> NDArray[np.bool_]:
        """Return a set as a binary vector."""
        return np.array([name in qids for name in self.candidates])

    def random(self, rng: np.random.Generator) -> Columns:
        """Return a random set: first its size, equally likely up to ``MOST_AT_RANDOM``, then its columns."""
        size = int(rng.integers(1, min(self.largest, MOST_AT_RANDOM) + 1))
        return frozenset(self.candidates[i] for i in rng.permutation(len(self.candidates))[:size])

    def mended(self, bits: NDArray[np.bool_], rng: np.random.Generator) -> Columns:
        """Return the set of a vector; random columns come into an empty one and leave one too large."""
        chosen = np.flatnonzero(bits)
        if not chosen.size:
            chosen = rng.integers(0, len(self.candidates), 1)
        elif chosen.size > self.largest:
            chosen = rng.permutation(chosen)[: self.largest]
        return frozenset(self.candidates[i] for i in chosen)

    def flips(self, qids: Columns) -> list[Columns]:
        """Return the sets that differ in one column, in the table's order of that column."""
        found = [qids ^ {name} for name in self.candidates]
        return [x for x in found if 1 <= len(x) <= self.largest]

    def swaps(self, qids: Columns) -> list[Columns]:
        """Return the sets with one column exchanged for one that is not in it."""
        outside = [name for name in self.candidates if name not in qids]
        return [qids - {gone} | {come} for gone in self.candidates if gone in qids for come in outside]

    def ranked(self, evaluations: Iterable[Evaluation], *, by: str = "own_fitness") -> list[Evaluation]:
        """Return evaluations, best first; of equals the smaller set, then the one of the first columns.

        ``by`` is ``own_fitness``, or ``fitness`` where changes since the current set count.
        """
        place = {name: i for i, name in enumerate(self.candidates)}
        return sorted(
            evaluations,
            key=lambda e: (-getattr(e, by), len(e.qids), sorted(place[name] for name in e.qids)),
        )

    def best(self, evaluations: Iterable[Evaluation], *, by: str = "own_fitness") -> Evaluation:
        """Return the first of the ranked evaluations."""
        return self.ranked(evaluations, by=by)[0]


def start_parameter(default: str) -> Parameter:
    """Return the parameter ``start``, which says where a walk begins."""
    return Parameter(
        name="start",
        type=str,
        default=default,
        choices=("best_single", "random"),
        meaning="where it starts: from the best single column, or from a random set (by the seed)",
    )


def started(problem: Problem, space: SetSpace, start: str, rng: np.random.Generator) -> Evaluation:
    """Return the set that a walk begins with."""
    return space.best(problem.evaluate([space.random(rng)] if start == "random" else space.singles))


MOST_SWAPS = 4_000
"""Sets that differ by a swap are looked at up to this many; a table of hundreds of columns has more."""


def climb(problem: Problem, space: SetSpace, start: Evaluation) -> Evaluation:
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
