"""The values of a metric in every class, beside the sizes of the classes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard import NotMeasurable
from qidguard_qidlearning.distribution.statistics import DistributionStatistics, moments

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Distribution:
    """A metric's values over the classes of a grouping.

    Args:
        values: Shape (classes,), in the metric's unit; NaN for a class that has no value.
        sizes: Shape (classes,), the persons of each class, whole numbers ≥ 1.
        label: What a value is, with its unit, for the axis of a plot.
    """

    values: "NDArray[np.float64]"
    sizes: "NDArray[np.int64]"
    label: str = ""

    def __post_init__(self) -> None:
        # copies that nobody can write to: the caller's arrays stay the caller's
        values = np.array(self.values, dtype=np.float64)
        given = np.asarray(self.sizes)
        sizes = np.array(given, dtype=np.int64)
        if values.ndim != 1 or values.shape != sizes.shape:
            raise ValueError(f"a distribution has one size a value, not {sizes.shape} for {values.shape}")
        if not np.array_equal(sizes, given) or (sizes < 1).any():
            raise ValueError("the size of a class must be a whole number of persons, at least 1")
        if np.isinf(values).any():
            raise ValueError("the value of a class must be finite, or NaN where there is none")
        values.flags.writeable = sizes.flags.writeable = False
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "sizes", sizes)

    def statistics(self) -> DistributionStatistics:
        """Return mean, median, deviation, skewness, kurtosis and extremes, weighted by persons and not.

        Classes without a value (NaN) are left out and counted. With a single class, or one value everywhere,
        the deviation is 0 and there is neither skewness nor kurtosis.

        Returns:
            The statistics.

        Units:
            The metric's own; classes and persons are counted; skewness and kurtosis have none.

        Raises:
            NotMeasurable: When no class has a value.

        Example:
            >>> sizes = np.array([2, 1])
            >>> found = Distribution(values=np.array([0.5, 2.0]), sizes=sizes).statistics()
            >>> found.unweighted.mean, found.weighted.mean, found.maximum, found.persons
            (1.25, 1.0, 2.0, 3)
        """
        has_value = ~np.isnan(self.values)
        values, sizes = self.values[has_value], self.sizes[has_value]
        if not len(values):
            raise NotMeasurable("No class has a value, so there is no distribution.")
        return DistributionStatistics(
            unweighted=moments(values, np.ones(len(values), dtype=np.int64)),
            weighted=moments(values, sizes),
            minimum=float(values.min()),
            maximum=float(values.max()),
            classes=len(values),
            persons=int(sizes.sum()),
            classes_without_value=int((~has_value).sum()),
        )
