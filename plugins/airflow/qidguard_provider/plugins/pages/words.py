"""How moments and figures are written on the pages."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from qidguard.core.verdict import Bound
from qidguard.rendering.figure import figure_against_limit, limit_figure, with_unit
from qidguard.rendering.printable import visible

_SPANS = ((timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (timedelta(minutes=1), "minute"))


def moment(at: datetime) -> str:
    """Return a moment to the minute, in UTC.

    Example:
        >>> moment(datetime(2026, 11, 21, 13, 45, 59, tzinfo=UTC))
        '2026-11-21 13:45'
    """
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def apart(at: datetime, now: datetime) -> str:
    """Return how long ago a moment is, or how long it is until then, in its largest unit.

    Example:
        >>> noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
        >>> (
        ...     apart(noon - timedelta(hours=30), noon),
        ...     apart(noon + timedelta(minutes=2), noon),
        ...     apart(noon, noon),
        ... )
        ('1 day ago', 'in 2 minutes', 'just now')
    """
    span = abs(at - now)
    for unit, word in _SPANS:
        if span >= unit:
            number = span // unit
            text = f"{number:,} {word}{'' if number == 1 else 's'}"
            return f"{text} ago" if at < now else f"in {text}"
    return "just now" if at <= now else "now"


def measured(figure: Mapping[str, Any]) -> str:
    """Return what was measured, with its unit; where there is no number, why."""
    if figure["value"] is None:
        return visible(str(figure.get("reason") or "not measured"))
    unit = str(figure["unit"])
    return with_unit(figure_against_limit(figure["value"], figure["limit"], unit), unit)


def asked(figure: Mapping[str, Any]) -> str:
    """Return what the limit asks."""
    side = "at least" if figure["bound"] == Bound.AT_LEAST else "at most"
    return f"{side} {limit_figure(figure['limit'], str(figure['unit']))}"
