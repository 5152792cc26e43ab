"""Which of an audit's figures came nearest to its limit, or went farthest beyond it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qidguard.core.statistic import Number
from qidguard.core.verdict import Bound


@dataclass(frozen=True, kw_only=True)
class Tightest:
    """The figure of one audit that has the least room to its limit.

    Args:
        metric: The metric's name.
        title: The metric's title.
        sensitive: The sensitive attribute, or None.
        value: What was measured, in ``unit``; None where there was no finite number.
        unit: The unit of figure and limit; a ``share`` is 0..1.
        bound: ``at_least`` or ``at_most``.
        limit: The limit in ``unit``.
        is_met: Whether the limit holds.
        room: What is left to the limit, as a share of the larger of figure and limit: 1 is all, 0 is none,
            below 0 the limit is missed, -1 is as far off as can be, or not measured.
    """

    metric: str
    title: str
    sensitive: str | None
    value: Number | None
    unit: str
    bound: str
    limit: Number
    is_met: bool
    room: float


def tightest(figures: Sequence[Mapping[str, Any]]) -> Tightest | None:
    """Return the figure with the least room to its limit, among those that can block.

    What only warns is looked at where nothing else was measured. Of equals the first is taken.

    Args:
        figures: The thresholds of an audit, as its document lists them.

    Returns:
        The figure; None where no threshold was judged.

    Units:
        Figure and limit in the metric's unit; ``room`` is a share, -1..1.

    Raises:
        KeyError: When a figure lacks what the document always says.

    Example:
        >>> both = {"title": "k-anonymity", "sensitive": None, "unit": "records", "bound": "at_least"}
        >>> both |= {"metric": "k_anonymity", "is_met": True, "is_warning": False, "limit": 5}
        >>> found = tightest([both | {"value": 20}, both | {"value": 8}])
        >>> found.value, found.room
        (8, 0.375)
    """
    deciding = [figure for figure in figures if not figure["is_warning"]] or list(figures)
    if not deciding:
        return None
    nearest = min(deciding, key=_room)
    return Tightest(
        metric=str(nearest["metric"]),
        title=str(nearest["title"]),
        sensitive=nearest["sensitive"],
        value=nearest["value"],
        unit=str(nearest["unit"]),
        bound=str(nearest["bound"]),
        limit=nearest["limit"],
        is_met=bool(nearest["is_met"]),
        room=_room(nearest),
    )


def _room(figure: Mapping[str, Any]) -> float:
    """Return the share of the larger of figure and limit that is left, on the verdict's side of zero.

    A limit of zero that holds at zero is all or nothing: nothing comes near it, so all room is left.
    """
    value, limit, is_met = figure["value"], figure["limit"], figure["is_met"]
    larger = 0 if value is None else max(abs(value), abs(limit))
    if not larger:
        return 1.0 if is_met else -1.0
    left = value - limit if figure["bound"] == Bound.AT_LEAST else limit - value
    room = float(left / larger)
    return min(max(room, 0.0), 1.0) if is_met else max(min(room, 0.0), -1.0)
