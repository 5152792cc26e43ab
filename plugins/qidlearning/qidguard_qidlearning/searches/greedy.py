"""Greedy search: the whole neighborhood, then the steepest way up (QIDLearningLib, section 4.6)."""

import numpy as np

from qidguard.sdk import Arguments, Problem, Termination
from qidguard_qidlearning.searches.space import SetSpace, start_parameter, started


class Greedy:
    """x^{t+1} = argmax over N(x^t) of F, until no neighbor is better.

    The paper says neither where it starts nor what N(x) is: it starts from the best single column, and N(x)
    is x with one column flipped in or out. The current set x^t is the x_prev of changes. It may end on a hill
    that is not the highest one.
    """

    name = "greedy"
    title = "Greedy search: to the best neighbor, until none is better"
    parameters = (start_parameter("best_single"),)

    def search(self, problem: Problem, arguments: Arguments, seed: int) -> Termination:
        """Climb."""
        space = SetSpace.of(problem)
        current = started(problem, space, arguments["start"], np.random.default_rng(seed))
        visited = {current.qids}
        steps = 0
        problem.report(_TITLE, steps, len(space.candidates))
        while not problem.is_stopped:
            around = problem.evaluate(space.flips(current.qids), current=current.qids)
            if not around:
                break
            best = space.best(around, by="fitness")
            # changes count from the current set: by a ratio two sets may each look better from the other
            if not best.fitness > current.own_fitness or best.qids in visited:
                break
            current = best
            visited.add(best.qids)
            steps += 1
            problem.report(_TITLE, steps, len(space.candidates))
        return Termination(reason=f"no neighbor is better after {steps} moves")


_TITLE = "greedy search"
