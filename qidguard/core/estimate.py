"""An estimate: a figure that was not counted, with its interval and what is to be said of it."""

import math
from dataclasses import dataclass

from qidguard.core.statistic import Number


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Where the truth lies, as far as chance goes.

    Args:
        low: The lower end, in the metric's unit.
        high: The upper end, ≥ low.
        confidence: The share of samples whose interval holds the truth, if the model is right, 0..1.

    Raises:
        ValueError: When the ends are no numbers or stand the wrong way round.

    Units:
        Those of the figure.

    Example:
        >>> Interval(low=0.01, high=0.04, confidence=0.95).high
        0.04
    """

    low: float
    high: float
    confidence: float

    def __post_init__(self) -> None:
        if math.isnan(self.low) or math.isnan(self.high) or self.low > self.high:
            raise ValueError(f"an interval goes from low to high, not from {self.low} to {self.high}")
        if not 0 < self.confidence < 1:
            raise ValueError(f"a confidence lies between 0 and 1, and {self.confidence} does not")


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What a metric that is no group-by may return in the place of a number.

    A limit is held against the value alone; interval and remark are shown beside it.

    Args:
        value: The figure.
        interval: Where the truth lies; None where nobody can say.
        remark: A sentence without a value of the table, such as that a model is at the edge of its range.

    Units:
        Those of the metric.

    Example:
        >>> Estimate(value=0.02, interval=Interval(low=0.01, high=0.04, confidence=0.95)).value
        0.02
    """

    value: Number
    interval: Interval | None = None
    remark: str = ""
