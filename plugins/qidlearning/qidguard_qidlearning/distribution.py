"""How a metric's values spread over the classes (section 4.3): the values, and statistics of them."""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

import numpy as np

from qidguard.sdk import GroupBy, Grouping, Metric, NotMeasurable, UserError
from qidguard_qidlearning.metrics.class_metric import ClassFunction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from qidguard.sdk import Audit, Table


@dataclass(frozen=True, kw_only=True)
class Moments:
    """Location, spread and shape of some values.

    Args:
        mean: In the unit of the values.
        median: In the unit of the values; the mean of the middle two where there are two.
        standard_deviation: Of the values as the whole population (divided by n), in their unit, ≥ 0.
        skewness: Third standardized moment, no unit; None where all values are equal.
        excess_kurtosis: Fourth standardized moment minus 3, no unit; None where all values are equal.
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
    """
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

        Classes without a value (NaN) are left out and counted; NotMeasurable where none has one. With one
        class, or one value everywhere, the deviation is 0 and there is neither skewness nor kurtosis.
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


def distribution_of(
    source: "Audit | Table", metric: Metric | str, qids: "Sequence[str]", attribute: str | None = None
) -> Distribution:
    """Return a metric's value in every class, in its unit, and the persons of the class, sorted by value.

    The metric is one of this plugin, by name, or any that has a value in every class, beside the attribute
    where it needs one. NULL in a QID makes a class; a table without records has none.

    Example:
        >>> import pandas as pd, qidguard
        >>> frame = pd.DataFrame({"sex": ["f", "f", "m"], "job": ["a", "b", "a"]})
        >>> with qidguard.audit(frame) as audit:
        ...     distribution_of(audit, "l_diversity", ["sex"], "job").values.tolist()
        [1.0, 2.0]
    """
    from qidguard.sdk import Audit

    metric = _named(metric) if isinstance(metric, str) else metric
    if metric.attribute is not None and attribute is None:
        raise UserError(f"metric {metric.name!r} is measured beside a {metric.attribute} column; name one")
    if metric.attribute is None and attribute is not None:
        raise UserError(f"metric {metric.name!r} is measured on the QIDs alone; leave {attribute!r} out")
    # an audit shows its table as a view; the table itself has the class values
    table = cast("Table", source.table) if isinstance(source, Audit) else source
    grouping = Grouping(qids=tuple(qids), sensitive=attribute)
    method = metric.method
    if isinstance(method, GroupBy):
        if method.distribution is None:
            raise UserError(f"metric {metric.name!r} has no value per class")
        found = table.class_values(grouping, method.distribution)
        values, sizes = found[:, 0], found[:, 1].astype(np.int64)
    elif isinstance(method.measure, ClassFunction):
        values, sizes = method.measure.class_values(table, grouping)
    else:
        raise UserError(f"metric {metric.name!r} has no value per class")
    order = np.lexsort((sizes, values))
    label = f"{metric.title}, {metric.unit.value}"
    return Distribution(values=values[order], sizes=sizes[order], label=label)


def _named(name: str) -> Metric:
    from qidguard_qidlearning.metrics import METRICS

    known = {metric.name: metric for metric in METRICS}
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "give the metric itself"
        raise UserError(f"this plugin has no metric {name!r}; {hint}")
    return known[name]
