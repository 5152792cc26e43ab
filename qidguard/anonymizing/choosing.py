"""Choose among several solutions of an anonymizer by figures that the host measures in memory."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from qidguard.anonymizing.rehearsed_table import RehearsedTable
from qidguard.anonymizing.weighing import HeldLimit, Metrics, WeighingFigure, figures_of, held_limits
from qidguard.core.choice import choice_parts
from qidguard.core.errors import UserError
from qidguard.core.metric import Direction
from qidguard.core.role import Role

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.anonymizing.protocol import AnonymizationTask, Records, SolutionFigure, Solutions
    from qidguard.core.measurement import Measurement


LOSSES = ("information_loss", "ncp")
"""Metrics by which a solution is cheap: the first that is installed."""
RISKS = ("prosecutor_share_above", "persons_homogeneous", "entropy_l_diversity")
"""Metrics of what is left of the risk, those that are installed and apply."""

Rule = Literal["cheapest", "knee", "weights"]
RULES = "cheapest, knee, or weights such as information_loss=1,prosecutor_share_above=2"


@dataclass(frozen=True, kw_only=True)
class SolutionChoice:
    """How one of several solutions is chosen.

    ``cheapest`` takes the least loss of those that meet the policy, ``knee`` the knee of their front of loss
    and risks, ``weights`` the least weighted sum of figures in 0..1.

    Args:
        rule: One of the three.
        weights: Metric, perhaps with parameters in brackets → its weight; not 0. Lower figures are better
            but of metrics that get safer as they rise; where a metric has no safe side, a weight below 0
            says that higher is better.
    """

    rule: Rule
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given: object = self.rule
        if given not in {"cheapest", "knee", "weights"}:
            raise UserError(f"what is chosen is {RULES}, not {given!r}")
        if (self.rule == "weights") != bool(self.weights):
            raise UserError(f"weights name at least one metric and stand alone; write {RULES}")
        for name, weight in self.weights.items():
            number: object = weight
            is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
            if not is_number or not math.isfinite(weight) or not weight:
                raise UserError(f"the weight of {name} is a finite number that is not 0, not {weight!r}")

    @classmethod
    def read(cls, written: "str | Mapping[str, object] | SolutionChoice") -> "SolutionChoice":
        """Return what a text says: ``knee``, or ``ncp=1,persons_homogeneous=2``; or a mapping of weights."""
        if isinstance(written, SolutionChoice):
            return written
        if isinstance(written, Mapping):
            given = written.get("weights") if set(written) == {"weights"} else written
            if not isinstance(given, Mapping):
                raise UserError(f"what is chosen is {RULES}; weights are a mapping of metrics to numbers")
            return cls(rule="weights", weights=dict(given))
        if "=" not in written.partition("[")[0] and "]=" not in written.replace(" ", ""):
            rule: Rule = written.strip()  # type: ignore[assignment]  # it is checked when it is made
            return cls(rule=rule)
        weights: dict[str, float] = {}
        for part in choice_parts(written):
            name, _, number = (text.strip() for text in part.rpartition("="))
            if name in weights:
                raise UserError(f"the weight of {name} stands twice; keep one")
            try:
                weights[name] = float(number)
            except ValueError:
                raise UserError(f"{part.strip()!r} gives no weight as a number; write {RULES}") from None
        return cls(rule="weights", weights=weights)

    def check(self, metrics: Metrics) -> None:
        """Raise UserError or PluginError for a weight of a metric that there is not."""
        for name in self.weights:
            WeighingFigure.read(name, metrics)

    def __str__(self) -> str:
        return ", ".join(f"{n}={w:g}" for n, w in self.weights.items()) if self.weights else self.rule


@dataclass(frozen=True, kw_only=True)
class WeighedSolution:
    """A solution with its figures; it holds no value of the table.

    Args:
        label: What tells it from the others.
        claims: What the anonymizer says, by the name of its figure.
        figures: What the host measured, in the order of the names in ``WeighedSolutions``.
        limits: Each limit of the policy beside what was measured.
    """

    label: str
    claims: Mapping[str, float]
    figures: "tuple[Measurement, ...]"
    limits: tuple[HeldLimit, ...] = field(repr=False)

    @property
    def missed(self) -> int:
        """How many limits of the policy it misses."""
        return sum(limit.is_met is False for limit in self.limits)

    @property
    def is_met(self) -> bool | None:
        """Whether every limit holds that can be measured in memory; None where none can."""
        told = [limit.is_met for limit in self.limits if limit.is_met is not None]
        return all(told) if told else None


@dataclass(frozen=True, kw_only=True)
class WeighedSolutions:
    """Solutions beside one another, and the chosen one.

    Args:
        rule: How it was chosen, as a person writes it.
        why: Why it is this one, one sentence.
        names: The figures that were measured of each, as a person writes them.
        signs: For each 1 where lower is better, −1 where higher is.
        claimed: The figures that the anonymizer tells of each.
        solutions: The solutions, in the anonymizer's order.
        extent: How many of the names are loss and risks, which come first and make the front.
        chosen: The position of the chosen one.
        front: The positions of those that no other beats in loss and risks, among those that were candidates.
        knee: The position of the front's knee; None where the figures cannot be measured.
    """

    rule: str
    why: str
    names: tuple[str, ...]
    signs: tuple[int, ...]
    claimed: "tuple[SolutionFigure, ...]"
    solutions: tuple[WeighedSolution, ...]
    extent: int
    chosen: int
    front: tuple[int, ...] = ()
    knee: int | None = None


@dataclass(frozen=True, kw_only=True)
class Chooser:
    """Weighs the solutions of a task.

    Args:
        choosing: How is chosen.
        metrics: Where metrics are found.
        qids: The columns that loss and risks are measured over; none takes the task's.
    """

    choosing: SolutionChoice
    metrics: Metrics = field(repr=False)
    qids: tuple[str, ...] = ()

    def weigh(
        self, records: "Records", task: "AnonymizationTask", anonymizer: str, given: "Solutions"
    ) -> WeighedSolutions:
        """Return all solutions with their figures, and the chosen one."""
        tables = [
            RehearsedTable(before=records, task=task, anonymizer=anonymizer, done=one.anonymized, seconds=0.0)
            for one in given.solutions
        ]
        views = [(table.view, table.task) for table in tables]
        figures, extent = self._figures(task, given.figures)
        measured = figures_of(views, figures, self.qids or task.quasi_identifiers)
        limits = held_limits(views)
        solutions = tuple(
            WeighedSolution(label=one.label, claims=dict(one.figures), figures=tuple(found), limits=held)
            for one, found, held in zip(given.solutions, measured, limits, strict=True)
        )
        declared = {figure.name: figure.direction for figure in given.figures}
        signs = tuple(_sign(figure, declared) for figure in figures)
        weighed = WeighedSolutions(
            rule=str(self.choosing),
            why="",
            names=tuple(figure.name for figure in figures),
            signs=signs,
            claimed=given.figures,
            solutions=solutions,
            extent=extent,
            chosen=int(given.chosen),
        )
        return self._chosen(weighed)

    def _figures(
        self, task: "AnonymizationTask", claimed: "Sequence[SolutionFigure]"
    ) -> tuple[list[WeighingFigure], int]:
        """Return what is measured, and how many of them are loss and risks, which come first."""
        loss = next((figure for name in LOSSES if (figure := self._installed(name))), None)
        if loss is None:
            raise UserError(
                "to choose a solution takes the metric information_loss or ncp, which no plugin offers;"
                " install one that does"
            )
        risks = [figure for name in RISKS if (figure := self._installed(name)) and _applies(figure, task)]
        told = [figure for one in claimed if (figure := self._installed(one.name)) and _applies(figure, task)]
        weighted = [WeighingFigure.read(name, self.metrics) for name in self.choosing.weights]
        ordered = {figure.name: figure for figure in (loss, *risks, *told, *weighted)}
        return list(ordered.values()), 1 + len(risks)

    def _installed(self, name: str) -> WeighingFigure | None:
        try:
            return WeighingFigure.read(name, self.metrics)
        except UserError:  # it is no metric here, or one that needs a parameter
            return None

    def _chosen(self, weighed: WeighedSolutions) -> WeighedSolutions:
        """Return what was weighed with the front, the knee and the choice."""
        import numpy as np

        extent = weighed.extent
        signs = np.array(weighed.signs, dtype=np.float64)
        values = signs * np.array(
            [[_number(one.value) for one in solution.figures] for solution in weighed.solutions]
        )
        meets = [at for at, one in enumerate(weighed.solutions) if one.is_met is not False]
        among = meets or list(range(len(weighed.solutions)))
        of = (
            f"the {len(meets):,} that meet the policy in memory"
            if meets
            else (f"all {len(among):,}, as none meets the policy in memory")
        )
        known = [at for at in among if np.isfinite(values[at, :extent]).all()]
        front = tuple(known[row] for row in front_of(values[known, :extent])) if known else ()
        knee = front[knee_of(values[list(front), :extent])] if front else None
        found = self._best(weighed, values, among, knee)
        if found is None:
            why = (
                "Figures that decide could not be measured of any, so the anonymizer's own choice was taken."
            )
            return replace(weighed, why=why, front=front, knee=knee)
        words = {
            "cheapest": f"the least {weighed.names[0]}",
            "knee": f"the knee of the front of {' and '.join(weighed.names[:extent])}",
            "weights": f"the least weighted sum of {' and '.join(self.choosing.weights)}, each in 0..1",
        }[self.choosing.rule]
        return replace(weighed, chosen=found, why=f"It is {words} of {of}.", front=front, knee=knee)

    def _best(
        self, weighed: WeighedSolutions, values: "NDArray[np.float64]", among: list[int], knee: int | None
    ) -> int | None:
        """Return the position that the rule takes among some; None where nothing can be said."""
        import numpy as np

        if self.choosing.rule == "knee":
            return knee
        if self.choosing.rule == "cheapest":
            known = [at for at in among if np.isfinite(values[at, 0])]
            # of equal losses the least of the other figures, in their order
            return min(known, key=lambda at: [*np.nan_to_num(values[at], nan=math.inf), at], default=None)
        columns = [
            weighed.names.index(str(WeighingFigure.read(n, self.metrics).name)) for n in self.choosing.weights
        ]
        known = [at for at in among if np.isfinite(values[at, columns]).all()]
        if not known:
            return None
        weights = np.array(list(self.choosing.weights.values()))
        # the figure turned round is normalized, so that a weight below 0 counts from the other end
        turned = np.where(weights < 0, -1.0, 1.0) * values[np.ix_(known, columns)]
        return known[int((normalized(turned) @ np.abs(weights)).argmin())]


def _applies(figure: WeighingFigure, task: "AnonymizationTask") -> bool:
    role = figure.metric.attribute
    return role is None or bool(task.sensitive if role is Role.SENSITIVE else task.target)


def _sign(figure: WeighingFigure, declared: Mapping[str, Direction]) -> int:
    direction = figure.metric.direction
    if direction is Direction.NEITHER:
        direction = declared.get(figure.metric.name, direction)
    return -1 if direction is Direction.HIGHER_IS_SAFER else 1


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def normalized(figures: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return figures (solutions, figures), of which lower is better, in 0..1: from the best to the worst.

    A figure that is the same for all is 0.

    Example:
        >>> import numpy as np
        >>> normalized(np.array([[1.0, 5.0], [3.0, 5.0], [2.0, 5.0]])).tolist()
        [[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]]
    """
    import numpy as np

    low, high = figures.min(axis=0), figures.max(axis=0)
    spread = np.where(high > low, high - low, 1.0)
    found: NDArray[np.float64] = (figures - low) / spread
    return found


