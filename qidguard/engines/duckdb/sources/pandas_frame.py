"""pandas DataFrames: read in place, never changed."""

from functools import partial
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import DataError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.connection import Connection, reading
from qidguard.engines.duckdb.sources.frame_column import SOURCE, read_column
from qidguard.engines.duckdb.sources.staged import Staged, check_names
from qidguard.engines.duckdb.sources.typed import stage_typed

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
    try:
        with reading(connection, SOURCE):
            return stage_typed(
                connection.duckdb,
                names,
                f"(SELECT {', '.join(expressions)} FROM {registered})",
                SOURCE,
                options,
                rows=len(frame),
                notes=_index_notes(frame),
                order=order,
                on_release=(partial(_unregister, connection, registered),),
            )
    except BaseException:
        _unregister(connection, registered)
        raise


def _register(connection: Connection, registered: str, plain: "pd.DataFrame") -> None:
    """Register a frame; one that runs backwards in memory, such as ``frame.iloc[::-1]``, as a copy."""
    import duckdb

    try:
        connection.duckdb.register(registered, plain)
    except duckdb.Error as error:
        if "bad_cast" not in str(error):
            raise
        connection.duckdb.register(registered, plain.copy())


def _unregister(connection: Connection, registered: str) -> None:
    connection.duckdb.unregister(registered)


def _index_notes(frame: "pd.DataFrame") -> tuple[str, ...]:
    import pandas as pd

    if isinstance(frame.index, pd.RangeIndex) and frame.index.name is None:
        return ()
    labels = [str(label) for label in frame.index.names if label is not None]
    which = f"the index {', '.join(map(repr, labels))}" if labels else "the index"
    return (f"{which} of the DataFrame is not a column and was not read; reset_index() makes it one",)
