"""A published release under today's policy: its columns, its figures, and the other releases beside it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.hierarchy.policy import hierarchy_digests
from qidguard.auditing.judging import Judgement
from qidguard.auditing.leaks import RULE
from qidguard.auditing.lexicon_and_codebook import read_beside
from qidguard.auditing.new_table import NOTHING_OUTSIDE, policy_of_new_table
from qidguard.auditing.outside import outside_qids
from qidguard.auditing.questions import Questions, check_fit
from qidguard.auditing.roles import ColumnRoles
from qidguard.auditing.summary import summarize
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Unit
from qidguard.core.new_table import NewTableFacts, NewTableKind
from qidguard.core.noised import noised_text
from qidguard.core.privacy import PrivacyGuarantee
from qidguard.core.privacy_document import read_privacy
from qidguard.core.report import AuditReport, ClassSummary, ColumnReport
from qidguard.core.verdict import Block, ThresholdResult
from qidguard.engines.base import WORDS_OF_VALUES, KeyedClasses
from qidguard.ledger import LedgerError
from qidguard.measuring.evaluator import measure
from qidguard.releasing.context import ReleaseContext
from qidguard.releasing.deciding.exception import told_key
from qidguard.releasing.history.comparable import series_of, unrelated_line
from qidguard.releasing.history.earlier import NOW, KeyedHistory
from qidguard.releasing.history.past import Past, earlier_release, normalized_as, of_persons
from qidguard.releasing.publishing.record import attacker_of, population_digest
from qidguard.rendering.document import noised_document
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
    roles = ColumnRoles.of(context, table, policy, read_beside(policy, context.host))
    noise = None if told is not None else noise_then(record)
    questions = Questions.of(policy, roles, context.host, noise)
    results, unknown = remeasure(context, table, questions.read, record, basis_now(asked_of_source))
    columns = tuple(
        ColumnReport(facts=f, assignment=a) for f, a in zip(table.columns, roles.assignments, strict=True)
    )
    hidden = [
        Block(
            rule="columns", sentence=f"Column {name!r} is published, and today's policy keeps it back: {why}."
        )
        for name, why in select(columns, asked_of_source.policy).dropped.items()
        if why != "unclassified"  # said already
        and not (why == "entity" and policy.tables)  # it is a pseudonym there
    ]
    is_over_time = any(demand.question.metric.needs_history for demand in questions.asked)
    outside = outside_qids(table, roles.rest, roles.known) if told is None else NOTHING_OUTSIDE
    if told is None and policy.roles.entity is not None:  # who is a person is not published
        outside = replace(outside, told_apart=())
    judgement = Judgement(
        context=context,
        policy=policy,
        table=table,
        roles=roles,
        questions=questions,
        outside=outside,
        noise=noise,
        new_table=told,
    )
    return judgement.report(
        results,
        blocks=(
            *hidden,
            *unknown,
            *undone_then(policy, questions.asked, record),
            *(apart if is_over_time else ()),
        ),
        columns=columns,
        summaries=tuple(
            _summary(context, table, record, name, qids) for name, qids in judgement.combinations.items()
        ),
        entities=record["risk_after"]["table"]["entities"],
    )


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


def other_releases(context: ReleaseContext, past: Past, promise: "TypedEntry[Releasing]") -> KeyedHistory:
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

    return KeyedHistory(
        earlier=[earlier_release(context, entry, past.others) for entry in others],
        now=now,
        columns_now=lambda: mine.columns,
        is_by_content=context.policy.roles.entity is None,
        kept=tuple(mine.qids.values()),
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


def remeasure(
    context: "ReleaseContext",
    table: "Table",
    asked: "Sequence[Demand]",
    record: Mapping[str, Any],
    basis: Mapping[str, Any],
) -> tuple[tuple[ThresholdResult, ...], tuple[Block, ...]]:
    """Return the figures that today's policy asks of a published release, and a block for each unknown one.

    A figure is measured on what is published where that says the same as the source did: over columns that
    are published, in a table whose records are the persons. Metrics over time are measured on the keyed
    classes that the ledger keeps. Whatever else is taken from the record of the release, whose bytes have
    not changed since, if the same question was asked then, and persons were counted in the same way:
    ``basis`` is what today's policy makes of that.
    """
    is_same_basis = basis_then(record) == basis
    is_new = record["risk_after"].get("new_table") is not None
    anew = [d for d in asked if _is_measurable(context, table, d) and not (is_new and _is_of_persons(d))]
    figures = dict(
        zip(map(id, anew), measure(table, [d.question for d in anew], context.progress), strict=True)
    )
    results, blocks = [], []
    for demand in asked:
        figure = figures.get(id(demand)) or (_recorded(context, demand, record) if is_same_basis else None)
        if figure is None:
            blocks.append(_unknown(demand))
        else:
            results.append(ThresholdResult(limit=demand.limit, measurement=figure))
    return tuple(results), tuple(blocks)


def _is_of_persons(demand: "Demand") -> bool:
    """Whether persons are looked for in other tables, which no record of a new table is."""
    return demand.question.metric.needs_history or demand.question.metric.needs_population


def _is_measurable(context: "ReleaseContext", table: "Table", demand: "Demand") -> bool:
    question = demand.question
    if question.metric.needs_history:
        if question.metric.is_sensitive:
            return False  # who left since the release before is known of the newest release alone
        # classes are kept for whole combinations, not for every part of one, nor for columns outside them
        kept = table.history.kept if isinstance(table.history, KeyedHistory) else None
        return question.knows_any is None and any(set(qids) >= set(question.qids) for qids in kept or ())
    if question.metric.needs_original:
        return False  # what it was made from is not kept
    names = {facts.name for facts in table.columns}
    columns = {*question.qids, *((question.attribute,) if question.attribute else ())}
    attribute = question.attribute
    if question.metric.needs_order and attribute in names and table.order(attribute or "").by is None:
        return False  # the order that its source declared, as a Categorical, is in no file
    is_weighted = context.policy.roles.weight is not None and context.policy.roles.weight not in names
    # of several tables the persons' has one record a person, and what is made of others is made again
    is_of_persons = context.policy.roles.entity is None or bool(context.policy.tables)
    return is_of_persons and columns <= names and not is_weighted


def _recorded(context: "ReleaseContext", demand: "Demand", record: Mapping[str, Any]) -> Measurement | None:
    """Return the figure that was measured for the same question when the release was made."""
    question, name = demand.question, demand.limit.combination
    noised = question.noised
    every = set(question.qids if noised is None else noised.every)
    read = "" if noised is None else noised_text(noised_document(noised))
    then = next((c for c in record["attack"]["combinations"] if set(c["qids"]) == every), None)
    if then is None or then["attacker"] != attacker_of(context.policy, name):
        return None
    if question.metric.needs_original and not _is_same_hierarchies(context, record):
        return None  # a loss is read by the hierarchies
    arguments = json.dumps(dict(question.arguments), sort_keys=True)
    asked = (question.metric.name, then["name"], question.attribute, arguments, read)
    for figure in record["risk_after"]["thresholds"]:
        is_same = told_key(figure)[: len(asked)] == asked
        if is_same and figure["value"] is not None and not figure["is_fault"]:
            return Measurement(
                metric=figure["metric"],
                title=figure["title"],
                value=figure["value"],
                unit=figure["unit"],
                qids=tuple(figure["qids"]),
                sensitive=figure["sensitive"],
                arguments=question.arguments,
                subsets=figure["subsets"],
                noised=noised,
            )
    return None


def _is_same_hierarchies(context: "ReleaseContext", record: Mapping[str, Any]) -> bool:
    """Return whether today's hierarchies are those of the release, the content of their files too."""
    then, now = record["policy"], context.policy.model_dump(mode="json")
    is_written_so = bool(then["document"].get("hierarchies") == now.get("hierarchies"))
    kept = then.get("hierarchies_sha256")
    # a release that needed no remedy read no file, and lost nothing by any hierarchy
    return is_written_so and (not kept or kept == hierarchy_digests(context.policy))


