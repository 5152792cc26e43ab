"""Canonical JSON: one text for one value, so that it can be stored, compared and hashed."""

import json
import math
from collections.abc import Mapping

from qidguard.core.errors import InternalError

_DEEPEST = 64
_LARGEST_BITS = 13_000  # just below the 4,300 digits that Python reads back


def canonical(value: object) -> str:
    r"""Return the canonical JSON text of a value: keys sorted, no blanks, ASCII only.

    The text follows RFC 8785 in spirit; numbers are written as Python writes them, and whatever is not ASCII
    is escaped, so that the text is the same bytes in every database (NUL and lone surrogates included).

    Args:
        value: None, a bool, an int of at most 13,000 bits, a finite float, a str, or a list, tuple or
            mapping with str keys of these, nested at most 64 deep.

    Returns:
        The text. Reading it as JSON gives an equal value; a tuple comes back as a list.

    Units:
        None.

    Raises:
        InternalError: When the value is no JSON; the message names the top-level key and the type alone.

    Example:
        >>> canonical({"b": [1, 2.5], "a": "\u00e9\x00"})
        '{"a":"\\u00e9\\u0000","b":[1,2.5]}'
    """
    return json.dumps(
        _checked(value, "the value", 0),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=True,
        allow_nan=False,
    )


def _checked(value: object, place: str, depth: int) -> object:
    """Return the value in types that json writes; ``place`` is what a message calls it."""
    if depth > _DEEPEST:
        raise InternalError(f"JSON is nested at most {_DEEPEST} deep, and {place} is deeper; flatten it")
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if value.bit_length() > _LARGEST_BITS:
            raise InternalError(
                f"an integer has at most {_LARGEST_BITS} bits, and {place} holds a longer one"
            )
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InternalError(f"a number in JSON is finite, and {place} holds one that is not; write null")
        return value
    if isinstance(value, (list, tuple)):
        return [_checked(item, place, depth + 1) for item in value]
    if isinstance(value, Mapping):
        return {
            _key(key, place): _checked(item, f"the field {key!a}" if depth == 0 else place, depth + 1)
            for key, item in value.items()
        }
    kind = type(value).__name__
    raise InternalError(f"JSON knows no {kind}, and {place} holds one; turn it into text or numbers first")


def _key(key: object, place: str) -> str:
    if not isinstance(key, str):
        raise InternalError(f"a key in JSON is text, and {place} has a key of type {type(key).__name__}")
    return key
