"""Class summaries, sentences worth reading that do not block, and what a person does next."""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.auditing.recognizing import Recognition
from qidguard.auditing.remedy import first_choices
from qidguard.auditing.roles import never_published, suggested_roles
from qidguard.core.address import shown_address
from qidguard.core.column import ValueType
from qidguard.core.report import ClassSummary, ColumnReport, NextSteps
from qidguard.core.role import Role, RoleAssignment
from qidguard.core.statistic import CLASSES, PERSONS, SMALLEST_CLASS, UNIQUES
from qidguard.core.value_parts import looks_like_a_value
from qidguard.core.verdict import Bound, ThresholdResult
from qidguard.core.view import Grouping
from qidguard.engines.base import Table
from qidguard.policy import PRESETS
from qidguard.policy.draft import roles_to_add
from qidguard.rendering.figure import counted
from qidguard.rendering.printable import listed, shown_name
from qidguard.rendering.undone import MOST_LINES, together

if TYPE_CHECKING:
    from collections.abc import Iterable

    from qidguard.auditing.context import AuditContext
    from qidguard.policy import Policy


_STATISTICS = (CLASSES, SMALLEST_CLASS, UNIQUES, PERSONS)


def summarize(table: Table, combinations: Mapping[str, tuple[str, ...]]) -> tuple[ClassSummary, ...]:
    """Return the classes of each QID combination, by name."""
    summaries = []
    for name, qids in combinations.items():
        values = table.statistics(Grouping(qids=qids), _STATISTICS)
        classes, smallest, uniques, persons = (int(values[s.name] or 0) for s in _STATISTICS)
        summaries.append(
            ClassSummary(
                combination=name,
                qids=qids,
                classes=classes,
                smallest=smallest,
                uniques=uniques,
                persons=persons,
                suppressed=table.suppressed_records(qids),
            )
        )
    return tuple(summaries)


def entity_note(columns: Sequence[ColumnReport]) -> tuple[str, ...]:
    """Return a sentence for each direct identifier that repeats: it may be the person with many records."""
    repeating = (
        column.facts
        for column in columns
        if column.assignment.role is Role.DIRECT_IDENTIFIER and column.facts.groups < column.facts.records
    )
    return tuple(
        f"{facts.name!r} repeats: {facts.distinct:,} values in {facts.records:,} records. If it is the"
        " person, name it as roles: entity, so that persons are counted and not records."
        for facts in repeating
    )


FEWEST_UNNAMED, SHARE_UNNAMED = 5, 0.33
"""Columns, and share of them, of which no name says what they are, from which a codebook is missed."""


def codebook_note(columns: "Sequence[ColumnReport]") -> tuple[str, ...]:
    """Return a sentence where so many columns have no role and no label that a codebook would help."""
    unnamed = [
        column for column in columns if column.assignment.role is Role.UNCLASSIFIED and not column.facts.label
    ]
    if len(unnamed) < max(FEWEST_UNNAMED, SHARE_UNNAMED * len(columns)):
        return ()
    sentence = (
        f"Of {len(unnamed):,} of the {len(columns):,} columns neither name nor values tell what they are. A"
        " codebook that says what each is called would: --codebook FILE, or source.codebook in the policy."
    )
    return (sentence,)


def notes_on(
    table: Table, summaries: "Iterable[ClassSummary]", results: "Iterable[ThresholdResult]" = ()
) -> tuple[str, ...]:
    """Return sentences on how the table was read and what is odd about it."""
    notes = list(table.notes)
    notes += [
        f"{counted(one.suppressed, 'records')} {'has' if one.suppressed == 1 else 'have'} {listed(one.qids)}"
        f" suppressed and {'stands' if one.suppressed == 1 else 'stand'} in no class. Whoever knows that"
        " somebody is in the table and finds no class for them looks for them among these."
        for one in summaries
        if one.suppressed
    ]
    unsaid: list[str] = []
    for facts in table.columns:
        if facts.value_type is ValueType.EMPTY:
            notes.append(
                f"Column {facts.name!r} holds no value at all; it counts as one group of missing values."
            )
        if facts.not_a_number:
            notes.append(
                f"Column {facts.name!r} holds NaN in {facts.not_a_number:,} records; NaN counts as a value of"
                " its own, apart from missing."
            )
        if facts.undeclared_missing:
            unsaid.append(f"{facts.name!r} ({facts.undeclared_missing:,} records)")
    if unsaid:
        notes.append(
            f"A text such as ? or NA stands in {', '.join(unsaid)}; it counts as a value. If it means"
            " missing, declare it under source: missing."
        )
    persons = table.records if table.entities is None else table.entities
    word = "records" if table.entities is None else "entities"
    for result in results:
        if result.measurement.remark:
            notes.append(result.measurement.remark)
        is_k = result.measurement.metric == "k_anonymity" and result.limit.bound is Bound.AT_LEAST
        if is_k and result.limit.value > persons:
            notes.append(
                f"The policy asks for classes of at least {result.limit.value:g} {word}, but the table has"
                f" only {persons:,}; no table of this size can pass."
            )
    return tuple(dict.fromkeys(notes))


