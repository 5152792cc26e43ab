"""What a search strategy is, what it is given, and what it finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from numbers import Real
from typing import TYPE_CHECKING, Any, Protocol

from qidguard.core.column import ColumnFacts
from qidguard.core.parameter import Arguments, Parameter
from qidguard.core.recognizer import RoleProposal
from qidguard.core.result_table import ResultTable
from qidguard.core.view import TableView
from qidguard.plot.plot import Plot

if TYPE_CHECKING:
    from qidguard.measuring.memory_records import MemoryRecords


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """One evaluated set.

    Args:
        qids: The set, never empty.
        fitness: Its fitness by the objective, higher is better; −inf where a figure of it does not exist.
            Terms that are a change are 0 where there is no current set, else M(qids) − M(current).
        own_fitness: The fitness with every change 0: what two sets are compared by at the end.
            Where the host prefers columns that outsiders can plausibly know, both are lowered for the others.
        values: The objective's terms, then its divisors with their sign reversed, each times its weight, a
            change 0: all of them to be maximized (Pareto). Where columns are preferred, one more value says
            how much the set is, 0..1.
    """

    qids: frozenset[str]
    fitness: float
    own_fitness: float
    values: tuple[float, ...]


class Problem(Protocol):
    """What a strategy may ask. Every answer is remembered, so asking twice costs nothing."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """The columns to choose from, at least one, in the table's order."""

    @property
    def facts(self) -> tuple[ColumnFacts, ...]:
        """The public facts of the candidates, in their order; NotMeasurable in a search without a table."""

    @property
    def proposals(self) -> tuple[RoleProposal, ...]:
        """What recognizers propose for the candidates, rivals too, the surest first; none may be there."""

    @property
    def table(self) -> TableView:
        """The table, as metrics see it; NotMeasurable in a search without one."""

    @property
    def host(self) -> Any:
        """The plugins, for whatever takes them as ``host``; None takes the installed ones."""

    def records(
        self, size: float | None = None, seed: int = 0, columns: Sequence[str] | None = None
    ) -> "MemoryRecords":
        """Return records in memory, on which anonymizers can be rehearsed (``qidguard.sdk.rehearse``).

        They are all, or a sample as ``qidguard.sdk.records_of`` draws it: a share or a number of persons. The
        candidates are held, and the entity column where there is one; or the columns that are named.
        NotMeasurable in a search without a table, and where its engine gives no values.
        """

    @property
    def largest(self) -> int:
        """Largest number of columns that a set may have, 1..len(candidates)."""

    def evaluate(
        self, sets: Sequence[frozenset[str]], *, current: frozenset[str] | None = None
    ) -> list[Evaluation]:
        """Return one evaluation for each set, in order; ``current`` is the search's x_prev.

        ValueError for the empty set, an unknown column or a set larger than ``largest``. Past the time
        budget it does not return: the host ends the search.
        """

    def bounds(self, intervals: Sequence[tuple[frozenset[str], frozenset[str]]]) -> list[float]:
        """Return for each (inside, outside) a number that no own fitness of a set between them is above.

        Between them are the sets x with inside ⊆ x ⊆ outside that are not empty and not larger than
        ``largest``; −inf where there is none, inf where nothing is known. What has to be measured for it
        is measured together, and counts as an evaluation.
        """

    @property
    def has_bounds(self) -> bool:
        """Whether the objective allows bounds: each term is a change, monotone or of the size only."""

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time budget is spent, ≥ 0; None without one. No result may depend on it."""

    @property
    def is_stopped(self) -> bool:
        """Whether the time budget is spent; a strategy then returns. Ctrl-C is caught by the host."""

    def report(self, title: str, done: int, total: int) -> None:
        """Say where the search stands; the host adds the best fitness so far and keeps the evolution."""


@dataclass(frozen=True, kw_only=True)
class Termination:
    """What a strategy says when it returns; the host knows the rest, for it saw every evaluation.

    Args:
        is_optimum: Whether no set of the search space has a higher own fitness, proven.
        reason: Why it stopped, one phrase: ``"no neighbor is better"``.
        state: What the strategy wants to keep of its run, by name: rates over generations, temperature.
        classification: The roles that it finds, at most one a candidate, with confidence and reason. Who
            decided is statistics; what a policy, a person or a name says of a column goes before it.
        chosen: The set that it chooses although another one may be fitter, evaluated or not; None leaves the
            choice to the fitness.
        chosen_because: Why, one phrase: ``"the gain falls behind the loss from three columns on"``.
        tables: Figures to show; texts in them are column names, roles and the strategy's ``words``.
        plots: ``qidguard.sdk.Plot``s to show.
    """

    is_optimum: bool = False
    reason: str = ""
    state: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    classification: tuple[RoleProposal, ...] = ()
    chosen: frozenset[str] | None = None
    chosen_because: str = ""
    tables: tuple[ResultTable, ...] = ()
    plots: tuple[Plot, ...] = ()

    def __post_init__(self) -> None:
        # a plugin made this: what it holds is printed, drawn and written as JSON
        given: Mapping[str, object] = vars(self)
        if not isinstance(given["is_optimum"], bool) or not isinstance(given["reason"], str):
            raise TypeError("is_optimum must be true or false, and reason a text")
        state = given["state"]
        if not isinstance(state, Mapping) or not all(isinstance(name, str) for name in state):
            raise TypeError("state must hold numbers by name")
        if not all(isinstance(number, Real) for numbers in state.values() for number in numbers):
            raise TypeError("state must hold numbers by name")


class SearchStrategy(Protocol):
    """Looks for the set of columns with the highest fitness, or chooses one by a rule of its own.

    It may have ``words``: a tuple of the texts, at most 60 characters each, that cells of its tables hold
    beside column names and roles. They are read before it sees any data.
    """

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a policy or the command line may set."""

    def search(self, problem: Problem, arguments: Arguments, seed: int) -> Termination:
        """Evaluate sets until done; the same seed gives the same evaluations, whatever the threads."""


