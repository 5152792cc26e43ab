"""Canonical JSON: one value has exactly one text, so that it can be stored, compared, hashed and signed.

It follows RFC 8785 in spirit: keys sorted by code point, ASCII with escapes, numbers as Python writes them.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Fault(Enum):
    """Why a value is no JSON."""

    DEPTH = "nested too deep"
    INTEGER = "a number that is too long"
    NOT_FINITE = "a number that is not finite"
    TEXT = "text with half a surrogate pair"
    KEY = "a key that is no text"
    TYPE = "a type that JSON lacks"


class NotJsonError(ValueError):
    """A value is no JSON within some limits.

    Args:
        fault: Why.
        field: The key of the top level under which it is; None where there is none.
        kind: The type of what is no JSON.
    """

    def __init__(self, fault: Fault, kind: str, field: object = None) -> None:
        super().__init__(fault.value)
        self.fault, self.kind, self.field = fault, kind, field


@dataclass(frozen=True, kw_only=True)
class JsonLimits:
    """What is taken as JSON.

    Args:
        deepest: Levels of lists and objects.
        largest_integer: The largest integer; its negative is the smallest.
        has_surrogates: Whether text may hold half a surrogate pair, which no UTF-8 can.
    """

    deepest: int
    largest_integer: int
    has_surrogates: bool


def compact(value: object) -> str:
    r"""Return the canonical text of JSON values without blanks.

    Example:
        >>> compact({"b": [1, 2.5], "a": "\u00e9\x00"})
        '{"a":"\\u00e9\\u0000","b":[1,2.5]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def readable(value: object) -> str:
    r"""Return the canonical text of JSON values that people read: two spaces a level, a line feed at the end.

    Example:
        >>> readable({"b": 1, "a": []})
        '{\n  "a": [],\n  "b": 1\n}\n'
    """
    return json.dumps(value, sort_keys=True, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def plain(value: object, limits: JsonLimits) -> Any:
    """Return a value in the types of JSON, checked all the way down; a tuple becomes a list.

    Raises:
        NotJsonError: When JSON cannot hold it within the limits without changing it.
    """
    if not isinstance(value, Mapping) or limits.deepest == 0:
        return _plain(value, limits, limits.deepest)
    made = {}
    for key, item in value.items():
        name = _key(key, limits)
        try:
            made[name] = _plain(item, limits, limits.deepest - 1)
        except NotJsonError as error:
            error.field = key
            raise
    return made


def _plain(value: object, limits: JsonLimits, levels: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value, limits)
    if isinstance(value, int | float):
        return _number(value, limits)
    if not isinstance(value, Mapping | list | tuple):
        raise NotJsonError(Fault.TYPE, type(value).__name__)
    if levels == 0:
        raise NotJsonError(Fault.DEPTH, type(value).__name__)
    if isinstance(value, Mapping):
        return {_key(key, limits): _plain(item, limits, levels - 1) for key, item in value.items()}
    return [_plain(item, limits, levels - 1) for item in value]


def _number(value: float, limits: JsonLimits) -> float:
    if isinstance(value, int):
        if abs(value) > limits.largest_integer:
            raise NotJsonError(Fault.INTEGER, "int")
        return int(value)
    if not math.isfinite(value):
        raise NotJsonError(Fault.NOT_FINITE, "float")
    return float(value)


def _key(key: object, limits: JsonLimits) -> str:
    if not isinstance(key, str):
        raise NotJsonError(Fault.KEY, type(key).__name__)
    return _text(key, limits)


def _text(text: str, limits: JsonLimits) -> str:
    if not limits.has_surrogates:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise NotJsonError(Fault.TEXT, "str") from None
    return str.__str__(text)
