"""A metric that has a value in every class which SQL over the cells of that class cannot give."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.sdk import Arguments, Grouping, NotMeasurable, TableView
from qidguard_qidlearning.metrics.class_headline import MAXIMUM, MEAN, MINIMUM

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = tuple[NDArray[np.float64], NDArray[np.int64]]


@dataclass(frozen=True, kw_only=True)
class ClassFunction:
    """Measures a headline over the values of the classes, which need more than their cells: no group-by.

    ``class_values`` gives the value and the size (persons) of every class; shape (classes,) each.
    """

    class_values: "Callable[[TableView, Grouping], Values]"

    def __call__(self, view: TableView, grouping: Grouping, arguments: Arguments) -> float:
        """Return the figure that ``statistic`` asks for; NotMeasurable where there is no record."""
        values, sizes = self.class_values(view, grouping)
        if not len(values):
            raise NotMeasurable("The table has no records, so there is nothing to measure.")
        wanted = arguments["statistic"]
        if wanted == MINIMUM:
            return float(values.min())
        if wanted == MAXIMUM:
            return float(values.max())
        if wanted == MEAN:
            return float(values.mean())
        return float(values @ sizes / sizes.sum())