def _unknown(demand: "Demand") -> Block:
    question = demand.question
    of = f" of {question.attribute!r}" if question.attribute else ""
    word = "persons" if question.metric.unit is Unit.PERSONS else "the table"
    return Block(
        rule=question.metric.name,
        sentence=(
            f"{question.metric.name}{of} over {', '.join(question.qids)} was not measured when this was"
            f" released, and what is published no longer says enough of {word} to measure it; judge the"
            " source by today's policy, or withdraw the release."
        ),
    )


def basis_then(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the figures of a record rest on.

    Args:
        record: The internal record of a release.

    Returns:
        Plain values; figures with different ones answer different questions.

    Raises:
        KeyError: When the record lacks what every record holds.

    Example:
        >>> roles = {"entity": None, "weight": None}
        >>> document = {"roles": roles, "source": {}, "population": None, "sampling_fraction": None}
        >>> basis_then({"policy": {"document": document}, "attack": {}})["entity"] is None
        True
    """
    return _basis(record["policy"]["document"], record["attack"].get("population_sha256"))


def basis_now(context: "ReleaseContext") -> dict[str, Any]:
    """Return what today's policy makes figures rest on; the population is read for its digest.

    Args:
        context: The re-audit.

    Returns:
        Plain values, comparable with those of ``basis_then``.

    Raises:
        DataError: When the population cannot be read.
    """
    return _basis(context.policy.model_dump(mode="json"), population_digest(context))


def _basis(document: Mapping[str, Any], population_sha256: str | None) -> dict[str, Any]:
    roles, source, population = document["roles"], document["source"], document["population"]
    if population is not None:
        # where it lies may change, what is in it may not; and how it is read counts too
        population = {name: value for name, value in population.items() if name != "path"}
    return {
        "entity": roles["entity"],
        "weight": roles["weight"],
        # what an older version did not know was not said
        "read": [source.get(name) or None for name in WORDS_OF_VALUES],
        "order": document.get("order") or {},
        "population": population,
        "population_sha256": population_sha256,
        "sampling_fraction": document["sampling_fraction"],
    }
