"""Dictionaries: the distinct values of one column in their natural order, coded 1, 2, … with NULL as 0.

Text is typed here, once, over its distinct values. The type decides the order and nothing else: values that
differ as text stay apart, so "01" and "1" never meet in one class.
"""

from dataclasses import dataclass

from duckdb import DuckDBPyConnection

from qidguard.core.column import ColumnFacts, ValueType
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.facts import summarise
from qidguard.engines.duckdb.inference import SQL_TYPE, confirm_type


@dataclass(frozen=True, kw_only=True)
class Dictionary:
    """What is known of one coded column.

    Args:
        facts: The public facts.
        mark: The code of the suppression mark, −1 where it does not occur.
    """

    facts: ColumnFacts
    mark: int = -1

    @property
    def codes(self) -> int:
        """Number of codes that may occur: the values, NULL, and one for values of a population only."""
        return self.facts.distinct + 2


def build_dictionary(
    connection: DuckDBPyConnection,
    *,
    index: int,
    name: str,
    relation: str,
    value_type: ValueType | None,
    own_type: ValueType,
    mark: str | None,
) -> Dictionary:
    """Create the dictionary table of a column and return what is known of it.

    ``value_type`` is the guess for text that is to be typed, or None for a column that keeps ``own_type``.
    """
    table = naming.dictionary(index)
    column = naming.column(index)
    grouped = f"SELECT {column} AS value, CAST(sum(records) AS BIGINT) AS records FROM {relation} GROUP BY 1"
    if value_type not in {None, ValueType.TEXT}:
        connection.execute(f"CREATE OR REPLACE TABLE typed AS {grouped}")
        value_type = confirm_type(connection, "typed", value_type or ValueType.TEXT, mark)
        grouped = "SELECT value, records FROM typed"
    typed = SQL_TYPE.get(value_type) if value_type else None
    order = f"TRY_CAST(value AS {typed}), value" if typed else "value"
    connection.execute(
        f"CREATE TABLE {table} AS\n"
        "SELECT value, records, CAST(CASE WHEN value IS NULL THEN 0\n"
        f"ELSE row_number() OVER (PARTITION BY value IS NULL ORDER BY {order}) END AS INTEGER) AS code\n"
        f"FROM ({grouped}) AS grouped"
    )
    return Dictionary(
        facts=summarise(connection, table, name, value_type or own_type, own_type),
        mark=_mark(connection, table, mark),
    )


def _mark(connection: DuckDBPyConnection, table: str, mark: str | None) -> int:
    if mark is None:
        return -1
    found = connection.execute(
        f"SELECT code FROM {table} WHERE CAST(value AS VARCHAR) = ?", [mark]
    ).fetchone()
    return int(found[0]) if found else -1
