"""The columns of a report: which of them are shown, and one line of the console for each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from rich.cells import cell_len, chop_cells
from rich.text import Text

from qidguard.core.kind import KIND_WORDS
from qidguard.core.report import AuditReport, ColumnReport
from qidguard.core.role import DecidedBy, Role
from qidguard.rendering.figure import short_share
from qidguard.rendering.printable import Marks, shown_name, visible

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


GIVEN_BY = {
    DecidedBy.PERSON: "person",
    DecidedBy.LEXICON: "its name",
    DecidedBy.CONTENT: "its values",
    DecidedBy.STATISTICS: "statistics",
    DecidedBy.NOBODY: "nobody",
}
"""Who or what gave a column its role, in words of a privacy officer."""


@dataclass(frozen=True, kw_only=True)
class ShownColumns:
    """The columns to show in full, in the table's order.

    Args:
        columns: Those.
        left_out: How many are not shown in full.
        more_qids: The quasi-identifiers among those, which are shown in short: none is hidden.
        is_wide: Whether the table has so many columns that the quasi-identifiers stand first.
    """

    columns: tuple[ColumnReport, ...]
    left_out: int
    more_qids: tuple[ColumnReport, ...] = ()
    is_wide: bool = False

    @property
    def unseen(self) -> int:
        """How many columns are shown nowhere."""
        return self.left_out - len(self.more_qids)

    def by_role(self) -> tuple[tuple[Role, tuple[ColumnReport, ...]], ...]:
        """Return the columns of each role that occurs."""
        order = sorted(ROLE_TITLES, key=lambda r: self.is_wide and r is not Role.QUASI_IDENTIFIER)
        groups = ((r, tuple(c for c in self.columns if c.assignment.role is r)) for r in order)
        return tuple((role, columns) for role, columns in groups if columns)


def selected(columns: Sequence[ColumnReport], most: int | None = MOST_COLUMNS) -> ShownColumns:
    """Return the columns most worth a look: QIDs first, insensitive ones last, by single-column risk."""
    is_wide = len(columns) > MOST_COLUMNS
    if most is None or len(columns) <= most:
        return ShownColumns(columns=tuple(columns), left_out=0, is_wide=is_wide)

    def rank(i: int) -> tuple[bool, bool, float, int]:
        role = columns[i].assignment.role
        is_qid = role is Role.QUASI_IDENTIFIER
        return not is_qid, role is Role.INSENSITIVE, -columns[i].facts.risk, i

    riskiest = sorted(range(len(columns)), key=rank)[:most]
    shown = set(riskiest)
    others = sorted(set(range(len(columns))) - shown, key=rank)
    return ShownColumns(
        columns=tuple(columns[i] for i in sorted(shown)),
        left_out=len(others),
        more_qids=tuple(columns[i] for i in others if columns[i].assignment.role is Role.QUASI_IDENTIFIER),
        is_wide=is_wide,
    )


def in_short(column: ColumnReport) -> str:
    """Return a column in few words: its name, kind, who gave it the role, how sure, and its risk."""
    by, confidence = GIVEN_BY[column.assignment.decided_by], column.confidence
    said = by if confidence is None else f"{by} {confidence:.2g}"
    return f"{shown_name(column.facts.name)} ({kind_word(column)}, {said}, {short_share(column.facts.risk)})"


def column_notes(column: ColumnReport, report: AuditReport) -> str:
    """Return what else is worth knowing of a column, in the words of the recognizer and of the facts."""
    assignment = column.assignment
    # where nobody decided, the role says so already
    notes = ["" if assignment.decided_by is DecidedBy.NOBODY else assignment.reason.rstrip(". ")]
    if notes[0] and column.confidence is not None:
        notes[0] += f" (confidence {column.confidence:.2g})"
    notes += [
        f"or {rival.assignment.role.value.replace('_', ' ')}: {rival.assignment.reason}"
        f" (confidence {rival.confidence:.2g})"
        for rival in column.rivals
    ]
    if column.sensitivity is not None:
        notes.append(f"sensitive: {column.sensitivity.sentence}")
    notes.append(kind_note(column))
    return "; ".join(note for note in (*notes, *_remarkable(column, report)) if note)


def short_note(column: ColumnReport, report: AuditReport, room: int) -> str:
    """Return what is worth knowing of a column in one line: why it has its role, then what else fits."""
    assignment, sensitivity = column.assignment, column.sensitivity
    why = "" if assignment.decided_by is DecidedBy.NOBODY else assignment.reason.partition("; ")[0]
    law = "" if sensitivity is None else f"sensitive: {sensitivity.sentence}"
    if sensitivity is not None and cell_len(why) + 2 + cell_len(law) > room:
        # by which law it is sensitive says more than what the word means
        why, law = why.partition(" (")[0], sensitivity.sentence
    is_asked = column.kind is not None and not column.kind.is_sure
    line = ""
    for note in (why.rstrip(". "), law, *_remarkable(column, report), kind_note(column) if is_asked else ""):
        longer = f"{line}; {note}" if line and note else line or note
        if not line or cell_len(longer) <= room:
            line = longer
    return line


def _remarkable(column: ColumnReport, report: AuditReport) -> Iterator[str]:
    """Yield what the facts of a column show that a person should see."""
    facts, assignment = column.facts, column.assignment
    if assignment.is_also_sensitive and assignment.decided_by is DecidedBy.PERSON:
        yield "sensitive, too"
    if facts.records and facts.missing == facts.records:
        yield "every value is missing"
    elif facts.records and facts.distinct == 1 and not facts.missing:
        yield "one value only"
    elif facts.records > 1 and facts.distinct == facts.records:
        yield "a different value in each record"
    elif report.entities and facts.distinct == report.entities and assignment.role is not Role.ENTITY:
        yield "as many values as entities"
    if facts.not_a_number:
        yield f"{facts.not_a_number:,} × not a number (NaN)"


def kind_word(column: ColumnReport) -> str:
    """Return the kind of a column, with a question mark where it is asked; its type where none is known.

    Example:
        >>> from qidguard.core.column import ColumnFacts, ValueType
        >>> from qidguard.core.kind import ColumnKind, KindAssignment
        >>> from qidguard.core.role import RoleAssignment
        >>> facts = ColumnFacts(name="n", value_type=ValueType.INTEGER, records=8, distinct=5, missing=0)
        >>> role = RoleAssignment(column="n", role=Role.UNCLASSIFIED, decided_by=DecidedBy.NOBODY)
        >>> kind = KindAssignment(kind=ColumnKind.COUNT, decided_by=DecidedBy.CONTENT, confidence=0.4)
        >>> kind_word(ColumnReport(facts=facts, assignment=role, kind=kind))
        'count?'
    """
    if column.kind is None:
        return column.facts.value_type.value
    return column.kind.kind.value + ("" if column.kind.is_sure else "?")


def kind_note(column: ColumnReport) -> str:
    """Return why the values are of their kind; nothing where a person states it or nobody knows."""
    kind = column.kind
    if kind is None or kind.confidence is None:
        return ""
    said = f"{KIND_WORDS[kind.kind]}, confidence {kind.confidence:.2g}: {kind.reason}"
    return said if kind.is_sure else f"are its values {said}?"


_NAME_LONGEST, _NAME_SHORTEST = 32, 12
_ROOMY, _LONG_BAR, _SHORT_BAR = 90, 10, 6
_NARROW = 76  # below it the bar and the kind are left out, so that the risk is not cut off
_ROLE_STYLES = {
    Role.DIRECT_IDENTIFIER: "bold red",
    Role.QUASI_IDENTIFIER: "bold yellow",
    Role.SENSITIVE: "bold magenta",
    Role.UNCLASSIFIED: "bold red",
}
# the widths of what stands right of the name: role given by, kind, distinct, missing, risk with its bar
_BY, _KIND, _DISTINCT, _MISSING, _RISK = 10, 9, 11, 7, 6
_FACTS = 1 + _BY + 2 + _KIND + _DISTINCT + 1 + _MISSING + 2 + _RISK + 1
_HIGH, _MIDDLE = 0.2, 0.05


def column_lines(report: AuditReport, selection: ShownColumns, marks: Marks, width: int) -> Iterator[Text]:
    """Yield the lines of the columns section, its heading left out."""
    longest = max((cell_len(shown_name(c.facts.name)) for c in selection.columns), default=0)
    is_narrow = width < _NARROW
    bar = 0 if is_narrow else _LONG_BAR if width >= _ROOMY else _SHORT_BAR
    room = max(_NAME_SHORTEST, width - 4 - _FACTS - bar + (_KIND if is_narrow else 0))
    name_width = min(max(longest, _NAME_SHORTEST), _NAME_LONGEST, room)
    yield _heading(name_width, is_narrow=is_narrow)
    for role, columns in selection.by_role():
        more = selection.more_qids if role is Role.QUASI_IDENTIFIER else ()
        number = len(columns) + len(more)
        count = f"  {number:,}" if number > 1 else ""
        yield Text.assemble("  ", (ROLE_TITLES[role], _ROLE_STYLES.get(role, "bold")), (count, "dim"))
        for column in columns:
            yield from _column(column, report, lambda risk: marks.bar(risk, bar), name_width, width)
        if more:
            yield Text(f"    and {len(more):,} more, each with its kind, who says so, and its risk:", "dim")
        for part in wrap(visible(", ".join(map(in_short, more))), width - 6):
            yield Text("      " + part)


def _heading(name_width: int, *, is_narrow: bool) -> Text:
    words = [
        _fit("column", name_width),
        _fit("role by", _BY),
        _fit("", 0),
        ("" if is_narrow else _fit("kind", _KIND)) + "distinct".rjust(_DISTINCT),
        "missing".rjust(_MISSING) + " ",
        "risk".rjust(_RISK),
    ]
    return Text("    " + " ".join(words), "dim")


def _column(
    column: ColumnReport, report: AuditReport, draw: Callable[[float], str], name_width: int, width: int
) -> Iterator[Text]:
    facts = column.facts
    missing = facts.missing / facts.records if facts.records else 0.0
    style = "red" if facts.risk >= _HIGH else "yellow" if facts.risk >= _MIDDLE else "green"
    line = Text("    ")
    line.append(_fit(shown_name(facts.name), name_width) + " ")
    line.append(_fit(GIVEN_BY[column.assignment.decided_by], _BY) + "  ", "dim")
    if width >= _NARROW:
        line.append(_fit(kind_word(column), _KIND), "dim")
    line.append(f"{facts.distinct:,}".rjust(_DISTINCT) + " ")
    line.append(short_share(missing).rjust(_MISSING) + "  ", "" if facts.missing else "dim")
    line.append(short_share(facts.risk).rjust(_RISK) + " ")
    if width >= _NARROW:
        line.append(draw(facts.risk), style)
    note = visible(short_note(column, report, width - 6))
    if note and line.cell_len + 2 + cell_len(note) <= width:
        yield line.append(f"  {note}", "dim")
        return
    yield line
    if note:
        yield Text("      " + _fit(note, width - 6).rstrip(), "dim")


def _fit(text: str, width: int) -> str:
    """Return ``text`` in exactly ``width`` cells: filled with spaces, or cut with an ellipsis."""
    if cell_len(text) > width:
        text = chop_cells(text, max(1, width - 1))[0] + "…"
    return text + " " * (width - cell_len(text))
