"""A column's distinct values with their codes, as numbers too, and the table of codes made of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from duckdb import DuckDBPyConnection

from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.spelling import Normalized, Spelling
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import SQL_TYPE, Shape, confirm_types, is_fraction, place_of
from qidguard.engines.duckdb.described import MOST_KEPT, CountedColumn, Described, describe
from qidguard.engines.duckdb.spelling import keyed
from qidguard.engines.sql.identifier import quote_text


@dataclass(frozen=True, kw_only=True)
class Dictionary(Described):
    """What is known of one coded column.

    Args:
        mark: The code of the suppression mark, −1 where it does not occur.
        has_missing: Whether the code 0 occurs: NULL, or what is declared to be one value with it.
    """

    mark: int = -1
    has_missing: bool = False

    @property
    def suppressed(self) -> int:
        """The code of the suppression mark; where it does not occur, that which it has in a population."""
        return self.mark if self.mark >= 0 else self.facts.distinct + 2

    @property
    def is_wholly_suppressed(self) -> bool:
        """Whether the suppression mark is all that it holds."""
        return 0 < self.facts.suppressed == self.facts.records

    @property
    def codes(self) -> int:
        """Number of codes that may occur: the values, NULL, and two for what only a population has."""
        return self.facts.distinct + 3


def build_dictionary(
    connection: DuckDBPyConnection, shape: Shape, index: int, mark: str | None
) -> Dictionary:
    """Create the dictionary table of a column and return what is known of it, without a draw."""
    [known] = describe(connection, [_create(connection, shape, index, mark)], is_drawn=False)
    return _dictionary(connection, index, known, mark, ())


def _create(
    connection: DuckDBPyConnection,
    shape: Shape,
    index: int,
    mark: str | None,
    spellings: Collection[Spelling] = (),
    known: Described | None = None,
) -> CountedColumn:
    """Create the dictionary table of a column, of the values that lie there where it was described.

    Values that differ only by ``spellings`` have one code, placed where the first of them stands.
    """
    table, name = naming.dictionary(index), shape.names[index]
    own_type, value_type = shape.own_type(index), shape.guesses.get(index)
    declared = shape.order.get(name, ())
    grouped = (
        f"SELECT {naming.column(index)} AS value, CAST(sum(records) AS BIGINT) AS records\n"
        f"FROM {shape.relation} GROUP BY 1"
    )
    if known is not None and known.facts.distinct <= MOST_KEPT:
        grouped = f"SELECT value, records FROM {naming.values(index)}"
        value_type = value_type and known.facts.value_type
    elif value_type not in {None, ValueType.TEXT}:
        connection.execute(f"CREATE OR REPLACE TABLE typed AS {grouped}")
        [value_type] = confirm_types(connection, {"typed": value_type or ValueType.TEXT}, mark).values()
        grouped = "SELECT value, records FROM typed"
    typed = SQL_TYPE.get(value_type) if value_type else None
    # NULL comes last, where its number disturbs no other
    first = f"TRY_CAST(value AS {typed})" if typed else place_of("value", declared) if declared else "value"
    order = f"{first} NULLS LAST, value NULLS LAST"
    coded = (
        "SELECT value, records, CAST(CASE WHEN value IS NULL THEN 0\n"
        f"ELSE row_number() OVER (ORDER BY {order}) END AS INTEGER) AS code\n"
        f"FROM ({grouped}) AS grouped"
    )
    if spellings:
        ways = keyed(f"({coded})", spellings, own_type, mark)
        first = f"SELECT value, records, key, min(code) OVER (PARTITION BY key) AS first FROM ({ways})"
        coded = (
            "SELECT value, records, CAST(CASE WHEN key IS NULL THEN 0\n"
            "ELSE dense_rank() OVER (PARTITION BY key IS NULL ORDER BY first) END AS INTEGER) AS code\n"
            f"FROM ({first}) AS keyed"
        )
    connection.execute(f"CREATE OR REPLACE TABLE {table} AS\n{coded}")
    return CountedColumn(
        table=table, name=name, value_type=value_type or own_type, own_type=own_type, mark=mark
    )


def _dictionary(
    connection: DuckDBPyConnection,
    index: int,
    known: Described,
    mark: str | None,
    spellings: Collection[Spelling],
) -> Dictionary:
    table = naming.dictionary(index)
    has_missing = known.facts.missing > 0
    if spellings and not has_missing:
        has_missing = bool(connection.execute(f"SELECT 1 FROM {table} WHERE code = 0 LIMIT 1").fetchall())
    return Dictionary(
        facts=known.facts, draw=known.draw, mark=_mark(connection, table, mark), has_missing=has_missing
    )


def _mark(connection: DuckDBPyConnection, table: str, mark: str | None) -> int:
    if mark is None:
        return -1
    row = connection.execute(f"SELECT code FROM {table} WHERE CAST(value AS VARCHAR) = ?", [mark]).fetchone()
    return int(row[0]) if row else -1


_PLAIN = "TRY_CAST({column} AS DOUBLE)"
_DAYS = "epoch(TRY_CAST({column} AS TIMESTAMP)) / 86400.0"
NUMBER = {
    ValueType.INTEGER: _PLAIN,
    ValueType.NUMBER: _PLAIN,
    ValueType.DATE: _DAYS,
    ValueType.TIMESTAMP: _DAYS,
    ValueType.BOOLEAN: "CAST(CAST({column} AS BOOLEAN) AS DOUBLE)",
    ValueType.EMPTY: "CAST(NULL AS DOUBLE)",
}
"""SQL for the values of a ``{column}`` as numbers, dates as days; texts have none."""


def build_numbers(connection: DuckDBPyConnection, index: int, facts: ColumnFacts) -> None:
    """Create the table of a column's numbers, not of texts: ``value``, which is the code, and ``number``.

    Missing, NaN, infinite and suppressed values have the number NULL.
    """
    number = NUMBER[facts.value_type].format(column="value")
    connection.execute(
        f"CREATE TABLE IF NOT EXISTS {naming.numbers(index)} AS\n"
        "SELECT code AS value, min(CASE WHEN isfinite(number) THEN number END) AS number\n"
        f"FROM (SELECT code, {number} AS number FROM {naming.dictionary(index)}) AS typed\nGROUP BY code"
    )


_JOINS = 24
"""Columns coded in one statement: planning takes time that grows with the square of the joins."""


def build_dictionaries(
    connection: DuckDBPyConnection,
    shape: Shape,
    indexes: Sequence[int],
    mark: str | None,
    normalized: Sequence[Normalized] = (),
    described: Mapping[int, Described] = MappingProxyType({}),
) -> dict[int, Dictionary]:
    """Create the dictionaries of the columns; what was described need not be so again."""
    spellings = {one.column: one.spellings for one in normalized}
    counted = {
        index: _create(
            connection, shape, index, mark, spellings.get(shape.names[index], ()), described.get(index)
        )
        for index in indexes
    }
    left = [index for index in indexes if index not in described]
    known = {**described, **dict(zip(left, describe(connection, [counted[i] for i in left]), strict=True))}
    return {
        index: _dictionary(connection, index, known[index], mark, spellings.get(shape.names[index], ()))
        for index in indexes
    }


def code(
    connection: DuckDBPyConnection, shape: Shape, dictionaries: dict[int, Dictionary], entity: int | None
) -> None:
    """Create the table ``coded``: the codes of each column, the entity, and ``records``.

    It takes the place of an earlier one in one statement, so an interruption leaves the one or the other.
    """
    kept = [naming.column(i) for i in dictionaries]
    if entity is not None:
        kept.append(f"{naming.column(entity)} AS entity")
    source = f"(SELECT {', '.join([*kept, 'records'])} FROM {shape.relation})"
    indexes = list(dictionaries)
    try:
        for start in range(0, len(indexes), _JOINS):
            chunk = indexes[start : start + _JOINS]
            made = "coded" if start + _JOINS >= len(indexes) else f"recoded_{start}"
            replaced = ", ".join(f"{naming.dictionary(i)}.code AS {naming.column(i)}" for i in chunk)
            joins = ""
            for name, theirs in ((naming.dictionary(i), naming.column(i)) for i in chunk):
                joins += f"\nJOIN {name} ON source.{theirs} IS NOT DISTINCT FROM {name}.value"
            connection.execute(
                f"CREATE OR REPLACE TABLE {made} AS\nSELECT source.* REPLACE ({replaced})\n"
                f"FROM {source} AS source{joins}"
            )
            if start:
                connection.execute(f"DROP TABLE {source}")
            source = made
    finally:
        for start in range(0, len(indexes), _JOINS):
            connection.execute(f"DROP TABLE IF EXISTS recoded_{start}")


def code_population(
    connection: DuckDBPyConnection,
    shape: Shape,
    dictionaries: dict[int, Dictionary],
    positions: dict[int, int],
    entity: int | None,
    mark: str | None,
) -> None:
    """Create ``population`` with the table's own codes.

    A value that only the population has gets a code past all others, so it meets no class of the table; the
    suppression mark has one of its own.
    ``positions`` maps each coded column of the table to its column in the population source. Fractions are
    compared as numbers, since 1.1 and 1.10 print differently; everything else as text.
    """
    columns = []
    joins = ""
    for index, position in positions.items():
        name, theirs = naming.dictionary(index), f"population_raw.{naming.column(position)}"
        left, right = f"CAST({theirs} AS VARCHAR)", f"CAST({name}.value AS VARCHAR)"
        unknown = str(dictionaries[index].facts.distinct + 1)
        if mark is not None:
            marked = f"WHEN {left} = {quote_text(mark)} THEN {dictionaries[index].suppressed}"
            unknown = f"CASE {marked} ELSE {unknown} END"
        known = f"CASE WHEN {theirs} IS NULL THEN 0 ELSE coalesce({name}.code, {unknown}) END"
        columns.append(f"{known} AS {naming.column(index)}")
        if is_fraction(shape.types[index]):
            left, right = f"TRY_CAST({theirs} AS DOUBLE)", f"CAST({name}.value AS DOUBLE)"
        joins += f"\nLEFT JOIN {name} ON {left} = {right}"
    if entity is not None:
        columns.append(f"population_raw.{naming.column(entity)} AS entity")
    connection.execute(
        f"CREATE TABLE population AS\nSELECT {', '.join(columns)}, 1 AS records\nFROM population_raw{joins}"
    )
