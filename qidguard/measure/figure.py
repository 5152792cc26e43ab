"""Figures: what is asked of every subset of columns."""

from dataclasses import dataclass

from qidguard.core.grouping import Grouping
from qidguard.core.metric import GroupBy, Metric
from qidguard.core.parameter import Arguments
from qidguard.core.statistic import Statistic


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure that is asked of every subset.

    Args:
        metric: The metric.
        arguments: Its arguments, checked by ``qidguard.core.parameter.bind``.
        attribute: The sensitive, target or treatment column beside the QIDs; ``Grouping.sensitive`` holds it.
        owner: The plugin that offers the metric, for errors.
    """

    metric: Metric
    arguments: Arguments
    attribute: str | None = None
    owner: str = ""

    def grouping(self, qids: tuple[str, ...]) -> Grouping:
        """Return the grouping of one subset; ValueError where the attribute is among its QIDs."""
        return Grouping(qids=qids, sensitive=self.attribute)

    def statistics(self) -> tuple[Statistic, ...]:
        """Return the statistics the metric needs; none for a function of the table."""
        return self.metric.method.needs(self.arguments) if isinstance(self.metric.method, GroupBy) else ()
