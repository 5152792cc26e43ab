"""What a raw table is told: which columns carry the values of a quasi-identifier once more."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.auditing.published import never_published
from qidguard.core.report import ColumnReport
from qidguard.core.role import Role
from qidguard.rendering.printable import shown_name
from qidguard.rendering.undone import MOST_LINES, together

if TYPE_CHECKING:
    from qidguard.engines.base import Table
    from qidguard.policy import Policy


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
