"""The runner: figures of one set of columns by SQL on the engine, several from one statement."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from qidguard.core.errors import NotMeasurable, PluginError
from qidguard.core.guard import PluginCode
from qidguard.core.measurement import Estimate, Interval
from qidguard.core.metric import TableFunction
from qidguard.core.statistic import CLASSES, Number, StatisticValues
from qidguard.core.view import Grouping
from qidguard.engines.base import Table
from qidguard.measuring.answers import (
    NO_REASON,
    Answers,
    checked,
    code_of,
    estimated,
    of_nothing_to_learn,
    safest,
)
from qidguard.measuring.question import Question, batches, union


@dataclass(frozen=True, kw_only=True)
class QuestionOutcome:
    """What came of one question on one set: a figure, why there is none, or whose fault that is."""

    value: Number | None = None
    reason: str = ""
    fault: PluginError | None = None
    interval: Interval | None = None
    remark: str = ""


class Runner:
    """Asks the engine for the figures of one subset after the other, each question beside its position."""

    def __init__(self, table: Table, questions: Sequence[tuple[int, Question]]) -> None:
        self._table = table
        self._of_size: dict[tuple[int, int], QuestionOutcome] = {}
        self.looks_at_columns = any(not question.metric.is_of_size for _, question in questions)
        named = [q.attribute for _, q in questions if q.attribute is not None]
        by_attribute: dict[str | None, list[tuple[int, Question]]] = {}
        for j, question in questions:
            # figures of the class sizes ride along with a column's cells over the same QIDs
            rides = bool(named) and question.attribute is None and not _is_function(question)
            # beside suppressed values some classes are left out
            rides = rides and not table.is_marked(named[0])
            by_attribute.setdefault(named[0] if rides else question.attribute, []).append((j, question))
        self._batches = [
            [(j, q) for j, q in together if any(q is one for one in batch)]
            for together in by_attribute.values()
            for batch in batches([q for _, q in together])
        ]

    def outcomes(self, qids: tuple[str, ...]) -> Iterable[tuple[int, QuestionOutcome]]:
        """Yield what comes of every question on a set of QIDs, beside the question's position."""
        for batch in self._batches:
            able = [(j, q) for j, q in batch if q.attribute not in qids]
            for j, question in batch:
                if question.attribute in qids:
                    reason = f"{question.attribute!r} is in the set that it is measured beside"
                    yield j, QuestionOutcome(reason=reason)
            shared = self._shared(qids, [q for _, q in able])
            for j, question in able:
                yield j, self._outcome(j, question, qids, shared)

    def fill(self, qids: tuple[str, ...], row: int, answers: Answers) -> None:
        """Fill one row of the answers; PluginError, naming the owner, where a plugin fails."""
        for j, outcome in self.outcomes(qids):
            if outcome.fault is not None:
                raise outcome.fault
            if outcome.value is None:
                answers.reasons[row, j] = outcome.reason
            else:
                answers.values[row, j] = outcome.value

    def _outcome(
        self, j: int, question: Question, qids: tuple[str, ...], shared: StatisticValues | None
    ) -> QuestionOutcome:
        """Return what comes of one question; one of the size only is asked once for each size."""
        if not question.metric.is_of_size:
            return _outcome(self._table, question, qids, shared)
        key = (j, len(qids))
        if key not in self._of_size:
            self._of_size[key] = _outcome(self._table, question, qids, shared)
        return self._of_size[key]

    def _shared(self, qids: tuple[str, ...], questions: Sequence[Question]) -> StatisticValues | None:
        """Return the statistics of all questions; None where they must be asked one by one."""
        attribute = next((q.attribute for q in questions if q.attribute is not None), None)
        if not questions:
            return None
        ride = next(q for q in questions if q.attribute == attribute)
        try:
            with PluginCode("metrics", "together", interrupt=getattr(self._table, "interrupt", None)):
                # one metric's code must not change what the others are computed from
                return MappingProxyType(self._table.statistics(ride.grouping(qids), union(questions)))
        except (PluginError, NotMeasurable):
            return None


def _is_function(question: Question) -> bool:
    return isinstance(question.metric.method, TableFunction)


def _outcome(
    table: Table, question: Question, qids: tuple[str, ...], shared: StatisticValues | None
) -> QuestionOutcome:
    try:
        found = figure_of(table, question, qids, shared)
        return QuestionOutcome(value=found.value, interval=found.interval, remark=found.remark)
    except NotMeasurable as reason:
        return QuestionOutcome(reason=str(reason) or NO_REASON)
    except PluginError as error:
        return QuestionOutcome(reason=str(error), fault=error)


def figure_of(
    table: Table, question: Question, qids: tuple[str, ...], shared: StatisticValues | None
) -> Estimate:
    """Return one figure of one subset, from shared statistics or else from its own statement.

    One that was counted has neither interval nor remark. NotMeasurable where no number exists; PluginError,
    naming the owner, where the plugin fails.
    """
    metric, method, arguments = question.metric, question.metric.method, question.arguments
    require_order(table, question)
    if metric.needs_rest:
        return Estimate(value=_of_rest(table, question))
    attribute = question.attribute
    if attribute is not None and table.records and table.is_marked(attribute):
        found = table.statistics(question.grouping(qids), (CLASSES,))
        if not found[CLASSES.name]:
            return Estimate(value=of_nothing_to_learn(metric, attribute))
    with code_of(metric, question.owner, table):
        if isinstance(method, TableFunction):
            return estimated(metric, method.measure(table, question.grouping(qids), arguments))
        values = (
            table.statistics(question.grouping(qids), question.statistics()) if shared is None else shared
        )
        return Estimate(value=checked(metric, method.compute(values, arguments)))


def require_order(table: Table, question: Question) -> None:
    """Raise NotMeasurable where a figure is over the order of an attribute's values, and they have none."""
    if question.metric.needs_order and question.attribute is not None:
        order = table.order(question.attribute)
        if order.by is None:
            raise NotMeasurable(order.why_not)


def _of_rest(table: Table, question: Question) -> Number:
    """Return one figure of what is published outside the QIDs; the safest there is where nothing is."""
    metric, method = question.metric, question.metric.method
    if question.rest is None or not callable(getattr(table, "alone", None)):
        raise NotMeasurable("nobody said what is published outside the QIDs; measure it in an audit")
    if not question.rest:
        return safest(metric)
    with code_of(metric, question.owner, table):
        if not isinstance(method, TableFunction):
            raise PluginError.of_somebody(
                f"metric {metric.name!r} needs the rest and is no function of the table; mend the plugin"
            )
        found = method.measure(table, Grouping(qids=question.rest), question.arguments)
        return estimated(metric, found).value
