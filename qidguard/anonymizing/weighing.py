"""Measure a rehearsed table by metrics and by the policy's limits, in memory, with the audit's arithmetic."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from qidguard.anonymizing.rehearsed_view import RehearsedView
from qidguard.core.choice import Choice
from qidguard.core.errors import NotMeasurable, PluginError, UserError
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Direction, Metric
from qidguard.core.parameter import Arguments, bind
from qidguard.core.role import Role
from qidguard.core.statistic import Statistic
from qidguard.core.verdict import Bound, Limit
from qidguard.core.view import Grouping
from qidguard.measuring.answers import code_of
from qidguard.measuring.evaluator import measure
from qidguard.measuring.question import Question

if TYPE_CHECKING:
    from qidguard.anonymizing.protocol import AnonymizationTask, PolicyLimit

MOST_SUBSETS = 200
"""Sets of QIDs that one limit may ask for in memory; an audit has quicker ways for more."""

_OWNER = "the offering plugin"


class Metrics(Protocol):
    """Where metrics are found by name, as ``qidguard.host.Host`` does."""

    def metric(self, name: str) -> Metric:
        """Return a metric; UserError where there is none of this name."""

    def owner(self, kind: str, name: str) -> str:
        """Return the plugin that offers it, for errors."""


@dataclass(frozen=True, kw_only=True)
class WeighingFigure:
    """A metric with its arguments, by which tables are weighed.

    Args:
        name: As a person writes it: ``prosecutor_share_above[threshold=0.075]``.
        metric: The metric.
        arguments: Its checked arguments.
        owner: The plugin that offers it, for errors.
    """

    name: str
    metric: Metric
    arguments: Arguments
    owner: str = _OWNER

    @classmethod
    def read(cls, written: "str | Metric", metrics: Metrics | None) -> "WeighingFigure":
        """Return the figure that a text names; UserError where there is none, or a parameter is wrong."""
        if isinstance(written, Metric):
            return cls(name=written.name, metric=written, arguments=bind(written.parameters, {}))
        chosen = Choice.read(written, "a figure")
        if metrics is None:
            raise UserError(f"nobody said which plugins offer the metric {chosen.name!r}; give the metric")
        metric = metrics.metric(chosen.name)
        try:
            arguments = bind(metric.parameters, chosen.parameters)
        except UserError as error:
            raise UserError(f"{chosen.name}: {error}") from None
        owner = metrics.owner("metrics", metric.name)
        return cls(name=str(chosen), metric=metric, arguments=arguments, owner=owner)

    def questions(
        self, task: "AnonymizationTask", qids: Sequence[str], sensitive: str | None = None
    ) -> list[Question]:
        """Return what is asked of a table: one question for each attribute that it is measured beside."""
        beside: dict[Role | None, tuple[str | None, ...]] = {
            None: (None,),
            Role.SENSITIVE: task.sensitive if sensitive is None else (sensitive,),
            Role.TARGET: () if task.target is None else (task.target,),
        }
        bound = Bound.AT_LEAST if self.metric.direction is Direction.HIGHER_IS_SAFER else Bound.AT_MOST
        return [
            Question(
                metric=self.metric,
                arguments=self.arguments,
                qids=tuple(qid for qid in qids if qid != attribute),
                attribute=attribute,
                bound=bound,
                owner=self.owner,
            )
            for attribute in beside.get(self.metric.attribute, ())
        ]


@dataclass(frozen=True, kw_only=True)
class HeldLimit:
    """A limit of the policy beside what was measured in memory.

    Args:
        limit: At least or at most.
        measurement: The figure, or the reason why there is none.
    """

    limit: Limit
    measurement: Measurement

    @property
    def is_met(self) -> bool | None:
        """Whether it holds; None where nothing can be said in memory."""
        if self.measurement.value is None and not self.measurement.is_fault:
            return None
        return self.limit.is_met_by(self.measurement.value)


def figures_of(
    tables: Sequence[tuple[RehearsedView, "AnonymizationTask"]],
    figures: Sequence[WeighingFigure],
    qids: Sequence[str],
) -> list[list[Measurement]]:
    """Return the figures of each table; beside several attributes the worst, or that without a number."""
    asked = [[figure.questions(task, qids) for figure in figures] for _, task in tables]
    answers = _answers([view for view, _ in tables], asked)
    return [
        [
            answer or unmeasured(figure.metric, figure.arguments, _NO_COLUMN)
            for figure, answer in zip(figures, of_table, strict=True)
        ]
        for of_table in answers
    ]


def held_limits(tables: Sequence[tuple[RehearsedView, "AnonymizationTask"]]) -> list[tuple[HeldLimit, ...]]:
    """Return each table's limits beside its figures, each over the worst set of QIDs that may be known."""
    answers = _answers([view for view, _ in tables], [[*map(_questions, task.targets)] for _, task in tables])
    return [
        tuple(
            HeldLimit(
                limit=target.limit,
                measurement=answer or unmeasured(target.metric, target.arguments, _TOO_MANY),
            )
            for target, answer in zip(task.targets, of_table, strict=True)
        )
        for (_, task), of_table in zip(tables, answers, strict=True)
    ]


