"""pandas DataFrames: read in place, never changed."""

from functools import partial
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import DataError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.connection import Connection, reading
from qidguard.engines.duckdb.sources.names import check_names
from qidguard.engines.duckdb.sources.staged import Staged
from qidguard.engines.duckdb.sources.typed import stage_typed

if TYPE_CHECKING:
    import pandas as pd

_SOURCE = "the DataFrame"
_OBJECT_TYPES = {
    "string": "str",
    "empty": "str",
    "boolean": "boolean",
    "integer": "Int64",
    "floating": "float64",
    "mixed-integer-float": "float64",
    "decimal": None,
    "date": None,
    "datetime": None,
    "datetime64": None,
}
"""What pandas finds in a column of Python objects → the dtype it is read as; None as it is."""


def frame_names(frame: "pd.DataFrame") -> tuple[str, ...]:
    """Return the column names; DataError when a label is no text, empty, or occurs twice."""
    return check_names(list(frame.columns), _SOURCE)


def stage_frame(connection: Connection, frame: "pd.DataFrame", options: ReadOptions) -> Staged:
    """Return a pandas DataFrame as a staged source; a floating NaN is NULL here, as pandas means it.

    Args:
        connection: An unlocked connection.
        frame: At least one column and one record; every column of one kind of value.
        options: ``missing`` and ``is_trimmed`` are used.

    Returns:
        The staged source; its release unregisters the frame.

    Raises:
        DataError: when labels are not unique texts, a column mixes kinds of values or cannot be grouped, or
            there is no record.
    """
    names = frame_names(frame)
    if not len(frame):
        raise DataError("The DataFrame has columns but no records; nothing can be measured.")
    columns: dict[str, Any] = {}
    is_converted = False
    for i, name in enumerate(names):
        given = frame.iloc[:, i]
        read = _readable(given, name)
        is_converted |= read is not given
        columns[f"c{i}"] = read
    if is_converted:
        import pandas as pd

        plain = pd.DataFrame(columns, copy=False)
    else:
        plain = frame.set_axis(list(columns), axis=1)
    registered = connection.new_name("frame")
    with reading(connection, _SOURCE):
        connection.duckdb.register(registered, plain)
    try:
        with reading(connection, _SOURCE):
            return stage_typed(
                connection.duckdb,
                names,
                registered,
                _SOURCE,
                options,
                rows=len(frame),
                notes=_index_notes(frame),
                on_release=(partial(_unregister, connection, registered),),
            )
    except BaseException:
        _unregister(connection, registered)
        raise


def _unregister(connection: Connection, registered: str) -> None:
    connection.duckdb.unregister(registered)


def _readable(column: "pd.Series[Any]", name: str) -> "pd.Series[Any]":
    import pandas as pd
    from pandas.api import types

    kind: Any = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        if len(kind.categories) and isinstance(kind.categories.dtype, pd.StringDtype):
            return column
        column = column.astype(object)
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
            f"Column {name!r} of {_SOURCE} has the dtype {kind}, which cannot be grouped; convert or drop it."
        )
    return column


def _from_objects(column: "pd.Series[Any]", name: str) -> "pd.Series[Any]":
    from pandas.api.types import infer_dtype

    found = infer_dtype(column, skipna=True)
    if found not in _OBJECT_TYPES:
        raise DataError(
            f"Column {name!r} of {_SOURCE} holds Python objects of the kind {found!r}, and every column"
            " needs one"
            " kind of plain value; convert or drop it."
        )
    kind = _OBJECT_TYPES[found]
    try:
        read = column if kind is None else column.astype(kind)
    except (OverflowError, TypeError, ValueError):
        read = None
    # a large whole number among floats would lose its last digits
    is_rounded = (
        found == "mixed-integer-float" and read is not None and not read.dropna().eq(column.dropna()).all()
    )
    if read is None or is_rounded:
        raise DataError(
            f"Column {name!r} of {_SOURCE} holds {found} values that fit no column type; convert or drop it."
        )
    return read


def _index_notes(frame: "pd.DataFrame") -> tuple[str, ...]:
    import pandas as pd

    if isinstance(frame.index, pd.RangeIndex) and frame.index.name is None:
        return ()
    labels = [str(label) for label in frame.index.names if label is not None]
    which = f"the index {', '.join(map(repr, labels))}" if labels else "the index"
    return (f"{which} of the DataFrame is not a column and was not read; reset_index() makes it one",)
