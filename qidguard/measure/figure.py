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
        """Return the grouping of one subset.

        Args:
            qids: The subset's columns, at least one.

        Returns:
            The grouping, with the attribute beside the columns.

        Units:
            None.

        Raises:
            ValueError: When the attribute is one of the columns.

        Example:
            >>> from qidguard.measure.example import CLASSES_FIGURE
            >>> CLASSES_FIGURE.grouping(("age",)).qids
            ('age',)
        """
        return Grouping(qids=qids, sensitive=self.attribute)

    def statistics(self) -> tuple[Statistic, ...]:
        """Return the statistics the metric needs.

        Returns:
            The statistics, each once; none for a function of the table.

        Units:
            Those of the statistics.

        Raises:
            KeyError: When an argument that the metric reads is not there.

        Example:
            >>> from qidguard.measure.example import CLASSES_FIGURE
            >>> [statistic.name for statistic in CLASSES_FIGURE.statistics()]
            ['classes']
        """
        return self.metric.method.needs(self.arguments) if isinstance(self.metric.method, GroupBy) else ()
