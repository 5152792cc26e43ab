"""What a search strategy is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

Objective = Callable[[frozenset[str]], float]
"""A non-empty set of columns → its fitness; higher is better."""


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """The best set that was seen, its own fitness, and how many sets were evaluated."""

    qids: frozenset[str]
    fitness: float
    evaluations: int


class SearchStrategy(Protocol):
    """Looks for the set of columns with the highest fitness."""

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    def search(
        self, objective: Objective, candidates: Sequence[str], *, seed: int, budget_seconds: float
    ) -> SearchResult:
        """Return the best set seen within the budget; the same seed gives the same answer."""
