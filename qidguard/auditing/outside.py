"""The rest: what is published and was not called a quasi-identifier, and whom it tells apart all the same."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.auditing.demands import Demand
from qidguard.auditing.recognizing import Recognition
from qidguard.auditing.roles import Rest
from qidguard.core.column import ColumnFacts
from qidguard.core.outside import Alone, IdentifyingColumn, OutsideQids, RestView, TellingColumns, ToldApart
from qidguard.core.report import AcceptanceReport, AuditReport
from qidguard.core.role import DecidedBy, Role
from qidguard.core.verdict import Block
from qidguard.rendering.outside import (
    NOTED_SHARE,
    alone_words,
    identifying_sentence,
    outside_sentences,
    unneeded_sentence,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.engines.base import Table
    from qidguard.policy import Policy


UNIQUE_SHARE = 0.9
"""A column is (nearly) unique per person when this share of the persons with a value are alone with it."""

FEWEST_PERSONS = 20
"""Among fewer persons with a value, values may differ by chance."""

RULE = "accepted"
"""What blocks until a person accepts it in words."""


def identifying_columns(table: "Table", rest: Rest, known: Recognition) -> tuple[IdentifyingColumn, ...]:
    """Return the columns of the rest that identify people by themselves, those that a person accepted too."""
    roles = rest.roles | rest.accepted
    found = []
    for facts in table.columns:
        role = roles.get(facts.name)
        if role is None:
            continue
        reason, alone = _looks(facts, role, known), None
        if not reason:
            alone = _singles_out(table, facts)
            reason = "" if alone is None else alone_words(alone)
        if reason:
            words = rest.words.get(facts.name)
            found.append(
                IdentifyingColumn(column=facts.name, role=role, reason=reason, found=alone, accepted=words)
            )
    return tuple(found)


def rest_blocks(identifying: Iterable[IdentifyingColumn]) -> list[Block]:
    """Return a block for each column that identifies people by itself, which nobody accepted."""
    return [
        Block(rule=RULE, sentence=identifying_sentence(one)) for one in identifying if one.accepted is None
    ]


def accepted_of(
    policy: "Policy", outside: OutsideQids, asked: Iterable[Demand], *, is_recognized: bool
) -> tuple[AcceptanceReport, ...]:
    """Return what a policy accepts.

    What columns tell is not known before a table is transformed, nor whether a limit on the rest needs it,
    nor what recognizers would say of a table of which they were not asked.
    """
    named = {one.column for one in outside.identifying if one.accepted is not None}
    of_rest = any(d.question.metric.needs_rest and d.limit.is_blocking for d in asked)
    unnamed = False if is_recognized and not of_rest else None
    return tuple(
        AcceptanceReport(
            columns=a.columns,
            tells=a.tells,
            reason=a.reason,
            by=a.by,
            is_needed=None if a.tells is not None else a.columns[0] in named or unnamed,
        )
        for a in policy.accepted
    )


def _singles_out(table: "Table", facts: ColumnFacts) -> Alone | None:
    """Return whom a column alone tells apart where these are nearly all persons; None where they are not."""
    if facts.distinct < UNIQUE_SHARE * FEWEST_PERSONS:
        return None
    persons = facts.records - facts.missing if table.entities is None else table.entities
    if table.entities is None and facts.distinct < UNIQUE_SHARE * persons:
        return None
    found = view.alone((facts.name,), is_present=True) if (view := rest_view(table)) else None
    if found is None:  # an engine that cannot count has said how many values there are
        found = Alone(alone=min(facts.distinct, persons), persons=persons)
    is_few = found.persons < FEWEST_PERSONS or found.share < UNIQUE_SHARE
    return None if is_few else found


def _looks(facts: ColumnFacts, role: Role, known: Recognition) -> str:
    """Return in words that recognizers take a column for a direct identifier; empty where they do not."""
    if facts.identifiers:  # whatever recognizers make of its name
        seen = facts.identifiers[0]
        return f"{100 * seen.share:.0f} % of its values look like {seen.kind}"
    proposal = known.proposals.get(facts.name)
    if proposal is None or proposal.assignment.role is not Role.DIRECT_IDENTIFIER:
        return ""
    by, reason = proposal.assignment.decided_by, proposal.assignment.reason
    if by is DecidedBy.CONTENT:
        return f"it looks like a direct identifier: {reason}"
    present = facts.records - facts.missing
    is_repeating = present >= FEWEST_PERSONS and facts.distinct * 10 < present
    if by is DecidedBy.LEXICON and role is not Role.SENSITIVE and not is_repeating:
        return f"it looks like a direct identifier: {reason}"
    return ""


def rest_view(table: "Table") -> RestView | None:
    """Return the table as one that counts whom columns tell apart; None where its engine cannot."""
    found: object = table
    return table if callable(getattr(found, "alone", None)) else None  # type: ignore[return-value]


def outside_qids(table: "Table", rest: Rest, known: Recognition) -> OutsideQids:
    """Return what is published outside the QIDs: whom it tells apart, and what identifies by itself."""
    return OutsideQids(
        told_apart=_told_apart(table, rest), identifying=identifying_columns(table, rest, known)
    )


def outside_notes(report: AuditReport) -> tuple[str, ...]:
    """Return sentences on what is published outside the QIDs, and on what nobody had to accept."""
    unneeded = (unneeded_sentence(one) for one in report.accepted if one.is_needed is False)
    return (*outside_sentences(report), *unneeded)


def _told_apart(table: "Table", rest: Rest) -> tuple[ToldApart, ...]:
    view = rest_view(table)
    if not rest.columns or view is None:
        return ()
    everyone = view.alone(rest.columns)
    found = telling_columns(view, rest.columns, everyone) if everyone.share >= NOTED_SHARE else ()
    return (
        ToldApart(
            columns=rest.columns,
            found=everyone,
            has_sensitive=Role.SENSITIVE in rest.roles.values(),
            smallest=tuple(few for few in found if len(few.columns) < len(rest.columns)),
        ),
    )


SHARE = 0.95
"""Columns tell most persons apart when this share of those whom all columns tell apart are alone on them."""
MOST_COLUMNS = 5
MOST_SETS = 3
_DRAWN = 30_000
_SLACK = 0.9
_BEAM = 4
"""Sets of each size that are tried with one column more."""


def telling_columns(view: RestView, columns: Sequence[str], everyone: Alone) -> tuple[TellingColumns, ...]:
    """Find small sets of columns that tell apart most of the persons whom all the columns tell apart.

    Sets grow by one column at a time; of each size the few that leave most persons alone in records drawn
    from the table are kept. Persons are then counted in the whole table, so a figure is exact and a set
    smaller than those found may be missed.

    Args:
        view: The table.
        columns: The columns that sets may hold, at least one.
        everyone: Whom all of them together tell apart.

    Returns:
        At most three sets, all of the size at which the first was found; none where no set of up to five
        columns tells enough persons apart.

    Units:
        Counts are of persons.

    Raises:
        ValueError: When there is no column.

    Example:
        >>> class Table:
        ...     def alone(self, columns, *, is_present=False):
        ...         return Alone(alone=2 if "b" in columns else 0, persons=2)
        ...
        ...     def drawn(self, columns, most):
        ...         from qidguard.core.outside import Drawn
        ...
        ...         return Drawn(codes=np.array([[0, 0], [0, 1]]), entity=None)
        >>> [found.columns for found in telling_columns(Table(), ("a", "b"), Alone(alone=2, persons=2))]
        [('b',)]
    """
    if not columns:
        raise ValueError("sets of columns are of at least one column")
    wanted = SHARE * everyone.alone
    if not everyone.alone:
        return ()
    records = view.drawn(tuple(columns), _DRAWN)
    search = _DrawnSearch(records.codes, records.entity)
    # records drawn leave more persons alone than the whole table does, so a set that falls short is out
    least = _SLACK * SHARE * everyone.share * search.persons
    beam: list[tuple[int, ...]] = [()]
    for _ in range(min(MOST_COLUMNS, len(columns))):
        ranked = search.grown(beam)
        found = []
        for alone, some in ranked[:MOST_SETS]:
            if alone < least:
                break
            names = tuple(columns[at] for at in some)
            count = view.alone(names).alone
            if count >= wanted:
                found.append(TellingColumns(columns=names, alone=count))
        if found:
            return tuple(sorted(found, key=lambda one: -one.alone))
        beam = [some for _, some in ranked[:_BEAM]]
    return ()


class _DrawnSearch:
    """Sets of columns over drawn records, each with the classes that it leaves of more than one person."""

    def __init__(self, codes: "NDArray[np.int64]", entity: "NDArray[np.int64] | None") -> None:
        self._codes = codes
        self._spans = codes.max(axis=0) + 1 if len(codes) else np.ones(codes.shape[1], dtype=np.int64)
        self._entity = np.arange(len(codes)) if entity is None else entity
        self.persons = len(np.unique(self._entity))
        self._has_entities = entity is not None

    def grown(self, beam: Sequence[tuple[int, ...]]) -> list[tuple[int, tuple[int, ...]]]:
        """Return every set with one column more, beside the persons alone on it, the most first."""
        found: dict[tuple[int, ...], tuple[int, int]] = {}
        for some in beam:
            number = self._number(some)
            settled, left = self._left(number)
            number = number[left]
            for column in range(self._codes.shape[1]):
                more = tuple(sorted({*some, column}))
                if len(more) > len(some) and more not in found:
                    key = number * self._spans[column] + self._codes[left, column]
                    alone, classes = self._counted(key)
                    found[more] = alone + settled, classes + settled
        # of equals, the one with more classes, then the first
        ranked = sorted(found, key=lambda some: (-found[some][0], -found[some][1], some))
        return [(found[some][0], some) for some in ranked]

    def _number(self, some: tuple[int, ...]) -> "NDArray[np.int64]":
        """Return the number of each row's class."""
        number = np.zeros(len(self._codes), dtype=np.int64)
        for column in some:
            number = np.unique(number * self._spans[column] + self._codes[:, column], return_inverse=True)[1]
        return number.reshape(-1).astype(np.int64)

    def _left(self, number: "NDArray[np.int64]") -> tuple[int, "NDArray[np.int64] | slice"]:
        """Return how many records a further column leaves alone anyhow, and which are left to be seen."""
        if self._has_entities:  # a person alone in a class may stand in another one, too
            return 0, slice(None)
        is_alone = np.bincount(number)[number] == 1
        return int(np.count_nonzero(is_alone)), np.flatnonzero(~is_alone)

    def _counted(self, key: "NDArray[np.int64]") -> tuple[int, int]:
        """Return the persons who are alone in a class of equal keys, and how many classes there are."""
        order = np.argsort(key) if self._has_entities else None
        ranked = np.sort(key) if order is None else key.take(order)
        starts = np.flatnonzero(np.diff(ranked, prepend=ranked[:1] - 1))
        if order is None:
            return int(np.count_nonzero(np.diff(starts, append=len(ranked)) == 1)), len(starts)
        who = self._entity.take(order)
        lowest, highest = np.minimum.reduceat(who, starts), np.maximum.reduceat(who, starts)
        return len(np.unique(lowest[lowest == highest])), len(starts)
