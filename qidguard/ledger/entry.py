"""What a caller asks to record, in canonical JSON, and what stands in the ledger afterward."""

import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

from qidguard.core.canonical import Fault, JsonLimits, NotJsonError, compact, plain
from qidguard.core.errors import InternalError, UserError
from qidguard.ledger.payloads import PAYLOADS

KINDS: Final = frozenset(PAYLOADS)
"""Every kind of entry."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
_LONGEST_DATA_SET = 200
_REFUSED_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control, surrogate, line and paragraph separator


@dataclass(frozen=True, kw_only=True)
class NewEntry:
    """What a caller asks to record; it is checked when it is made.

    Args:
        id: Unique in the ledger and chosen by the caller, so that asking twice records once: 1 to 128 of
            ASCII letters, digits and ``._:-``, a letter or digit first.
        kind: One of ``KINDS``.
        data_set: The data set that it is about: 1 to 200 characters, none of them a control character.
        at: When it happened, with a time zone.
        payload: JSON values alone, with text keys; floats are finite. A copy is kept; a tuple becomes a list.
    """

    id: str
    kind: str
    data_set: str
    at: datetime
    payload: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not is_id(self.id):
            raise UserError(
                f"the id of a ledger entry is 1 to 128 letters, digits and ._:- of ASCII, not {self.id!a};"
                " choose another"
            )
        if self.kind not in KINDS:
            raise InternalError(
                f"the kind of a ledger entry is one of {', '.join(sorted(KINDS))}, not {self.kind!a}"
            )
        check_data_set(self.data_set)
        if self.at.tzinfo is None or self.at.utcoffset() is None:
            raise InternalError("the time of a ledger entry has a time zone; give one, such as UTC")
        if not isinstance(self.payload, Mapping):
            raise InternalError(
                f"the payload of a ledger entry is a mapping, not {type(self.payload).__name__}"
            )
        object.__setattr__(self, "payload", json.loads(canonical(self.payload)))


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An entry as it stands in the ledger.

    Args:
        sequence: Its place: 1, 2, 3 and so on without a gap.
        id: As the caller chose it.
        kind: One of ``KINDS``.
        data_set: The data set that it is about.
        at: When it happened, in UTC, to the microsecond.
        payload: What the caller recorded, as JSON; ``payload_json.read`` returns it in the type of its kind.
        attachments: SHA-256 of each attached content, hex, in the order in which they were given.
        previous_hash: The hash of the entry before, hex; 64 zeros for the first.
        hash: SHA-256, hex, over everything above.
    """

    sequence: int
    id: str
    kind: str
    data_set: str
    at: datetime
    payload: Mapping[str, object]
    attachments: tuple[str, ...]
    previous_hash: str
    hash: str


def is_id(text: str) -> bool:
    """Whether a text can be the id of an entry."""
    return _ID.fullmatch(text) is not None


def check_data_set(name: str) -> None:
    """Raise UserError unless the name can be that of a data set in the ledger."""
    is_short = 0 < len(name) <= _LONGEST_DATA_SET
    if not is_short or any(unicodedata.category(c) in _REFUSED_CATEGORIES for c in name):
        raise UserError(
            f"the name of a data set has 1 to {_LONGEST_DATA_SET} characters and no control character, not"
            f" {name[:40]!a}; choose another"
        )


def check_kinds(kinds: Collection[str]) -> None:
    """Raise UserError unless all are kinds of entries."""
    unknown = sorted(repr(kind) for kind in set(kinds) - KINDS)
    if unknown:
        raise UserError(f"a ledger has entries of {', '.join(sorted(KINDS))}, not {', '.join(unknown)}")


class Reader(Protocol):
    """Reads entries one page at a time; each is held against its own hash as it is read.

    A ``Ledger`` is one. The guard of an append gets one too, which sees exactly what stands in the ledger
    while no other writer can add to it.
    """

    def entries(
        self,
        *,
        data_set: str | None = None,
        kinds: Collection[str] | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Entry]:
        """Yield entries by sequence: those of a data set and of some kinds, or all; at most ``limit``."""

    def entry(self, entry_id: str, /) -> Entry | None:
        """Return the entry with an id; None when there is none."""

    def attachment(self, digest: str, /) -> bytes:
        """Return the content with a SHA-256; LedgerError when what is stored does not have it."""


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