def front_of(figures: "NDArray[np.float64]") -> list[int]:
    """Return the rows that no other row beats: none is as good in all figures and better in one.

    Figures have the shape (solutions, figures), and lower is better; rows count from 0.

    Example:
        >>> import numpy as np
        >>> front_of(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.5, 0.4]]))
        [0, 1, 3]
    """
    return [
        row
        for row, one in enumerate(figures)
        if not ((figures <= one).all(axis=1) & (figures < one).any(axis=1)).any()
    ]


def knee_of(figures: "NDArray[np.float64]") -> int:
    """Return the row of a front that is its knee (Das 1999, On characterizing the knee of the Pareto curve).

    The figures are put into 0..1 by the front's own best and worst. The plane goes through the extremes, for
    each figure the row that is best in it; the knee is the row that lies farthest from the plane toward where
    every figure is best. Of two figures the plane is the line between the ends of the front. Where fewer
    extremes than figures are distinct, it is the plane through them whose normal is shortest; where a normal
    would reward what is worse, that figure plays no part. Of ties the least sum, then the first.

    Args:
        figures: Shape (solutions, figures), lower is better, no row beats another; at least one of each.

    Example:
        >>> import numpy as np
        >>> knee_of(np.array([[0.0, 1.0], [0.2, 0.3], [0.6, 0.1], [1.0, 0.0]]))
        1
    """
    import numpy as np

    points = normalized(figures)
    sums = points.sum(axis=1)
    extremes = [int(np.lexsort((sums, column))[0]) for column in points.T]
    corners = points[sorted(set(extremes))]
    normal = np.clip(np.linalg.lstsq(corners, np.ones(len(corners)), rcond=None)[0], 0.0, None)
    length = float(np.linalg.norm(normal))
    if not length:
        return int(sums.argmin())
    distance = np.round((1.0 - points @ normal) / length, 12)
    return int(np.lexsort((sums, -distance))[0])
