"""One column of a private copy with its values, in the order of the records."""

import numpy as np

from qidguard.core.column import ValueType
from qidguard.core.column_values import ColumnValues
from qidguard.core.errors import NotMeasurable
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.dictionary import Dictionary, build_dictionary
from qidguard.engines.duckdb.numbers import build_numbers
from qidguard.engines.duckdb.shape import shape_of
from qidguard.engines.duckdb.snapshot.opened import Opened


def column_values(opened: Opened, name: str, mark: str | None) -> ColumnValues:
    """Return a column: codes of the records, and text and number of each code.

    Raises:
        DataError: when there is no such column.
    """
    database = opened.connection.duckdb
    index, dictionary = coded_values(opened, name, mark)
    table = naming.dictionary(index)
    column = naming.column(index)
    codes = database.execute(
        f"SELECT dictionary.code\nFROM {opened.relation} AS source\n"
        f"JOIN {table} AS dictionary ON source.{column} IS NOT DISTINCT FROM dictionary.value\n"
        "ORDER BY source.position"
    ).fetchnumpy()["code"]
    texts: list[str | None] = [None] * (dictionary.facts.distinct + 1)
    for code, text in database.execute(f"SELECT code, CAST(value AS VARCHAR) FROM {table}").fetchall():
        texts[code] = None if code == 0 else str(text)
    try:
        build_numbers(database, index, dictionary.facts)
    except NotMeasurable:
        numbers = None
    else:
        numbers = np.full(len(texts), np.nan)
        fetched = database.execute(f"SELECT value, number FROM {naming.numbers(index)}").fetchnumpy()
        found = np.ma.filled(np.ma.asarray(fetched["number"]).astype(np.float64), np.nan)
        numbers[np.asarray(fetched["value"]).astype(np.int64)] = found
        database.execute(f"DROP TABLE {naming.numbers(index)}")
    database.execute(f"DROP TABLE {table}")
    return ColumnValues(
        name=name,
        value_type=dictionary.facts.value_type,
        codes=np.asarray(codes).astype(np.int32),
        texts=tuple(texts),
        numbers=None if dictionary.facts.value_type is ValueType.EMPTY else numbers,
    )


def coded_values(opened: Opened, name: str, mark: str | None = None) -> tuple[int, Dictionary]:
    """Create the dictionary table of a column; return the column's place and what is known of it."""
    database = opened.connection.duckdb
    [column] = opened.columns([name])
    index = opened.copied.names.index(name)
    counted = f"(SELECT {column.column}, 1 AS records FROM {opened.relation})"
    names = opened.copied.names
    guesses = {}
    if opened.copied.is_text:
        one = shape_of(
            database, f"(SELECT {column.column} AS c0 FROM {opened.relation})", (name,), is_text=True
        )
        guesses = one.guesses
    shape = shape_of(database, counted, names, is_text=False)
    dictionary = build_dictionary(
        database,
        index=index,
        name=name,
        relation=counted,
        value_type=guesses.get(0),
        own_type=shape.own_type(index),
        mark=mark,
    )
    return index, dictionary
