"""Canonical JSON: one value has exactly one form in bytes, so that no byte of a file can change unseen."""

import json
from typing import Any, NoReturn

from qidguard.core.canonical import Fault, JsonLimits, NotJsonError, plain, readable

LARGEST_BYTES = 16_000_000
"""A larger file is no piece of evidence."""

LARGEST_INTEGER = 2**64
"""Larger integers, or smaller than its negative, are refused: a float cannot even come near some of them."""

DEEPEST = 32
"""Levels of lists and objects; evidence has fewer than ten."""

_LIMITS = JsonLimits(deepest=DEEPEST, largest_integer=LARGEST_INTEGER, has_surrogates=False)

_WORDS = {
    Fault.DEPTH: f"it is nested deeper than {DEEPEST} levels",
    Fault.INTEGER: "it holds a number that is too long",
    Fault.NOT_FINITE: "it holds a number that is not finite",
    Fault.TEXT: "it holds text with half a surrogate pair",
    Fault.KEY: "it holds a key that is a {kind}, no text",
    Fault.TYPE: "it holds a {kind}, which JSON cannot hold",
}


def canonical_bytes(value: object) -> bytes:
    r"""Return the canonical JSON of a value: what people can read, in exactly one way.

    Keys sorted by code point, two spaces a level, ASCII with escapes, integers as integers, floats as
    their shortest decimal form, a line feed at the end.

    Args:
        value: Mappings with text keys, lists, tuples, text, integers, finite floats, booleans and None.

    Returns:
        The bytes.

    Raises:
        EvidenceFault: when JSON cannot hold the value without changing it.

    Example:
        >>> canonical_bytes({"b": (1, 2.5), "a": "é"})
        b'{\n  "a": "\\u00e9",\n  "b": [\n    1,\n    2.5\n  ]\n}\n'
    """
    return readable(_plain(value)).encode()


def read_json(content: bytes) -> Any:
    """Return what JSON bytes hold, read strictly.

    Args:
        content: The file's bytes.

    Returns:
        Dictionaries, lists, text, integers, finite floats, booleans and None.

    Raises:
        EvidenceFault: when they are more than LARGEST_BYTES, no UTF-8, no JSON, nested deeper than DEEPEST,
            or hold a key twice, NaN, an infinity, an integer beyond LARGEST_INTEGER or half a surrogate pair.

    Example:
        >>> read_json(b'{"a": [1]}')
        {'a': [1]}
    """
    if len(content) > LARGEST_BYTES:
        raise EvidenceFault(f"it is larger than evidence may be ({LARGEST_BYTES:,} bytes)")
    try:
        value = json.loads(
            content.decode("utf-8"), object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant
        )
    except UnicodeDecodeError:
        raise EvidenceFault("it is not UTF-8 text") from None
    except RecursionError:
        raise EvidenceFault(f"it is nested deeper than {DEEPEST} levels") from None
    except json.JSONDecodeError as error:
        raise EvidenceFault(f"it is not JSON (line {error.lineno}, column {error.colno})") from None
    except EvidenceFault:
        raise
    except ValueError:  # Python reads no integer of thousands of digits
        raise EvidenceFault("it holds a number that is too long") from None
    return _plain(value)


def read_canonical(content: bytes) -> Any:
    r"""Return what canonical JSON bytes hold; any other form of the same value is refused.

    Args:
        content: The file's bytes.

    Returns:
        As ``read_json``.

    Raises:
        EvidenceFault: as ``read_json``, and when a single byte is not as ``canonical_bytes`` writes it.

    Example:
        >>> read_canonical(b"[\n  1\n]\n")
        [1]
    """
    value = read_json(content)
    if canonical_bytes(value) != content:
        raise EvidenceFault("it is not byte for byte canonical JSON")
    return value


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise EvidenceFault("it holds a key twice in one object")
    return found


def _refuse_constant(_name: str) -> NoReturn:
    raise EvidenceFault("it holds a number that is not finite")


def _plain(value: object) -> Any:
    """Return a value in the types of JSON, checked all the way down."""
    try:
        return plain(value, _LIMITS)
    except NotJsonError as error:
        raise EvidenceFault(_WORDS[error.fault].format(kind=error.kind)) from None


class EvidenceFault(ValueError):  # noqa: N818 - it is what a check found, and a verification collects them
    """Evidence is not what it must be; the message says what, and repeats no more of it than names."""
