"""What a comparison of methods found."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from qidguard.sdk import ExitCode, NotMeasurable
from qidguard_comparison.recommendation import MethodRecommendation, recommendation_of
from qidguard_comparison.row import (
    AVERAGE_RISK,
    MethodRow,
    Status,
    by_loss,
    finite_figures,
    position,
    row_document,
    unbeaten,
)

if TYPE_CHECKING:
    import pandas as pd

    from qidguard.sdk import Plot

FORMAT = "qidguard-comparison/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Methods beside one another on one table under one policy; it holds no value of the table.

    Args:
        source: What was anonymized, as the user named it.
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
    def recommendation(self) -> MethodRecommendation | None:
        """What to take: by which measures it leads, by which not, and where one misleads; None for nothing.

        Measures are NCP, one- and two-way tables, correlations, means, information loss and, where models
        were trained, their scores, as far as they were measured on the methods on which the policy holds.
        """
        return recommendation_of(self)

    @property
    def frontier(self) -> tuple[MethodRow, ...]:
        """The tables, the original included, that no other beats in both risk and loss, by what they lose."""
        rows = (self.original, *self.methods)
        placed = {row.label: place for row in rows if (place := position(row)) is not None}
        front = unbeaten(placed.values())
        kept = [row for row in rows if placed.get(row.label) in front]
        return tuple(sorted(kept, key=lambda row: (placed[row.label], row.label)))

    @property
    def exit_code(self) -> ExitCode:
        """0 where a method passes, 3 where a plugin failed, else 1."""
        if any(row.status is Status.FAILED for row in self.methods):
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
            >>> import pandas as pd
            >>> from qidguard_comparison import compare
            >>> table = pd.DataFrame({"age": [30, 31, 30, 41], "sex": ["f", "f", "f", "m"]})
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "example",
            ...     "roles": {"quasi_identifiers": ["age", "sex"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> found = compare(table, policy=policy, anonymizers="mondrian")
            >>> found.plot().title
            'Risk left and utility lost'
        """
        from qidguard_comparison.frontier_plot import frontier_plot

        if all(position(row, risk) is None for row in self.methods):
            raise NotMeasurable("no method has both a risk and a loss, so there is nothing to draw")
        return frontier_plot(self, risk)

    def to_frame(self) -> "pd.DataFrame":
        """Return the comparison as a table: the original first, then the methods in their order.

        Returns:
            One row a method: its label, how it ended, its figures in their metrics' units, records
            suppressed, cells changed, and the method's own wall time in seconds.

        Example:
            >>> from qidguard_comparison.comparison import small
            >>> small().to_frame()[["label", "k_anonymity", "ncp"]].values.tolist()
            [['as it is', 1, 0.0], ['mondrian', 2, 0.25], ['rounding', 1, 0.125]]
        """
        import pandas as pd

        rows = [
            {"label": row.label, "method": row.method, "status": row.status.value}
            | {"is_passed": row.is_passed, **row.figures, "records_suppressed": row.records_suppressed}
            | {"cells_changed": row.cells_changed, "changed_share": row.changed_share, "seconds": row.seconds}
            for row in (self.original, *self.methods)
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> "dict[str, Any]":
        """Return the document ``qidguard-comparison/1`` as plain values that JSON knows.

        Returns:
            What ``qidguard schema comparison`` describes. It holds the seed, which is not to be published.

        Example:
            >>> from qidguard_comparison.comparison import small
            >>> small().to_dict()["best"]
            'mondrian'
        """
        best, found = self.best, self.recommendation
        return {
            "format": FORMAT,
            "source": self.source,
            "policy": self.policy,
            "records": self.records,
            "exit_code": int(self.exit_code),
            "best": None if best is None else best.label,
            "recommendation": None if found is None else found.to_dict(),
            "frontier": [row.label for row in self.frontier],
            "original": row_document(self.original),
            "methods": [row_document(row) for row in self.methods],
            "limits": finite_figures(self.limits),
            "seed": self.seed,
            "is_interrupted": self.is_interrupted,
            "versions": dict(sorted(self.versions.items())),
        }

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text, the same as ``qidguard compare --format json`` writes.

        Example:
            >>> from qidguard_comparison.comparison import small
            >>> small().to_json().splitlines()[1]
            '  "format": "qidguard-comparison/1",'
        """
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def __str__(self) -> str:
        from qidguard_comparison.page import comparison_page

        return comparison_page(self).text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from qidguard_comparison.page import comparison_page

        return comparison_page(self).html()


def small() -> Comparison:
    """Return a comparison of two methods, of which one makes the policy hold, for examples.

    Example:
        >>> [row.label for row in small().frontier]
        ['as it is', 'mondrian']
    """
    rows = [
        MethodRow(
            label=label,
            method=label,
            arguments={},
            status=status,
            is_passed=status is Status.PASSED,
            sentences=() if status is Status.PASSED else ("k-anonymity of age, sex is 1 record.",),
            figures={"k_anonymity": k, "prosecutor_risk_average": 1 / k, "ncp": loss},
        )
        for label, status, k, loss in (
            ("as it is", Status.AS_IT_IS, 1, 0.0),
            ("mondrian", Status.PASSED, 2, 0.25),
            ("rounding", Status.BLOCKED, 1, 0.125),
        )
    ]
    return Comparison(
        source="stays.csv", policy="stays", records=12, original=rows[0], methods=tuple(rows[1:])
    )
