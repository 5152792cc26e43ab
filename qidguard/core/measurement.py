"""Measurements: the figure of a metric for one table, counted or estimated, and all that repeats it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from qidguard.core.noised import NoisedQids
from qidguard.core.parameter import ParameterValue
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


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """One figure.

    Args:
        metric: The metric's name.
        title: The metric's title as printed; empty where only the name is known.
        value: The figure in the metric's unit, or None where no number exists.
        unit: The unit as printed: ``records`` or ``entities`` where the metric counts persons.
        qids: The columns it was measured over (the worst subset, where the attacker knows only some).
        sensitive: The sensitive attribute, where the metric is measured per attribute.
        arguments: The parameters used.
        reason: Why there is no number; empty where there is one.
        subsets: How many QID subsets were measured to find the worst, ≥ 1.
        is_fault: Whether there is no number because a plugin failed.
        noised: Over which columns it was asked for, where noise was drawn for some; None where for none.
        interval: Where the truth lies, of an estimate whose metric can say so.
        remark: What the metric says of an estimate; holds no value of the table.
    """

    metric: str
    value: Number | None
    unit: str
    qids: tuple[str, ...]
    title: str = ""
    sensitive: str | None = None
    arguments: Mapping[str, ParameterValue] = field(default_factory=lambda: MappingProxyType({}))
    reason: str = ""
    subsets: int = 1
    is_fault: bool = False
    noised: NoisedQids | None = None
    interval: Interval | None = None
    remark: str = ""
