"""Measurements: a metric's figure for one table, with all that is needed to repeat it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from qidguard.core.estimate import Interval
from qidguard.core.noised import NoisedQids
from qidguard.core.parameter import ParameterValue
from qidguard.core.statistic import Number


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
