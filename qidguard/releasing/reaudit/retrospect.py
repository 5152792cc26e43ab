"""A published release under today's policy: its columns, its figures, and the other releases beside it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard.auditing.blocks import doubts, overdue
from qidguard.auditing.demands import demands
from qidguard.auditing.judging import check_fit, main_qids
from qidguard.auditing.leaks import RULE
from qidguard.auditing.lexicon_and_codebook import read_beside
from qidguard.auditing.new_table import NOTHING_OUTSIDE, policy_of_new_table, unaccepted
from qidguard.auditing.noise import noised_combinations, with_noise
from qidguard.auditing.outside import (
    accepted_of,
    bound_to,
    outside_notes,
    outside_qids,
    rest_blocks,
    rest_of,
)
from qidguard.auditing.proposed import recognized_sensitive, unlimited
from qidguard.auditing.roles import policy_roles, recognize
from qidguard.auditing.searching import recognize_table
from qidguard.auditing.summary import summarize
from qidguard.core.new_table import NewTableFacts, NewTableKind
from qidguard.core.privacy import PrivacyGuarantee
from qidguard.core.privacy_document import read_privacy
from qidguard.core.report import AuditReport, ClassSummary, ColumnReport
from qidguard.core.verdict import Block, judge
from qidguard.engines.base import KeyedClasses
from qidguard.ledger import LedgerError
from qidguard.releasing.context import ReleaseContext
from qidguard.releasing.history.comparable import series_of, unrelated_line
from qidguard.releasing.history.earlier import NOW
from qidguard.releasing.history.of_release import OfRelease
from qidguard.releasing.history.past import Past, earlier_release, normalized_as, of_persons
from qidguard.releasing.reaudit.remeasure import basis_now, remeasure
from qidguard.rendering.undone import together
from qidguard.trials.columns import select

if TYPE_CHECKING:
    from qidguard.auditing.demands import Demand
    from qidguard.engines.base import Table
    from qidguard.ledger import TypedEntry
    from qidguard.ledger.payloads import Releasing
    from qidguard.policy import Policy


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
    told, asked_of_source = new_table_then(record), context
    if told is not None:
        policy = policy_of_new_table(policy, told, names)
        context = replace(context, policy=policy)
    is_open = policy.is_auto or not set(names) <= set(policy.decided_columns)
    known = recognize(table, context.host, read_beside(policy, context.host))
    recognition = recognize_table(table, policy, context.host, known=known) if is_open else None
    assignments, blocks = policy_roles(names, policy, recognition)
    qids = main_qids(policy, assignments)
    rest = rest_of(assignments, policy)
    asked = (
        bound_to(rest, demands(policy, qids, context.host, recognized_sensitive(assignments))) if qids else ()
    )
    noise = None if told is not None else noise_then(record)
    read = with_noise(asked, () if noise is None else noise.columns)
    figures = remeasure(context, table, read, record, basis_now(asked_of_source))
    columns = tuple(
        ColumnReport(facts=f, assignment=a) for f, a in zip(table.columns, assignments, strict=True)
    )
    hidden = [
        Block(
            rule="columns", sentence=f"Column {name!r} is published, and today's policy keeps it back: {why}."
        )
        for name, why in select(columns, asked_of_source.policy).dropped.items()
        if why != "unclassified"  # said already
        and not (why == "entity" and policy.tables)  # it is a pseudonym there
    ]
    is_over_time = any(demand.question.metric.needs_history for demand in asked)
    outside = outside_qids(table, rest, known)
    if told is not None:
        outside = NOTHING_OUTSIDE
    elif policy.roles.entity is not None:  # who is a person is not published
        outside = replace(outside, told_apart=())
    faults = [
        *blocks,
        *unaccepted(policy, told),
        *unlimited(policy, assignments, asked),
        *doubts(table, policy, recognition, qids, asked),
        *rest_blocks(outside.identifying),
        *overdue(policy, context.today),
        *hidden,
        *figures.blocks,
        *undone_then(policy, asked, record),
        *(apart if is_over_time else ()),
    ]
    combinations = policy.all_combinations(qids) if qids else ()
    named = {c.name: tuple(c.quasi_identifiers) for c in combinations}
    noised = noised_combinations(noise, named, read)
    report = AuditReport(
        source=context.label,
        verdict=judge(figures.results, faults),
        columns=columns,
        summaries=tuple(
            _summary(context, table, record, c.name, tuple(c.quasi_identifiers)) for c in combinations
        ),
        records=table.records,
        entities=record["risk_after"]["table"]["entities"],
        notes=(*(() if told is None else (told.sentence,)), *(one.sentence for one in noised)),
        new_table=told,
        noised=noised,
        policy=policy.name,
        policy_digest=policy.digest,
        preset=policy.preset,
        versions=context.host.versions,
        engine=context.engine.name,
        seconds=0.0,
        is_auto=policy.is_auto,
        outside=outside,
        accepted=accepted_of(policy, outside, asked),
    )
    return replace(report, notes=(*report.notes, *outside_notes(report)))


def new_table_then(record: Mapping[str, Any]) -> NewTableFacts | None:
    """Return what a release is whose records are none of its source's; None where they are.

    Raises:
        LedgerError: When what is recorded says of no new table what it is.
    """
    told = record["risk_after"].get("new_table")
    if told is None:
        return None
    try:
        kind = NewTableKind(told["kind"])
    except ValueError:
        raise LedgerError(
            "the record of this release cannot be trusted: its new table is of no kind"
        ) from None
    return NewTableFacts(kind=kind, counts=told["counts"], is_guaranteed=told["is_guaranteed"])


def noise_then(record: Mapping[str, Any]) -> PrivacyGuarantee | None:
    """Return what the noise of a release guarantees, as its record has it; None where it had none.

    Raises:
        LedgerError: When what is recorded contradicts itself, so that nobody knows which columns have noise.
    """
    done = record.get("suppression") or {}
    told = done.get("privacy")
    if told is None or done.get("new_table") is not None:  # that is covered as a whole
        return None
    try:
        return read_privacy(told)
    except ValueError as fault:
        raise LedgerError(f"the record of this release cannot be trusted: {fault}") from None


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
            persons = record["risk_after"]["table"]["entities"] or table.records
            return ClassSummary(combination=name, qids=qids, persons=int(persons), **numbers)
    # nobody knows, and a figure over these columns blocks; a combination is named all the same
    return ClassSummary(combination=name, qids=qids, classes=0, smallest=0, uniques=0, persons=0)


def other_releases(context: ReleaseContext, past: Past, promise: "TypedEntry[Releasing]") -> OfRelease:
    """Return all other releases beside this one, which stands where a table to be released would."""
    mine = earlier_release(context, promise)
    others = [e for e in of_persons(past.begun) if e.id != promise.id]

    def now(qids: tuple[str, ...]) -> KeyedClasses:
        kept, name = mine.load(), mine.combination_for(qids)
        return KeyedClasses(
            persons=kept.persons,
            classes={NOW: kept.classes[name]},
            class_of={NOW: kept.class_of[name]},
        )

    return OfRelease(
        mine=mine,
        others=[earlier_release(context, entry, past.others) for entry in others],
        now=now,
        columns_now=lambda: mine.columns,
        is_by_content=context.policy.roles.entity is None,
    )


def strangers(
    context: ReleaseContext, past: Past, promise: "TypedEntry[Releasing]", record: Any
) -> list[Block]:
    """Return a block where other releases, or today's policy, cannot be held against this release."""
    promised = promise.payload
    if promised.new_table is not None:
        return []
    entity = context.policy.roles.entity
    names = [column["name"] for column in record["columns"]]
    followed = [entity] if entity is not None else sorted(context.followed or names)
    is_other_writing = normalized_as(context, followed) != (promised.normalized or None)
    if list(promised.follows) != followed or is_other_writing:
        what = "takes other texts as one value" if is_other_writing else "follows people by other columns"
        sentence = (
            f"Today's policy {what} than this release did, so nobody can tell what it"
            " reveals together with others; keep roles.entity, or the QIDs and sensitive attributes where"
            " there is none, and source.normalize."
        )
        return [Block(rule="earlier_releases", sentence=sentence)]
    odd = [entry for entry in of_persons(past.begun) if _ways(entry.payload) != _ways(promised)]
    if not odd:
        return []
    sentence = (
        f"{len(odd)} other releases of {series_of(odd)} were recorded under another history key or follow"
        " people by other columns, so nobody can tell what they reveal together; if they are of other people,"
        f" {unrelated_line(odd)}."
    )
    return [Block(rule="earlier_releases", sentence=sentence)]


