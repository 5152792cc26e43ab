"""How moments and figures are written on the pages."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from qidguard.core.verdict import Bound
from qidguard.report.figure import figure_beside, limit_figure, with_unit
from qidguard.report.printable import visible

_SPANS = ((timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (timedelta(minutes=1), "minute"))


def moment(at: datetime) -> str:
    """Return a moment to the minute, in UTC.

    Args:
        at: The moment, with a time zone.

    Returns:
        Such as ``2026-11-21 13:45``.

    Units:
        UTC.

    Raises:
        Nothing.

    Example:
        >>> moment(datetime(2026, 11, 21, 13, 45, 59, tzinfo=UTC))
        '2026-11-21 13:45'
    """
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def apart(at: datetime, now: datetime) -> str:
    """Return how long ago a moment is, or how long it is until then, in its largest unit.

    Args:
        at: The moment.
        now: The present.

    Returns:
        Such as ``3 hours ago`` or ``in 1 day``.

    Units:
        The one that is named; rounded down.

    Raises:
        Nothing.

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
    """Return what was measured, with its unit; where there is no number, why.

    Args:
        figure: A threshold as an audit's document lists it, or the tightest of them.

    Returns:
        Such as ``4 records``.

    Units:
        The metric's; shares in percent.

    Raises:
        KeyError: When the figure lacks what the document always says.

    Example:
        >>> (
        ...     measured({"value": 4, "limit": 5, "unit": "records"}),
        ...     measured({"value": None, "reason": "no QIDs"}),
        ... )
        ('4 records', 'no QIDs')
    """
    if figure["value"] is None:
        return visible(str(figure.get("reason") or "not measured"))
    unit = str(figure["unit"])
    return with_unit(figure_beside(figure["value"], figure["limit"], unit), unit)


def asked(figure: Mapping[str, Any]) -> str:
    """Return what the limit asks.

    Args:
        figure: As in ``measured``.

    Returns:
        Such as ``at least 5``.

    Units:
        The metric's; shares in percent.

    Raises:
        KeyError: When the figure lacks what the document always says.

    Example:
        >>> asked({"bound": "at_most", "limit": 0.2, "unit": "share"})
        'at most 20%'
    """
    side = "at least" if figure["bound"] == Bound.AT_LEAST else "at most"
    return f"{side} {limit_figure(figure['limit'], str(figure['unit']))}"
