"""What an anonymizer is asked to reach: every limit of the policy, over all that an attacker may know."""

from collections.abc import Mapping
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from qidguard.anonymizing.protocol import AnonymizationTask, PolicyLimit
from qidguard.auditing.demands import demands
from qidguard.auditing.original import mark_of
from qidguard.auditing.proposed import recognized_sensitive
from qidguard.core.errors import PolicyError
from qidguard.core.role import Role
from qidguard.policy.table_rules import made_columns, sensitive_beside

if TYPE_CHECKING:
    from qidguard.anonymizing.protocol import EarlierPersons
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.report import AuditReport
    from qidguard.host import Host
    from qidguard.policy import Policy
    from qidguard.trials.context import TrialContext

MOST_COMBINATIONS = 20_000
"""Combinations of QIDs that an attacker who knows some of them makes an anonymizer look at."""


def task_of(
    context: "TrialContext",
    report: "AuditReport",
    hierarchies: "Mapping[str, Hierarchy]",
    earlier: "EarlierPersons | None" = None,
) -> AnonymizationTask:
    """Return what the anonymizer has to reach on a table that was audited.

    Args:
        context: The policy, the plugins, the seed and who hears of progress.
        report: The audit of the table; it says which columns are QIDs, be it by recognizers.
        hierarchies: Those that the policy declares, bound to the table.
        earlier: What earlier releases showed of the table's persons, where a ledger tells.

    Returns:
        The task. Its targets are the thresholds that block, those of a preset too: what only warns is no
        reason to lose anything.

    Raises:
        PolicyError: When the attacker may know more sets of QIDs than can be looked at.
    """
    policy = context.policy
    qids = main_combination(report)
    roles = policy.roles
    identifiers = (c.facts.name for c in report.columns if c.assignment.role is Role.DIRECT_IDENTIFIER)
    recognized = recognized_sensitive(column.assignment for column in report.columns)
    return AnonymizationTask(
        combinations=known_sets(policy, qids),
        entity=roles.entity,
        sensitive=tuple(dict.fromkeys((*roles.sensitive, *recognized))),
        seed=context.drawing_seed,
        direct_identifiers=tuple(dict.fromkeys((*roles.direct_identifiers, *identifiers))),
        target=roles.target,
        targets=blocking_limits(policy, qids, context.host, recognized),
        hierarchies=hierarchies,
        suppression_mark=mark_of(policy),
        normalized=policy.normalized,
        kinds=report.sure_kinds,
        progress=context.progress,
        earlier=earlier,
        held=made_columns(policy.tables),
        sensitive_beside=sensitive_beside(policy.tables),
    )


def blocking_limits(
    policy: "Policy", qids: tuple[str, ...], host: "Host", recognized: tuple[str, ...] = ()
) -> tuple[PolicyLimit, ...]:
    """Return the limits that block, those of a preset too, but for those on columns outside the QIDs.

    Raises:
        PolicyError: When a threshold does not fit its metric.
    """
    return tuple(
        PolicyLimit(
            metric=demand.question.metric,
            arguments=demand.question.arguments,
            limit=demand.limit,
            qids=demand.question.qids,
            sensitive=demand.question.attribute,
            knows_any=demand.question.knows_any,
        )
        for demand in demands(policy, qids, host, recognized)
        if demand.limit.is_blocking and not demand.question.metric.needs_rest
    )


def main_combination(report: "AuditReport") -> tuple[str, ...]:
    """Return the QIDs of the main combination of a report; none where it has none."""
    return next((s.qids for s in report.summaries if s.combination == "default"), ())


def known_sets(policy: "Policy", qids: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return every set of QIDs that an attacker may know, each once.

    Raises:
        PolicyError: When there are too many.
    """
    sets: dict[tuple[str, ...], None] = {}
    for combination in policy.all_combinations(qids):
        columns = tuple(combination.quasi_identifiers)
        attacker = combination.attacker
        if isinstance(attacker, str):
            sets[columns] = None
            continue
        if comb(len(columns), attacker.knows_any) > MOST_COMBINATIONS:
            raise PolicyError(
                f"any {attacker.knows_any} of {len(columns)} QIDs are more than {MOST_COMBINATIONS:,} sets"
                " for a remedy; name fewer QIDs"
            )
        sets |= dict.fromkeys(combinations(columns, attacker.knows_any))
    return tuple(sets)
