"""Canonical JSON as the ledger keeps it: compact, and the same bytes in every database."""

from typing import Final

from qidguard.core.canonical import Fault, JsonLimits, NotJsonError, compact, plain
from qidguard.core.errors import InternalError

_DEEPEST = 64
_LARGEST_BITS = 13_000  # just below the 4,300 digits that Python reads back

_LIMITS: Final = JsonLimits(deepest=_DEEPEST, largest_integer=(1 << _LARGEST_BITS) - 1, has_surrogates=True)

_WORDS: Final = {
    Fault.DEPTH: f"JSON is nested at most {_DEEPEST} deep, and {{place}} is deeper; flatten it",
    Fault.INTEGER: f"an integer has at most {_LARGEST_BITS} bits, and {{place}} holds a longer one",
    Fault.NOT_FINITE: "a number in JSON is finite, and {place} holds one that is not; write null",
    Fault.KEY: "a key in JSON is text, and {place} has a key of type {kind}",
    Fault.TYPE: "JSON knows no {kind}, and {place} holds one; turn it into text or numbers first",
}


def canonical(value: object) -> str:
    """Return the canonical JSON text of a value; reading it as JSON gives an equal one, a tuple as a list.

    Args:
        value: None, a bool, an int of at most 13,000 bits, a finite float, a str (NUL and lone surrogates
            included), or a list, tuple or mapping with str keys of these, nested at most 64 deep.

    Raises:
        InternalError: When the value is no JSON; the message names the top-level key and the type alone.
    """
    try:
        return compact(plain(value, _LIMITS))
    except NotJsonError as error:
        place = "the value" if error.field is None else f"the field {error.field!a}"
        raise InternalError(_WORDS[error.fault].format(place=place, kind=error.kind)) from None
