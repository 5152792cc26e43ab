"""Sentences on what is published outside the QIDs: whom it tells apart, and what identifies by itself."""

from qidguard.core.outside import Alone, IdentifyingColumn, TellingColumns, ToldApart
from qidguard.core.report import AcceptanceReport, AuditReport
from qidguard.core.role import Role
from qidguard.rendering.printable import visible

NOTED_SHARE = 0.05
"""A note says whom the rest tells apart from this share of the persons on."""

_SPOKEN = {
    Role.INSENSITIVE: "is called insensitive",
    Role.WEIGHT: "is the weight",
    Role.TARGET: "is the target",
    Role.TREATMENT: "is the treatment",
    Role.ENTITY: "is the entity and called insensitive",
    Role.SENSITIVE: "is called sensitive",
    Role.UNCLASSIFIED: "has no role yet",
}


def told_apart_sentences(told: ToldApart) -> tuple[str, ...]:
    """Return whom columns tell apart together, and one sentence for each of the smallest sets that do.

    Example:
        >>> told = ToldApart(columns=("a", "b"), found=Alone(alone=3, persons=4))
        >>> told_apart_sentences(told)[0].partition(" by ")[0]
        '3 of 4 persons (75.0%) are told apart from everybody else'
    """
    number, found = len(told.columns), told.found
    word = "column that is" if number == 1 else "columns that are"
    what = (
        "no quasi-identifier, sensitive attributes included" if told.has_sensitive else "no quasi-identifier"
    )
    everyone = (
        f"{found.alone:,} of {found.persons:,} persons ({found.share:.1%}) are told apart from everybody else"
        f" by the {number} published {word} {what}."
    )
    return (everyone, *(_smallest(few) for few in told.smallest))


def _smallest(few: TellingColumns) -> str:
    names = " and ".join(map(repr, few.columns))
    return (
        f"{names} alone tell{'s' if len(few.columns) == 1 else ''} apart {few.alone:,} of them."
        " If somebody may know it, call it a quasi-identifier."
    )


def alone_words(found: Alone) -> str:
    """Return how many are alone on one column.

    Example:
        >>> alone_words(Alone(alone=3, persons=4))
        '3 of the 4 persons with a value have one that nobody else has'
    """
    return f"{found.alone:,} of the {found.persons:,} persons with a value have one that nobody else has"


def identifying_sentence(one: IdentifyingColumn) -> str:
    """Return why a column blocks and what to do, or in which words a person accepts it.

    Example:
        >>> one = IdentifyingColumn(column="w", role=Role.WEIGHT, reason="all differ", accepted="drawn so")
        >>> identifying_sentence(one)
        "Column 'w' is the weight, yet all differ. It is accepted: drawn so."
    """
    held = f"Column {one.column!r} {_SPOKEN[one.role]}, yet {one.reason}"
    if one.accepted is not None:
        return f"{held}. It is accepted: {visible(one.accepted).rstrip('. ')}."
    return (
        f"{held}; make it a quasi-identifier or a direct identifier, drop it, or write it under accepted"
        " with a reason."
    )


def unneeded_sentence(one: AcceptanceReport) -> str:
    """Return that nothing of a table needs what a person accepted.

    Example:
        >>> one = AcceptanceReport(columns=("w",), tells=None, reason="drawn so", by=None, is_needed=False)
        >>> unneeded_sentence(one).partition(";")[0]
        "The policy accepts 'w', and nothing about it would block"
    """
    columns = " and ".join(map(repr, one.columns))
    if one.tells is None:
        return (
            f"The policy accepts {columns}, and nothing about it would block; remove it from accepted, so"
            " that it counts again."
        )
    verb = "tells" if len(one.columns) == 1 else "tell"
    return (
        f"The policy accepts that {columns} {verb} {one.tells!r}, and in this table nothing of it is told;"
        " remove it from accepted."
    )


def identifying_line(one: IdentifyingColumn, report: AuditReport) -> str:
    """Return the column in one line: what to do stands where a policy blocks it, and here where none does."""
    if one.accepted is not None:
        return identifying_sentence(one)
    end = "a policy blocks it until it is accepted" if report.verdict is None else "it blocks"
    return f"Column {one.column!r} {_SPOKEN[one.role]}, yet {one.reason}: {end}."


def has_outside(report: AuditReport) -> bool:
    """Return whether anything outside the QIDs is worth a place in a report."""
    outside = report.outside
    if outside is None:
        return False
    return bool(outside.identifying) or any(one.found.share >= NOTED_SHARE for one in outside.told_apart)


def outside_sentences(report: AuditReport) -> tuple[str, ...]:
    """Return what a report notes of what is published outside the QIDs, blocks left out."""
    if report.outside is None:
        return ()
    told = (one for one in report.outside.told_apart if one.found.share >= NOTED_SHARE)
    named = (one for one in report.outside.identifying if one.accepted is not None)
    return (
        *(sentence for one in told for sentence in told_apart_sentences(one)),
        *(identifying_sentence(one) for one in named),
    )
