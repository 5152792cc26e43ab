"""Metric selections: what the correlations of metrics say."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Plot
from qidguard_qidlearning.plots.heat_map import heat_map
from qidguard_qidlearning.selection.recommendation import domain_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, eq=False)
class MetricSelection:
    """Which metrics say the same on a table, and which to take.

    Args:
        metrics: The metrics that were measured and vary, like beside like.
        correlations: Shape (metrics, metrics), −1..1, NaN where there is none; in the order of ``metrics``.
        groups: Metrics that say the same, in the same order; a metric alone is a group too.
        recommended: The metrics to take: one a group, and one at least of each domain.
        reasons: Metric → why it is taken or not, for every metric that was asked for.
        silent: Metrics that say nothing here: their figure is the same on every subset, or there is none.
        left_out: Metrics that could not be measured at all.
        columns: The columns.
        size: How many columns each subset has.
        subsets: How many subsets were measured.
        every_subset: How many there are; more than ``subsets`` where a sample was drawn.
        method: ``spearman`` or ``pearson``.
        threshold: From which |r| on two metrics say the same.
        seed: What a sample was drawn with.
    """

    metrics: tuple[str, ...]
    correlations: NDArray[np.float64]
    groups: tuple[tuple[str, ...], ...]
    recommended: tuple[str, ...]
    reasons: Mapping[str, str]
    silent: tuple[str, ...]
    left_out: tuple[str, ...]
    columns: tuple[str, ...]
    size: int
    subsets: int
    every_subset: int
    method: str
    threshold: float
    seed: int

    def correlation(self, one: str, other: str) -> float:
        """Return the correlation of two metrics that vary, −1..1; NaN where there is none."""
        return float(self.correlations[self.metrics.index(one), self.metrics.index(other)])

    def heat_map(self) -> Plot:
        """Return the correlations as a heat map, metrics that say the same beside each other."""
        many = "column" if self.size == 1 else "columns"
        return heat_map(
            self.correlations,
            self.metrics,
            title=f"Correlations of metrics over {self.subsets:,} subsets of {self.size} {many}",
            said=f"Recommended are {', '.join(self.recommended)}.",
        )

    def table(self) -> "pd.DataFrame":
        """Return a line for each metric that was asked for: its domain, its group, why it is taken or not.

        ``group`` is 1, 2, …, and missing for a metric that says nothing; like stands beside like.
        """
        import pandas as pd

        group = {name: number for number, names in enumerate(self.groups, 1) for name in names}
        names = [*self.metrics, *self.silent, *self.left_out]
        return pd.DataFrame(
            {
                "metric": pd.array(names, dtype="str"),
                "domain": pd.array([str(domain_of(name)) for name in names], dtype="str"),
                "group": pd.array([group.get(name) for name in names], dtype="Int64"),
                "is_recommended": [name in self.recommended for name in names],
                "reason": pd.array([self.reasons[name] for name in names], dtype="str"),
            }
        )
