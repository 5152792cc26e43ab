"""The roles that follow from a search."""

from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.auditing.proposed import asked
from qidguard.core.recognizer import RoleProposal
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.discovering.found import ColumnFinding, EntryStep, WeighedMetric

if TYPE_CHECKING:
    from qidguard.discovering.discovery import Discovery


def roles_of(discovery: "Discovery") -> tuple[RoleAssignment, ...]:
    """Return one assignment for each column of the table."""
    classified = {one.assignment.column: one for one in discovery.search.classification}
    return tuple(
        _classified(_assignment(discovery, column), column, classified.get(column.facts.name))
        for column in discovery.columns
    )


def _classified(
    found: RoleAssignment, column: ColumnFinding, proposal: RoleProposal | None
) -> RoleAssignment:
    """Return a role with what the strategy found it to be; the more careful of two roles stays."""
    if proposal is None or found.decided_by is DecidedBy.PERSON or found.role is Role.DIRECT_IDENTIFIER:
        return found
    role, said = proposal.assignment.role, proposal.assignment
    if not proposal.is_sure or role in {Role.INSENSITIVE, Role.UNCLASSIFIED}:
        # only a person makes a column harmless
        is_open = found.role is Role.UNCLASSIFIED and role is not Role.UNCLASSIFIED
        return replace(found, reason=asked(proposal)) if is_open else found
    is_known = column.known is not None and column.known.role is Role.QUASI_IDENTIFIER
    if found.role in {Role.QUASI_IDENTIFIER, Role.SENSITIVE} and role in {
        Role.QUASI_IDENTIFIER,
        Role.SENSITIVE,
    }:
        if found.role is role:
            return found
        reason = "; ".join(filter(None, (found.reason, said.reason)))
        by = found.decided_by if found.role is Role.QUASI_IDENTIFIER else DecidedBy.STATISTICS
        return RoleAssignment(
            column=found.column,
            role=Role.QUASI_IDENTIFIER,
            decided_by=by,
            reason=reason,
            is_also_sensitive=True,
        )
    return found if is_known else said


def _assignment(discovery: "Discovery", column: ColumnFinding) -> RoleAssignment:
    name = column.facts.name
    known = column.known
    if column.is_found:
        why = reason(discovery, name)
        if known is None or known.role is not Role.QUASI_IDENTIFIER:
            by = DecidedBy.STATISTICS
            return RoleAssignment(column=name, role=Role.QUASI_IDENTIFIER, decided_by=by, reason=why)
        why = f"{known.reason}; {why}" if known.reason else why
        return replace(known, reason=why)
    if known is not None:
        return known
    return RoleAssignment(
        column=name,
        role=Role.UNCLASSIFIED,
        decided_by=DecidedBy.NOBODY,
        reason="no recognizer knows it, and the search did not find it",
    )


def reason(discovery: "Discovery", name: str) -> str:
    """Return why a column of the best set is in it: how often, and what it moved when it entered."""
    share = next(c.share for c in discovery.columns if c.facts.name == name)
    sets = len(discovery.sets)
    often = f"in {round(share * sets)} of the {sets} best sets" if sets > 1 else "in the best set"
    entry = next((e for way in discovery.explained[:1] for e in way if e.columns == (name,)), None)
    moved = (
        ""
        if entry is None
        else "the first to enter"
        if entry.gain is None
        else moved_most(entry, discovery.terms)
    )
    return f"{often}; {moved}" if moved else often


def moved_most(entry: EntryStep, terms: tuple[WeighedMetric, ...]) -> str:
    """Return in words what helped the fitness most when a column entered; empty where nothing did.

    Example:
        >>> from qidguard.core.metric import Unit
        >>> term = WeighedMetric(metric="separation", title="Separation", unit=Unit.SHARE, weight=0.5)
        >>> entry = EntryStep(columns=("a",), fitness=0.3, gain=0.1, figures=(0.6,), moves=(0.2,))
        >>> moved_most(entry, (term,))
        'raised separation by 0.2'
    """
    helped = [
        (term.weight * (-1 if term.is_divisor else 1) * move, term.label, move)
        for term, move in zip(terms, entry.moves, strict=True)
        if move and not term.is_change
    ]
    if not helped or max(helped)[0] <= 0:
        return ""
    _, label, move = max(helped)
    return f"{'raised' if move > 0 else 'lowered'} {label} by {abs(move):.3g}"
