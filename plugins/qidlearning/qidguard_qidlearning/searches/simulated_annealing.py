"""Simulated annealing (Kirkpatrick, Gelatt & Vecchi 1983; QIDLearningLib, section 4.6)."""

import math
from statistics import median

import numpy as np

from qidguard.sdk import Arguments, Evaluation, Parameter, Problem, Termination
from qidguard_qidlearning.searches.space import Columns, SetSpace, start_parameter, started

_TITLE = "simulated annealing"

_SAMPLE = 20
"""Moves from which the first temperature is chosen."""

_ACCEPTED_AT_FIRST = 0.8
"""Probability with which the first temperature accepts the median loss of those moves."""


class SimulatedAnnealing:
    """A random neighbor is accepted if it is better, and else with probability exp((F(x') − F(x)) / T).

    T_{t+1} = α·T_t, after ``moves`` moves each. A neighbor differs in one column, each equally likely. The
    current set is the x_prev of changes.
    """

    name = "simulated_annealing"
    title = "Simulated annealing: worse neighbors too, ever more rarely"
    parameters = (
        Parameter(
            name="temperature",
            type=float,
            default=0.0,
            minimum=0,
            meaning="the first temperature, in units of fitness; 0 chooses the one at which the median loss "
            "of 20 random moves would be accepted with probability 0.8",
        ),
        Parameter(
            name="cooling",
            type=float,
            default=0.9,
            minimum=0.01,
            maximum=0.999,
            meaning="α: what the temperature is multiplied by, a share",
        ),
        Parameter(name="moves", type=int, default=50, minimum=1, meaning="moves tried at each temperature"),
        Parameter(
            name="coldest",
            type=float,
            default=1e-4,
            minimum=1e-9,
            maximum=1,
            meaning="share of the first temperature below which it ends",
        ),
        start_parameter("random"),
    )

    def search(self, problem: Problem, arguments: Arguments, seed: int) -> Termination:
        """Cool down."""
        space, rng = SetSpace.of(problem), np.random.default_rng(seed)
        current = started(problem, space, arguments["start"], rng)
        temperature = arguments["temperature"] or first_temperature(problem, space, current.qids, rng)
        steps = max(1, math.ceil(math.log(arguments["coldest"]) / math.log(arguments["cooling"])))
        temperatures, accepted = [], []
        for step in range(steps):
            problem.report(_TITLE, step, steps)
            if problem.is_stopped:
                break
            temperatures.append(temperature)
            current, share = _settled(problem, space, current, temperature, arguments["moves"], rng)
            accepted.append(share)
            temperature *= arguments["cooling"]
        problem.report(_TITLE, steps, steps)
        return Termination(
            reason=f"cooled down in {len(temperatures)} steps",
            state={"temperature": tuple(temperatures), "accepted": tuple(accepted)},
        )


def acceptance(change: float, temperature: float) -> float:
    """Return the probability that a move is accepted: 1 without a loss, else exp(change / temperature)."""
    if change >= 0:
        return 1.0
    return math.exp(change / temperature) if temperature > 0 else 0.0


def first_temperature(problem: Problem, space: SetSpace, start: Columns, rng: np.random.Generator) -> float:
    """Return the temperature at which the median loss of random moves is accepted with p = 0.8.

    From exp(−loss / T) = p follows T = −loss / ln p (Johnson et al. 1989, section 4); 0 where no move loses.
    """
    before, losses = start, []
    for _ in range(_SAMPLE):
        after = _neighbor(space, before, rng)
        old, new = problem.evaluate([before, after])
        change = abs(new.own_fitness - old.own_fitness)
        losses += [change] if math.isfinite(change) and change > 0 else []
        before = after
    return -median(losses) / math.log(_ACCEPTED_AT_FIRST) if losses else 0.0


def _settled(
    problem: Problem,
    space: SetSpace,
    current: Evaluation,
    temperature: float,
    moves: int,
    rng: np.random.Generator,
) -> tuple[Evaluation, float]:
    """Return the set after the moves of one temperature, and the share of moves that was accepted."""
    accepted = 0
    for _ in range(moves):
        if problem.is_stopped:
            break
        tried = problem.evaluate([_neighbor(space, current.qids, rng)], current=current.qids)[0]
        # two sets without a fitness are equal; the walk goes on until it finds one with a fitness
        change = 0.0 if tried.fitness == current.own_fitness else tried.fitness - current.own_fitness
        if rng.random() < acceptance(change, temperature):
            current, accepted = tried, accepted + 1
    return current, accepted / moves


def _neighbor(space: SetSpace, qids: Columns, rng: np.random.Generator) -> Columns:
    around = space.flips(qids)
    return around[int(rng.integers(len(around)))] if around else qids
