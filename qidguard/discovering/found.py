"""What a search for quasi-identifiers found, piece by piece."""

from collections.abc import Mapping
from dataclasses import dataclass

from qidguard.core.column import ColumnFacts
from qidguard.core.kind import KindAssignment
from qidguard.core.metric import Unit
from qidguard.core.outside import IdentifyingColumn
from qidguard.core.recognizer import RoleProposal
from qidguard.core.role import RoleAssignment


@dataclass(frozen=True, kw_only=True)
class WeighedMetric:
    """One term of the objective.

    Args:
        metric: The metric's name.
        title: The field's standard term.
        unit: What its figure counts.
        weight: What the figure is multiplied by.
        attribute: The column it is measured beside, or None.
        is_divisor: Whether it stands in the divisor.
        is_change: Whether it is a change within the search; its figure is then 0 at the end.
    """

    metric: str
    title: str
    unit: Unit
    weight: float
    attribute: str | None = None
    is_divisor: bool = False
    is_change: bool = False

    @property
    def label(self) -> str:
        """What tables call it: the metric, and the column it is measured beside."""
        return self.metric if self.attribute is None else f"{self.metric} of {self.attribute}"


@dataclass(frozen=True, kw_only=True)
class FoundSet:
    """One set of columns.

    Args:
        qids: The columns, in the table's order.
        fitness: Its fitness by the objective, changes counting 0; higher is better.
        figures: One for each term of the objective, in the metric's unit; None where none exists.
        scores: Recognition score → share 0..1, against the ground truth; empty where nobody gave one.
        preferred_fitness: The fitness by which sets are compared where columns are preferred that outsiders
            can plausibly know; never above ``fitness``. None where none is preferred.
    """

    qids: tuple[str, ...]
    fitness: float
    figures: tuple[float | None, ...]
    scores: Mapping[str, float]
    preferred_fitness: float | None = None

    @property
    def compared(self) -> float:
        """The fitness by which sets are compared: the preferred one where there is one."""
        return self.fitness if self.preferred_fitness is None else self.preferred_fitness


@dataclass(frozen=True, kw_only=True)
class EntryStep:
    """One step on the way from no column to a set: of the columns left, the one that raises fitness most.

    Args:
        columns: The column that enters; more than one only at the end of a long way, which is cut short.
        fitness: The fitness with it, the preferred one where there is one.
        gain: By how much it rose or fell; None for the first, since no column has no fitness.
        figures: One for each term, with the column.
        moves: By how much each term's figure changed, in its unit; None for the first column, and where one
            of the two figures does not exist.
    """

    columns: tuple[str, ...]
    fitness: float
    gain: float | None
    figures: tuple[float | None, ...]
    moves: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class Plausibility:
    """How plausibly an outsider knows what a column says of a person.

    Args:
        share: Above 0, at most 1: 1 known, 0.8 asked, 0.5 open, 0.1 unlikely.
        why: Why, one phrase without a value of the table.
    """

    share: float
    why: str


@dataclass(frozen=True, kw_only=True)
class ColumnFinding:
    """One column of the table.

    Args:
        facts: What may be said of it in public.
        share: In which share of the ranked sets it is, 0..1.
        is_found: Whether it is in the best set.
        why_not: Why it was no candidate; empty for a candidate.
        known: The role that the policy or a recognizer gives it, apart from the search; None if nobody does.
        proposals: What recognizers propose, the surest first.
        kind: What its values are, as a person states or a recognizer proposes; None where nobody knows.
        identifying: Why it identifies people by itself outside the quasi-identifiers; None where it does not.
        plausibility: How plausibly outsiders know it; None where that changed nothing.
    """

    facts: ColumnFacts
    share: float
    is_found: bool
    why_not: str
    known: RoleAssignment | None
    proposals: tuple[RoleProposal, ...] = ()
    kind: KindAssignment | None = None
    identifying: IdentifyingColumn | None = None
    plausibility: Plausibility | None = None
