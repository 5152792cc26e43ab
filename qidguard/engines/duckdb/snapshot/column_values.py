"""Columns of a private copy with their values: codes of the records, and text and number of each code."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from duckdb import DuckDBPyConnection
from numpy.typing import NDArray

from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.spelling import Normalized
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import Shape, guess_types, place_of, value_type
from qidguard.engines.duckdb.dictionary import Dictionary, build_dictionary, build_numbers
from qidguard.engines.duckdb.snapshot.opened import Column, Opened
from qidguard.engines.duckdb.spelling import keyed
from qidguard.engines.sql.identifier import quote_text


def codes(
    opened: Opened, names: Sequence[str], normalized: Sequence[Normalized] = (), mark: str | None = None
) -> NDArray[np.int32]:
    """Return codes, shape (records, columns): 1, 2, … in the order of each column's values, NULL 0.

    Values that a GROUP BY takes as one have one code, and texts that are ``normalized`` to one, whose order
    is that of what they are normalized to.
    """
    spellings = {one.column: one.spellings for one in normalized}
    database = opened.connection.duckdb
    columns = opened.columns(names)
    coded = np.empty((opened.copied.records, len(columns)), dtype=np.int32)
    for i, column in enumerate(columns):
        found = f"(SELECT DISTINCT {column.column} AS value FROM {opened.relation}) AS found"
        declared = opened.copied.order.get(column.name, ())
        place = place_of("value", declared) if declared else "NULL"
        numbered = f"row_number() OVER (ORDER BY {place}, value)"
        if column.name in spellings:
            ways = keyed(found, spellings[column.name], value_type(column.kind), mark)
            found = (
                f"(SELECT value, key, min({place}) OVER (PARTITION BY key) AS place FROM ({ways})) AS found"
            )
            numbered = "CASE WHEN key IS NULL THEN 0 ELSE dense_rank() OVER (ORDER BY place, key) END"
        database.execute(
            f"CREATE OR REPLACE TABLE dictionary AS\nSELECT value, CAST({numbered} AS INTEGER) AS code\n"
            f"FROM {found}\nWHERE value IS NOT NULL"
        )
        fetched = database.execute(
            f"SELECT coalesce(dictionary.code, 0) AS code\nFROM {opened.relation} AS source\n"
            f"LEFT JOIN dictionary ON source.{column.column} = dictionary.value\nORDER BY source.position"
        ).fetchnumpy()
        coded[:, i] = fetched["code"]
    return coded


MOST_JOINS = 24
"""Columns that one statement joins: planning takes time that grows faster than their number."""


def column_values(opened: Opened, names: Sequence[str], mark: str | None) -> tuple[ColumnValues, ...]:
    """Return columns: codes of the records, and text and number of each code."""
    columns = opened.columns(names)
    columns_read: list[ColumnValues] = []
    for start in range(0, len(columns), MOST_JOINS):
        together = columns[start : start + MOST_JOINS]
        dictionaries = [coded_values(opened, column, mark) for column in together]
        for column, dictionary, codes in zip(together, dictionaries, _codes(opened, together), strict=True):
            columns_read.append(_values(opened, column, dictionary, codes))
    return tuple(columns_read)


def coded_values(opened: Opened, column: Column, mark: str | None) -> Dictionary:
    """Create the dictionary table of a column and return what is known of it."""
    database, copied, index = opened.connection.duckdb, opened.copied, _index(opened, column)
    shape = Shape(
        relation=f"(SELECT {column.column}, 1 AS records FROM {opened.relation})",
        names=copied.names,
        types=copied.kinds,
        guesses={},
        order=copied.order,
    )
    if copied.is_text and column.name not in copied.order:
        apart = "" if mark is None else f" WHERE {column.column} IS DISTINCT FROM {quote_text(mark)}"
        values = f"(SELECT {column.column} FROM {opened.relation}{apart})"
        shape = replace(shape, guesses=guess_types(database, values, [index]))
    return build_dictionary(database, shape, index, mark)


def dictionary_table(opened: Opened, column: Column) -> str:
    """Return the name of the dictionary table of a column: value, records, code."""
    return naming.dictionary(_index(opened, column))


def _index(opened: Opened, column: Column) -> int:
    return opened.copied.names.index(column.name)


def _codes(opened: Opened, columns: Sequence[Column]) -> "list[NDArray[np.int32]]":
    """Return the code of each record, for each column."""
    tables = [dictionary_table(opened, column) for column in columns]
    codes = ", ".join(
        f"{table}.code AS {column.column}" for column, table in zip(columns, tables, strict=True)
    )
    joins = "".join(
        f"\nJOIN {table} ON source.{column.column} IS NOT DISTINCT FROM {table}.value"
        for column, table in zip(columns, tables, strict=True)
    )
    fetched = opened.connection.duckdb.execute(
        f"SELECT {codes}\nFROM {opened.relation} AS source{joins}\nORDER BY source.position"
    ).fetchnumpy()
    return [np.asarray(fetched[column.column]).astype(np.int32, copy=False) for column in columns]


def _values(
    opened: Opened, column: Column, dictionary: Dictionary, codes: "NDArray[np.int32]"
) -> ColumnValues:
    """Return one column and drop its dictionary."""
    database = opened.connection.duckdb
    table = dictionary_table(opened, column)
    texts: list[str | None] = [None] * (dictionary.facts.distinct + 1)
    # the text of a value can be told from that of any other value, but not that of a text from NULL
    shown = f"SELECT code, CAST(value AS VARCHAR) FROM {table} WHERE code > 0"
    for code, text in database.execute(shown).fetchall():
        texts[code] = str(text)
    numbers = _numbers(database, _index(opened, column), dictionary, len(texts))
    database.execute(f"DROP TABLE {table}")
    return ColumnValues(
        name=column.name,
        value_type=dictionary.facts.value_type,
        codes=codes,
        texts=tuple(texts),
        numbers=numbers,
        declared=opened.copied.order.get(column.name, ()),
    )


def _numbers(
    database: DuckDBPyConnection, index: int, dictionary: Dictionary, codes: int
) -> "NDArray[np.float64] | None":
    """Return the number of each code; None for a column of text and one without a value."""
    if dictionary.facts.value_type in {ValueType.EMPTY, ValueType.TEXT}:
        return None
    build_numbers(database, index, dictionary.facts)
    table = naming.numbers(index)
    fetched = database.execute(f"SELECT value, number FROM {table}").fetchnumpy()
    database.execute(f"DROP TABLE {table}")
    numbers = np.full(codes, np.nan)
    fetched_numbers = np.ma.filled(np.ma.asarray(fetched["number"]).astype(np.float64), np.nan)
    numbers[np.asarray(fetched["value"]).astype(np.int64)] = fetched_numbers
    return numbers
