"""What a transformation cost, by every installed metric that holds a table against its original."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Metric
from qidguard.core.parameter import bind
from qidguard.core.progress import Progress
from qidguard.core.role import Role
from qidguard.core.verdict import Bound
from qidguard.measure.evaluator import measure
from qidguard.measure.question import Question

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.engines.base import Table
    from qidguard.host import Host


def is_of_models(metric: Metric) -> bool:
    """Return whether a metric trains models, which takes its time: it says so, or it needs a target."""
    return "model utility" in metric.title.casefold() or metric.attribute is Role.TARGET


def measured_utility(
    table: "Table",
    policy: "Policy",
    host: "Host",
    qids: tuple[str, ...],
    progress: Progress,
    *,
    has_models: bool = False,
) -> tuple[Measurement, ...]:
    """Return the figure of every metric of loss with its defaults, by name; where there is none, a reason.

    Args:
        table: The transformed table, opened beside its original.
        policy: Its roles say which columns are sensitive, and which is the target.
        host: The plugins.
        qids: The QIDs of the main combination.
        progress: Hears of finished steps.
        has_models: Whether metrics that train models are measured too.

    Returns:
        Figures in their metric's unit. Metrics with a required parameter, or beside a column that the policy
        does not name, are left out.
    """
    questions = [
        question
        for _, metric in sorted(host.metrics.items())
        if metric.needs_original and not metric.change_of and (has_models or not is_of_models(metric))
        for question in questions_of(metric, policy, host, qids)
    ]
    return tuple(measure(table, questions, progress)) if qids else ()


def utility_columns(policy: "Policy") -> tuple[str, ...]:
    """Return the columns beside the QIDs that losses may be measured over."""
    roles = policy.roles
    beside = (name for name in (roles.target, roles.treatment) if name is not None)
    return tuple(dict.fromkeys((*roles.sensitive, *beside)))


def questions_of(metric: Metric, policy: "Policy", host: "Host", qids: tuple[str, ...]) -> Iterator[Question]:
    """Yield a metric's questions with its defaults, one for each attribute that it is measured beside."""
    try:
        arguments = bind(metric.parameters, {})
    except UserError:
        return
    roles = policy.roles
    beside: dict[Role | None, tuple[str | None, ...]] = {
        None: (None,),
        Role.SENSITIVE: tuple(roles.sensitive),
        Role.TARGET: () if roles.target is None else (roles.target,),
        Role.TREATMENT: () if roles.treatment is None else (roles.treatment,),
    }
    for attribute in beside[metric.attribute]:
        if attribute not in qids:
            yield Question(
                metric=metric,
                arguments=arguments,
                qids=qids,
                sensitive=attribute,
                bound=Bound.AT_MOST,
                owner=host.owner("metrics", metric.name),
            )
