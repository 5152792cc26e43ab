"""Recognisers: propose a role for each column, from its name and public facts or from the table itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from qidguard.core.column import ColumnFacts
from qidguard.core.role import RoleAssignment

if TYPE_CHECKING:
    from qidguard.core.discovery_task import DiscoveryTask
    from qidguard.core.view import TableView


@dataclass(frozen=True, kw_only=True)
class RoleProposal:
    """A proposed role.

    Args:
        assignment: The column, the role, who decided (lexicon, content or statistics) and why.
        confidence: How sure the recogniser is, 0..1; the highest proposal for a column wins.
    """

    assignment: RoleAssignment
    confidence: float

    def __post_init__(self) -> None:
        if not isinstance(self.assignment, RoleAssignment):
            raise TypeError("a role proposal's assignment must be RoleAssignment")
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence must lie in 0..1, not {self.confidence}")


class Recogniser(Protocol):
    """Proposes roles; says nothing about a column that it does not know.

    A recogniser may also look at the table: see ``SearchingRecogniser``.
    """

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    def propose(self, columns: Sequence[ColumnFacts]) -> Sequence[RoleProposal]:
        """Return proposals for the columns it knows."""


class SearchingRecogniser(Recogniser, Protocol):
    """A recogniser that also searches the table for quasi-identifiers.

    It is asked only where a policy has a ``discovery`` section beside ``quasi_identifiers: auto``, because a
    search takes time. What it proposes is added to what names say; nothing that they say is taken away.
    """

    def propose_from(
        self, table: "TableView", columns: Sequence[ColumnFacts], discovery: "DiscoveryTask"
    ) -> Sequence[RoleProposal]:
        """Return a proposal, quasi-identifier by statistics, for each of ``columns`` that it found to be one.

        ``columns`` are those that may be quasi-identifiers: no direct identifier, nothing that a person
        decided on, nothing constant. NotMeasurable, with a sentence why, where there is no answer; a search
        that its budget ended has none, for the answer would depend on the clock. Either blocks.
        """
