"""Recognisers: propose a role for each column from its name and public facts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from qidguard.core.column import ColumnFacts
from qidguard.core.role import RoleAssignment


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
    """Proposes roles; says nothing about a column that it does not know."""

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    def propose(self, columns: Sequence[ColumnFacts]) -> Sequence[RoleProposal]:
        """Return proposals for the columns it knows."""
