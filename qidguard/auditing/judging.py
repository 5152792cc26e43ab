"""Judge a table by a policy: plan what to ask before it is loaded, then measure and judge."""

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from qidguard.auditing.demands import Demand, demands
from qidguard.auditing.doubts import doubts, overdue
from qidguard.auditing.fit import check_fit
from qidguard.auditing.options import needs
from qidguard.auditing.roles import Recognition, policy_roles
from qidguard.auditing.searching import check_searching, recognise_table
from qidguard.auditing.summary import notes_on, policy_notes, summarise
from qidguard.core.progress import Progress
from qidguard.core.report import AuditReport, ColumnReport
from qidguard.core.role import Role, RoleAssignment
from qidguard.core.verdict import ThresholdResult, judge
from qidguard.engines.base import Needs, Table
from qidguard.measure.evaluator import measure

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.host import Host


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A policy that fits the table's columns.

    Args:
        policy: The policy.
        names: The table's columns.
        demands: What it asks; None while its QIDs are yet to be recognised.
        needs: What the engine has to keep.
    """

    policy: "Policy"
    names: tuple[str, ...]
    demands: tuple[Demand, ...] | None
    needs: Needs


def plan(policy: "Policy", names: tuple[str, ...], host: "Host", original: tuple[str, ...] = ()) -> Plan:
    """Return the plan; PolicyError or PluginError when the policy cannot be judged on these columns.

    ``original`` are the columns of the table that this one was made from, where that is known.
    """
    check_fit(policy, names, original)
    if policy.is_auto:
        demands(policy, names, host)  # every metric must exist before hours are spent on loading
        check_searching(policy, host)
        return Plan(policy=policy, names=names, demands=None, needs=needs(policy, None))
    assignments, _ = policy_roles(names, policy, None)
    asked = tuple(demands(policy, main_qids(policy, assignments), host))
    named = {q for d in asked for q in (*d.question.qids, d.question.sensitive) if q is not None}
    # the classes of every combination are shown, of one without a threshold too
    named |= {q for c in policy.all_combinations(main_qids(policy, assignments)) for q in c.quasi_identifiers}
    kept = tuple(name for name in names if name in named)
    return Plan(policy=policy, names=names, demands=asked, needs=needs(policy, kept))


def main_qids(policy: "Policy", assignments: tuple[RoleAssignment, ...]) -> tuple[str, ...]:
    """Return the QIDs of the main combination: those named, and unnamed columns that count as QIDs."""
    # what a person calls a QID is one for recognisers too, or a combination would weaken the main one
    of_others = {
        q for combination in policy.combinations for q in combination.quasi_identifiers if not policy.is_auto
    }
    named = () if policy.is_auto else policy.roles.quasi_identifiers
    more = (a.column for a in assignments if a.role is Role.QUASI_IDENTIFIER and a.column not in of_others)
    return tuple(dict.fromkeys((*named, *more)))


def judge_table(
    table: Table,
    planned: Plan,
    host: "Host",
    progress: Progress,
    today: date,
    *,
    recognition: Recognition | None = None,
) -> AuditReport:
    """Return a report with a verdict, as of ``today``; recognisers are asked unless they were before."""
    policy = planned.policy
    is_open = policy.is_auto or not set(planned.names) <= set(policy.decided_columns)
    if recognition is None and is_open:
        recognition = recognise_table(table, policy, host, progress)
    assignments, blocks = policy_roles(planned.names, policy, recognition)
    qids = main_qids(policy, assignments)
    asked = planned.demands if planned.demands is not None else _asked(policy, qids, host)
    figures = measure(table, [d.question for d in asked], progress)
    results = [ThresholdResult(limit=d.limit, measurement=m) for d, m in zip(asked, figures, strict=True)]
    found = [*blocks, *doubts(table, policy, recognition, qids, asked), *overdue(policy, today)]
    combinations = {c.name: tuple(c.quasi_identifiers) for c in policy.all_combinations(qids)} if qids else {}
    return AuditReport(
        source="",
        verdict=judge(results, found),
        columns=tuple(
            ColumnReport(facts=f, assignment=a) for f, a in zip(table.columns, assignments, strict=True)
        ),
        summaries=summarise(table, combinations),
        records=table.records,
        entities=table.entities,
        notes=(*notes_on(table, results), *policy_notes(policy, assignments, asked)),
        policy=policy.name,
        policy_digest=policy.digest,
        preset=policy.preset,
        versions={},
        engine="",
        seconds=0.0,
        is_auto=policy.is_auto,
    )


def _asked(policy: "Policy", qids: tuple[str, ...], host: "Host") -> tuple[Demand, ...]:
    return tuple(demands(policy, qids, host)) if qids else ()
