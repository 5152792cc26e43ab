"""What recognizers are given and give back: tasks, proposals of roles, and scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from qidguard.core.annotation import field_misfits
from qidguard.core.column import ColumnFacts
from qidguard.core.parameter import ParameterValue
from qidguard.core.progress import SILENT, Progress
from qidguard.core.role import RoleAssignment

if TYPE_CHECKING:
    from qidguard.core.view import TableView


@dataclass(frozen=True, kw_only=True)
class DiscoveryTask:
    """A search for quasi-identifiers, as a policy or a person asks for it.

    Args:
        strategy: The search strategy's name; None lets the number of candidates decide.
        objective: An objective's name, or metrics with their weights.
        parameters: The strategy's own parameters, by name.
        seed: The seed of what is drawn at random, ≥ 0.
        budget_seconds: Seconds after which the search stops; None lets it end by itself.
        largest: The largest number of columns a set may have; None allows all.
        target: The column beside which metrics of a target are measured.
        treatment: The column beside which metrics of a treatment are measured.
        sensitive: The columns beside which metrics of a sensitive attribute are measured.
        progress: Hears of finished steps.
        host: The plugins to use; None takes the installed ones.
    """

    strategy: str | None = None
    objective: str | Mapping[str, float] = "recognition"
    parameters: Mapping[str, ParameterValue] = field(default_factory=lambda: MappingProxyType({}))
    seed: int = 0
    budget_seconds: float | None = None
    largest: int | None = None
    target: str | None = None
    treatment: str | None = None
    sensitive: tuple[str, ...] = ()
    progress: Progress = SILENT
    host: Any = None

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"the seed must be a whole number of at least 0, not {self.seed!r}")
        if self.budget_seconds is not None and not self.budget_seconds > 0:
            raise ValueError(f"the budget must be above 0 seconds, not {self.budget_seconds!r}")
        if self.largest is not None and self.largest < 1:
            raise ValueError(f"a set has at least 1 column, so largest cannot be {self.largest!r}")


@dataclass(frozen=True, kw_only=True)
class RecognitionScore:
    """A figure of a found set of columns against a ground truth.

    Args:
        name: A plain identifier.
        title: The field's standard term.
        formula: How it comes out of true and false positives and negatives.
        source: Where the formula stands.
        compute: (found, truth, every column) → the score, a share 0..1, higher is better unless
            ``is_higher_better`` says otherwise.
        is_higher_better: Whether a perfect recognition has the score 1 (else 0).
    """

    name: str
    title: str
    formula: str
    source: str
    compute: Callable[[frozenset[str], frozenset[str], frozenset[str]], float]
    is_higher_better: bool = True

    def __post_init__(self) -> None:
        for name, words in field_misfits(self).items():
            raise TypeError(f"score {self.name!r}: {name} must be {words}")


@dataclass(frozen=True, kw_only=True)
class RoleProposal:
    """A proposed role.

    Args:
        assignment: The column, the role, who decided (lexicon, content or statistics) and why.
        confidence: How sure the recognizer is, 0..1; the highest proposal for a column wins.
    """

    assignment: RoleAssignment
    confidence: float

    def __post_init__(self) -> None:
        if not isinstance(self.assignment, RoleAssignment):
            raise TypeError("a role proposal's assignment must be RoleAssignment")
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence must lie in 0..1, not {self.confidence}")


class Recognizer(Protocol):
    """Proposes roles; says nothing about a column that it does not know.

    A recognizer may also look at the table: see ``SearchingRecognizer``.
    """

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    def propose(self, columns: Sequence[ColumnFacts]) -> Sequence[RoleProposal]:
        """Return proposals for the columns it knows."""


class SearchingRecognizer(Recognizer, Protocol):
    """A recognizer that also searches the table for quasi-identifiers.

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
