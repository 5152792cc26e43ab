"""Which columns a report for people shows when there are too many to look at."""

from collections.abc import Sequence
from dataclasses import dataclass

from qidguard.core.report import AuditReport, ColumnReport
from qidguard.core.role import DecidedBy, Role

MOST_COLUMNS = 40
"""Columns that are shown unless all are asked for."""

ROLE_TITLES = {
    Role.DIRECT_IDENTIFIER: "direct identifiers",
    Role.ENTITY: "entity",
    Role.QUASI_IDENTIFIER: "quasi-identifiers (QIDs)",
    Role.SENSITIVE: "sensitive attributes",
    Role.TARGET: "target",
    Role.TREATMENT: "treatment",
    Role.WEIGHT: "weight",
    Role.UNCLASSIFIED: "unclassified",
    Role.INSENSITIVE: "insensitive attributes",
}
"""Heading of each role, in the order in which reports show them."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The columns to show, in the table's order, and how many were left out."""

    columns: tuple[ColumnReport, ...]
    left_out: int

    def by_role(self) -> tuple[tuple[Role, tuple[ColumnReport, ...]], ...]:
        """Return the columns of each role that occurs.

        Returns:
            Pairs of role and columns, in the order of ROLE_TITLES.

        Example:
            >>> from qidguard.report.example import passed
            >>> [(role.value, len(columns)) for role, columns in selected(passed().columns).by_role()]
            [('entity', 1), ('quasi_identifier', 3), ('sensitive', 1)]
        """
        groups = ((r, tuple(c for c in self.columns if c.assignment.role is r)) for r in ROLE_TITLES)
        return tuple((role, columns) for role, columns in groups if columns)


def selected(columns: Sequence[ColumnReport], most: int | None = MOST_COLUMNS) -> Selection:
    """Return the columns most worth a look: by single-column risk, insensitive ones after all others.

    Args:
        columns: All columns of the table.
        most: How many to keep; None keeps all.

    Returns:
        The selection; ties go to the earlier column.

    Example:
        >>> from qidguard.report.example import passed
        >>> chosen = selected(passed().columns, most=2)
        >>> [c.facts.name for c in chosen.columns], chosen.left_out
        (['patient', 'zip'], 3)
    """
    if most is None or len(columns) <= most:
        return Selection(columns=tuple(columns), left_out=0)

    def rank(i: int) -> tuple[bool, float, int]:
        column = columns[i]
        return column.assignment.role is Role.INSENSITIVE, -column.facts.risk, i

    riskiest = sorted(range(len(columns)), key=rank)[:most]
    return Selection(
        columns=tuple(columns[i] for i in sorted(riskiest)), left_out=len(columns) - len(riskiest)
    )


def column_notes(column: ColumnReport, report: AuditReport) -> str:
    """Return what else is worth knowing of a column, in the words of the recogniser and of the facts.

    Args:
        column: The column.
        report: The report it stands in.

    Returns:
        Phrases with semicolons between them; empty where there is nothing to say.

    Units:
        Records.

    Example:
        >>> from qidguard.report.example import described
        >>> column_notes(described().columns[1], described())
        'the name says age'
    """
    facts, assignment = column.facts, column.assignment
    # where nobody decided, the role says so already
    notes = ["" if assignment.decided_by is DecidedBy.NOBODY else assignment.reason.rstrip(". ")]
    if facts.records and facts.missing == facts.records:
        notes.append("every value is missing")
    elif facts.records and facts.distinct == 1 and not facts.missing:
        notes.append("one value only")
    elif facts.records > 1 and facts.distinct == facts.records:
        notes.append("a different value in each record")
    elif report.entities and facts.distinct == report.entities and assignment.role is not Role.ENTITY:
        notes.append("as many values as entities")
    if facts.not_a_number:
        notes.append(f"{facts.not_a_number:,} × not a number (NaN)")
    return "; ".join(note for note in notes if note)
