"""Evolutionary search (QIDLearningLib, sections 4.6 and 5.2, listing 1)."""

from dataclasses import dataclass, field

import numpy as np

from qidguard.sdk import Arguments, Evaluation, Parameter, Problem, Termination
from qidguard_qidlearning.searches.breeding import Rates, children, first_generation, places, tournament
from qidguard_qidlearning.searches.space import Columns, SetSpace, climb

_TITLE = "evolutionary search"


class Evolutionary:
    """P_{t+1} = Mutate(Crossover(Select(P_t))) with a tournament, an elite and rates that adapt.

    What the paper leaves open: the x_prev of changes is the best set of the generation before; the elite is
    the best by own fitness; the rule of the rates stands in ``breeding.Rates``; a child that is there already
    has columns flipped until it is new; a share of each generation is random. With ``objectives="pareto"``
    selection follows NSGA-II over the single terms (Deb et al. 2002): parents and children together, by
    non-dominated rank, then by crowding.
    """

    name = "evolutionary"
    title = "Evolutionary search with adaptive rates, and a climb from its best set at the end"
    parameters = (
        # a generation is bred and ranked between two looks at the clock, so it must not be endless
        Parameter(
            name="population", type=int, default=50, minimum=2, maximum=5_000, meaning="sets in a generation"
        ),
        Parameter(name="generations", type=int, default=30, minimum=1, meaning="generations after the first"),
        Parameter(
            name="crossover",
            type=float,
            default=0.3,
            minimum=0,
            maximum=1,
            meaning="the first probability that two parents are crossed",
        ),
        Parameter(
            name="mutation",
            type=float,
            default=0.2,
            minimum=0,
            maximum=1,
            meaning="the first probability that a column is flipped in or out; while rates adapt, at most "
            "five columns of a set are flipped on average",
        ),
        Parameter(name="elite", type=int, default=1, minimum=0, meaning="best sets that go on as they are"),
        Parameter(
            name="tournament",
            type=int,
            default=5,
            minimum=1,
            maximum=5_000,
            meaning="sets that a parent is the best of",
        ),
        Parameter(
            name="immigrants",
            type=float,
            default=0.05,
            minimum=0,
            maximum=1,
            meaning="share of each generation that is random",
        ),
        Parameter(
            name="adaptive",
            type=bool,
            default=True,
            meaning="whether mutation rises and crossover falls by 10 % after a generation with a better "
            "set, and the other way round after others",
        ),
        Parameter(
            name="polish",
            type=bool,
            default=True,
            meaning="whether it ends with a climb from the best set to the best neighbor, one column "
            "flipped or exchanged, until none is better; that is no part of the paper's algorithm",
        ),
        Parameter(
            name="objectives",
            type=str,
            default="weighted",
            choices=("weighted", "pareto"),
            meaning="selection by the weighted sum, or by the Pareto ranks of its terms (NSGA-II)",
        ),
    )

    def search(self, problem: Problem, arguments: Arguments, seed: int) -> Termination:
        """Breed ``generations`` generations."""
        run = _Run(problem=problem, arguments=arguments, rng=np.random.default_rng(seed))
        total = arguments["generations"]
        for generation in range(total):
            problem.report(_TITLE, generation, total)
            if problem.is_stopped:
                break
            run.breed()
        said = f"{total} generations"
        if arguments["polish"] and not problem.is_stopped:
            climb(problem, run.space, run.best)
            said += ", then a climb until no neighbor was better"
        problem.report(_TITLE, total, total)
        return Termination(
            reason=said,
            state={"crossover_rate": tuple(run.crossover), "mutation_rate": tuple(run.mutation)},
        )


@dataclass(kw_only=True)
class _Run:
    """A population on its way."""

    problem: Problem
    arguments: Arguments
    rng: np.random.Generator
    crossover: list[float] = field(default_factory=list)
    mutation: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.space = SetSpace.of(self.problem)
        first = first_generation(self.space, self.arguments["population"], self.rng)
        self.people: list[Evaluation] = self.problem.evaluate(first)
        self.best = self.space.best(self.people)
        self.rates = Rates(
            crossover=self.arguments["crossover"],
            mutation=self.arguments["mutation"],
            candidates=len(self.space.candidates),
            is_adaptive=self.arguments["adaptive"],
        )

    @property
    def is_pareto(self) -> bool:
        """Whether selection goes by Pareto ranks."""
        return bool(self.arguments["objectives"] == "pareto")

    def breed(self) -> None:
        """Let one generation follow another."""
        self.crossover.append(self.rates.crossover)
        self.mutation.append(self.rates.mutation)
        ranks = self._ranks(self.people)
        current = self.space.best(self.people).qids
        size = len(self.people)
        bred = children(
            self.space,
            [e.qids for e in self.people],
            lambda: tournament(ranks, self.arguments["tournament"], self.rng),
            self.rates,
            self._elite(),
            int(self.arguments["immigrants"] * size),
            self.rng,
        )
        before, self.people = self.people, self.problem.evaluate(bred, current=current)
        if self.is_pareto:
            self.people = self._survivors([*before, *self.people], size)
        best = self.space.best([self.best, *self.people])
        self.rates.adapt(is_better=best.own_fitness > self.best.own_fitness)
        self.best = best

    def _elite(self) -> list[Columns]:
        ranked = self.space.ranked(self.people)
        return list(dict.fromkeys(e.qids for e in ranked))[: self.arguments["elite"]]

    def _ranks(self, people: list[Evaluation]) -> list[int]:
        if self.is_pareto:
            return places(np.array([e.values for e in people]))
        place = {id(e): i for i, e in enumerate(self.space.ranked(people, by="fitness"))}
        return [place[id(e)] for e in people]

    def _survivors(self, people: list[Evaluation], size: int) -> list[Evaluation]:
        distinct = list({e.qids: e for e in people}.values())
        ranks = self._ranks(distinct)
        kept = sorted(range(len(distinct)), key=ranks.__getitem__)[:size]
        elite = self.space.ranked(distinct)[: self.arguments["elite"]]
        return list({e.qids: e for e in (*elite, *(distinct[i] for i in kept))}.values())[:size]
