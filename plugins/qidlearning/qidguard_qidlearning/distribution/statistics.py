"""Statistics of values that count with weights: moments, median and extremes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Moments:
    """Location, spread and shape of some values.

    Args:
        mean: In the unit of the values.
        median: In the unit of the values; the mean of the middle two where there are two.
        standard_deviation: Of the values as the whole population (divided by n), in their unit, ≥ 0.
        skewness: Third standardised moment, no unit; None where all values are equal.
        excess_kurtosis: Fourth standardised moment minus 3, no unit; None where all values are equal.
    """

    mean: float
    median: float
    standard_deviation: float
    skewness: float | None
    excess_kurtosis: float | None


@dataclass(frozen=True, kw_only=True)
class DistributionStatistics:
    """What a metric's values over the classes look like.

    Args:
        unweighted: Each class counts once.
        weighted: Each class counts with its persons.
        minimum: Smallest value of a class, in the metric's unit.
        maximum: Largest value of a class, in the metric's unit.
        classes: Classes with a value, ≥ 1.
        persons: Sum of their sizes, ≥ 1; an entity counts once in each class that it appears in.
        classes_without_value: Classes that have none and are left out, ≥ 0.
    """

    unweighted: Moments
    weighted: Moments
    minimum: float
    maximum: float
    classes: int
    persons: int
    classes_without_value: int


def moments(values: "NDArray[np.float64]", weights: "NDArray[np.int64]") -> Moments:
    """Return the moments of values as if each occurred as often as its weight says.

    Skewness is m₃/m₂^(3/2) and excess kurtosis m₄/m₂² − 3 with m_k the central moments of the population
    (Pearson 1895; no correction for samples, for all classes are there).

    Args:
        values: At least one finite number.
        weights: As many whole numbers ≥ 1.

    Returns:
        The moments; where all values are equal the deviation is 0 and there is neither skewness nor kurtosis.

    Units:
        Those of the values.

    Raises:
        ValueError: When there is no value.

    Example:
        >>> found = moments(np.array([1.0, 4.0]), np.array([2, 1]))
        >>> found.mean, found.median
        (2.0, 1.0)
    """
    if not len(values):
        raise ValueError("moments need at least one value")
    n = int(weights.sum())
    low, high = float(values.min()), float(values.max())
    if low == high:
        return Moments(mean=low, median=low, standard_deviation=0.0, skewness=None, excess_kurtosis=None)
    mean = float(values @ weights) / n
    # powers of numbers in −1..1, so that neither tiny nor huge values run out of digits
    scale = high - low
    away = (values - mean) / scale
    second, third, fourth = (float(away**k @ weights) / n for k in (2, 3, 4))
    return Moments(
        mean=mean,
        median=_median(values, weights, n),
        standard_deviation=scale * second**0.5,
        skewness=third / second**1.5,
        excess_kurtosis=fourth / second**2 - 3,
    )


def _median(values: "NDArray[np.float64]", weights: "NDArray[np.int64]", n: int) -> float:
    """Return the middle value, or the mean of the middle two."""
    order = np.argsort(values, kind="stable")
    end = np.cumsum(weights[order])
    lower, upper = np.searchsorted(end, [(n - 1) // 2, n // 2], side="right")
    return float(values[order[lower]] / 2 + values[order[upper]] / 2)
