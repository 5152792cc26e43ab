"""Columns of some records: what a search looks at first, read without all the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from duckdb import DuckDBPyConnection

from qidguard.core.column import ColumnValues, ValueType
from qidguard.engines.duckdb.columns import value_type
from qidguard.engines.duckdb.dictionary import NUMBER
from qidguard.engines.duckdb.snapshot.opened import Opened

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NUMBERED = {ValueType.INTEGER, ValueType.NUMBER, ValueType.DATE, ValueType.TIMESTAMP}
_DRAWN = 10_000


def columns_at(
    opened: Opened, names: Sequence[str], places: "NDArray[np.int64]", mark: str | None
) -> tuple[ColumnValues, ...]:
    """Return columns of the records at some places, in that order; types are those of these values."""
    database, columns = opened.connection.duckdb, opened.columns(names)
    database.execute("CREATE OR REPLACE TEMP TABLE wanted (position BIGINT, place BIGINT)")
    database.execute("INSERT INTO wanted SELECT unnest(?), unnest(range(?))", [places.tolist(), len(places)])
    found = _coded(
        database,
        {one.name: one.column for one in columns},
        dict(zip(names, [one.kind for one in columns], strict=True)),
        f"FROM {opened.relation} AS source\nJOIN wanted USING (position)\nORDER BY wanted.place",
        None if not opened.copied.is_text else (mark or ""),
    )
    database.execute("DROP TABLE wanted")
    return found


@dataclass(frozen=True, kw_only=True)
class KeptDraw:
    """Some records of some columns, kept while a source was there, and coded only where they are asked for.

    Args:
        columns: Name → what the column is called in the table ``TABLE``.
        text_mark: The suppression mark of texts that are typed; None where values have types already.
    """

    columns: Mapping[str, str]
    text_mark: str | None

    TABLE: ClassVar = "drawn"

    @classmethod
    def of(
        cls,
        database: DuckDBPyConnection,
        relation: str,
        columns: Mapping[str, str],
        mark: str | None,
        *,
        is_text: bool,
    ) -> "KeptDraw":
        """Keep about ten thousand records, drawn by a hash of what they hold: always the same.

        ``columns`` is name → what it is called in the relation, whose texts are typed where it ``is_text``.
        """
        inside = ", ".join(columns.values())
        records = int(database.execute(f"SELECT count(*) FROM {relation}").fetchall()[0][0])
        mixed = f"hash({inside}, 11)"
        database.execute(
            f"CREATE OR REPLACE TABLE {cls.TABLE} AS SELECT {inside}, {mixed} AS mixed FROM {relation}\n"
            f"WHERE mixed % {max(1, records // _DRAWN)} = 0"
        )
        return cls(columns=columns, text_mark=(mark or "") if is_text else None)

    def coded(self, database: DuckDBPyConnection) -> tuple[ColumnValues, ...]:
        """Return the columns."""
        kinds = {str(row[0]): str(row[1]) for row in database.execute(f"DESCRIBE {self.TABLE}").fetchall()}
        return _coded(
            database,
            self.columns,
            {name: kinds[column] for name, column in self.columns.items()},
            f"FROM {self.TABLE} ORDER BY mixed",
            self.text_mark,
        )


def _coded(
    database: DuckDBPyConnection,
    columns: Mapping[str, str],
    kinds: Mapping[str, str],
    rest: str,
    text_mark: str | None,
) -> tuple[ColumnValues, ...]:
    """Return the columns of a query; texts are typed where there is a mark, which is no value."""
    shown = []
    for name, column in columns.items():
        kind = value_type(kinds[name])
        number = NUMBER[kind].format(column=column) if kind in _NUMBERED else "NULL"
        shown += [f"CAST({column} AS VARCHAR) AS {column}", f"CAST({number} AS DOUBLE) AS number_{column}"]
    rows = database.execute(f"SELECT {', '.join(shown)}\n{rest}").fetchnumpy()
    found = []
    for name, column in columns.items():
        numbers = np.ma.filled(np.ma.asarray(rows[f"number_{column}"]), np.nan).astype(np.float64)
        texts = np.ma.asarray(rows[column])
        gone, held = np.ma.getmaskarray(texts).tolist(), np.ma.getdata(texts).tolist()
        values = [None if is_gone else str(text) for is_gone, text in zip(gone, held, strict=True)]
        found.append(_column(name, value_type(kinds[name]), values, numbers, text_mark))
    return tuple(found)


def _column(
    name: str,
    kind: ValueType,
    values: list[str | None],
    numbers: "NDArray[np.float64]",
    text_mark: str | None,
) -> ColumnValues:
    place_of: dict[str | None, int] = {None: 0}
    codes = np.array([place_of.setdefault(value, len(place_of)) for value in values], dtype=np.int64)
    texts = list(place_of)
    own = np.full(len(texts), np.nan)
    own[codes] = numbers
    own[0] = np.nan
    if text_mark is not None:
        kind, own = _typed(texts, text_mark)
    has_numbers = kind in _NUMBERED
    own = np.where(np.isfinite(own), own, np.nan) if has_numbers else np.full(len(texts), np.nan)
    order = 1 + np.lexsort([np.array(texts[1:], dtype=np.str_), own[1:]])
    place = np.zeros(len(texts), dtype=np.int32)
    place[order] = np.arange(1, len(texts))
    return ColumnValues(
        name=name,
        value_type=kind,
        codes=place[codes],
        texts=(None, *(texts[at] for at in order.tolist())),
        numbers=np.append(np.nan, own[order]) if has_numbers else None,
    )


def _typed(texts: Sequence[str | None], mark: str) -> "tuple[ValueType, NDArray[np.float64]]":
    """Return the type that texts have but for the mark, and their numbers."""
    numbers = np.full(len(texts), np.nan)
    some = [(at, text) for at, text in enumerate(texts) if text is not None and text != mark]
    try:
        for at, text in some:
            numbers[at] = float(text)
    except ValueError:
        return ValueType.TEXT, numbers
    is_whole = all(text.lstrip("-").isdigit() for _, text in some)
    return (ValueType.INTEGER if is_whole else ValueType.NUMBER) if some else ValueType.TEXT, numbers
