"""pandas DataFrames: read in place, never changed."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import DataError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.connection import Connection, reading
from qidguard.engines.duckdb.sources.arrow import dictionary_order, microseconds_text, nanoseconds_text
from qidguard.engines.duckdb.sources.staged import Staged, check_names, is_encodable
from qidguard.engines.duckdb.sources.typed import source_order, stage_typed, zone_notes

if TYPE_CHECKING:
    import pandas as pd


def frame_names(frame: "pd.DataFrame") -> tuple[str, ...]:
    """Return the column names; DataError when a label is no text, empty, or occurs twice."""
    return check_names(list(frame.columns), SOURCE)


def stage_frame(connection: Connection, frame: "pd.DataFrame", options: ReadOptions) -> Staged:
    """Return a pandas DataFrame as a staged source; a floating NaN is NULL here, as pandas means it."""
    names = frame_names(frame)
    if not len(frame):
        raise DataError("The DataFrame has columns but no records; nothing can be measured.")
    columns: dict[str, Any] = {}
    expressions: list[str] = []
    order: dict[str, tuple[str, ...]] = {}
    is_converted = False
    for i, name in enumerate(names):
        given = frame.iloc[:, i]
        read = read_column(given, name)
        is_converted |= read.series is not given
        columns[f"c{i}"] = read.series
        if read.order:
            order[name] = read.order
        expressions.append(f"{read.expression.format(f'c{i}')} AS c{i}")
    if is_converted:
        import pandas as pd

        plain = pd.DataFrame(columns, copy=False)
    else:
        plain = frame.set_axis(list(columns), axis=1)
    registered = connection.new_name("frame")
    with reading(connection, SOURCE):
        _register(connection, registered, plain)
    with reading(connection, SOURCE):
        return stage_typed(
            connection.duckdb,
            names,
            f"(SELECT {', '.join(expressions)} FROM {registered})",
            SOURCE,
            options,
            rows=len(frame),
            notes=(*_index_notes(frame), *zone_notes(names, frame.dtypes)),
            order=order,
            on_release=(partial(connection.duckdb.unregister, registered),),
        )


def _register(connection: Connection, registered: str, plain: "pd.DataFrame") -> None:
    """Register a frame; one that runs backwards in memory, such as ``frame.iloc[::-1]``, as a copy."""
    import duckdb

    try:
        connection.duckdb.register(registered, plain)
    except duckdb.Error as error:
        if "bad_cast" not in str(error):
            raise
        connection.duckdb.register(registered, plain.copy())


def _index_notes(frame: "pd.DataFrame") -> tuple[str, ...]:
    import pandas as pd

    if isinstance(frame.index, pd.RangeIndex) and frame.index.name is None:
        return ()
    labels = [str(label) for label in frame.index.names if label is not None]
    which = f"the index {', '.join(map(repr, labels))}" if labels else "the index"
    return (f"{which} of the DataFrame is not a column and was not read; reset_index() makes it one",)


_WIDEST = 38
_LONGEST = 1000
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


@dataclass(frozen=True, kw_only=True)
class Decimals:
    """Decimal numbers as texts, one text for equal numbers.

    Args:
        texts: One text a number, None for NaN and whatever is missing.
        expression: SQL that makes them values; ``{0}`` stands for the column. They become a DECIMAL where one
            of at most 38 digits holds them all, and else stay texts.
    """

    texts: list[str | None] = field(repr=False)
    expression: str


def read_decimals(values: Iterable[object]) -> Decimals:
    """Return decimal numbers in a form that DuckDB keeps exactly; whatever is no Decimal is missing.

    Example:
        >>> read_decimals([Decimal("1.10"), Decimal("20"), None])
        Decimals(expression='CAST({0} AS DECIMAL(3, 1))')
        >>> read_decimals([Decimal("1.10"), Decimal("Infinity")]).texts
        ['1.1', 'Infinity']
    """
    texts: list[str | None] = []
    before = 1
    after = 0
    for value in values:
        if not isinstance(value, Decimal) or value.is_qnan():
            texts.append(None)
            continue
        number = Decimal(0) if value.is_zero() else value.normalize(_EXACT)
        if number.is_infinite():
            before = _WIDEST + 1
            texts.append(str(number))
            continue
        exponent = int(number.as_tuple().exponent)
        before = max(before, number.adjusted() + 1)
        after = max(after, -exponent)
        # a plain number where it is not absurdly long, as markers and other sources write it
        texts.append(format(number, "f") if abs(exponent) < _LONGEST else str(number))
    width = before + after
    expression = f"CAST({{0}} AS DECIMAL({width}, {after}))" if width <= _WIDEST else "{0}"
    return Decimals(texts=texts, expression=expression)


SOURCE = "the DataFrame"
_DECIMAL = "decimal"
_INSTANTS = frozenset({"date", "datetime", "datetime64"})
_OBJECT_TYPES = {
    "string": "str",
    "empty": "str",
    "boolean": "boolean",
    "integer": "Int64",
    "floating": "float64",
    "mixed-integer-float": "float64",
}
"""What pandas finds in a column of Python objects → the dtype it is read as."""


@dataclass(frozen=True)
class FrameColumn:
    """A column to be registered.

    Args:
        series: The column, the caller's own where DuckDB reads it exactly.
        expression: SQL that makes its values; ``{0}`` stands for the registered column.
        order: The values in the order that its dtype declares; empty where it declares none.
    """

    series: "pd.Series[Any]"
    expression: str = "{0}"
    order: tuple[str, ...] = field(default=(), repr=False)


def read_column(column: "pd.Series[Any]", name: str) -> FrameColumn:
    """Return a column in a form that DuckDB reads without rounding, merging or guessing."""
    import pandas as pd

    kind: Any = column.dtype
    order: tuple[str, ...] = ()
    if isinstance(kind, pd.CategoricalDtype) and kind.ordered:
        order = source_order(kind.categories.tolist())
    elif isinstance(kind, pd.ArrowDtype) and getattr(kind.pyarrow_dtype, "ordered", False):
        order = dictionary_order(column.array.__arrow_array__())
    return replace(_read(column, name), order=order)


def _read(column: "pd.Series[Any]", name: str) -> FrameColumn:
    import pandas as pd
    from pandas.api import types

    kind: Any = column.dtype
    texts: Any = kind.categories if isinstance(kind, pd.CategoricalDtype) else column
    if not _is_encodable(texts):
        raise DataError(
            f"Column {name!r} of {SOURCE} holds a text with half of a character (a lone surrogate), which"
            " nothing can store; correct or drop it."
        )
    if isinstance(kind, pd.CategoricalDtype):
        categories = kind.categories.dtype
        if len(kind.categories) and isinstance(categories, pd.StringDtype):
            return FrameColumn(column)
        column = column.astype(categories if categories.kind in "mM" else object)
        kind = column.dtype
    if types.is_object_dtype(kind):
        return _from_objects(column, name)
    checks = (
        types.is_bool_dtype,
        types.is_integer_dtype,
        types.is_float_dtype,
        types.is_string_dtype,
        types.is_datetime64_any_dtype,
        types.is_timedelta64_dtype,
    )
    is_arrow = isinstance(kind, pd.ArrowDtype)
    if isinstance(kind, pd.SparseDtype) or not (is_arrow or any(check(kind) for check in checks)):
        raise DataError(
            f"Column {name!r} of {SOURCE} has the dtype {kind}, which cannot be grouped; convert or drop it."
        )
    if is_arrow:
        return _from_arrow(column, str(kind))
    if types.is_timedelta64_dtype(kind):
        return _from_durations(column, name)
    return FrameColumn(_in_utc(column) if isinstance(kind, pd.DatetimeTZDtype) else column)


def _is_encodable(values: Any) -> bool:
    """Whether all texts can be stored; those that Arrow holds always can."""
    import pandas as pd

    kind = values.dtype
    is_python = pd.api.types.is_object_dtype(kind) or (
        isinstance(kind, pd.StringDtype) and kind.storage == "python"
    )
    return not is_python or is_encodable("".join(text for text in values if isinstance(text, str)))


def _in_utc(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return nanoseconds with a zone as the same instants without one; DuckDB drops them from the former."""
    is_exact = column.dt.unit != "ns"
    return column if is_exact else column.dt.tz_convert("UTC").dt.tz_localize(None)


