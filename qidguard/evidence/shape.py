"""Shapes of manifests and attestations: what each JSON value must be; whatever is not named is refused."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

from qidguard.evidence.canonical import EvidenceFault

Shape = Callable[[str, Any], None]
"""Takes the place of a value, such as ``files[0].sha256``, and the value; refuses it by an EvidenceFault."""

_DIGEST = re.compile(r"[0-9a-f]{64}")
_FIGURE_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def text(place: str, value: Any) -> None:
    """Refuse what is not text of at least one character."""
    if not isinstance(value, str) or not value:
        raise EvidenceFault(f"{place} is not a text")


def any_text(place: str, value: Any) -> None:
    """Refuse what is not text; an empty one is allowed."""
    if not isinstance(value, str):
        raise EvidenceFault(f"{place} is not a text")


def digest(place: str, value: Any) -> None:
    """Refuse what is not a SHA-256 in 64 lower-case hexadecimal digits."""
    if not isinstance(value, str) or not _DIGEST.fullmatch(value):
        raise EvidenceFault(f"{place} is not a SHA-256 in 64 hexadecimal digits")


def count(place: str, value: Any) -> None:
    """Refuse what is not a whole number ≥ 0; a boolean is none, and neither is 5.0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise EvidenceFault(f"{place} is not a whole number of at least 0")


def number(place: str, value: Any) -> None:
    """Refuse what is not a number; canonical JSON has finite ones only."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise EvidenceFault(f"{place} is not a number")


def boolean(place: str, value: Any) -> None:
    """Refuse what is not true or false."""
    if not isinstance(value, bool):
        raise EvidenceFault(f"{place} is not true or false")


def instant(place: str, value: Any) -> None:
    """Refuse what is not a date and time of day in UTC, in ISO 8601."""
    try:
        is_utc = "T" in value and datetime.fromisoformat(value).utcoffset() == timedelta(0)
    except (TypeError, ValueError):
        is_utc = False
    if not is_utc:
        raise EvidenceFault(f"{place} is not a time in UTC such as 2026-11-21T10:00:00Z")


def day_or_instant(place: str, value: Any) -> None:
    """Refuse what is neither a day nor a time in UTC, in ISO 8601."""
    try:
        date.fromisoformat(value)
    except (TypeError, ValueError):
        instant(place, value)


def one_of(*choices: str) -> Shape:
    """Return the shape of a text that is one of some words."""

    def check(place: str, value: Any) -> None:
        if not isinstance(value, str) or value not in choices:
            raise EvidenceFault(f"{place} is not one of {', '.join(choices)}")

    return check


def optional(shape: Shape) -> Shape:
    """Return the shape that is null or another one."""

    def check(place: str, value: Any) -> None:
        if value is not None:
            shape(place, value)

    return check


def either(kind: type, shape: Shape, otherwise: Shape) -> Shape:
    """Return ``shape`` for values of a Python type, and another shape for all others."""

    def check(place: str, value: Any) -> None:
        (shape if isinstance(value, kind) else otherwise)(place, value)

    return check


def list_of(shape: Shape) -> Shape:
    """Return the shape of a list whose items are all of one shape."""

    def check(place: str, value: Any) -> None:
        if not isinstance(value, list):
            raise EvidenceFault(f"{place} is not a list")
        for position, item in enumerate(value):
            shape(f"{place}[{position}]", item)

    return check


def mapping_of(shape: Shape) -> Shape:
    """Return the shape of an object with names of its own, whose values are all of one shape."""

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
    """
    mapping_of(number)(place, value)
    if not all(_FIGURE_NAME.fullmatch(name) for name in value):
        raise EvidenceFault(f"a name in {place} is not of small letters, digits and _")


def record(**fields: Shape) -> Shape:
    """Return the shape of an object with exactly these fields."""

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


MANIFEST = "manifest.json"
"""The file that makes a folder a release; it is written last."""

ATTESTATION = "attestation.json"
"""The file with the statement about the release and its signature."""

LONGEST_NAME_BYTES = 255

OUTCOME: Shape = one_of("passed", "passed_by_exception")

POLICY: Shape = record(name=text, sha256=digest, preset=optional(text))

APPROVAL: Shape = record(
    id=text, by=text, key_id=digest, reason=text, expires=day_or_instant, thresholds=list_of(text)
)
"""A signed exception: who let which thresholds through, why, and until when."""


def file_name(place: str, value: Any) -> None:
    """Refuse what could name anything but a plain file in the release's own folder."""
    text(place, value)
    is_outside = value in {".", ".."} or any(
        character in "/\\" or ord(character) < ord(" ") for character in value
    )
    if is_outside or len(value.encode("utf-8", "surrogatepass")) > LONGEST_NAME_BYTES:
        raise EvidenceFault(f"{place} is not the name of a file in the release's own folder")


def agree_on_exceptions(outcome: str, exceptions: int) -> None:
    """Refuse an exception that is not said, and one that is said and not there."""
    if (outcome == "passed_by_exception") != (exceptions > 0):
        raise EvidenceFault("its outcome and its exceptions contradict each other")
