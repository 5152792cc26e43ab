"""What blocks a data set of several tables beside what blocks its table of persons."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from qidguard.auditing.context import needs
from qidguard.auditing.demands import Demand, demands
from qidguard.auditing.leaks import with_leaks, with_more
from qidguard.auditing.linked.joining import is_changed, joined_name
from qidguard.auditing.linked.undoing import linked_of, with_dates
from qidguard.auditing.roles import never_published
from qidguard.core.column import ValueType
from qidguard.core.report import AuditReport
from qidguard.core.verdict import Block, ThresholdResult
from qidguard.engines.base import Needs, ReadOptions
from qidguard.measuring.evaluator import measure
from qidguard.rendering.threshold import threshold_clause

if TYPE_CHECKING:
    from qidguard.auditing.context import AuditContext
    from qidguard.core.versions import Changes
    from qidguard.engines.base import Snapshot
    from qidguard.engines.linked import LinkedCopy, LinkedRecords
    from qidguard.policy import Policy, Threshold


_DATES = frozenset({ValueType.DATE, ValueType.TIMESTAMP})


def with_tables(
    context: "AuditContext",
    policy: "Policy",
    report: AuditReport,
    copy: "Snapshot",
    changes: "Changes | None",
) -> AuditReport:
    """Return the report with what blocks the tables beside the persons'; as it is for a single table.

    What no remedy of the persons removes is looked at first. What joins tell is looked at where the persons'
    table passes, since a remedy may change it.

    Args:
        context: What was asked for.
        policy: The policy.
        report: The report on the persons.
        copy: The persons as they would be published.
        changes: The source beside them; None where nobody knows it.
    """
    linked = None if changes is None else linked_of(changes)
    if linked is None or changes is None or report.verdict is None:
        return report
    is_source = changes.before is changes.after
    blocks = []
    if is_source:
        blocks += [Block(rule=RULE, sentence=doubt) for doubt in linked.doubts]
        for child in linked.children:
            blocks += _content(context, policy, linked, child)
    blocks += [] if is_source else _changed(linked, changes)
    is_remedied_anyway = is_source and policy.remedy is not None and policy.remedy.when == "always"
    if report.verdict.is_passed and not blocks and not is_remedied_anyway:
        hidden = never_published(report.columns, policy)
        published = [
            one.facts.name
            for one in report.columns
            if one.facts.name not in hidden and one.facts.name not in linked.source.made
        ]
        qids = next((s.qids for s in report.summaries if s.combination == "default"), ())
        report = with_leaks(report, partial(with_dates, context, policy, report, changes, published))
        blocks += sensitive_blocks(context, policy, linked, copy, qids)
    return with_more(report, blocks=blocks)


def _content(
    context: "AuditContext", policy: "Policy", linked: "LinkedCopy", child: "LinkedRecords"
) -> list[Block]:
    """Return what the values of a table's published columns give away by themselves."""
    names = child.values
    if not names:
        return []
    moves = any(table.dates for table in linked.source.tables)
    blocks = []
    table = context.engine.open(child.records, ReadOptions(), Needs(columns=()), context.settings)
    try:
        columns = table.columns
    finally:
        table.close()
    for facts in columns:
        name = joined_name(child.table.name, facts.name)
        if facts.name not in names or policy.acceptance_of((name,)) is not None:
            continue
        if facts.identifiers:
            blocks.append(
                Block(
                    rule=RULE,
                    sentence=(
                        f"Column {name!r} is published and looks like {facts.identifiers[0].kind}; drop it,"
                        " call it a direct identifier, or accept it in words."
                    ),
                )
            )
        elif moves and facts.value_type in _DATES and facts.name not in child.table.dates:
            blocks.append(
                Block(
                    rule=RULE,
                    sentence=(
                        f"Column {name!r} holds dates and is published as it is, while other dates are moved,"
                        " so it may tell by how much; add it to dates, drop it, or accept it in words."
                    ),
                )
            )
    return blocks


def _changed(linked: "LinkedCopy", changes: "Changes") -> list[Block]:
    """Return a block for columns made of records that a remedy changed: records tell what they were."""
    changed = [
        name for name in linked.source.made if name in changes.after.names and is_changed(changes, name)
    ]
    gone = [name for name in linked.source.made if name not in changes.after.names]
    return [Block(rule=RULE, sentence=_held_sentence((*changed, *gone)))] if changed or gone else []


def _held_sentence(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names)
    return (
        f"The remedy changed {shown}, which stands for records that are published as they are; take one that"
        " leaves persons out or generalizes other columns, such as recode with suppress."
    )


RULE = "linked tables"


def sensitive_blocks(
    context: "AuditContext",
    policy: "Policy",
    linked: "LinkedCopy",
    persons: "Snapshot",
    qids: tuple[str, ...],
) -> list[Block]:
    """Return a block for each threshold that a sensitive column of another table misses.

    It is measured over every record of every person, and persons count: who has a value in any record has it.
    Whoever has no record has none of its values, which is one more.

    Args:
        context: The limits of the work.
        policy: The policy; its thresholds per sensitive attribute count.
        linked: The tables.
        persons: The persons as they would be published.
        qids: The quasi-identifiers of the main combination.
    """
    blocks = []
    for child in linked.children:
        written = policy.tables[child.table.name]
        for column in written.sensitive:
            name = joined_name(child.table.name, column)
            asked = tuple(_asked(context, policy, qids, name, _made_of(written.per_person, column)))
            if not asked:
                continue
            with linked.joined(persons, child.table.name, (column,)) as joined:
                kept = tuple(dict.fromkeys((*(q for d in asked for q in d.question.qids), name)))
                wanted = needs(policy.model_copy(update={"population": None}), kept)
                table = context.engine.open(joined, ReadOptions(), wanted, context.settings)
                try:
                    figures = measure(table, [demand.question for demand in asked], context.progress)
                finally:
                    table.close()
            for demand, figure in zip(asked, figures, strict=True):
                result = ThresholdResult(limit=demand.limit, measurement=figure)
                if result.is_blocking:
                    told = f"Joined to the persons, {threshold_clause(result)}"
                    remedy = f"coarsen or drop {name!r}, or make classes larger."
                    blocks.append(Block(rule=RULE, sentence=f"{told}; {remedy}"))
    return blocks


def _made_of(per_person: "Mapping[str, object]", column: str) -> set[str]:
    return {own for own, one in per_person.items() if getattr(one, "column", None) == column}


def _asked(
    context: "AuditContext", policy: "Policy", qids: tuple[str, ...], name: str, made: set[str]
) -> Iterator[Demand]:
    """Yield what the policy asks of a sensitive attribute, asked of a column of another table."""

    def limits(threshold: "Threshold") -> bool:
        named = threshold.sensitive_columns
        return not named or bool(made & set(named))

    everything = (*policy.thresholds, *policy.preset_thresholds)
    chosen = tuple(
        threshold.model_copy(update={"sensitive": None})
        for threshold in everything
        if context.host.metric(threshold.metric).is_sensitive and limits(threshold)
    )
    if not chosen or not qids:
        return
    roles = policy.roles.model_copy(update={"sensitive": (name,)})
    alone = policy.narrowed(
        {"roles": roles, "thresholds": chosen, "preset": None, "combinations": (), "population": None}
    )
    for demand in demands(alone, qids, context.host):
        metric = demand.question.metric
        if not (metric.needs_history or metric.needs_original):
            yield demand
