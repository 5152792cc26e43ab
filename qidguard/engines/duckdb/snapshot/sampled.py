"""Columns of some records: what a search looks at first, read without all the others."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from duckdb import DuckDBPyConnection

from qidguard.core.column import ColumnValues, ValueType
from qidguard.engines.duckdb.columns import value_type
from qidguard.engines.duckdb.snapshot.opened import Opened

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOMENTS = {ValueType.DATE, ValueType.TIMESTAMP}
_NUMBERS = {ValueType.INTEGER, ValueType.NUMBER}
_DAY = 86_400_000_000
_DRAWN = 10_000


def columns_at(
    opened: Opened, names: Sequence[str], places: "NDArray[np.int64]", mark: str | None
) -> tuple[ColumnValues, ...]:
    """Return columns of the records at some places, in that order; types are those of these values."""
    database, columns = opened.connection.duckdb, opened.columns(names)
    database.register("wanted", pd.DataFrame({"position": places, "place": np.arange(len(places))}))
    shown = ",\n  ".join(f"CAST(source.{one.column} AS VARCHAR) AS {one.column}" for one in columns)
    rows = database.execute(
        f"SELECT {shown}\nFROM {opened.relation} AS source\n"
        "JOIN wanted USING (position)\nORDER BY wanted.place"
    ).fetchdf()
    database.unregister("wanted")
    is_text = opened.copied.is_text
    return tuple(_coded(one.name, one.kind, rows[one.column], mark, is_text=is_text) for one in columns)


def columns_drawn(
    database: DuckDBPyConnection,
    relation: str,
    columns: Mapping[str, str],
    mark: str | None,
    *,
    is_text: bool,
) -> tuple[ColumnValues, ...]:
    """Return columns of about ten thousand records, drawn by a hash of what they hold: always the same.

    ``columns`` is name → what it is called in the relation, whose texts are typed where it ``is_text``.
    """
    inside = ", ".join(columns.values())
    described = database.execute(f"DESCRIBE SELECT {inside} FROM {relation}").fetchall()
    kinds = {str(row[0]): str(row[1]) for row in described}
    records = int(database.execute(f"SELECT count(*) FROM {relation}").fetchall()[0][0])
    shown = ", ".join(f"CAST({column} AS VARCHAR) AS {column}" for column in columns.values())
    mixed = f"hash({inside}, 11)"
    rows = database.execute(
        f"SELECT {shown}\nFROM {relation}\nWHERE {mixed} % {max(1, records // _DRAWN)} = 0\nORDER BY {mixed}"
    ).fetchdf()
    return tuple(
        _coded(name, kinds[column], rows[column], mark, is_text=is_text) for name, column in columns.items()
    )


def _coded(
    name: str, own_type: str, values: "pd.Series[str]", mark: str | None, *, is_text: bool
) -> ColumnValues:
    codes, distinct = pd.factorize(values)
    texts = [str(text) for text in distinct]
    kind = value_type(own_type)
    numbers = _numbers(texts, kind)
    if is_text:
        is_number = ~np.isnan(numbers) | np.isin(texts, [mark or ""])
        is_whole = all(text.lstrip("-").isdigit() for text in texts if text != mark)
        guess = ValueType.INTEGER if is_whole else ValueType.NUMBER
        kind = guess if texts and is_number.all() else ValueType.TEXT
    if kind not in _NUMBERS | _MOMENTS:
        numbers = np.full(len(texts), np.nan)
    order = np.lexsort([np.array(texts, dtype=np.str_), numbers]) if texts else np.empty(0, dtype=np.int64)
    place = np.empty(len(texts) + 1, dtype=np.int32)
    place[order], place[-1] = np.arange(1, len(texts) + 1), 0
    return ColumnValues(
        name=name,
        value_type=kind,
        codes=place[codes],
        texts=(None, *(texts[at] for at in order.tolist())),
        numbers=np.append(np.nan, numbers[order]) if kind in _NUMBERS | _MOMENTS else None,
    )


def _numbers(texts: list[str], kind: ValueType) -> "NDArray[np.float64]":
    if kind in _MOMENTS:
        moments = pd.to_datetime(pd.Series(texts, dtype=object), errors="coerce", format="ISO8601")
        exact = moments.to_numpy(dtype="M8[us]")
        return np.where(np.isnat(exact), np.nan, exact.astype(np.int64) / _DAY)
    found: NDArray[np.float64] = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(
        dtype=np.float64
    )
    return np.where(np.isfinite(found), found, np.nan)