_NO_COLUMN = "the task names no column of the role that it is measured beside"
_TOO_MANY = f"more than {MOST_SUBSETS:,} sets of QIDs may be known; the audit measures them"


def unmeasured(metric: Metric, arguments: Arguments, reason: str) -> Measurement:
    """Return a measurement without a figure."""
    return Measurement(
        metric=metric.name,
        title=metric.title,
        value=None,
        unit=metric.unit.value,
        qids=(),
        arguments=arguments,
        reason=reason,
    )


def _answers(
    views: Sequence[RehearsedView], asked: Sequence[Sequence[Sequence[Question]]]
) -> list[list[Measurement | None]]:
    """Return for each view the worst answer of each group of questions; None of a group without any."""
    flat = [[question for group in groups for question in group] for groups in asked]
    needed: dict[tuple[RehearsedView, Grouping], list[Statistic]] = {}
    for view, questions in zip(views, flat, strict=True):
        needed |= {(view, grouping): found for grouping, found in _statistics(view, questions).items()}
    RehearsedView.take(needed)
    found = []
    for view, groups, questions in zip(views, asked, flat, strict=True):
        answers = iter(measure(view, questions))
        found.append([_worst(group, list(islice(answers, len(group)))) for group in groups])
    return found


def _statistics(view: RehearsedView, questions: Sequence[Question]) -> dict[Grouping, list[Statistic]]:
    """Return what questions need of each grouping; figures of class sizes ride along with an attribute's."""
    named: dict[tuple[str, ...], str] = {}
    for question in questions:
        if question.attribute is not None and not view.is_marked(question.attribute):
            named.setdefault(question.qids, question.attribute)
    needed: dict[Grouping, list[Statistic]] = {}
    for question in questions:
        attribute = question.attribute or named.get(question.qids)
        if not question.qids or attribute in question.qids:
            continue
        # whoever is at fault is told when the question is asked
        with suppress(PluginError, NotMeasurable), code_of(question.metric, question.owner):
            wanted = [s for s in question.statistics() if not s.needs_population]
            if wanted:
                needed.setdefault(Grouping(qids=question.qids, sensitive=attribute), []).extend(wanted)
    return needed


def limit_question(target: "PolicyLimit", owner: str) -> Question:
    """Return what is asked of a table to hold it against a limit; ``owner`` offers the metric."""
    return Question(
        metric=target.metric,
        arguments=target.arguments,
        qids=target.qids,
        attribute=target.sensitive,
        bound=target.limit.bound,
        owner=owner,
        knows_any=target.knows_any,
    )


def _questions(target: "PolicyLimit") -> list[Question]:
    asked = limit_question(target, _OWNER)
    if asked.subsets > MOST_SUBSETS:
        return []
    return [replace(asked, qids=qids, knows_any=None) for qids in asked.every_qids()]


def _worst(questions: Sequence[Question], answers: list[Measurement]) -> Measurement | None:
    worst = answers[0] if answers else None
    for question, answer in zip(questions[1:], answers[1:], strict=True):
        if worst is None or worst.value is None:
            break
        if answer.value is None or question.worse(answer.value, worst.value) != worst.value:
            worst = answer
    return worst
