"""The smallest search there is, for examples."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidguard.core.metric import Direction, Explanation, Metric, TableFunction, Unit
from qidguard.core.parameter import Parameter
from qidguard.core.view import Grouping, TableView
from qidguard.measuring.question import Question
from qidguard.search.objective import Objective, Term
from qidguard.search.protocol import Problem, Termination


def _length(_table: TableView, grouping: Grouping, _arguments: Mapping[str, Any]) -> int:
    return len(grouping.qids)


LENGTH = Objective(name="length", title="Few columns", terms=(Term(metric="length", weight=-1.0),))
"""The fewer columns the better."""


class LengthMeasurer:
    """Counts the columns of a set."""

    questions: Sequence[Question] = (
        Question(
            metric=Metric(
                name="length",
                title="Number of columns",
                unit=Unit.COLUMNS,
                minimum=1,
                maximum=float("inf"),
                direction=Direction.NEITHER,
                method=TableFunction(measure=_length),
                explanation=Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "an example")),
                is_of_size=True,
            ),
            arguments={},
        ),
    )

    def measure(self, sets: Sequence[frozenset[str]]) -> NDArray[np.float64]:
        """Return the number of columns of each set."""
        return np.array([[float(len(qids))] for qids in sets]).reshape(len(sets), 1)

    def reason(self, _qids: frozenset[str], _figure: int) -> str:
        """Return nothing: every set has a length."""
        return ""


class FirstColumn:
    """Looks at the first candidate only."""

    name = "first_column"
    title = "The first candidate"
    parameters: tuple[Parameter, ...] = ()

    def search(self, problem: Problem, _arguments: Mapping[str, Any], _seed: int) -> Termination:
        """Evaluate one set."""
        problem.evaluate([frozenset(problem.candidates[:1])])
        return Termination(reason="one set was looked at")
