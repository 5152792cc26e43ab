"""The worst subset for questions about any m of the same QIDs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qidguard.core.metric import TableFunction
from qidguard.core.progress import Progress
from qidguard.core.verdict import Bound
from qidguard.engines.base import Table
from qidguard.measuring.cost import function_seconds
from qidguard.measuring.question import Question
from qidguard.measuring.subset_measurer import SubsetMeasurer


@dataclass(frozen=True, kw_only=True)
class Worst:
    """One question's worst subset, or why there is none.

    Args:
        qids: The subset: the first in the order of combinations that is as bad, or that has no figure.
        value: Its figure.
        reason: Why there is no figure; empty where there is one.
    """

    qids: tuple[str, ...] = ()
    value: float | None = None
    reason: str = ""


class WorstSubsets:
    """Measures every subset once for all questions, which have the same QIDs and the same ``knows_any``."""

    def __init__(self, table: Table, questions: Sequence[Question], progress: Progress) -> None:
        self._questions = tuple(questions)
        first = questions[0]
        self._size = first.knows_any or len(first.qids)
        self._first = first
        self._records = table.records
        self._measurer = SubsetMeasurer(
            table, first.qids, questions, expected_sets=first.subsets, progress=progress
        )

    def refusal(self, most_seconds: float) -> str:
        """Return why the subsets are too many to be measured; empty where they are not."""
        plan = self._measurer.plan
        functions = sum(isinstance(q.metric.method, TableFunction) for q in self._questions)
        estimate = plan.seconds[plan.path]
        estimate += function_seconds(self._first.subsets, functions, self._records)
        if estimate <= most_seconds:
            return ""
        return (
            f"any {self._size} of {len(self._first.qids)} QIDs make {self._first.subsets:,} subsets, which"
            f" take about {estimate / 3600:,.1f} hours where {most_seconds / 3600:g} are allowed; name fewer"
            " QIDs or another knows_any"
        )

    def find(self) -> list[Worst]:
        """Return the worst subset of each question, in order; PluginError where a plugin fails."""
        every = self._measurer.every([self._size])
        found = []
        for j, question in enumerate(self._questions):
            values = every.values[:, j]
            lacking = np.flatnonzero(np.isnan(values))
            if len(lacking):
                qids = every.names(int(lacking[0]))
                found.append(Worst(qids=qids, reason=self._measurer.reason(frozenset(qids), j)))
                continue
            row = int(values.argmin() if question.bound is Bound.AT_LEAST else values.argmax())
            found.append(Worst(qids=every.names(row), value=float(values[row])))
        return found
