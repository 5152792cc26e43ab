"""The roles that follow from a search."""

from typing import TYPE_CHECKING

from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.discovering.found import ColumnFinding, Entry, WeighedMetric

if TYPE_CHECKING:
    from qidguard.discovering.discovery import Discovery


def roles_of(discovery: "Discovery") -> tuple[RoleAssignment, ...]:
    """Return one assignment for each column of the table."""
    return tuple(_assignment(discovery, column) for column in discovery.columns)


def _assignment(discovery: "Discovery", column: ColumnFinding) -> RoleAssignment:
    name = column.facts.name
    known = column.known
    if column.is_found:
        why = reason(discovery, name)
        if known is None or known.role is not Role.QUASI_IDENTIFIER:
            by = DecidedBy.STATISTICS
            return RoleAssignment(column=name, role=Role.QUASI_IDENTIFIER, decided_by=by, reason=why)
        why = f"{known.reason}; {why}" if known.reason else why
        return RoleAssignment(column=name, role=known.role, decided_by=known.decided_by, reason=why)
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


def moved_most(entry: Entry, terms: tuple[WeighedMetric, ...]) -> str:
    """Return in words what helped the fitness most when a column entered; empty where nothing did.

    Example:
        >>> from qidguard.core.metric import Unit
        >>> term = WeighedMetric(metric="separation", title="Separation", unit=Unit.SHARE, weight=0.5)
        >>> entry = Entry(columns=("a",), fitness=0.3, gain=0.1, figures=(0.6,), moves=(0.2,))
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
