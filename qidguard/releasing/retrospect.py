"""A published release under today's policy: its columns, its figures, and the other releases beside it."""

from typing import TYPE_CHECKING, Any

from qidguard.auditing.demands import demands
from qidguard.auditing.doubts import doubts, overdue
from qidguard.auditing.fit import check_fit
from qidguard.auditing.judging import main_qids
from qidguard.auditing.roles import policy_roles
from qidguard.auditing.searching import recognise_table
from qidguard.auditing.summary import summarise
from qidguard.core.report import AuditReport, ClassSummary, ColumnReport
from qidguard.core.verdict import Block, judge
from qidguard.engines.base import KeyedClasses
from qidguard.releasing.columns import select
from qidguard.releasing.earlier import NOW
from qidguard.releasing.job import Job
from qidguard.releasing.of_release import OfRelease
from qidguard.releasing.past import Past, earlier_release
from qidguard.releasing.remeasure import remeasure

if TYPE_CHECKING:
    from qidguard.engines.base import Table
    from qidguard.ledger import Entry


def judged_today(job: Job, table: "Table", record: Any, apart: list[Block]) -> AuditReport:
    """Return the report on a published release under today's policy.

    Args:
        job: The re-audit.
        table: What is published, opened.
        record: The internal record of the release.
        apart: A block where other releases cannot be held against this one.
    """
    policy = job.policy
    check_fit(policy, tuple(column["name"] for column in record["columns"]))
    names = tuple(facts.name for facts in table.columns)
    is_open = policy.is_auto or not set(names) <= set(policy.decided_columns)
    recognition = recognise_table(table, policy, job.host) if is_open else None
    assignments, blocks = policy_roles(names, policy, recognition)
    qids = main_qids(policy, assignments)
    asked = tuple(demands(policy, qids, job.host)) if qids else ()
    figures = remeasure(job, table, asked, record)
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
    found = [
        *blocks,
        *doubts(table, policy, recognition, qids, asked),
        *overdue(policy, job.today),
        *hidden,
        *figures.blocks,
        *(apart if is_over_time and policy.release.earlier_releases != "unrelated" else ()),
    ]
    combinations = policy.all_combinations(qids) if qids else ()
    return AuditReport(
        source=job.label,
        verdict=judge(figures.results, found),
        columns=columns,
        summaries=tuple(
            _summary(job, table, record, c.name, tuple(c.quasi_identifiers)) for c in combinations
        ),
        records=table.records,
        entities=record["risk_after"]["table"]["entities"],
        notes=(),
        policy=policy.name,
        policy_digest=policy.digest,
        preset=policy.preset,
        versions=job.host.versions,
        engine=job.engine.name,
        seconds=0.0,
        is_auto=policy.is_auto,
    )


def _summary(job: Job, table: "Table", record: Any, name: str, qids: tuple[str, ...]) -> ClassSummary:
    """Return the classes of a combination of today: counted where records are persons, else as recorded."""
    published = {facts.name for facts in table.columns}
    if job.policy.roles.entity is None and set(qids) <= published:
        return summarise(table, {name: qids})[0]
    for said in record["risk_after"]["classes"]:
        if set(said["qids"]) == set(qids):
            numbers = {number: int(said[number]) for number in ("classes", "smallest", "uniques")}
            return ClassSummary(combination=name, qids=qids, **numbers)
    # nobody knows, and a figure over these columns blocks; a combination is named all the same
    return ClassSummary(combination=name, qids=qids, classes=0, smallest=0, uniques=0)


def history_beside(job: Job, past: Past, promise: "Entry") -> OfRelease:
    """Return all other releases beside this one, which stands where a table to be released would."""
    mine = earlier_release(job, promise)
    is_judged = job.policy.release.earlier_releases != "unrelated"
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
        others=[earlier_release(job, entry) for entry in others],
        now=now,
        columns_now=lambda: mine.columns,
    )


def strangers(job: Job, past: Past, promise: "Entry", record: Any) -> list[Block]:
    """Return a block where other releases, or today's policy, cannot be held against this release."""
    said: Any = promise.payload
    entity = job.policy.roles.entity
    names = [column["name"] for column in record["columns"]]
    followed = [entity] if entity is not None else sorted(job.followed or names)
    if said["follows"] != followed:
        sentence = (
            "Today's policy follows people by other columns than this release did, so nobody can tell what it"
            " reveals together with others; keep roles.entity, or the QIDs and sensitive attributes where"
            " there is none."
        )
        return [Block(rule="earlier_releases", sentence=sentence)]
    odd = [
        entry
        for entry in past.begun
        if (entry.payload["history_key"], entry.payload["follows"]) != (said["history_key"], said["follows"])
    ]
    if not odd:
        return []
    sentence = (
        f"{len(odd)} other releases of the data set were recorded under another history key or follow people"
        " by other columns, so nobody can tell what they reveal together."
    )
    return [Block(rule="earlier_releases", sentence=sentence)]