def _from_arrow(column: "pd.Series[Any]", kind: str) -> FrameColumn:
    if kind.startswith("timestamp[ns, "):
        return FrameColumn(column.dt.tz_convert("UTC").dt.tz_localize(None))
    if kind == "duration[ns][pyarrow]":
        return FrameColumn(column.astype("int64[pyarrow]"), nanoseconds_text("{0}"))
    return FrameColumn(column)


def _from_durations(column: "pd.Series[Any]", name: str) -> FrameColumn:
    import pandas as pd

    is_fine = column.dt.unit == "ns"
    try:
        counts = (column if is_fine else column.dt.as_unit("us")).to_numpy().view("int64")
    except (OverflowError, ValueError):
        raise _unfit(name, "timedelta") from None
    whole = pd.arrays.IntegerArray(counts, column.isna().to_numpy())
    text = nanoseconds_text("{0}") if is_fine else microseconds_text("{0}")
    return FrameColumn(pd.Series(whole, index=column.index), text)


def _from_objects(column: "pd.Series[Any]", name: str) -> FrameColumn:
    import decimal

    import pandas as pd
    from pandas.api.types import infer_dtype

    try:
        inferred = infer_dtype(column, skipna=True)
        decimals = read_decimals(column) if inferred == _DECIMAL else None
    except decimal.InvalidOperation:
        # a signaling NaN, which cannot even be compared
        raise _unfit(name, _DECIMAL) from None
    if decimals:
        texts: pd.Series[Any] = pd.Series(decimals.texts, index=column.index, dtype="str")
        return FrameColumn(texts, decimals.expression)
    if inferred in _INSTANTS:
        return FrameColumn(_from_instants(column, name, inferred))
    if inferred not in _OBJECT_TYPES:
        raise DataError(
            f"Column {name!r} of {SOURCE} holds Python objects of the kind {inferred!r}, and every column"
            " needs one kind of plain value; convert or drop it."
        )
    try:
        read: pd.Series[Any] | None = column.astype(_OBJECT_TYPES[inferred])
    except (OverflowError, TypeError, ValueError):
        read = None
    # a large whole number among floats would lose its last digits
    is_rounded = (
        inferred == "mixed-integer-float" and read is not None and not read.dropna().eq(column.dropna()).all()
    )
    if read is None or is_rounded:
        raise _unfit(name, inferred)
    return FrameColumn(read)


def _from_instants(column: "pd.Series[Any]", name: str, inferred: str) -> "pd.Series[Any]":
    import pandas as pd

    times = [value for value in column.dropna() if isinstance(value, dt.datetime)]
    if inferred == "date" and not times:
        return column
    zoned = sum(value.tzinfo is not None for value in times)
    if zoned and zoned < column.count():
        raise DataError(
            f"Column {name!r} of {SOURCE} mixes times with a time zone and times without one, which cannot"
            " be compared; give all of them a zone, or none."
        )
    try:
        read: pd.Series[Any] = pd.to_datetime(column, utc=bool(zoned))
    except (OverflowError, TypeError, ValueError):
        raise _unfit(name, inferred) from None
    return _in_utc(read) if zoned else read


def _unfit(name: str, inferred: str) -> DataError:
    return DataError(
        f"Column {name!r} of {SOURCE} holds {inferred} values that fit no column type; convert or drop it."
    )
