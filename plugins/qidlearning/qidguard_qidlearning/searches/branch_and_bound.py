"""Branch and bound (Land & Doig 1960), best bound first: proves its optimum."""

import heapq
import math
from dataclasses import dataclass, field

from qidguard.sdk import Arguments, Evaluation, Parameter, Problem, Termination, UserError
from qidguard_qidlearning.searches.space import Columns, SetSpace, climb

_TITLE = "branch and bound"

_BATCH = 64
"""Nodes that are opened together, so that their sets are measured together."""


@dataclass(frozen=True, kw_only=True, order=True)
class Node:
    """The sets between two others; sorted by the cost, which is what they can be at most times −1."""

    cost: float
    number: int
    inside: Columns = field(compare=False)
    outside: Columns = field(compare=False)


class BranchAndBound:
    """Splits the sets by one column in or out, and drops each part whose bound is below the best set seen.

    It begins with a climb, so that there is something to drop by, and splits first by the columns without
    which the bound falls most. What is left when it ends is the optimum; among equally good sets it is the
    smallest, then the one of the first columns, as in an exhaustive search.
    """

    name = "branch_and_bound"
    title = "Branch and bound: proves the best set where metrics are monotone"
    parameters = (
        Parameter(
            name="nodes",
            type=int,
            default=1_000_000,
            minimum=1,
            meaning="parts of the space that may wait at once; above them it gives up the proof",
        ),
    )

    def search(self, problem: Problem, arguments: Arguments, seed: int) -> Termination:  # noqa: ARG002 - no chance
        """Split until nothing is left; UserError where the objective has no bounds."""
        if not problem.has_bounds:
            raise UserError(
                "branch and bound needs an objective of metrics that are monotone or depend on the number of "
                "columns only; take another objective or another strategy"
            )
        space = SetSpace.of(problem)
        best = climb(problem, space, space.best(problem.evaluate(space.singles)))
        every = frozenset(space.candidates)
        without = problem.bounds([(frozenset(), every - {name}) for name in space.candidates])
        order = [name for _, name in sorted(zip(without, space.candidates, strict=True), key=lambda x: x[0])]
        waiting = [
            Node(cost=-problem.bounds([(frozenset(), every)])[0], number=0, inside=frozenset(), outside=every)
        ]
        opened = 0
        while waiting and -waiting[0].cost >= best.own_fitness:
            # of what is in the heap and what was opened, nobody knows how much is still to come
            problem.report(_TITLE, opened, opened + len(waiting))
            if problem.is_stopped or len(waiting) > arguments["nodes"]:
                return Termination(reason=f"{len(waiting)} parts of the space were not looked into")
            some = [heapq.heappop(waiting) for _ in range(min(_BATCH, len(waiting)))]
            parts = [part for node in some for part in _split(node, order, space.largest)]
            best = _best_of(problem, space, best, parts)
            bounds = problem.bounds(parts)
            for (inside, outside), bound in zip(parts, bounds, strict=True):
                if inside != outside and bound >= best.own_fitness and bound > -math.inf:
                    number = opened = opened + 1
                    heapq.heappush(waiting, Node(cost=-bound, number=number, inside=inside, outside=outside))
        problem.report(_TITLE, opened, opened)
        return Termination(
            is_optimum=True, reason=f"no part of the space can hold a better set; {opened} were opened"
        )


def _split(node: Node, order: list[str], largest: int) -> list[tuple[Columns, Columns]]:
    """Return the two halves of a node: with its first free column, and without it."""
    column = next(name for name in order if name in node.outside - node.inside)
    inside = node.inside | {column}
    # a set that is as large as allowed takes no more columns
    outside = inside if len(inside) == largest else node.outside
    return [(inside, outside), (node.inside, node.outside - {column})]


def _best_of(
    problem: Problem, space: SetSpace, best: Evaluation, parts: list[tuple[Columns, Columns]]
) -> Evaluation:
    """Return the best of a set and the ends of some parts; their bounds need these figures anyway."""
    ends = {end for part in parts for end in part if 1 <= len(end) <= space.largest}
    # sorted, so that the same seed measures in the same order
    ordered = sorted(ends, key=lambda end: (len(end), sorted(end)))
    return space.best([best, *problem.evaluate(ordered)])
