"""Scoring: from the figures of a set to its fitness, changes since a current set included."""

import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from qidguard.measuring.question import Question
from qidguard.search.objective import Objective
from qidguard.search.preference import Preference
from qidguard.search.protocol import Evaluation

Row = Sequence[float]
"""The figures of one set, in the measurer's order."""


class Scoring:
    """Knows where each term of an objective stands among a measurer's questions, and which terms are changes.

    The first questions are those of ``every_term``, in order; more may follow. A preference changes every
    fitness, and is one more value of the Pareto front, on which the fittest set thus stays.
    """

    def __init__(
        self, objective: Objective, questions: Sequence[Question], preference: Preference | None = None
    ) -> None:
        terms = objective.every_term
        if len(questions) < len(terms):
            raise ValueError(f"{len(terms)} terms need as many questions, not {len(questions)}")
        self.objective = objective
        self.preference = preference
        self.columns = tuple(_column(i, questions) for i in range(len(terms)))
        self.is_change = tuple(
            bool(questions[i].metric.change_of) or questions[i].metric.name != term.metric
            for i, term in enumerate(terms)
        )
        signs = (1.0,) * len(objective.terms) + (-1.0,) * len(objective.divisors)
        self._weights = tuple(sign * term.weight for sign, term in zip(signs, terms, strict=True))

    def own(self, row: Row) -> list[float]:
        """Return the figures of the terms with every change 0; NaN where a figure does not exist."""
        return [
            0.0 if is_change and row[column] == row[column] else float(row[column])
            for column, is_change in zip(self.columns, self.is_change, strict=True)
        ]

    def since(self, row: Row, current: Row) -> list[float]:
        """Return the figures of the terms, changes since ``current``; 0 where that one has no figure."""
        found = self.own(row)
        for i, (column, is_change) in enumerate(zip(self.columns, self.is_change, strict=True)):
            before = float(current[column])
            if is_change and not math.isnan(before):
                found[i] = float(row[column]) - before
        return found

    def objective_fitness(self, row: Row) -> float:
        """Return the fitness by the objective alone, every change 0."""
        return self.objective.fitness(self.own(row))

    def own_fitness(self, row: Row, qids: Collection[str]) -> float:
        """Return the fitness of a set with every change 0, by which sets are compared."""
        return self._preferred(qids, self.objective_fitness(row))

    def _preferred(self, qids: Collection[str], fitness: float) -> float:
        return fitness if self.preference is None else self.preference.of(qids, fitness)

    def evaluation(self, qids: frozenset[str], row: Row, current: Row | None) -> Evaluation:
        """Return the evaluation of one set."""
        own_fitness = self.own_fitness(row, qids)
        since = None if current is None else self.objective.fitness(self.since(row, current))
        return Evaluation(
            qids=qids,
            fitness=own_fitness if since is None else self._preferred(qids, since),
            own_fitness=own_fitness,
            values=self.values(row, qids),
        )

    def values(self, row: Row, qids: Collection[str]) -> tuple[float, ...]:
        """Return what the Pareto front is made of: every term to be maximized, a change 0; the preference."""
        own = zip(self._weights, self.own(row), strict=True)
        terms = tuple(weight * figure if weight else 0.0 for weight, figure in own)
        return terms if self.preference is None else (*terms, self.preference.factor(qids))

    def every_values(self, rows: NDArray[np.float64], sets: Iterable[Collection[str]]) -> NDArray[np.float64]:
        """Return the same for many sets; shape (sets, figures) → (sets, values)."""
        weights = np.where(self.is_change, 0.0, self._weights)
        figures = np.where(weights == 0, 0.0, rows[:, list(self.columns)])
        if self.preference is None:
            return figures * weights
        return np.column_stack((figures * weights, [self.preference.factor(qids) for qids in sets]))


def _column(term: int, questions: Sequence[Question]) -> int:
    """Return which figure a term is made of."""
    base = questions[term].metric.change_of
    if not base:
        return term
    found = [i for i, question in enumerate(questions) if question.metric.name == base]
    if not found:
        raise ValueError(f"{questions[term].metric.name!r} is a change; measure {base!r} too")
    return found[0]
