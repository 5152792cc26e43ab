"""A metric that has a value in every class which SQL over the cells of that class cannot give."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard import Arguments, Grouping, NotMeasurable, TableView
from qidguard_qidlearning.metrics.class_headline import MAXIMUM, MEAN, MINIMUM

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = tuple[NDArray[np.float64], NDArray[np.int64]]


@dataclass(frozen=True, kw_only=True)
class ClassFunction:
    """Measures a headline over the values of the classes, which need more than their cells: no group-by.

    Args:
        class_values: The table and a grouping → the value and the size (persons) of every class.
    """

    class_values: "Callable[[TableView, Grouping], Values]"

    def __call__(self, view: TableView, grouping: Grouping, arguments: Arguments) -> float:
        """Return the figure over the classes that the argument ``statistic`` asks for.

        Args:
            view: The table.
            grouping: The QIDs and the attribute.
            arguments: ``statistic`` as checked by its parameter.

        Returns:
            The minimum, maximum, mean or weighted mean over the classes.

        Units:
            Those of the class value.

        Raises:
            NotMeasurable: When the table has no records.

        Example:
            >>> import numpy as np
            >>> two = ClassFunction(class_values=lambda *_: (np.array([0.0, 1.0]), np.array([1, 3])))
            >>> two(None, Grouping(qids=("a",)), {"statistic": "weighted_mean"})
            0.75
        """
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
