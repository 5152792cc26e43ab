"""Columns that go together: what the table tells of two of them, and what follows for their roles."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from qidguard.auditing.proposed import SPOKEN_ROLES
from qidguard.core.column import ColumnFacts, ValueDraw, ValueType
from qidguard.core.content import Related
from qidguard.core.recognizer import PROPOSED_FROM, Evidence, RoleProposal
from qidguard.core.role import DecidedBy, Role

if TYPE_CHECKING:
    from qidguard.engines.base import Table

FEWEST_SHARED = 20
"""Two columns of fewer texts than this may share them by chance."""
MOST_OF = 0.6
"""Share of the values of the smaller of two columns that must be among those of the other."""
_INHERITED = {Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE}


def relations(table: "Table", draws: Mapping[str, ValueDraw]) -> Callable[[ColumnFacts], ColumnFacts]:
    """Return what puts into the facts of a column how it goes with the others, of their names only."""
    tell = getattr(table, "related", None)
    found: Mapping[str, Related] = tell() if callable(tell) else {}
    texts = {
        facts.name: frozenset(text.strip().casefold() for text in draws[facts.name].texts)
        for facts in table.columns
        if facts.value_type is ValueType.TEXT and facts.distinct >= FEWEST_SHARED
    }

    shared: dict[str, list[str]] = {}
    for one, other in combinations(texts, 2):
        if _is_shared(texts[one], texts[other]):
            shared.setdefault(one, []).append(other)
            shared.setdefault(other, []).append(one)

    def told(facts: ColumnFacts) -> ColumnFacts:
        related, alike = found.get(facts.name, Related()), tuple(shared.get(facts.name, ()))
        return replace(facts, twins=related.twins, keeps=related.keeps, shares_values=alike)

    return told


def _is_shared(one: frozenset[str], other: frozenset[str]) -> bool:
    # of many values the drawn ones are those with the least hash, in each column the same
    smaller = min(len(one), len(other))
    return smaller >= FEWEST_SHARED and len(one & other) >= MOST_OF * smaller


def inherited(columns: Sequence[ColumnFacts], best: Mapping[str, RoleProposal]) -> list[RoleProposal]:
    """Return proposals for columns of which nobody is sure, by the role of a column that goes with them.

    What stands one to one for another column says the same, so its role is proposed; a column with the same
    values as another one, such as a second diagnosis, is proposed where content knows the other, else asked.
    """
    sure = {name: proposal for name, proposal in best.items() if proposal.is_sure}
    found = []
    for facts in columns:
        if facts.name in sure:
            continue
        for others, sentence, asks in (
            (facts.twins, "its values stand one to one for those of another column", False),
            (facts.shares_values, "most of its values are those of another column", True),
        ):
            partner = next((sure[name] for name in others if name in sure), None)
            if partner is None or partner.assignment.role not in _INHERITED:
                continue
            is_question = asks and partner.assignment.decided_by is not DecidedBy.CONTENT
            confidence = PROPOSED_FROM * (0.6 if is_question else 1.0)
            found.append(_like(partner, facts.name, confidence, sentence))
            break
    return found


def _like(partner: RoleProposal, column: str, confidence: float, sentence: str) -> RoleProposal:
    role = partner.assignment.role
    why = Evidence(
        by=DecidedBy.STATISTICS,
        sentence=f"{sentence}, which is {SPOKEN_ROLES[role]}: {partner.assignment.reason}",
    )
    made = RoleProposal.of(column, role, confidence, why)
    is_both = partner.assignment.is_also_sensitive
    return replace(made, assignment=replace(made.assignment, is_also_sensitive=is_both))
