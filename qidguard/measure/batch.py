"""Batches: questions about one grouping whose statistics can come from one statement."""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from qidguard.core.metric import Metric
from qidguard.core.statistic import Statistic


class Asked(Protocol):
    """Anything that asks for a metric's statistics: a question about a table, a figure of its subsets."""

    @property
    def metric(self) -> Metric:
        """The metric."""

    def statistics(self) -> tuple[Statistic, ...]:
        """Return the statistics the metric needs."""


_Asked = TypeVar("_Asked", bound=Asked)


def batches(questions: Iterable[_Asked]) -> list[list[_Asked]]:
    """Return the questions in as few batches as the names of their statistics allow.

    Two plugins may use one name for different SQL; then they are asked apart. Questions that need a
    population table are asked apart too, so that a lack of one concerns nobody else.
    """
    found: list[list[_Asked]] = []
    for question in questions:
        for batch in found:
            if _fit([*batch, question]):
                batch.append(question)
                break
        else:
            found.append([question])
    return found


def union(questions: Sequence[Asked]) -> tuple[Statistic, ...]:
    """Return every statistic that the questions need, once."""
    return tuple(dict.fromkeys(s for question in questions for s in question.statistics()))


def _fit(questions: Sequence[Asked]) -> bool:
    if len({question.metric.needs_population for question in questions}) > 1:
        return False
    meanings: dict[tuple[str, str], object] = {}
    for statistic in union(questions):
        named = [(("statistic", statistic.name), statistic)]
        named += [(("value", value.name), value) for value in statistic.values]  # type: ignore[misc]
        for key, meaning in named:
            if meanings.setdefault(key, meaning) != meaning:
                return False
    return True
