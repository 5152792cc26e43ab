"""What is to be measured: a metric with its arguments, over a set of QIDs or over many."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from qidguard.core.metric import GroupBy, Metric
from qidguard.core.noised import NoisedQids
from qidguard.core.parameter import Arguments
from qidguard.core.statistic import Statistic
from qidguard.core.verdict import Bound
from qidguard.core.view import Grouping


@dataclass(frozen=True, kw_only=True)
class Question:
    """One figure that is asked for: of the QIDs named here, or of every subset that a measurer is given.

    Args:
        metric: The metric.
        arguments: Its arguments, checked by ``qidguard.core.parameter.bind``.
        attribute: The sensitive, target or treatment column beside the QIDs; ``Grouping.sensitive`` holds it.
        owner: The plugin that offers the metric, for errors.
        qids: The columns that may be known; none where subsets are named elsewhere.
        knows_any: The attacker knows any this many of the QIDs; None means all of them.
        bound: Which side of its limit is allowed; decides which subset is the worst.
        rest: What is published outside the QIDs, for a metric that needs it; None where nobody said.
        noised: Which columns have noise, where some do; the measurement carries it on.
        refusal: Why it cannot be measured at all; empty where it may be tried.
    """

    metric: Metric
    arguments: Arguments
    attribute: str | None = None
    owner: str = ""
    qids: tuple[str, ...] = ()
    knows_any: int | None = None
    bound: Bound = Bound.AT_LEAST
    rest: tuple[str, ...] | None = None
    noised: NoisedQids | None = None
    refusal: str = ""

    @property
    def subsets(self) -> int:
        """Number of QID subsets to measure."""
        return 1 if self.knows_any is None else comb(len(self.qids), self.knows_any)

    def every_qids(self) -> Iterable[tuple[str, ...]]:
        """Return every subset of the QIDs that an attacker may know.

        Example:
            >>> from dataclasses import replace
            >>> from qidguard.anonymizing.example import CLASSES_QUESTION
            >>> list(replace(CLASSES_QUESTION, qids=("age", "sex", "town"), knows_any=2).every_qids())
            [('age', 'sex'), ('age', 'town'), ('sex', 'town')]
        """
        return [self.qids] if self.knows_any is None else combinations(self.qids, self.knows_any)

    def grouping(self, qids: tuple[str, ...]) -> Grouping:
        """Return the grouping of one subset, with the attribute beside it; ValueError when it is in it.

        Example:
            >>> from dataclasses import replace
            >>> from qidguard.anonymizing.example import CLASSES_QUESTION
            >>> replace(CLASSES_QUESTION, attribute="illness").grouping(("age",)).sensitive
            'illness'
        """
        return Grouping(qids=qids, sensitive=self.attribute)

    def statistics(self) -> tuple[Statistic, ...]:
        """Return the statistics that the metric needs; none for a function of the table.

        Example:
            >>> from qidguard.anonymizing.example import CLASSES_QUESTION
            >>> [statistic.sql for statistic in CLASSES_QUESTION.statistics()]
            ['count(*)']
        """
        return self.metric.method.needs(self.arguments) if isinstance(self.metric.method, GroupBy) else ()

    def worse(self, left: float, right: float) -> float:
        """Return the value that is further on the wrong side, both in the metric's unit.

        Example:
            >>> from dataclasses import replace
            >>> from qidguard.anonymizing.example import CLASSES_QUESTION
            >>> replace(CLASSES_QUESTION, bound=Bound.AT_MOST).worse(0.2, 0.7)
            0.7
        """
        return min(left, right) if self.bound is Bound.AT_LEAST else max(left, right)


def batches(questions: Iterable[Question]) -> list[list[Question]]:
    """Return questions about one grouping in as few batches as the names of their statistics allow.

    Two plugins may use one name for different SQL; then they are asked apart. Questions that need a
    population table are asked apart too, so that a lack of one concerns nobody else.
    """
    found: list[list[Question]] = []
    for question in questions:
        for batch in found:
            if _fit([*batch, question]):
                batch.append(question)
                break
        else:
            found.append([question])
    return found


def union(questions: Sequence[Question]) -> tuple[Statistic, ...]:
    """Return every statistic that the questions need, once."""
    return tuple(dict.fromkeys(s for question in questions for s in question.statistics()))


def _fit(questions: Sequence[Question]) -> bool:
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
