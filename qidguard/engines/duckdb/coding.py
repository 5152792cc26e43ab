"""Code a table once: every column that groupings name becomes small integers."""

from collections.abc import Sequence

from duckdb import DuckDBPyConnection

from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.dictionary import Dictionary, build_dictionary
from qidguard.engines.duckdb.shape import Shape
from qidguard.engines.duckdb.types import is_fraction

_JOINS = 24
"""Columns coded in one statement: planning takes time that grows with the square of the joins."""


def build_dictionaries(
    connection: DuckDBPyConnection, shape: Shape, indexes: Sequence[int], mark: str | None
) -> dict[int, Dictionary]:
    """Create the dictionaries of the columns."""
    return {
        index: build_dictionary(
            connection,
            index=index,
            name=shape.names[index],
            relation=shape.relation,
            value_type=shape.guesses.get(index),
            own_type=shape.own_type(index),
            mark=mark,
        )
        for index in indexes
    }


def code(
    connection: DuckDBPyConnection, shape: Shape, dictionaries: dict[int, Dictionary], entity: int | None
) -> None:
    """Create the table ``coded``: the codes of each column, the entity, and ``records``."""
    kept = [naming.column(i) for i in dictionaries]
    if entity is not None:
        kept.append(f"{naming.column(entity)} AS entity")
    source = f"(SELECT {', '.join([*kept, 'records'])} FROM {shape.relation})"
    indexes = list(dictionaries)
    for start in range(0, len(indexes), _JOINS):
        chunk = indexes[start : start + _JOINS]
        replaced = ", ".join(f"{naming.dictionary(i)}.code AS {naming.column(i)}" for i in chunk)
        joins = ""
        for name, theirs in ((naming.dictionary(i), naming.column(i)) for i in chunk):
            joins += f"\nJOIN {name} ON source.{theirs} IS NOT DISTINCT FROM {name}.value"
        connection.execute(
            f"CREATE OR REPLACE TABLE recoded AS\nSELECT source.* REPLACE ({replaced})\n"
            f"FROM {source} AS source{joins}"
        )
        connection.execute("DROP TABLE IF EXISTS coded")
        connection.execute("ALTER TABLE recoded RENAME TO coded")
        source = "coded"


def code_population(
    connection: DuckDBPyConnection,
    shape: Shape,
    dictionaries: dict[int, Dictionary],
    positions: dict[int, int],
    entity: int | None,
) -> None:
    """Create ``population`` with the table's own codes.

    A value that only the population has gets a code past all others, so it meets no class of the table.
    ``positions`` maps each coded column of the table to its column in the population source. Fractions are
    compared as numbers, since 1.1 and 1.10 print differently; everything else as text.
    """
    columns = []
    joins = ""
    for index, position in positions.items():
        name, theirs = naming.dictionary(index), f"population_raw.{naming.column(position)}"
        unknown = dictionaries[index].codes - 1
        known = f"CASE WHEN {theirs} IS NULL THEN 0 ELSE coalesce({name}.code, {unknown}) END"
        columns.append(f"{known} AS {naming.column(index)}")
        left, right = f"CAST({theirs} AS VARCHAR)", f"CAST({name}.value AS VARCHAR)"
        if is_fraction(shape.types[index]):
            left, right = f"TRY_CAST({theirs} AS DOUBLE)", f"CAST({name}.value AS DOUBLE)"
        joins += f"\nLEFT JOIN {name} ON {left} = {right}"
    if entity is not None:
        columns.append(f"population_raw.{naming.column(entity)} AS entity")
    connection.execute(
        f"CREATE TABLE population AS\nSELECT {', '.join(columns)}, 1 AS records\nFROM population_raw{joins}"
    )
