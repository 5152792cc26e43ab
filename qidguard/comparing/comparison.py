"""What a comparison of methods found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.comparing.row import MethodRow, Standing
from qidguard.core.errors import ExitCode, NotMeasurable

if TYPE_CHECKING:
    from qidguard.plot.plot import Plot

SMALLEST_CLASS = "k_anonymity"
HIGHEST_RISK = "prosecutor_risk_max"
AVERAGE_RISK = "prosecutor_risk_average"
LOSS = "ncp"
INFORMATION_LOSS = "information_loss"
RISKS = (SMALLEST_CLASS, HIGHEST_RISK, AVERAGE_RISK)
"""Metrics that are measured of every row, where a plugin offers them."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Methods beside one another on one table under one policy; it holds no value of the table.

    Args:
        source: What was anonymised, as the user named it.
        policy: The policy's name.
        records: Number of records of the source.
        original: The table as it is.
        methods: One row a method: those that pass first, then by what they lose.
        limits: Metric → the policy's limit on it over all QIDs, where it has one.
        seed: The seed of all methods; it is not to be published.
        is_interrupted: Whether methods are missing because somebody stopped it.
        versions: Distribution → version of what took part.
    """

    source: str
    policy: str
    records: int
    original: MethodRow
    methods: tuple[MethodRow, ...]
    limits: Mapping[str, float] = field(default_factory=dict)
    seed: int = field(default=0, repr=False)
    is_interrupted: bool = False
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def best(self) -> MethodRow | None:
        """The method that loses least among those that pass; None where none passes."""
        passed = [row for row in self.methods if row.is_passed]
        return min(passed, key=by_loss, default=None)

    @property
    def frontier(self) -> tuple[MethodRow, ...]:
        """The tables, the original included, that no other beats in both risk and loss, by what they lose."""
        rows = [row for row in (self.original, *self.methods) if position(row) is not None]
        points = {row.label: position(row) or (0.0, 0.0) for row in rows}
        kept = [
            row for row in rows if not any(_beats(points[other.label], points[row.label]) for other in rows)
        ]
        return tuple(sorted(kept, key=lambda row: (points[row.label], row.label)))

    @property
    def exit_code(self) -> ExitCode:
        """0 where a method passes, 3 where a plugin failed, else 1."""
        if any(row.standing is Standing.FAILED for row in self.methods):
            return ExitCode.INTERNAL_ERROR
        return ExitCode.BLOCKED if self.best is None else ExitCode.PASSED

    def plot(self, *, risk: str = AVERAGE_RISK) -> "Plot":
        """Return the risk that is left beside what was lost, a point a method.

        Args:
            risk: The metric of the risk: ``prosecutor_risk_average`` or ``prosecutor_risk_max``.

        Returns:
            A plot.

        Units:
            Both axes are shares, 0..1.

        Raises:
            NotMeasurable: When no method has both figures.

        Example:
            >>> import pandas as pd, qidguard
            >>> table = pd.DataFrame({"age": [30, 31, 30, 41], "sex": ["f", "f", "f", "m"]})
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "example",
            ...     "roles": {"quasi_identifiers": ["age", "sex"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> found = qidguard.compare(table, policy=policy, methods="mondrian")
            >>> found.plot().title
            'Risk left and utility lost'
        """
        from qidguard.comparing.frontier_plot import frontier_plot

        if all(position(row, risk) is None for row in self.methods):
            raise NotMeasurable("no method has both a risk and a loss, so there is nothing to draw")
        return frontier_plot(self, risk)

    def to_json(self) -> str:
        """Return the comparison as JSON text, as ``qidguard schema comparison`` describes it.

        Returns:
            Lines of text with a line feed after each. It holds the seed, which is not to be published.

        Units:
            Figures in their metric's unit; seconds; bytes.

        Raises:
            Nothing.

        Example:
            >>> import inspect
            >>> list(inspect.signature(Comparison.to_json).parameters)
            ['self']
        """
        from qidguard.comparing.document import json_text

        return json_text(self)


def by_loss(row: MethodRow) -> tuple[float, float, str]:
    """Return what rows are sorted by: the loss, the average risk, the label.

    Args:
        row: A row.

    Returns:
        Two shares and a text; a figure that is missing counts as the largest.

    Units:
        Shares.

    Raises:
        Nothing.

    Example:
        >>> row = MethodRow(
        ...     label="m", arguments={}, standing=Standing.PASSED, is_passed=True, figures={"ncp": 0.2}
        ... )
        >>> by_loss(row)
        (0.2, inf, 'm')
    """
    figures = row.figures
    return figures.get(LOSS, float("inf")), figures.get(AVERAGE_RISK, float("inf")), row.label


def position(row: MethodRow, risk: str = AVERAGE_RISK) -> tuple[float, float] | None:
    """Return a row's place on the plot: what was lost and the risk that is left; None where it has none.

    Args:
        row: A row.
        risk: The metric of the risk.

    Returns:
        Two shares, 0..1.

    Units:
        Shares.

    Raises:
        Nothing.

    Example:
        >>> row = MethodRow(
        ...     label="m", arguments={}, standing=Standing.PASSED, is_passed=True, figures={"ncp": 0.2}
        ... )
        >>> position(row) is None
        True
    """
    if not row.is_made or LOSS not in row.figures or risk not in row.figures:
        return None
    return row.figures[LOSS], row.figures[risk]


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one != other and one[0] <= other[0] and one[1] <= other[1]
