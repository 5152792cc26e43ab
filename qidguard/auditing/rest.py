"""The rest: what is published and was not called a quasi-identifier, and whom it tells apart all the same."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.auditing.demands import Demand
from qidguard.auditing.roles import Recognition
from qidguard.core.column import ColumnFacts
from qidguard.core.rest import Alone, RestView
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.core.verdict import Block
from qidguard.measure.telling_columns import telling_columns

if TYPE_CHECKING:
    from qidguard.engines.base import Table
    from qidguard.policy import Policy

NOTED_SHARE = 0.05
"""A note says whom the rest tells apart from this share of the persons on."""

UNIQUE_SHARE = 0.9
"""A column is (nearly) unique per person when this share of the persons with a value are alone with it."""

FEWEST_PERSONS = 20
"""Among fewer persons with a value, values may differ by chance."""

RULE = "accepted"
"""What blocks until a person accepts it in words."""

_NEVER = {Role.QUASI_IDENTIFIER, Role.DIRECT_IDENTIFIER, Role.UNCLASSIFIED}
_SPOKEN = {
    Role.INSENSITIVE: "is called insensitive",
    Role.WEIGHT: "is the weight",
    Role.TARGET: "is the target",
    Role.TREATMENT: "is the treatment",
    Role.ENTITY: "is the entity and called insensitive",
    Role.SENSITIVE: "is called sensitive",
}


@dataclass(frozen=True, kw_only=True)
class Rest:
    """What is published outside the quasi-identifiers.

    Args:
        roles: Column → its role, in the table's order; no column that a person accepted by itself.
        accepted: The columns that a person accepted by themselves.
    """

    roles: dict[str, Role]
    accepted: tuple[str, ...]

    @property
    def every(self) -> tuple[str, ...]:
        """All of it, sensitive attributes too, without what was accepted."""
        return tuple(self.roles)

    @property
    def columns(self) -> tuple[str, ...]:
        """What somebody may know: all but sensitive attributes, which nobody knows of a person yet."""
        return tuple(name for name, role in self.roles.items() if role is not Role.SENSITIVE)


def rest_of(assignments: Iterable[RoleAssignment], policy: "Policy | None") -> Rest:
    """Return the rest: no quasi-identifier, no direct identifier, nothing that is dropped or left open."""
    roles: dict[str, Role] = {}
    accepted = []
    for assignment in assignments:
        name, role = assignment.column, assignment.role
        is_open = role is Role.UNCLASSIFIED and policy is None  # nobody was asked yet
        if (role in _NEVER and not is_open) or (policy is None and role is Role.ENTITY):
            continue
        if policy is not None:
            is_kept_back = role is Role.ENTITY and name not in policy.roles.insensitive
            if is_kept_back or name in policy.dropped_columns:
                continue
            if policy.acceptance_of((name,)) is not None:
                accepted.append(name)
                continue
        roles[name] = role
    return Rest(roles=roles, accepted=tuple(accepted))


def bound_to(rest: Rest, asked: Iterable[Demand]) -> tuple[Demand, ...]:
    """Return the demands, those of what is published outside the QIDs over the rest."""
    return tuple(
        replace(d, question=replace(d.question, rest=rest.columns)) if d.question.metric.needs_rest else d
        for d in asked
    )


def rest_blocks(table: "Table", rest: Rest, known: Recognition) -> list[Block]:
    """Return a block for each column of the rest that identifies people by itself, which nobody accepted."""
    blocks = []
    for facts in table.columns:
        role = rest.roles.get(facts.name)
        if role is None:
            continue
        why = _looks(facts, role, known) or ("" if role is Role.SENSITIVE else _singles_out(table, facts))
        if why:
            sentence = (
                f"Column {facts.name!r} {_SPOKEN[role]}, yet {why}; make it a quasi-identifier or a direct"
                " identifier, drop it, or write it under accepted with a reason."
            )
            blocks.append(Block(rule=RULE, sentence=sentence))
    return blocks


def _singles_out(table: "Table", facts: ColumnFacts) -> str:
    """Return in words that a column alone tells nearly all persons apart; empty where it does not."""
    if facts.distinct < UNIQUE_SHARE * FEWEST_PERSONS:
        return ""
    persons = facts.records - facts.missing if table.entities is None else table.entities
    if table.entities is None and facts.distinct < UNIQUE_SHARE * persons:
        return ""
    found = view.alone((facts.name,), is_present=True) if (view := rest_view(table)) else None
    if found is None:  # an engine that cannot count has said how many values there are
        found = Alone(alone=min(facts.distinct, persons), persons=persons)
    if found.persons < FEWEST_PERSONS or found.share < UNIQUE_SHARE:
        return ""
    return f"{found.alone:,} of the {found.persons:,} persons with a value have one that nobody else has"


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


def rest_notes(table: "Table", rest: Rest) -> tuple[str, ...]:
    """Return sentences on whom the rest tells apart, from a stated share of the persons on."""
    view = rest_view(table)
    if not rest.every or view is None:
        return ()
    everyone = view.alone(rest.columns) if rest.columns else Alone(alone=0, persons=1)
    notes = []
    if everyone.share >= NOTED_SHARE:
        notes.append(_told_apart(everyone, rest.columns, "no quasi-identifier"))
        for few in telling_columns(view, rest.columns, everyone):
            if len(few.columns) < len(rest.columns):
                names = " and ".join(map(repr, few.columns))
                notes.append(
                    f"{names} alone tell{'s' if len(few.columns) == 1 else ''} apart {few.alone:,} of them."
                    " If somebody may know it, call it a quasi-identifier."
                )
    if len(rest.every) > len(rest.columns):
        more = view.alone(rest.every)
        if more.share >= NOTED_SHARE and more.alone > everyone.alone:
            notes.append(_told_apart(more, rest.every, "no quasi-identifier, sensitive attributes included"))
    return tuple(notes)


def _told_apart(found: Alone, columns: Sequence[str], what: str) -> str:
    word = "column that is" if len(columns) == 1 else "columns that are"
    return (
        f"{found.alone:,} of {found.persons:,} persons ({found.share:.1%}) are told apart from everybody else"
        f" by the {len(columns)} published {word} {what}."
    )
