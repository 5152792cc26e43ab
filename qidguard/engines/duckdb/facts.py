"""Public facts of a column from its distinct values."""

from duckdb import DuckDBPyConnection

from qidguard.core.column import ColumnFacts, ValueType
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.inference import confirm_type
from qidguard.engines.duckdb.shape import Shape


def summarise(
    connection: DuckDBPyConnection, values: str, name: str, value_type: ValueType, *, is_float: bool
) -> ColumnFacts:
    """Return the facts of a column whose distinct values and their records stand in the table ``values``."""
    nan = "CASE WHEN isnan(value) THEN records ELSE 0 END" if is_float else "0"
    records, distinct, missing, not_a_number = connection.execute(
        "SELECT coalesce(sum(records), 0), count(value),\n"
        f"coalesce(sum(CASE WHEN value IS NULL THEN records ELSE 0 END), 0), coalesce(sum({nan}), 0)\n"
        f"FROM {values}"
    ).fetchall()[0]
    return ColumnFacts(
        name=name,
        value_type=value_type if distinct else ValueType.EMPTY,
        records=int(records),
        distinct=int(distinct),
        missing=int(missing),
        not_a_number=int(not_a_number),
    )


def column_facts(connection: DuckDBPyConnection, shape: Shape, index: int, mark: str | None) -> ColumnFacts:
    """Return the facts of a column that no grouping names, by one group-by, which spills where it must."""
    connection.execute(
        "CREATE OR REPLACE TABLE described AS\n"
        f"SELECT {naming.column(index)} AS value, CAST(sum(records) AS BIGINT) AS records\n"
        f"FROM {shape.relation} GROUP BY 1"
    )
    own = shape.own_type(index)
    guess = shape.guesses.get(index, own)
    kind = guess
    if index in shape.guesses and guess is not ValueType.TEXT:
        kind = confirm_type(connection, "described", guess, mark)
    facts = summarise(connection, "described", shape.names[index], kind, is_float=own is ValueType.NUMBER)
    connection.execute("DROP TABLE described")
    return facts
