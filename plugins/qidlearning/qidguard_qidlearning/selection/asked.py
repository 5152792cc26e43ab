"""What was asked: metrics by name, those of them that can be measured here, and the questions for them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from qidguard.sdk import Metric, Question, Role, UserError
from qidguard_qidlearning.metrics import METRICS

Given = Mapping[Role, str | None]
"""Role → the column that has it, or None."""


@dataclass(frozen=True, kw_only=True)
class MeasurableMetrics:
    """Metrics that can be measured, and why others cannot.

    Args:
        metrics: Those that can.
        questions: One for each of them.
        left_out: Metric → why not.
    """

    metrics: tuple[Metric, ...]
    questions: tuple[Question, ...]
    left_out: Mapping[str, str]


def asked_of(
    metrics: Iterable[str | Metric] | None, given: Given, arguments: Mapping[str, Mapping[str, Any]]
) -> MeasurableMetrics:
    """Return what was asked for; UserError for an unknown metric or parameter."""
    every = _by_name(metrics)
    unknown = sorted(arguments.keys() - {metric.name for metric in every})
    if unknown:
        raise UserError(
            f"arguments are for metrics that were asked for, and {unknown[0]!r} was not; ask for it"
        )
    left_out = {metric.name: why for metric in every if (why := _why_not(metric, given))}
    fit = tuple(metric for metric in every if metric.name not in left_out)
    questions = tuple(
        Question(
            metric=metric,
            arguments=_bound(metric, arguments.get(metric.name, {})),
            attribute=given[metric.attribute] if metric.attribute else None,
            owner="qidlearning",
        )
        for metric in fit
    )
    return MeasurableMetrics(metrics=fit, questions=questions, left_out=MappingProxyType(left_out))


def _by_name(metrics: Iterable[str | Metric] | None) -> list[Metric]:
    known = {metric.name: metric for metric in METRICS}
    found: dict[str, Metric] = {}
    for one in known if metrics is None else metrics:
        if isinstance(one, str) and one not in known:
            raise UserError(f"there is no metric {one!r} in this plugin; name one of {', '.join(known)}")
        metric = known[one] if isinstance(one, str) else one
        found[metric.name] = metric
    return list(found.values())


def _why_not(metric: Metric, given: Given) -> str:
    if metric.change_of:
        return "left out: it is a change within a search."
    if metric.attribute and not given[metric.attribute]:
        return f"left out: it is measured beside a {metric.attribute} column, and none was given."
    if metric.needs_population or metric.needs_history:
        return "left out: it needs more than the table."
    return ""


def _bound(metric: Metric, given: Mapping[str, Any]) -> Mapping[str, Any]:
    unknown = sorted(given.keys() - {parameter.name for parameter in metric.parameters})
    if unknown:
        raise UserError(
            f"metric {metric.name} has no parameter {unknown[0]!r}; see qidguard explain {metric.name}"
        )
    return MappingProxyType({p.name: p.check(given.get(p.name, p.default)) for p in metric.parameters})
