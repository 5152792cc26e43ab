"""What a strategy says when it returns, checked before anything is made of it."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

from qidguard.core.recognizer import Evidence, RoleProposal
from qidguard.core.result_table import Cell, ResultTable
from qidguard.core.role import DecidedBy, Role
from qidguard.core.value_parts import holds_value
from qidguard.plot.plot import Plot
from qidguard.search.protocol import Termination

MOST_TABLES, MOST_COLUMNS, MOST_ROWS, MOST_PLOTS, MOST_WORDS = 20, 50, 10_000, 50, 500
"""How many of each a strategy may give back or declare."""
LONGEST_TITLE, LONGEST_HEADING, LONGEST_TEXT, LONGEST_WORD = 200, 100, 2_000, 60
"""Characters of its texts."""
_LARGEST = 2**63

CLASSIFIED = (
    *(Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE),
    *(Role.INSENSITIVE, Role.UNCLASSIFIED),
)
"""The roles that a search may find; who the persons are and what is predicted only people know."""


class UnfitError(ValueError):
    """An answer is none; the words say what is wrong, without a value."""


@dataclass(frozen=True, kw_only=True)
class StrategyAnswer:
    """What a strategy said, of plain values that nobody holds but the host.

    Args:
        classification: One proposal a column at most, decided by statistics.
        chosen: The set that it chose; None where it leaves that to the fitness.
        chosen_because: Why that one.
        tables: Its tables.
        plots: Its plots.
    """

    classification: tuple[RoleProposal, ...] = ()
    chosen: frozenset[str] | None = None
    chosen_because: str = ""
    tables: tuple[ResultTable, ...] = ()
    plots: tuple[Plot, ...] = field(default=(), repr=False)


def checked_answer(
    finish: Termination,
    *,
    candidates: tuple[str, ...],
    columns: Collection[str],
    words: Iterable[str],
    largest: int,
    seen: Collection[str] = (),
) -> StrategyAnswer:
    """Return what a strategy said.

    Args:
        finish: What it returned.
        candidates: The columns that it chose among.
        columns: The columns whose names may stand in tables.
        words: The words that it declared.
        largest: The most columns that a set may have.
        seen: The values of small classes that the strategy has seen; a text that holds one is not shown.

    Raises:
        UnfitError: When something of it is not what it has to be.
    """
    given: Any = finish
    if not isinstance(given, Termination):
        raise UnfitError(f"returned {type(given).__name__}, not Termination")
    known = frozenset((*columns, *candidates, *words, *(role.value for role in Role)))
    hidden = frozenset(seen) - {word.casefold() for word in known}
    return StrategyAnswer(
        classification=tuple(
            _unsaid(one, hidden) for one in _classification(given.classification, candidates)
        ),
        chosen=_chosen(given.chosen, candidates, largest),
        chosen_because=without_value(_text(given.chosen_because, "chosen_because", LONGEST_TEXT), hidden),
        tables=tuple(_untold(one, hidden) for one in _tables(given.tables, known)),
        plots=_plots(given.plots),
    )


def without_value(text: str, hidden: Collection[str]) -> str:
    """Return a text of a strategy, or that it is not shown where it holds a value of a small class.

    Example:
        >>> without_value("Basel decides", {"basel"}), without_value("age decides", {"basel"})
        ('not shown, for it holds a value of the table', 'age decides')
    """
    return INSTEAD if holds_value(text, hidden) else text


INSTEAD = "not shown, for it holds a value of the table"


def _unsaid(proposal: RoleProposal, hidden: Collection[str]) -> RoleProposal:
    said = proposal.assignment
    return replace(
        proposal,
        assignment=replace(said, reason=without_value(said.reason, hidden)),
        evidence=tuple(replace(e, sentence=without_value(e.sentence, hidden)) for e in proposal.evidence),
    )


def _untold(table: ResultTable, hidden: Collection[str]) -> ResultTable:
    headings = [
        f"{at}, {INSTEAD}" if holds_value(heading, hidden) else heading
        for at, heading in enumerate(table.columns, start=1)
    ]
    return replace(
        table,
        title=without_value(table.title, hidden),
        columns=tuple(headings),
        note=without_value(table.note, hidden),
    )


def checked_words(given: object) -> tuple[str, ...]:
    """Return the words that a strategy declares for the cells of its tables; UnfitError where none are."""
    return tuple(_text(word, "words", LONGEST_WORD) for word in _several(given, "words", MOST_WORDS))


def _several(given: object, what: str, most: int) -> tuple[Any, ...]:
    if not isinstance(given, (tuple, list)):
        raise UnfitError(f"gives {what} that are {type(given).__name__}, not a tuple")
    if len(given) > most:
        raise UnfitError(f"gives {len(given):,} {what}, more than {most:,}")
    return tuple(given)


def _text(given: object, what: str, most: int) -> str:
    if type(given) is not str:
        raise UnfitError(f"gives {what} that is {type(given).__name__}, not text")
    if len(given) > most:
        raise UnfitError(f"gives {what} of {len(given):,} characters, more than {most:,}")
    if not given.isprintable():
        raise UnfitError(f"gives {what} with characters that cannot be printed")
    return given


def _classification(given: object, candidates: tuple[str, ...]) -> tuple[RoleProposal, ...]:
    found: dict[str, RoleProposal] = {}
    for proposal in _several(given, "proposals of roles", len(candidates)):
        if type(proposal) is not RoleProposal:
            raise UnfitError(f"classifies by {type(proposal).__name__}, not by RoleProposal")
        assignment = _again(proposal).assignment
        if assignment.column not in candidates:
            raise UnfitError("classifies a column that is no candidate")
        if assignment.column in found:
            raise UnfitError(f"classifies the column {assignment.column!r} twice")
        if assignment.role not in CLASSIFIED:
            role = assignment.role.value
            raise UnfitError(f"classifies the column {assignment.column!r} as {role}, which no search finds")
        reason = _text(assignment.reason, "a reason", LONGEST_TEXT)
        found[assignment.column] = RoleProposal(
            assignment=replace(assignment, decided_by=DecidedBy.STATISTICS, reason=reason),
            confidence=float(proposal.confidence),
            evidence=tuple(
                Evidence(by=DecidedBy.STATISTICS, sentence=_text(one.sentence, "a reason", LONGEST_TEXT))
                for one in proposal.evidence
            ),
        )
    return tuple(found[name] for name in candidates if name in found)


def _again(proposal: RoleProposal) -> RoleProposal:
    """Return a proposal as it is checked when it is made; it may have been written to since."""
    try:
        return replace(proposal, assignment=replace(proposal.assignment))
    except (TypeError, ValueError, AttributeError):
        raise UnfitError("classifies by a proposal that is none") from None


def _chosen(given: object, candidates: tuple[str, ...], largest: int) -> frozenset[str] | None:
    if given is None:
        return None
    if not isinstance(given, (frozenset, set, tuple, list)):
        raise UnfitError(f"chooses {type(given).__name__}, not a set of columns")
    if not all(type(name) is str and name in candidates for name in given):
        raise UnfitError("chooses a column that is no candidate")
    found = frozenset(given)
    if not 1 <= len(found) <= largest:
        raise UnfitError(f"chooses a set of {len(found)} columns, and a set may have 1..{largest}")
    return found


def _tables(given: object, known: frozenset[str]) -> tuple[ResultTable, ...]:
    tables = [
        _table(one, f"table {at}", known)
        for at, one in enumerate(_several(given, "tables", MOST_TABLES), start=1)
    ]
    for at, table in enumerate(tables):
        if any(other.name == table.name for other in tables[:at]):
            raise UnfitError(f"gives two tables of the name {table.name!r}")
    return tuple(tables)


def _table(given: object, what: str, known: frozenset[str]) -> ResultTable:
    if not isinstance(given, ResultTable):
        raise UnfitError(f"gives as {what} {type(given).__name__}, not ResultTable")
    columns = _several(given.columns, f"columns of {what}", MOST_COLUMNS)
    rows = _several(given.rows, f"rows of {what}", MOST_ROWS)
    try:
        return ResultTable(
            name=_text(given.name, f"a name of {what}", LONGEST_WORD),
            title=_text(given.title, f"a title of {what}", LONGEST_TITLE),
            columns=tuple(_text(one, f"a heading of {what}", LONGEST_HEADING) for one in columns),
            rows=tuple(
                tuple(_cell(cell, what, known) for cell in _several(row, "cells", MOST_COLUMNS))
                for row in rows
            ),
            note=_text(given.note, f"a note of {what}", LONGEST_TEXT),
            is_detail=given.is_detail is True,
        )
    except UnfitError:
        raise
    except ValueError:
        raise UnfitError(
            f"gives {what} without a plain name, without headings that each stand once, or with a row of"
            " another length"
        ) from None


def _cell(given: object, what: str, known: frozenset[str]) -> Cell:
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, Role):
        return given.value
    if type(given) is str:
        if given in known or all(part in known for part in given.split(", ")):
            return given
        # it may be a value of the table, so it is not repeated
        raise UnfitError(
            f"gives in {what} a text that is no column name, no role and none of the words that it declares"
        )
    if isinstance(given, Integral):
        if abs(int(given)) >= _LARGEST:
            raise UnfitError(f"gives in {what} a number beyond 64 bits")
        return int(given)
    if isinstance(given, Real):
        if not math.isfinite(given):
            raise UnfitError(
                f"gives in {what} a number that is infinite; None is a figure that does not exist"
            )
        return float(given)
    raise UnfitError(f"gives in {what} a cell that is {type(given).__name__}")


def _plots(given: object) -> tuple[Plot, ...]:
    plots = _several(given, "plots", MOST_PLOTS)
    for plot in plots:
        if type(plot) is not Plot:
            raise UnfitError(f"gives as a plot {type(plot).__name__}, not Plot")
    return plots
