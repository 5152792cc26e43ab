"""Drawn tables with odd names, odd cells and odd types: CSV files, frames, Arrow tables and Parquet files."""

import csv
import datetime as dt
import io
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from generated import COLUMNS, ROWS, TABLE
from mutation import PIECES, Mutator
from qidguard.engines.base import ReadOptions

NAMES = (
    *(
        "age",
        "AGE",
        "age ",
        " age",
        "",
        " ",
        "a,b",
        'a"b',
        "a'b",
        "a\nb",
        "a\tb",
        "a;b",
        "a\\b",
        "a/b",
        "a.b",
    ),
    *(
        "records",
        "entities",
        "c0",
        "column_0",
        "select",
        "size",
        "n",
        "position",
        "rowid",
        "__index_level_0__",
    ),
    *("é", "é", "ß", "İ", "\u200b", "\ufeffage", "\u202eage", "📈", "%s", "{0}", "$1", "?", "*", "--", "#"),
    *(
        "=1+1",
        "<b>",
        "[red]",
        "]",
        "`",
        "'; DROP TABLE x",
        "NULL",
        "nan",
        "true",
        "0",
        "2019",
        "1e5",
        "x" * 300,
    ),
)
CELLS: tuple[Any, ...] = (
    *PIECES,
    *(None, float("nan"), float("inf"), float("-inf"), -0.0, 2.5, 1e-320, 10**25, -(2**63), 2**64, True, -1),
    *(b"bytes", b"\xff", pd.NaT, pd.Timestamp("2026-01-01"), pd.Timestamp("1600-01-01"), dt.date(1, 1, 1)),
    *(dt.time(23, 59, 59, 999_999), dt.timedelta(days=-1), Decimal("1.10"), Decimal("NaN"), Decimal("1e-30")),
    *([1], [], {}, {"a": 1}, (1, 2), {1}, 1 + 2j, np.float32(0.1), "\ud800", object),
    np.datetime64("NaT", "ns"),
)
ENCODINGS = (
    "utf-8",
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-32",
    "latin-1",
    "cp1252",
    "utf-7",
    "cp037",
)
TYPES: tuple[pa.DataType, ...] = (
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary(4), pa.int8(), pa.uint64()),
    *(pa.float16(), pa.float64(), pa.decimal128(38, 10), pa.decimal256(50, 5), pa.bool_(), pa.null()),
    *(
        pa.date32(),
        pa.date64(),
        pa.time32("s"),
        pa.time64("ns"),
        pa.timestamp("s"),
        pa.timestamp("ns", "UTC"),
    ),
    *(pa.duration("us"), pa.month_day_nano_interval(), pa.dictionary(pa.int8(), pa.string())),
    *(
        pa.list_(pa.string()),
        pa.list_(pa.int8(), 2),
        pa.struct([("a", pa.int64())]),
        pa.map_(pa.string(), pa.int8()),
    ),
    *(pa.list_(pa.struct([("a", pa.list_(pa.string()))])), pa.struct([])),
)


@dataclass(frozen=True, kw_only=True)
class OddTable:
    """What was drawn.

    Args:
        source: A path, a frame or an Arrow table.
        names: The names of its columns, as far as they are known.
        read: How it is read.
    """

    source: Any
    names: tuple[str, ...] = COLUMNS
    read: ReadOptions = field(default_factory=ReadOptions)


def odd_table(mutator: Mutator, folder: Path) -> OddTable:
    """Return a drawn table; a file of it is in the folder."""
    kinds: tuple[Callable[[Mutator, Path], OddTable], ...] = (
        *(_damaged_csv, _written_csv, _written_csv, _frame, _frame, _arrow, _arrow),
        *(_parquet, _damaged_parquet),
    )
    return mutator.draw.choice(kinds)(mutator, folder)


def _damaged_csv(mutator: Mutator, folder: Path) -> OddTable:
    path = folder / "t.csv"
    if mutator.draw.random() < 0.5:
        path.write_bytes(mutator.text(TABLE).encode("utf-8", "surrogatepass"))
    else:
        path.write_bytes(mutator.content(TABLE.encode()))
    return OddTable(source=str(path))


def _names(mutator: Mutator) -> list[str]:
    """Return five names, some of them odd, and some the same."""
    names = list(COLUMNS)
    for _ in range(mutator.draw.choice((0, 1, 1, 3))):
        names[mutator.draw.randrange(5)] = mutator.draw.choice(NAMES)
    return names


def _rows(mutator: Mutator) -> list[list[Any]]:
    """Return rows with odd cells, none at all, only missing ones or many; the last is alone in its class."""
    draw = mutator.draw
    rows = [list(row) for row in ROWS * draw.choice((1, 1, 3))]
    for _ in range(draw.choice((0, 1, 2, 8))):
        draw.choice(rows[:-1])[draw.randrange(4)] = draw.choice(CELLS)
    shape = draw.randrange(12)
    if shape == 0:
        return []
    if shape == 1:
        return [[None] * 5 for _ in rows]
    if shape == 2:
        column = draw.randrange(5)
        return [[None if i == column else cell for i, cell in enumerate(row)] for row in rows]
    return rows


