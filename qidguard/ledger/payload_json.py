"""Payloads from and to the JSON that the ledger keeps; what is not as its type says is refused."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date, datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from qidguard.ledger.entry import Entry, NewEntry
from qidguard.ledger.error import LedgerError
from qidguard.ledger.payloads import PAYLOADS, Payload, TypedEntry

Q = TypeVar("Q", bound=Payload)

_KINDS: Final[dict[type[Any], str]] = {payload: kind for kind, payload in PAYLOADS.items()}
_RENAMED: Final = {"spent": {"anonymiser": "anonymizer"}}
"""Kind → names of fields as 0.1.0 wrote them, and as they are called now."""


class _MismatchError(ValueError):
    """A value is not as its type says."""


def read(entry: Entry, kind: type[Q]) -> TypedEntry[Q]:
    """Return an entry of a kind with its typed payload.

    Raises:
        LedgerError: When it is of another kind, or lacks a field, has one that is unknown or of another type.
    """
    found = read_any(entry)
    if not isinstance(found.payload, kind):
        raise LedgerError(f"entry {entry.id!a} of the ledger is {entry.kind}, not {_KINDS[kind]}")
    return found


def read_any(entry: Entry) -> TypedEntry[Any]:
    """Return an entry of any kind with its typed payload; LedgerError as ``read`` raises it."""
    renamed = _RENAMED.get(entry.kind, {})
    stored = {renamed.get(name, name): value for name, value in entry.payload.items()}
    try:
        hint: Any = PAYLOADS[entry.kind]
        payload = _reader(hint)(stored)
    except _MismatchError as error:
        raise LedgerError(
            f"entry {entry.id!a} of the ledger cannot be read as {entry.kind}: {error}; run"
            " `qidguard history --check`, or install the qidguard that wrote it"
        ) from None
    return TypedEntry(
        sequence=entry.sequence,
        id=entry.id,
        data_set=entry.data_set,
        at=entry.at,
        hash=entry.hash,
        payload=payload,
    )


def new_entry(payload: Payload, *, entry_id: str, data_set: str, at: datetime) -> NewEntry:
    """Return what is to be recorded, of the payload's kind."""
    return NewEntry(
        id=entry_id, kind=_KINDS[type(payload)], data_set=data_set, at=at, payload=_written(payload)
    )


def _written(value: Any) -> Any:
    if is_dataclass(value):
        stored = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: _written(item) for field, item in stored if _is_written(field, item)}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: _written(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_written(item) for item in value]
    return value


def _is_written(field: "Field[Any]", value: object) -> bool:
    return field.metadata.get("is_written", False) or value != field.default


@cache
def _reader(hint: Any) -> Callable[[Any], Any]:
    """Return what turns a JSON value into one of a type; it is made once for each type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if is_dataclass(hint) or is_typeddict(hint):
        return _record_reader(hint)
    if origin in {tuple, list}:
        return _list_reader(_reader(arguments[0]), tuple if origin is tuple else list)
    if origin is Mapping:
        return _mapping_reader(_reader(arguments[1]))
    if origin in {Union, UnionType}:
        return _union_reader(arguments)
    return _date if hint is date else _scalar_reader(frozenset({hint}))


def _record_reader(hint: Any) -> Callable[[Any], Any]:
    readers = {name: _reader(own) for name, own in get_type_hints(hint).items()}
    if is_typeddict(hint):
        needed = hint.__required_keys__
    else:
        needed = {field.name for field in fields(hint) if field.default is MISSING}

    def read_record(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _MismatchError(f"is of type {type(value).__name__}, not an object")
        if unknown := value.keys() - readers.keys():
            raise _MismatchError(f"has the unknown field {min(unknown)!a}")
        if missing := needed - value.keys():
            raise _MismatchError(f"lacks the field {min(missing)!a}")
        made = {}
        for name, item in value.items():
            try:
                made[name] = readers[name](item)
            except _MismatchError as error:
                raise _MismatchError(f"{name!a} {error}") from None
        return hint(**made)

    return read_record


def _list_reader(reader: Callable[[Any], Any], make: type[Any]) -> Callable[[Any], Any]:
    def read_list(value: Any) -> Any:
        if not isinstance(value, list):
            raise _MismatchError(f"is of type {type(value).__name__}, not a list")
        return make(map(reader, value))

    return read_list


def _mapping_reader(reader: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read_mapping(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _MismatchError(f"is of type {type(value).__name__}, not an object")
        return {name: reader(item) for name, item in value.items()}

    return read_mapping


def _union_reader(hints: tuple[Any, ...]) -> Callable[[Any], Any]:
    """Return a reader of scalars, or of one type beside None."""
    others = tuple(hint for hint in hints if hint is not NoneType)
    if all(hint in {str, int, float, bool} for hint in others):
        return _scalar_reader(frozenset(hints))
    (other,) = others
    reader = _reader(other)
    return lambda value: None if value is None else reader(value)


def _scalar_reader(allowed: frozenset[type[Any]]) -> Callable[[Any], Any]:
    def read_scalar(value: Any) -> Any:
        if type(value) not in allowed:
            raise _MismatchError(f"is of type {type(value).__name__}")
        return value

    return read_scalar


def _date(value: Any) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise _MismatchError("is no day") from None
