"""Numbers as people read them: thousands separated, shares as percent, never in powers of ten."""

import math
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from enum import Enum
from typing import Any

from qidguard.core.parameter import plain
from qidguard.core.statistic import Number

SHARE = "share"
SMALLEST = Decimal("0.0001")
"""Positive figures below this (percent for shares) print as ``<0.0001``."""

_SINGULAR = {
    "records": "record",
    "entities": "entity",
    "classes": "class",
    "values": "value",
    "columns": "column",
    "cells": "cell",
    "limits": "limit",
    "solutions": "solution",
    "nats": "nat",
    "bits": "bit",
}


def figure(value: Number, unit: str, digits: int = 3) -> str:
    """Return a number in its unit, without the unit's word."""
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    if unit != SHARE:
        return _plain(_exact(value), digits)
    percent = _exact(value) * 100
    text = _plain(percent, digits)
    if text == "100" and percent < 100:  # noqa: PLR2004 - a share of one hundred percent
        return ">" + "99." + "9" * max(1, digits - 2) + "%"
    return text + "%"


def _exact(value: Number) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _plain(value: Decimal, digits: int) -> str:
    if value == value.to_integral_value():
        return f"{int(value):,}"
    if abs(value) < SMALLEST:
        return f"<{SMALLEST}" if value > 0 else f">-{SMALLEST}"
    places = max(0, digits - 1 - value.adjusted())
    rounded = round(value, places) if places else value.to_integral_value(ROUND_HALF_EVEN)
    text = f"{rounded:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def limit_figure(value: Number, unit: str) -> str:
    """Return a limit as it was written, in its unit, without rounding.

    Example:
        >>> limit_figure(0.125, "share"), limit_figure(5, "records")
        ('12.5%', '5')
    """
    number = _exact(value)
    if unit == SHARE:
        number *= 100
    text = f"{number:,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text + ("%" if unit == SHARE else "")


def figure_against_limit(value: Number, limit: Number, unit: str) -> str:
    """Return a figure with as many digits as it takes to tell it from its limit."""
    written = limit_figure(limit, unit)
    if value == limit:
        return written
    for digits in range(3, 18):
        text = figure(value, unit, digits)
        if text != written:
            return text
    return repr(value)


def with_unit(text: str, unit: str) -> str:
    """Return a figure with its unit's word, in the singular for one."""
    if unit not in _SINGULAR or text == "infinite":
        return text
    return f"{text} {_SINGULAR[unit] if text == '1' else unit}"


def figure_words(value: Number | None, unit: str) -> str:
    """Return a figure with its unit; the words for none.

    Example:
        >>> figure_words(1, "records"), figure_words(0.125, "share"), figure_words(None, "share")
        ('1 record', '12.5%', 'no number')
    """
    return "no number" if value is None else with_unit(figure(value, unit), unit)


def counted(number: int, unit: str) -> str:
    """Return a count with its unit's word.

    Example:
        >>> counted(1234, "records")
        '1,234 records'
    """
    return with_unit(f"{number:,}", unit)


def short_share(part: float) -> str:
    """Return a share with one decimal, for tables."""
    if part in {0, 1}:
        return f"{part * 100:.0f}%"
    if part < 0.001:  # noqa: PLR2004 - one decimal of a percent
        return "<0.1%"
    return ">99.9%" if part > 0.999 else f"{part * 100:.1f}%"  # noqa: PLR2004 - the same


def finite(value: Number | None) -> tuple[Number | None, str]:
    """Return the value and no remark, or None and the words for what JSON has no number for.

    Example:
        >>> finite(5), finite(float("inf")), finite(None)
        ((5, ''), (None, 'infinite'), (None, 'not measured'))
    """
    if value is None:
        return None, "not measured"
    return (value, "") if math.isfinite(value) else (None, figure(value, ""))


def argument(value: Any) -> Any:
    """Return the value of a parameter as JSON holds it.

    Example:
        >>> argument(5), argument(float("inf"))
        (5, 'infinite')
    """
    if isinstance(value, float) and not math.isfinite(value):
        return finite(value)[1]
    return plain(value)


def told(value: object, *names: str) -> dict[str, Any]:
    """Return attributes of a value by their names, as JSON holds them: None for what it has no number for.

    Example:
        >>> from types import SimpleNamespace
        >>> told(SimpleNamespace(names=("age", "sex"), value=float("inf")), "names", "value")
        {'names': ['age', 'sex'], 'value': None}
    """
    return {name: _json(getattr(value, name)) for name in names}


def _json(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {_json(name): _json(one) for name, one in value.items()}
    return [_json(one) for one in value] if isinstance(value, (list, tuple)) else plain(value)
