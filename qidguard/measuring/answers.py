"""Answers: the figures of some subsets, why one is not there, and what a metric's answer must be to count."""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qidguard.core.errors import MemoryLimitError, NotMeasurable, PluginError
from qidguard.core.guard import PluginCode
from qidguard.core.measurement import Estimate, Interval
from qidguard.core.metric import Direction, GroupBy, Metric
from qidguard.core.statistic import Number
from qidguard.measuring.question import Question

NO_REASON = "no number exists for this table"
"""What is said where a metric has no figure and does not say why."""

_SLACK = 1e-9
"""How far beyond its range a figure may lie through rounding, relative to the range's end."""


@dataclass(kw_only=True)
class Answers:
    """Figures of some subsets of columns, filled by whoever measures them.

    Args:
        values: Shape (subsets, figures); NaN where no number exists.
        reasons: (row, figure) → why there is no number.
    """

    values: NDArray[np.float64]
    reasons: dict[tuple[int, int], str] = field(default_factory=dict)

    @classmethod
    def blank(cls, subsets: int, figures: int) -> "Answers":
        """Return answers without a number."""
        return cls(values=np.full((subsets, figures), np.nan))


def checked(metric: Metric, value: object) -> Number:
    """Return a figure inside its metric's range; PluginError for anything else."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        what = "NaN" if isinstance(value, float) else type(value).__name__
        raise PluginError.of_somebody(f"metric {metric.name!r} gave {what}, not a number; mend the plugin")
    if math.isinf(value) and metric.direction is not (
        Direction.LOWER_IS_SAFER if value > 0 else Direction.HIGHER_IS_SAFER
    ):
        # a division by zero must not be safer than every limit
        raise PluginError.of_somebody(
            f"metric {metric.name!r} gave {value}, which no table is as safe as; mend the plugin"
        )
    low, high = metric.minimum, metric.maximum
    if value < low - _SLACK * max(1.0, abs(low)) or value > high + _SLACK * max(1.0, abs(high)):
        raise PluginError.of_somebody(
            f"metric {metric.name!r} gave {value}, outside its range {low}..{high}; mend the plugin"
        )
    return min(max(value, low), high) if isinstance(value, float) else value


def safest(metric: Metric) -> Number:
    """Return the safest figure that there is."""
    return metric.maximum if metric.direction is Direction.HIGHER_IS_SAFER else metric.minimum


def of_nothing_to_learn(metric: Metric, attribute: str) -> Number:
    """Return the figure beside an attribute that is suppressed wherever somebody stands in a class.

    Of a sensitive attribute it is the safest: whoever finds a person learns nothing. NotMeasurable of any
    other, and where earlier releases or the original have values to tell.
    """
    has_more = metric.needs_history or metric.needs_original or metric.direction is Direction.NEITHER
    if has_more or not metric.is_sensitive:
        raise NotMeasurable(f"every value of {attribute!r} is suppressed")
    return safest(metric)


def estimated(metric: Metric, value: object) -> Estimate:
    """Return a figure with its interval inside the metric's range; PluginError for anything else."""
    if not isinstance(value, Estimate):
        return Estimate(value=checked(metric, value))
    figure, interval = checked(metric, value.value), value.interval
    remark: object = value.remark
    if not isinstance(remark, str) or type(interval) not in {Interval, type(None)}:
        raise PluginError.of_somebody(
            f"metric {metric.name!r} gave an estimate whose interval or remark is none; mend the plugin"
        )
    if interval is not None:
        low, high = (
            float(min(max(end, metric.minimum), metric.maximum)) for end in (interval.low, interval.high)
        )
        interval = Interval(low=low, high=high, confidence=interval.confidence)
    return Estimate(value=figure, interval=interval, remark=value.remark)


def code_of(metric: Metric, owner: str, table: object = None) -> PluginCode:
    """Return the guard around a metric's code; a statement that it runs on a table can be interrupted."""
    return PluginCode(
        owner,
        f"metric {metric.name!r}",
        passes=(NotMeasurable, MemoryLimitError, MemoryError),
        interrupt=getattr(table, "interrupt", None),
    )


def computed(
    question: Question,
    names: Sequence[str],
    columns: Sequence[Sequence[Number | None]],
    skipped: AbstractSet[int],
) -> tuple[NDArray[np.float64], dict[int, str]]:
    """Return a figure of many sets from columns of statistics, NaN where none exists, and why.

    ``columns`` holds for each statistic its value in every set; ``skipped`` sets are left out. PluginError,
    naming the owner, where the plugin fails on some set.
    """
    method, metric, arguments = question.metric.method, question.metric, question.arguments
    if not isinstance(method, GroupBy):
        raise TypeError(f"metric {metric.name!r} is no group-by")
    compute = method.compute
    sets = len(columns[0]) if columns else 0
    values = np.full(sets, np.nan)
    found: list[object] = []
    at: list[int] = []
    reasons: dict[int, str] = {}
    with code_of(metric, question.owner):
        for i, row in enumerate(zip(*columns, strict=True)):
            if i in skipped:
                continue
            try:
                found.append(compute(dict(zip(names, row, strict=True)), arguments))
                at.append(i)
            except NotMeasurable as reason:
                reasons[i] = str(reason) or NO_REASON
        values[at] = _all_checked(metric, found)
    return values, reasons


def _all_checked(metric: Metric, found: list[object]) -> NDArray[np.float64]:
    """Return the figures as ``checked`` returns each; plain ones inside the range need no second look."""
    if set(map(type, found)) <= {int, float}:
        values = np.array(found, dtype=np.float64)
        if np.all((values >= metric.minimum) & (values <= metric.maximum) & np.isfinite(values)):
            return values
    return np.array([checked(metric, value) for value in found], dtype=np.float64)
