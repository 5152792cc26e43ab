"""Rows of a database as an Arrow table, each column of the one type that holds its values exactly."""

import datetime as dt
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from qidguard.sdk import DataError

if TYPE_CHECKING:
    import pyarrow as pa

ZONED = "datetime with a zone"

_AS_TEXT: set[object] = {dt.time, UUID}
_KINDS: set[object] = {bool, int, float, str, Decimal, dt.date, dt.datetime, ZONED, dt.timedelta} | _AS_TEXT
_MAY_MEET: set[object] = {int, float}
"""Kinds of values that one column may mix: a whole number is a float where one is equal to it."""


def arrow_table(names: Sequence[str], batches: Iterable[Sequence[Sequence[Any]]]) -> "pa.Table":
    """Return rows as an Arrow table."""
    import pyarrow as pa

    columns = [_ArrivingColumn(name) for name in names]
    for rows in batches:
        for column, values in zip(columns, zip(*rows, strict=True), strict=False):
            column.add(values)
    return pa.table([column.joined() for column in columns], names=list(names))


class _ArrivingColumn:
    """One column while its chunks come in."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._kinds: set[object] = set()
        self._chunks: list[pa.Array] = []

    def add(self, values: Sequence[Any]) -> None:
        """Add a chunk; DataError when it is of another kind than those before."""
        import pyarrow as pa

        kinds = _kinds(values)
        self._kinds |= kinds
        if not (len(self._kinds) < 2 or self._kinds == _MAY_MEET):  # noqa: PLR2004 - one kind
            raise self._unfit("mixes kinds of values")
        if not self._kinds <= _KINDS:
            raise self._unfit("holds values that cannot be grouped")
        if kinds & _AS_TEXT:
            values = [None if value is None else str(value) for value in values]
        try:
            self._chunks.append(pa.array(values, type=_type(kinds), from_pandas=False))
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            raise self._unfit("holds values that fit no column type") from None

    def joined(self) -> "pa.ChunkedArray":
        """Return the chunks as one column of the one type that holds all of them exactly."""
        import pyarrow as pa

        fields = [pa.schema([("c", chunk.type)]) for chunk in self._chunks] or [pa.schema([("c", pa.null())])]
        try:
            kind = pa.unify_schemas(fields, promote_options="permissive").field("c").type
            # a safe cast refuses a whole number that no float is equal to
            return pa.chunked_array([chunk.cast(kind, safe=True) for chunk in self._chunks], type=kind)
        except (pa.ArrowException, ValueError):
            raise self._unfit("holds values that fit no column type") from None

    def _unfit(self, why: str) -> DataError:
        return DataError(
            f"Column {self._name!r} of the SQL batch {why}; cast it in a query asset, or leave it out."
        )


def _kinds(values: Sequence[Any]) -> set[object]:
    """Return the kinds of the values that are there: their types, and whether times have a zone."""
    kinds: set[object] = {type(value) for value in values if value is not None}
    if dt.datetime in kinds:
        zoned = {value.tzinfo is not None for value in values if isinstance(value, dt.datetime)}
        kinds |= {ZONED} if True in zoned else set()
        kinds -= set() if False in zoned else {dt.datetime}
    return kinds


def _type(kinds: set[object]) -> "pa.DataType | None":
    """Return the type of values of one kind; None for what Arrow has to look at, which takes it longer."""
    import pyarrow as pa

    types = {
        bool: pa.bool_(),
        int: pa.int64(),
        float: pa.float64(),
        str: pa.string(),
        dt.date: pa.date32(),
        dt.datetime: pa.timestamp("us"),
        ZONED: pa.timestamp("us", tz="UTC"),
        dt.timedelta: pa.duration("us"),
        **dict.fromkeys(_AS_TEXT, pa.string()),
    }
    return types.get(next(iter(kinds))) if len(kinds) == 1 else None
