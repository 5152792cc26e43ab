"""A published release under today's policy: its columns, its figures, and the other releases beside it."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard.auditing.beside import read_beside
from qidguard.auditing.demands import demands
from qidguard.auditing.doubts import doubts, overdue
from qidguard.auditing.judging import check_fit, main_qids
from qidguard.auditing.proposed import recognized_sensitive, unlimited
from qidguard.auditing.rest import (
    accepted_of,
    bound_to,
    outside_notes,
    outside_qids,
    rest_blocks,
    rest_of,
)
from qidguard.auditing.roles import policy_roles, recognize
from qidguard.auditing.searching import recognize_table
from qidguard.auditing.summary import summarize
from qidguard.core.report import AuditReport, ClassSummary, ColumnReport
from qidguard.core.verdict import Block, judge
from qidguard.engines.base import KeyedClasses
from qidguard.releasing.context import ReleaseContext
from qidguard.releasing.history.earlier import NOW, OfRelease
from qidguard.releasing.history.past import Past, earlier_release
from qidguard.releasing.reaudit.remeasure import remeasure
from qidguard.releasing.reaudit.undone import undone_then
from qidguard.trials.columns import select

if TYPE_CHECKING:
    from qidguard.engines.base import Table
    from qidguard.ledger import TypedEntry
    from qidguard.ledger.payloads import Releasing


def judged_today(context: ReleaseContext, table: "Table", record: Any, apart: list[Block]) -> AuditReport:
    """Return the report on a published release under today's policy.

    Args:
        context: The re-audit.
        table: What is published, opened.
        record: The internal record of the release.
        apart: A block where other releases cannot be held against this one.
    """
    policy = context.policy
    check_fit(policy, tuple(column["name"] for column in record["columns"]))
    names = tuple(facts.name for facts in table.columns)
    is_open = policy.is_auto or not set(names) <= set(policy.decided_columns)
    known = recognize(table, context.host, read_beside(policy, context.host))
    recognition = recognize_table(table, policy, context.host, known=known) if is_open else None
    assignments, blocks = policy_roles(names, policy, recognition)
    qids = main_qids(policy, assignments)
    rest = rest_of(assignments, policy)
    asked = (
        bound_to(rest, demands(policy, qids, context.host, recognized_sensitive(assignments))) if qids else ()
    )
    figures = remeasure(context, table, asked, record)
    columns = tuple(
        ColumnReport(facts=f, assignment=a) for f, a in zip(table.columns, assignments, strict=True)
    )
    hidden = [
        Block(
            rule="columns", sentence=f"Column {name!r} is published, and today's policy keeps it back: {why}."
        )
        for name, why in select(columns, policy).dropped.items()
        if why != "unclassified"  # said already
    ]
    is_over_time = any(demand.question.metric.needs_history for demand in asked)
    outside = outside_qids(table, rest, known)
    if policy.roles.entity is not None:  # who is a person is not published
        outside = replace(outside, told_apart=())
    faults = [
        *blocks,
        *unlimited(policy, assignments, asked),
        *doubts(table, policy, recognition, qids, asked),
        *rest_blocks(outside.identifying),
        *overdue(policy, context.today),
        *hidden,
        *figures.blocks,
        *undone_then(policy, asked, record),
        *(apart if is_over_time and policy.release.earlier_releases != "unrelated" else ()),
    ]
    combinations = policy.all_combinations(qids) if qids else ()
    report = AuditReport(
        source=context.label,
        verdict=judge(figures.results, faults),
        columns=columns,
        summaries=tuple(
            _summary(context, table, record, c.name, tuple(c.quasi_identifiers)) for c in combinations
        ),
        records=table.records,
        entities=record["risk_after"]["table"]["entities"],
        notes=(),
        policy=policy.name,
        policy_digest=policy.digest,
        preset=policy.preset,
        versions=context.host.versions,
        engine=context.engine.name,
        seconds=0.0,
        is_auto=policy.is_auto,
        outside=outside,
        accepted=accepted_of(policy, outside),
    )
    return replace(report, notes=outside_notes(report))


def _summary(
    context: ReleaseContext, table: "Table", record: Any, name: str, qids: tuple[str, ...]
) -> ClassSummary:
    """Return the classes of a combination of today: counted where records are persons, else as recorded."""
    published = {facts.name for facts in table.columns}
    if context.policy.roles.entity is None and set(qids) <= published:
        return summarize(table, {name: qids})[0]
    for classes in record["risk_after"]["classes"]:
        if set(classes["qids"]) == set(qids):
            numbers = {number: int(classes[number]) for number in ("classes", "smallest", "uniques")}
            return ClassSummary(combination=name, qids=qids, **numbers)
    # nobody knows, and a figure over these columns blocks; a combination is named all the same
    return ClassSummary(combination=name, qids=qids, classes=0, smallest=0, uniques=0)


def other_releases(context: ReleaseContext, past: Past, promise: "TypedEntry[Releasing]") -> OfRelease:
    """Return all other releases beside this one, which stands where a table to be released would."""
    mine = earlier_release(context, promise)
    is_judged = context.policy.release.earlier_releases != "unrelated"
    others = [e for e in past.begun if e.id != promise.id] if is_judged else []

    def now(qids: tuple[str, ...]) -> KeyedClasses:
        kept, name = mine.load(), mine.combination_for(qids)
        return KeyedClasses(
            persons=kept.persons,
            classes={NOW: kept.classes[name]},
            class_of={NOW: kept.class_of[name]},
        )

    return OfRelease(
        mine=mine,
        others=[earlier_release(context, entry) for entry in others],
        now=now,
        columns_now=lambda: mine.columns,
    )


def strangers(
    context: ReleaseContext, past: Past, promise: "TypedEntry[Releasing]", record: Any
) -> list[Block]:
    """Return a block where other releases, or today's policy, cannot be held against this release."""
    promised = promise.payload
    entity = context.policy.roles.entity
    names = [column["name"] for column in record["columns"]]
    followed = [entity] if entity is not None else sorted(context.followed or names)
    if list(promised.follows) != followed:
        sentence = (
            "Today's policy follows people by other columns than this release did, so nobody can tell what it"
            " reveals together with others; keep roles.entity, or the QIDs and sensitive attributes where"
            " there is none."
        )
        return [Block(rule="earlier_releases", sentence=sentence)]
    odd = [
        entry
        for entry in past.begun
        if (entry.payload.history_key, entry.payload.follows) != (promised.history_key, promised.follows)
    ]
    if not odd:
        return []
    sentence = (
        f"{len(odd)} other releases of the data set were recorded under another history key or follow people"
        " by other columns, so nobody can tell what they reveal together."
    )
    return [Block(rule="earlier_releases", sentence=sentence)]