class StoppedBy(StrEnum):
    """Why a search ended."""

    FINISHED = "finished"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True)
class SearchStep:
    """How a search stood after one of its steps.

    Args:
        evaluations: Distinct sets measured so far.
        best: The highest own fitness so far.
        mean: The mean own fitness of the sets of the last step that have one.
        seconds: Since the search began.
    """

    evaluations: int
    best: float
    mean: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class SetChoice:
    """A set that a strategy chose by a rule of its own.

    Args:
        reason: Why, in the strategy's words; may be empty.
        fittest: The set with the highest own fitness that was seen; the chosen one itself where that is it.
    """

    reason: str
    fittest: Evaluation


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """What a search found.

    Args:
        best: The best set that was seen by own fitness; of equals the smallest, then the first by columns.
            Where the strategy chose a set by a rule of its own it is that one.
        ranked: The best sets seen, best first, at most as many as asked for; ``best`` is the first.
        front: The sets seen that no other one beats in every term (the Pareto front), best fitness first.
        evaluations: Distinct sets that were measured, those of bounds included.
        evolution: How it stood after each step.
        is_optimum: Whether ``best`` is proven to be the optimum of the search space.
        stopped_by: Why it ended.
        reason: The strategy's own words on why.
        seconds: How long it took.
        seed: The seed.
        state: What the strategy kept of its run.
        fault: What the strategy did wrong although there is a result; empty where nothing.
        choice: Why ``best`` is the set that the strategy chose; None where it is the fittest by the search.
        classification: The roles that the strategy found, in the order of the candidates.
        tables: What it shows of its work.
        plots: The same, drawn.
        without_preference: The set seen that is best by the objective alone, with the fitness that it has
            here; None where no column was preferred to another one.
    """

    best: Evaluation
    ranked: tuple[Evaluation, ...]
    front: tuple[Evaluation, ...]
    evaluations: int
    evolution: tuple[SearchStep, ...]
    is_optimum: bool
    stopped_by: StoppedBy
    reason: str
    seconds: float
    seed: int
    state: Mapping[str, tuple[float, ...]]
    fault: str = ""
    choice: "SetChoice | None" = None
    classification: tuple[RoleProposal, ...] = ()
    tables: tuple[ResultTable, ...] = ()
    plots: tuple[Plot, ...] = field(default=(), repr=False)
    without_preference: Evaluation | None = None


class SearchPlot(Protocol):
    """Draws a search; ``qidguard discover --plots`` saves what it draws."""

    @property
    def name(self) -> str:
        """A plain identifier; the files are called after it."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    def draw(self, result: SearchResult) -> Any:
        """Return a ``qidguard.sdk.Plot`` of the search; NotMeasurable where there is nothing to draw."""
