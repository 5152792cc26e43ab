"""What a discovery says beside its figures: how the search ended, and where names and figures disagree."""

from collections.abc import Sequence

from qidguard.core.role import Role
from qidguard.discovering.found import ColumnFinding
from qidguard.discovering.prepared import Prepared
from qidguard.search.protocol import SearchResult, StoppedBy

UNKNOWABLE = (
    "A search finds columns that single people out. It cannot know which of them an outsider knows: that is"
    " for a person to decide."
)
"""What every discovery says of itself."""


def notes_on(
    prepared: Prepared,
    search: SearchResult,
    columns: Sequence[ColumnFinding],
    *,
    own_seconds: float | None,
    preferred: tuple[str, ...],
) -> tuple[str, ...]:
    """Return the sentences; ``own_seconds`` are those beyond the budget, where reading took all of it."""
    notes, budget = [UNKNOWABLE], prepared.asked.budget_seconds
    seen = f"this is the best of the {search.evaluations:,} sets seen until then"
    if search.stopped_by is StoppedBy.INTERRUPTED:
        notes.append(f"The search was interrupted; {seen}.")
    if own_seconds is not None:
        notes.append(
            f"Reading the table took longer than the whole budget of {budget:g} seconds, so the search had"
            f" {own_seconds:g} seconds beyond it; give more for a better answer."
        )
    if search.stopped_by is StoppedBy.BUDGET:
        notes.append(
            f"The search was stopped after its budget of {budget:g} seconds; {seen}, and another run may end"
            " elsewhere."
        )
    notes += [*preferred, *([f"{search.fault}."] if search.fault else [])]
    missed = only_by_name(columns)
    if missed:
        names = ", ".join(map(repr, missed))
        notes.append(
            f"Found by name and not by the search: {names}. A search takes nothing away from what names or a"
            " policy say; a person does."
        )
    beyond = [c.facts.name for c in columns if c.is_found and _is_sensitive(c)]
    if beyond:
        names = ", ".join(map(repr, beyond))
        notes.append(f"Found, although the name speaks of a sensitive attribute: {names}; decide on it.")
    notes += [block.sentence for block in prepared.recognition.blocks]
    return (*notes, *prepared.table.notes)


def only_by_name(columns: Sequence[ColumnFinding]) -> tuple[str, ...]:
    """Return the columns that the policy or a recognizer calls quasi-identifiers, and the search does not."""
    return tuple(
        column.facts.name
        for column in columns
        if not column.is_found and column.known is not None and column.known.role is Role.QUASI_IDENTIFIER
    )


def _is_sensitive(column: ColumnFinding) -> bool:
    return column.known is not None and column.known.role is Role.SENSITIVE
