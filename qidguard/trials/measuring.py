"""What is measured on a transformed table: losses against its original, and what its anonymizer claims."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.anonymizing.protocol import Guarantee
from qidguard.core.errors import QidguardError, UserError
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Metric
from qidguard.core.parameter import bind
from qidguard.core.progress import SILENT
from qidguard.core.role import Role
from qidguard.core.verdict import Bound
from qidguard.measuring.evaluator import measure
from qidguard.measuring.question import Question

if TYPE_CHECKING:
    from qidguard.engines.base import Table
    from qidguard.host import Host
    from qidguard.policy import Policy
    from qidguard.trials.context import TrialContext


def is_of_models(metric: Metric) -> bool:
    """Return whether a metric trains models, which takes its time: it says so, or it needs a target."""
    return "model utility" in metric.title.casefold() or metric.attribute is Role.TARGET


LOSS = "ncp"
"""The loss by which methods are ranked where nobody names one."""
ALL_LOSSES = "all"
"""What stands for every metric of loss that trains no models."""


@dataclass(frozen=True, kw_only=True)
class Losses:
    """Which losses a trial measures.

    Args:
        names: Metrics of loss, ``all`` for all that train no models; none for none, None for all of these
            that cost little.
        has_models: Whether metrics that train models are measured too.
    """

    names: tuple[str, ...] | None = None
    has_models: bool = False

    @classmethod
    def asked(cls, names: "Sequence[str] | None", host: "Host", *, has_models: bool = False) -> "Losses":
        """Return the losses of some names; UserError where one is no metric of loss, or stands twice."""
        if isinstance(names, str):
            names = (names,)
        known = {name for name, metric in host.metrics.items() if _is_loss(metric)}
        for name in names or ():
            if name != ALL_LOSSES and name not in known:
                raise UserError(
                    f"there is no metric of loss named {name!r}; name some of {', '.join(sorted(known))},"
                    f" {ALL_LOSSES}, or none"
                )
        return cls(names=None if names is None else tuple(dict.fromkeys(names)), has_models=has_models)

    def of(self, host: "Host") -> list[str]:
        """Return the names of the metrics, sorted."""
        named = () if self.names is None else self.names
        is_all = ALL_LOSSES in named
        return [
            name
            for name, metric in sorted(host.metrics.items())
            if _is_loss(metric)
            and (
                name in named
                or (self.has_models and is_of_models(metric))
                or (not is_of_models(metric) and (is_all or (self.names is None and not metric.is_costly)))
            )
        ]


BY_DEFAULT = Losses()
"""Those that cost little."""


def _is_loss(metric: Metric) -> bool:
    return metric.needs_original and not metric.change_of


def measured_by_default(
    context: "TrialContext", table: "Table", qids: tuple[str, ...], names: Sequence[str]
) -> tuple[Measurement, ...]:
    """Return the figures of those metrics that are installed, with their defaults, over some QIDs."""
    metrics = context.host.metrics
    questions = [q for name in names if name in metrics for q in questions_of(metrics[name], context, qids)]
    return tuple(measure(table, questions, context.progress)) if qids else ()


def loss_columns(policy: "Policy") -> tuple[str, ...]:
    """Return the columns beside the QIDs that losses may be measured over."""
    roles = policy.roles
    others = (name for name in (roles.target, roles.treatment) if name is not None)
    return tuple(dict.fromkeys((*roles.sensitive, *others)))


def questions_of(metric: Metric, context: "TrialContext", qids: tuple[str, ...]) -> Iterator[Question]:
    """Yield a metric's questions with its defaults, one for each attribute that it is measured beside."""
    try:
        arguments = bind(metric.parameters, {})
    except UserError:
        return
    roles = context.policy.roles
    columns: dict[Role | None, tuple[str | None, ...]] = {
        None: (None,),
        Role.SENSITIVE: tuple(roles.sensitive),
        Role.TARGET: () if roles.target is None else (roles.target,),
        Role.TREATMENT: () if roles.treatment is None else (roles.treatment,),
        Role.WEIGHT: () if roles.weight is None else (roles.weight,),
    }
    for attribute in columns[metric.attribute]:
        if attribute not in qids:
            yield Question(
                metric=metric,
                arguments=arguments,
                qids=qids,
                attribute=attribute,
                bound=Bound.AT_MOST,
                owner=context.host.owner("metrics", metric.name),
            )


MOST_CLAIMS = 1_000
"""Claims that are measured; of an attacker who knows some of many QIDs there may be more."""


@dataclass(frozen=True, kw_only=True)
class MeasuredClaim:
    """One claim and what was measured.

    Args:
        guarantee: What the anonymizer claims.
        measurement: What was measured on the published table.
    """

    guarantee: Guarantee
    measurement: Measurement

    @property
    def is_kept(self) -> bool:
        """Whether the figure keeps the limit that was claimed; not where there is no figure."""
        return self.guarantee.limit.is_met_by(self.measurement.value)


def claimed_columns(guarantees: Sequence[Guarantee]) -> tuple[str, ...]:
    """Return every column that a claim speaks of, each once."""
    named = (n for g in guarantees for n in (*g.qids, *(() if g.sensitive is None else (g.sensitive,))))
    return tuple(dict.fromkeys(named))


def measured_claims(
    table: "Table", guarantees: Sequence[Guarantee], host: "Host"
) -> tuple[MeasuredClaim, ...]:
    """Return each claim beside the figure; a claim of what nobody can measure has a reason in its place.

    Args:
        table: The published table, opened with the columns of the claims.
        guarantees: The claims.
        host: The plugins whose metrics are named.
    """
    asked = [
        _question(guarantee, host)
        if at < MOST_CLAIMS
        else _unmeasured(guarantee, f"only the first {MOST_CLAIMS:,} claims are measured")
        for at, guarantee in enumerate(guarantees)
    ]
    questions = [question for question in asked if isinstance(question, Question)]
    figures = iter(measure(table, questions, SILENT))
    return tuple(
        MeasuredClaim(guarantee=g, measurement=next(figures) if isinstance(q, Question) else q)
        for g, q in zip(guarantees, asked, strict=True)
    )


def _question(guarantee: Guarantee, host: "Host") -> Question | Measurement:
    try:
        metric = host.metric(guarantee.metric)
        arguments = bind(metric.parameters, guarantee.parameters)
    except QidguardError as error:
        return _unmeasured(guarantee, str(error))
    return Question(
        metric=metric,
        arguments=arguments,
        qids=guarantee.qids,
        attribute=guarantee.sensitive,
        bound=guarantee.limit.bound,
        owner=host.owner("metrics", metric.name),
    )


def _unmeasured(guarantee: Guarantee, reason: str) -> Measurement:
    return Measurement(metric=guarantee.metric, value=None, unit="", qids=guarantee.qids, reason=reason)
