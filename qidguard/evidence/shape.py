"""Shapes: what a JSON value must be, field by field; whatever is not named is refused."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

from qidguard.evidence.fault import EvidenceFault

Shape = Callable[[str, Any], None]
"""Takes the place of a value, such as ``files[0].sha256``, and the value; refuses it by an EvidenceFault."""

_DIGEST = re.compile(r"[0-9a-f]{64}")
_FIGURE_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def text(place: str, value: Any) -> None:
    """Refuse what is not text of at least one character.

    Example:
        >>> text("by", "A. Roe")
    """
    if not isinstance(value, str) or not value:
        raise EvidenceFault(f"{place} is not a text")


def any_text(place: str, value: Any) -> None:
    """Refuse what is not text; an empty one is allowed.

    Example:
        >>> any_text("name", "")
    """
    if not isinstance(value, str):
        raise EvidenceFault(f"{place} is not a text")


def digest(place: str, value: Any) -> None:
    """Refuse what is not a SHA-256 in 64 lower-case hexadecimal digits.

    Example:
        >>> digest("sha256", "0" * 64)
    """
    if not isinstance(value, str) or not _DIGEST.fullmatch(value):
        raise EvidenceFault(f"{place} is not a SHA-256 in 64 hexadecimal digits")


def count(place: str, value: Any) -> None:
    """Refuse what is not a whole number ≥ 0; a boolean is none, and neither is 5.0.

    Example:
        >>> count("records", 5)
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise EvidenceFault(f"{place} is not a whole number of at least 0")


def number(place: str, value: Any) -> None:
    """Refuse what is not a number; canonical JSON has finite ones only.

    Example:
        >>> number("limit", 0.2)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise EvidenceFault(f"{place} is not a number")


def boolean(place: str, value: Any) -> None:
    """Refuse what is not true or false.

    Example:
        >>> boolean("is_met", True)
    """
    if not isinstance(value, bool):
        raise EvidenceFault(f"{place} is not true or false")


def instant(place: str, value: Any) -> None:
    """Refuse what is not a date and time of day in UTC, in ISO 8601.

    Example:
        >>> instant("released_at", "2026-11-21T10:00:00Z")
    """
    try:
        is_utc = "T" in value and datetime.fromisoformat(value).utcoffset() == timedelta(0)
    except (TypeError, ValueError):
        is_utc = False
    if not is_utc:
        raise EvidenceFault(f"{place} is not a time in UTC such as 2026-11-21T10:00:00Z")


def day_or_instant(place: str, value: Any) -> None:
    """Refuse what is neither a day nor a time in UTC, in ISO 8601.

    Example:
        >>> day_or_instant("expires", "2026-11-21")
    """
    try:
        date.fromisoformat(value)
    except (TypeError, ValueError):
        instant(place, value)


def one_of(*choices: str) -> Shape:
    """Return the shape of a text that is one of some words.

    Example:
        >>> one_of("passed", "blocked")("outcome", "passed")
    """

    def check(place: str, value: Any) -> None:
        if not isinstance(value, str) or value not in choices:
            raise EvidenceFault(f"{place} is not one of {', '.join(choices)}")

    return check


def optional(shape: Shape) -> Shape:
    """Return the shape that is null or another one.

    Example:
        >>> optional(text)("preset", None)
    """

    def check(place: str, value: Any) -> None:
        if value is not None:
            shape(place, value)

    return check


def either(kind: type, shape: Shape, otherwise: Shape) -> Shape:
    """Return ``shape`` for values of a Python type, and another shape for all others.

    Example:
        >>> either(str, text, count)("step", 5)
    """

    def check(place: str, value: Any) -> None:
        (shape if isinstance(value, kind) else otherwise)(place, value)

    return check


def list_of(shape: Shape) -> Shape:
    """Return the shape of a list whose items are all of one shape.

    Example:
        >>> list_of(count)("sizes", [1, 2])
    """

    def check(place: str, value: Any) -> None:
        if not isinstance(value, list):
            raise EvidenceFault(f"{place} is not a list")
        for position, item in enumerate(value):
            shape(f"{place}[{position}]", item)

    return check


def mapping_of(shape: Shape) -> Shape:
    """Return the shape of an object with names of its own, whose values are all of one shape.

    Example:
        >>> mapping_of(text)("versions", {"qidguard": "1.0"})
    """

    def check(place: str, value: Any) -> None:
        if not isinstance(value, dict):
            raise EvidenceFault(f"{place} is not an object")
        for name, item in value.items():
            text(f"a name in {place}", name)
            shape(f"a value in {place}", item)  # the name itself could be a value of the table

    return check


def figures(place: str, value: Any) -> None:
    """Refuse what is not an object of numbers under names such as ``records_suppressed``.

    A name in this form is no value of a table that slipped in as a key; few values look like one.

    Example:
        >>> figures("information_loss", {"records_suppressed": 3})
    """
    mapping_of(number)(place, value)
    if not all(_FIGURE_NAME.fullmatch(name) for name in value):
        raise EvidenceFault(f"a name in {place} is not of small letters, digits and _")


def record(**fields: Shape) -> Shape:
    """Return the shape of an object with exactly these fields.

    Example:
        >>> record(name=text)("policy", {"name": "clinic"})
    """

    def check(place: str, value: Any) -> None:
        if not isinstance(value, dict):
            raise EvidenceFault(f"{place or 'it'} is not an object")
        prefix = f"{place}." if place else ""
        if value.keys() - fields.keys():  # not named: what slipped in could be a value of the table
            raise EvidenceFault(f"{place or 'it'} has a field that nobody knows")
        if missing := [name for name in fields if name not in value]:
            raise EvidenceFault(f"{prefix}{missing[0]} is missing")
        for name, shape in fields.items():
            shape(f"{prefix}{name}", value[name])

    return check
