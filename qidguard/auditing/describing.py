"""Describe a table without a policy: suggested roles, and the classes they would make."""

from typing import TYPE_CHECKING

from qidguard.auditing.roles import recognise, suggested_roles
from qidguard.auditing.summary import entity_note, notes_on, summarise
from qidguard.core.report import AuditReport, ColumnReport
from qidguard.core.role import Role
from qidguard.engines.base import Table

if TYPE_CHECKING:
    from qidguard.host import Host


def describe(table: Table, host: "Host") -> AuditReport:
    """Return a report without a verdict."""
    recognition = recognise(table.columns, host)
    assignments = suggested_roles(table.columns, recognition)
    qids = tuple(a.column for a in assignments if a.role is Role.QUASI_IDENTIFIER)
    columns = tuple(
        ColumnReport(facts=f, assignment=a) for f, a in zip(table.columns, assignments, strict=True)
    )
    faults = (block.sentence for block in recognition.blocks)
    return AuditReport(
        source="",
        verdict=None,
        columns=columns,
        summaries=summarise(table, {"suggested": qids}) if qids else (),
        records=table.records,
        entities=table.entities,
        notes=(*notes_on(table), *entity_note(columns), *faults),
        policy=None,
        policy_digest=None,
        preset=None,
        versions={},
        engine="",
        seconds=0.0,
        is_auto=True,
    )