def policy_notes(policy: "Policy", assignments: Sequence[RoleAssignment]) -> tuple[str, ...]:
    """Return sentences on what the verdict takes for granted."""
    notes = []
    preset = None if policy.preset is None else PRESETS[policy.preset]
    if preset is not None and preset.note:
        notes.append(f"Preset {preset.name}: {preset.note}")
    direct = [a.column for a in assignments if a.role is Role.DIRECT_IDENTIFIER]
    if direct:
        names = ", ".join(map(repr, direct))
        notes.append(
            f"The table holds direct identifiers: {names}. The verdict is on a release without them."
        )
    dropped = [a.column for a in assignments if a.column in policy.dropped_columns]
    if dropped:
        names = ", ".join(map(repr, dropped))
        notes.append(f"The policy drops {names} from what is published. The verdict is on a release without.")
    return tuple(dict.fromkeys(notes))


def with_carried(
    table: "Table", columns: tuple[ColumnReport, ...], qids: Sequence[str]
) -> tuple[ColumnReport, ...]:
    """Return the columns with the QIDs whose values they carry, of a table whose QIDs were recognized."""
    carried = getattr(table, "carried", None)
    if carried is None or not qids:
        return columns
    found: Mapping[str, tuple[str, ...]] = carried(tuple(qids))
    return tuple(
        replace(column, facts=replace(column.facts, determines=found.get(column.facts.name, ())))
        for column in columns
    )


def same_values_notes(
    policy: "Policy | None", columns: Sequence[ColumnReport], qids: Sequence[str]
) -> tuple[str, ...]:
    """Return a line for each QID whose values another published column carries, as they are or finer.

    Without a policy everything but direct identifiers counts as published.
    """
    if policy is None:
        direct = (c.facts.name for c in columns if c.assignment.role is Role.DIRECT_IDENTIFIER)
        left_out: Collection[str] = tuple(direct)
    else:
        left_out = never_published(columns, policy)
    groups = {column.facts.name: column.facts.groups for column in columns}
    carried: dict[str, list[str]] = {}
    for column in columns:
        name, is_qid = column.facts.name, column.assignment.role is Role.QUASI_IDENTIFIER
        if name in left_out or is_qid:
            continue
        for qid in column.facts.determines:
            # a table that several policies share knows the QIDs of all of them
            if qid in qids and qid not in left_out:
                carried.setdefault(qid, []).append(name)
    lines = []
    for qid, names in carried.items():
        same = [name for name in names if groups[name] == groups[qid]]
        carrying = same or names
        many = len(carrying) > 1
        what = "the same values as" if same else "finer values than"
        lines.append(
            f"{together(carrying)} {'carry' if many else 'carries'} {what} {shown_name(qid)}: generalizing"
            f" one without the other{'s' if many else ''} would protect nothing."
        )
    left = len(lines) - MOST_LINES
    more = (f"Of {left:,} more QIDs the values are carried by other columns.",) if left > 0 else ()
    return (*lines[:MOST_LINES], *more)


def next_steps(
    context: "AuditContext",
    table: "Table",
    columns: "Sequence[ColumnReport]",
    recognition: Recognition,
    results: "Sequence[ThresholdResult]" = (),
) -> NextSteps:
    """Return the steps.

    Args:
        context: What was asked.
        table: The table.
        columns: Its columns with their roles.
        recognition: What recognizers say of the columns that nobody decided.
        results: The judged thresholds.
    """
    policy, source = context.policy, context.source
    # by the label, in which an address has no password
    named = (context.label,) if isinstance(source, (str, os.PathLike)) else None
    if policy is None:
        return NextSteps(source=named)
    # one that is called like a value is no line to paste: the first line may be somebody's record
    open_ = [
        column
        for column in columns
        if column.assignment.role is Role.UNCLASSIFIED and not looks_like_a_value(column.facts.name)
    ]
    roles = suggested_roles([column.facts for column in open_], recognition)
    # without rivals and confidence a line is short enough to be read
    suggested = [
        replace(column, assignment=role, proposals=()) for column, role in zip(open_, roles, strict=True)
    ]
    return NextSteps(
        source=() if policy.tables else named,
        policy=None if policy.file is None else shown_address(policy.file),
        undecided=len(open_),
        to_decide=roles_to_add(suggested),
        method=_method(context, policy, table, results),
    )


def _method(
    context: "AuditContext", policy: "Policy", table: "Table", results: "Sequence[ThresholdResult]"
) -> str | None:
    """Return what may make thresholds hold; None where none is missed, or persons are fewer than k."""
    missed = [r for r in results if r.is_blocking and not r.measurement.is_fault]
    persons, unit = (table.records, "records") if table.entities is None else (table.entities, "entities")
    if not missed or any(r.measurement.unit == unit and r.limit.value > persons for r in missed):
        return None
    return "" if policy.remedy is not None else next(iter(first_choices(context.host)), None)
