"""What a metric's answer must be to count as a figure."""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from qidguard.core.errors import MemoryLimitError, NotMeasurable, PluginError
from qidguard.core.metric import Direction, GroupBy, Metric
from qidguard.core.statistic import Number
from qidguard.measure.figure import Figure

NO_REASON = "no number exists for this table"
"""What is said where a metric has no figure and does not say why."""

_SLACK = 1e-9
"""How far beyond its range a figure may lie through rounding, relative to the range's end."""


def checked(metric: Metric, value: object) -> Number:
    """Return a figure inside its metric's range; PluginError for anything else."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        raise PluginError(f"metric {metric.name!r} gave no number; mend the plugin")
    if math.isinf(value) and metric.direction is not (
        Direction.LOWER_IS_SAFER if value > 0 else Direction.HIGHER_IS_SAFER
    ):
        # a division by zero must not be safer than every limit
        raise PluginError(
            f"metric {metric.name!r} gave {value}, which no table is as safe as; mend the plugin"
        )
    low, high = metric.minimum, metric.maximum
    if value < low - _SLACK * max(1.0, abs(low)) or value > high + _SLACK * max(1.0, abs(high)):
        raise PluginError(
            f"metric {metric.name!r} gave {value}, outside its range {low}..{high}; mend the plugin"
        )
    return min(max(value, low), high) if isinstance(value, float) else value


def fault(metric: Metric, owner: str, error: BaseException) -> str:
    """Return a sentence on a plugin's failure; the error's own words could carry values of the table."""
    return f"{owner}: metric {metric.name!r} failed with {type(error).__name__}; mend the plugin"


def computed(
    figure: Figure,
    names: Sequence[str],
    columns: Sequence[Sequence[Number | None]],
    skipped: AbstractSet[int],
) -> tuple[NDArray[np.float64], dict[int, str]]:
    """Return a figure of many sets from columns of statistics, NaN where none exists, and why.

    Args:
        figure: A figure that comes out of group-by statistics.
        names: The statistics' names.
        columns: For each statistic its value in every set.
        skipped: The sets that are left out.

    Raises:
        PluginError: When the plugin fails on some set; it names the owner.
    """
    method, metric, arguments = figure.metric.method, figure.metric, figure.arguments
    if not isinstance(method, GroupBy):
        raise TypeError(f"metric {metric.name!r} is no group-by")
    compute = method.compute
    sets = len(columns[0]) if columns else 0
    values = np.full(sets, np.nan)
    found: list[object] = []
    at: list[int] = []
    reasons: dict[int, str] = {}
    try:
        for i, row in enumerate(zip(*columns, strict=True)):
            if i in skipped:
                continue
            try:
                found.append(compute(dict(zip(names, row, strict=True)), arguments))
                at.append(i)
            except NotMeasurable as reason:
                reasons[i] = str(reason) or NO_REASON
        values[at] = _all_checked(metric, found)
    except (MemoryLimitError, MemoryError):
        raise
    except PluginError as error:
        raise PluginError(f"{figure.owner}: {error}") from None
    except (Exception, SystemExit, GeneratorExit) as error:  # noqa: BLE001 - a plugin may raise anything
        raise PluginError(fault(metric, figure.owner, error)) from None
    return values, reasons


def _all_checked(metric: Metric, found: list[object]) -> NDArray[np.float64]:
    """Return the figures as ``checked`` returns each; plain ones inside the range need no second look."""
    if set(map(type, found)) <= {int, float}:
        values = np.array(found, dtype=np.float64)
        if np.all((values >= metric.minimum) & (values <= metric.maximum) & np.isfinite(values)):
            return values
    return np.array([checked(metric, value) for value in found], dtype=np.float64)