def _ways(promised: "Releasing") -> tuple[Any, ...]:
    """Return what has to be the same for two releases to be held against each other."""
    return promised.history_key, promised.follows, promised.normalized or None


def untreated(context: "ReleaseContext", record: Any) -> tuple[str, ...]:
    """Return a sentence where today's policy always applies a remedy that this release did not go through."""
    remedy = context.remedy
    if remedy is None or not remedy.is_always:
        return ()
    done, name = record.get("suppression") or {}, remedy.anonymizer.name
    if name in {done.get("anonymizer"), done.get("anonymiser")}:  # as 0.1.0 spelled it
        return ()
    sentence = (
        f"The policy applies its remedy {name} to every release, and this one did not go through it; withdraw"
        " it, and release the source again."
    )
    return (sentence,)


def undone_then(policy: "Policy", asked: "Sequence[Demand]", record: Mapping[str, Any]) -> list[Block]:
    """Return a block for each pair that undid a generalization and that today's policy does not accept.

    The original is not kept, so the figures over what can be read back are those of the release's record. A
    record from before they were measured has none.
    """
    then = record["risk_after"]
    told = [undone for undone in then.get("undone", ()) if undone["is_undone"]]
    open_now = [u for u in told if policy.acceptance_of(tuple(u["columns"]), u["qid"]) is None]
    figures = [figure for read in then.get("read_backs", ()) for figure in read["thresholds"]]
    if not open_now or not any(_misses(demand, figures) for demand in asked if demand.limit.is_blocking):
        return []
    return [
        Block(
            rule=RULE,
            sentence=(
                f"{together(undone['columns'])} {'tells' if len(undone['columns']) == 1 else 'tell'} the"
                f" original {together([undone['qid']])} of this release, and today's policy does not accept"
                " it: read back, a limit is missed; accept it in words, or withdraw the release."
            ),
        )
        for undone in open_now
    ]


def _misses(demand: "Demand", figures: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the figure of the same question was one that today's limit does not hold."""
    question = demand.question
    arguments = json.dumps(dict(question.arguments), sort_keys=True)
    return any(
        not demand.limit.is_met_by(figure["value"])
        for figure in figures
        if figure["metric"] == question.metric.name
        and figure["sensitive"] == question.attribute
        and json.dumps(figure["arguments"], sort_keys=True) == arguments
    )
