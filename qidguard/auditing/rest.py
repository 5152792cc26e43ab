"""The rest: what is published and was not called a quasi-identifier, and whom it tells apart all the same."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.auditing.demands import Demand
from qidguard.auditing.roles import Recognition
from qidguard.core.column import ColumnFacts
from qidguard.core.report import Accepted, AuditReport
from qidguard.core.rest import Alone, IdentifyingColumn, OutsideQids, RestView, ToldApart
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.core.verdict import Block
from qidguard.measuring.telling_columns import telling_columns
from qidguard.policy.tables import moved_columns
from qidguard.rendering.outside import (
    NOTED_SHARE,
    alone_words,
    identifying_sentence,
    outside_sentences,
    unneeded_sentence,
)

if TYPE_CHECKING:
    from qidguard.engines.base import Table
    from qidguard.policy import Policy

UNIQUE_SHARE = 0.9
"""A column is (nearly) unique per person when this share of the persons with a value are alone with it."""

FEWEST_PERSONS = 20
"""Among fewer persons with a value, values may differ by chance."""

RULE = "accepted"
"""What blocks until a person accepts it in words."""

_NEVER = {Role.QUASI_IDENTIFIER, Role.DIRECT_IDENTIFIER, Role.UNCLASSIFIED}


@dataclass(frozen=True, kw_only=True)
class Rest:
    """What is published outside the quasi-identifiers.

    Args:
        roles: Column → its role, in the table's order; no column that a person accepted by itself.
        accepted: The roles of the columns that a person accepted by themselves.
        words: The same columns → in which words, and who.
    """

    roles: dict[str, Role]
    accepted: dict[str, Role]
    words: dict[str, str]

    @property
    def columns(self) -> tuple[str, ...]:
        """All of it, without what was accepted."""
        return tuple(self.roles)

    @property
    def asked(self) -> tuple[str, ...]:
        """All of it, with what was accepted."""
        return (*self.roles, *self.accepted)


def rest_of(assignments: Iterable[RoleAssignment], policy: "Policy | None") -> Rest:
    """Return the rest: no quasi-identifier, no direct identifier, nothing that is dropped or left open."""
    rest = Rest(roles={}, accepted={}, words={})
    for assignment in assignments:
        name, role = assignment.column, assignment.role
        is_open = role is Role.UNCLASSIFIED and policy is None  # nobody was asked yet
        if (role in _NEVER and not is_open) or (policy is None and role is Role.ENTITY):
            continue
        if policy is not None:
            is_kept_back = role is Role.ENTITY and name not in policy.roles.insensitive
            if is_kept_back or name in (*policy.dropped_columns, *moved_columns(policy.tables)):
                continue
            acceptance = policy.acceptance_of((name,))
            if acceptance is not None:
                rest.accepted[name], rest.words[name] = role, acceptance.words
                continue
        rest.roles[name] = role
    return rest


def bound_to(rest: Rest, asked: Iterable[Demand]) -> tuple[Demand, ...]:
    """Return the demands, those of what is published outside the QIDs over the rest."""
    return tuple(
        replace(d, question=replace(d.question, rest=rest.columns)) if d.question.metric.needs_rest else d
        for d in asked
    )


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


def accepted_of(policy: "Policy", outside: OutsideQids, asked: Iterable[Demand]) -> tuple[Accepted, ...]:
    """Return what a policy accepts.

    What columns tell is not known before a table is transformed, nor whether a limit on the rest needs it.
    """
    named = {one.column for one in outside.identifying if one.accepted is not None}
    unnamed = None if any(d.question.metric.needs_rest and d.limit.is_blocking for d in asked) else False
    return tuple(
        Accepted(
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
