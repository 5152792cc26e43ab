"""Which anonymizer keeps a series, and which k it keeps."""

import math
from typing import TYPE_CHECKING

from qidguard.anonymizing.protocol import AnonymizationTask, PolicyLimit
from qidguard.auditing.demands import demands
from qidguard.auditing.original import mark_of
from qidguard.core.choice import Choice
from qidguard.core.errors import UserError
from qidguard.core.verdict import Bound
from qidguard.policy.table_rules import made_columns, sensitive_beside
from qidguard.trials.task import known_sets

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy

_CLASS_SIZES = ("k_anonymity", "intersection_k_anonymity", "differencing_k_anonymity")
"""Metrics whose limit is the persons of the smallest class, of one release or of all together."""


def series_method(policy: "Policy", host: "Host", asked: str | None) -> tuple[Choice, bool]:
    """Return the anonymizer that keeps the series: asked for, the policy's remedy, or the one that there is.

    Returns:
        It, and whether the policy names it.

    Raises:
        UserError: When there is no such anonymizer, or nobody says which of several is meant.
        PluginError: When a plugin that is broken or missing may offer it.
    """
    if asked is not None:
        chosen = Choice.read(asked, "anonymizer")
        host.anonymizer(chosen.name)
        return chosen, False
    written = policy.remedy
    if written is not None and written.anonymizer is not None:
        named = Choice.read(written.anonymizer, "remedy")
        if _keeps_series(host, named.name):
            parameters = named.parameters_with(written.parameters, "remedy")
            return Choice(name=named.name, parameters=parameters), True
    found = [name for name in host.anonymizers if _keeps_series(host, name)]
    if len(found) == 1:
        return Choice(name=found[0]), False
    if found:
        raise UserError(f"several anonymizers keep a series ({', '.join(found)}); name one of them")
    raise UserError(
        "no installed anonymizer keeps a series; install a plugin that offers one, or name an anonymizer"
    )


def _keeps_series(host: "Host", name: str) -> bool:
    return bool(getattr(host.anonymizer(name), "needs_last_values", False))


def planned_task(policy: "Policy", host: "Host", seed: int) -> AnonymizationTask:
    """Return what every release of the series has to reach by itself.

    Raises:
        UserError: When the policy leaves the quasi-identifiers to recognizers.
        PolicyError: When a threshold does not fit its metric.
    """
    roles = policy.roles
    if not roles.qids:
        raise UserError(
            "a plan needs the quasi-identifiers of the series, and the policy leaves them to recognizers;"
            " name them under roles.quasi_identifiers, as qidguard policy init drafts them"
        )
    return AnonymizationTask(
        combinations=known_sets(policy, roles.qids),
        entity=roles.entity,
        sensitive=roles.sensitive,
        seed=seed,
        direct_identifiers=roles.direct_identifiers,
        target=roles.target,
        targets=tuple(
            PolicyLimit(
                metric=demand.question.metric,
                arguments=demand.question.arguments,
                limit=demand.limit,
                qids=demand.question.qids,
                sensitive=demand.question.attribute,
                knows_any=demand.question.knows_any,
            )
            for demand in demands(policy, roles.qids, host)
            if demand.limit.is_blocking and not demand.question.metric.needs_rest
        ),
        suppression_mark=mark_of(policy),
        kinds=policy.kinds,
        is_rehearsal=True,
        held=made_columns(policy.tables),
        sensitive_beside=sensitive_beside(policy.tables),
    )


def smallest_class(task: AnonymizationTask, method: Choice) -> int:
    """Return k, the persons of the smallest class: the strictest limit of the policy, and of the method.

    Raises:
        UserError: When nobody says any.
    """
    limits = [
        target.limit.value
        for target in task.targets
        if target.metric.name in _CLASS_SIZES and target.limit.bound is Bound.AT_LEAST
    ]
    given = method.parameters.get("k")
    if isinstance(given, int) and not isinstance(given, bool):
        limits.append(given)
    k = math.ceil(max(limits, default=0))
    if k < 1:
        raise UserError(
            "a plan needs k, the persons of the smallest class, and the policy has no limit on k_anonymity;"
            " write one under thresholds"
        )
    return k
