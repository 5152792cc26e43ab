"""What a person does next with a table that is described or blocked: columns to decide, and one command."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.auditing.recognizing import Recognition
from qidguard.auditing.remedy import first_choices
from qidguard.auditing.roles import suggested_roles
from qidguard.core.address import shown_address
from qidguard.core.report import ColumnReport, NextSteps
from qidguard.core.role import Role
from qidguard.core.value_parts import looks_like_a_value
from qidguard.policy.draft import roles_to_add

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qidguard.auditing.context import AuditContext
    from qidguard.core.verdict import ThresholdResult
    from qidguard.engines.base import Table
    from qidguard.policy import Policy


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