def _written_csv(mutator: Mutator, folder: Path) -> OddTable:
    """Write a file in a dialect and an encoding, and say some of that to whoever reads it."""
    draw, path = mutator.draw, folder / "w.csv"
    names, rows = _names(mutator), _rows(mutator)
    delimiter, quote = draw.choice(",,,;\t|~ "), draw.choice('"""\'')
    text = io.StringIO()
    writer = csv.writer(
        text,
        delimiter=delimiter,
        quotechar=quote,
        quoting=draw.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
        lineterminator=draw.choice(("\n", "\n", "\r\n", "\r")),
    )
    has_header = draw.random() < 0.9
    for row in [names, *rows] if has_header else rows:
        writer.writerow([draw.choice(("", "NA")) if cell is None else cell for cell in row])
        if draw.random() < 0.02:
            writer.writerow(row[: draw.randrange(5)])
    encoding = draw.choice(ENCODINGS)
    path.write_bytes(text.getvalue().encode(encoding, draw.choice(("replace", "ignore"))))
    read = ReadOptions(
        delimiter=draw.choice((None, delimiter, delimiter, ";", "whitespace")),
        quote=draw.choice((None, quote)),
        has_header=has_header if draw.random() < 0.8 else None,
        encoding=encoding if draw.random() < 0.9 else None,
        missing=draw.choice(((), ("NA",), ("?", " "))),
        is_trimmed=draw.random() < 0.2,
    )
    return OddTable(source=str(path), names=tuple(names), read=read)


_DTYPES = (
    *("string", "category", "float32", "Int8", "boolean", "bool", "complex64", "datetime64[ns]", "bytes"),
    *("timedelta64[ns]", "string[pyarrow]", "int64[pyarrow]", "Sparse[float64]", "period[D]"),
)


_NO_SUCH_TYPE = (TypeError, ValueError, OverflowError, NotImplementedError, pa.ArrowException)
"""What pandas says where cells cannot be of a type."""


def _frame(mutator: Mutator, _: Path) -> OddTable:
    """Return a frame whose columns are objects or of a type, with an index that may be odd, too."""
    draw = mutator.draw
    names = _names(mutator)
    frame = pd.DataFrame(_rows(mutator), columns=names, dtype=object)
    if draw.random() < 0.5:
        with suppress(*_NO_SUCH_TYPE):
            frame = frame.infer_objects()
    if draw.random() < 0.3 and frame.columns.is_unique:
        name = draw.choice(names)
        with suppress(*_NO_SUCH_TYPE), warnings.catch_warnings(action="ignore"):
            frame[name] = frame[name].astype(draw.choice(_DTYPES))
    match draw.randrange(12):
        case 0:
            frame.columns = pd.MultiIndex.from_tuples([(name, "x") for name in names])
        case 1:
            frame.columns = draw.choice([list(range(5)), [None, *names[1:]], [1.5, True, *names[2:]]])
        case 2:
            frame.index = pd.Index([0] * len(frame), name=draw.choice(NAMES))
        case 3:
            frame = frame.iloc[:, :0]
        case 4 if len(frame):
            frame = pd.concat([frame] * 40, ignore_index=False)
    return OddTable(source=frame, names=tuple(names))


def _arrow(mutator: Mutator, _: Path) -> OddTable:
    """Return an Arrow table; some columns hold values of another type, or nested ones, or none."""
    draw = mutator.draw
    names, rows = _names(mutator), [list(row) for row in ROWS * draw.choice((1, 2))]
    columns: list[pa.Array] = [pa.array([row[i] for row in rows]) for i in range(5)]
    for _ in range(draw.choice((0, 1, 1, 3))):
        columns[draw.randrange(5)] = _array(mutator, len(rows), columns)
    table = pa.table(columns, names=names)
    if draw.random() < 0.2:
        table = table.slice(0, draw.choice((0, 1, len(rows))))
    return OddTable(source=table, names=tuple(names))


def _array(mutator: Mutator, size: int, columns: list[pa.Array]) -> pa.Array:
    """Return an array of a drawn type: cast from a column where that can be, else of nulls, or nested."""
    draw = mutator.draw
    kind, column = draw.choice(TYPES), draw.choice(columns)
    match draw.randrange(4):
        case 0:
            return pa.nulls(size, kind)
        case 1:
            return pa.array([[v] for v in column.to_pylist()])
        case 2:
            return pa.array([{"a": v, "b": [v]} for v in column.to_pylist()])
        case _:
            try:
                return column.cast(kind)
            except (pa.ArrowException, ValueError):
                return pa.nulls(size, kind)


def _parquet(mutator: Mutator, folder: Path) -> OddTable:
    """Write an Arrow table as Parquet; what cannot be written is given as it is."""
    drawn = _arrow(mutator, folder)
    path = folder / "t.parquet"
    try:
        parquet.write_table(
            drawn.source, path, compression=mutator.draw.choice(("none", "snappy", "zstd")), row_group_size=3
        )
    except (pa.ArrowException, ValueError, OSError):
        return drawn
    return OddTable(source=str(path), names=drawn.names)


def _damaged_parquet(mutator: Mutator, folder: Path) -> OddTable:
    """Write a Parquet file and damage some of its bytes."""
    drawn = _parquet(mutator, folder)
    if isinstance(drawn.source, str):
        path = Path(drawn.source)
        path.write_bytes(mutator.content(path.read_bytes()))
    return drawn
