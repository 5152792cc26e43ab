"""Tabu search (Glover 1989; QIDLearningLib, section 4.6)."""

import numpy as np

from qidguard.sdk import Arguments, Evaluation, Parameter, Problem, Termination
from qidguard_qidlearning.searches.space import Columns, SetSpace


class Tabu:
    """x^{t+1} = argmax over N(x^t) without T of F, even where that is worse.

    The tabu list T holds the sets that flip a column which one of the last ``tenure`` moves flipped, so that
    no set comes back within that many moves. A set that is better than all before is never tabu (aspiration;
    Glover 1989). The current set is the x_prev of changes.
    """

    name = "tabu"
    title = "Tabu search: to the best neighbor whose columns were not touched lately"
    parameters = (
        Parameter(name="iterations", type=int, default=100, minimum=1, meaning="moves in all"),
        Parameter(
            name="tenure",
            type=int,
            default=7,
            minimum=0,
            meaning="moves for which a flipped column stays as it is; at most half of the candidates count",
        ),
        Parameter(
            name="patience",
            type=int,
            default=20,
            minimum=1,
            meaning="moves without a better set after which it goes on from a random one (by the seed)",
        ),
        Parameter(
            name="swaps",
            type=bool,
            default=False,
            meaning="whether exchanging one column for another is a move too",
        ),
    )

    def search(self, problem: Problem, arguments: Arguments, seed: int) -> Termination:
        """Move ``iterations`` times."""
        space, rng = SetSpace.of(problem), np.random.default_rng(seed)
        tenure = min(arguments["tenure"], len(space.candidates) // 2)
        current = best = space.best(problem.evaluate(space.singles))
        free_at: dict[str, int] = {}
        idle = starts = 0
        for t in range(arguments["iterations"]):
            problem.report(_TITLE, t, arguments["iterations"])
            if problem.is_stopped:
                break
            moved = None
            if idle < arguments["patience"]:
                around = self._around(problem, space, current.qids, has_swaps=arguments["swaps"])
                moved = _best_allowed(space, around, current, best, {c for c in free_at if free_at[c] > t})
            if moved is None:
                moved = problem.evaluate([space.random(rng)])[0]
                free_at, idle, starts = {}, 0, starts + 1
            else:
                free_at.update(dict.fromkeys(moved.qids ^ current.qids, t + 1 + tenure))
            idle = 0 if moved.own_fitness > best.own_fitness else idle + 1
            current, best = moved, space.best([moved, best])
        problem.report(_TITLE, arguments["iterations"], arguments["iterations"])
        return Termination(reason=f"{arguments['iterations']} moves, {starts} of them to a random set")

    @staticmethod
    def _around(problem: Problem, space: SetSpace, current: Columns, *, has_swaps: bool) -> list[Evaluation]:
        sets = [*space.flips(current), *(space.swaps(current) if has_swaps else [])]
        return problem.evaluate(sets, current=current)


_TITLE = "tabu search"


def _best_allowed(
    space: SetSpace, around: list[Evaluation], current: Evaluation, best: Evaluation, locked: set[str]
) -> Evaluation | None:
    """Return the best neighbor that is not tabu; None where each one is, or has no fitness."""
    allowed = [
        e
        for e in around
        if e.fitness > -np.inf and (not (e.qids ^ current.qids) & locked or e.own_fitness > best.own_fitness)
    ]
    return space.best(allowed, by="fitness") if allowed else None
