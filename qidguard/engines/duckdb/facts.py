"""Public facts of a column from its distinct values."""

from duckdb import DuckDBPyConnection

from qidguard.core.column import ColumnFacts, ValueType
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.inference import confirm_type
from qidguard.engines.duckdb.shape import Shape
from qidguard.engines.sql.identifier import quote_text

_MISSING_WORDS = ("?", "na", "n/a", "#n/a", "null", "nan", "-", "--", ".", "")
"""Texts, in lower case, that often stand for a missing value."""


def summarise(
    connection: DuckDBPyConnection, values: str, name: str, value_type: ValueType, own_type: ValueType
) -> ColumnFacts:
    """Return the facts of a column whose distinct values and their records stand in the table ``values``.

    ``value_type`` is what the values are, ``own_type`` what the source itself calls them.
    """
    words = ", ".join(quote_text(word) for word in _MISSING_WORDS)
    counts = {
        "records": "true",
        "missing": "value IS NULL",
        "not_a_number": "isnan(value)" if own_type is ValueType.NUMBER else "false",
        "undeclared_missing": f"lower(trim(value)) IN ({words})" if own_type is ValueType.TEXT else "false",
    }
    sums = ", ".join(f"coalesce(sum(CASE WHEN {is_so} THEN records END), 0)" for is_so in counts.values())
    distinct, *found = connection.execute(f"SELECT count(value), {sums} FROM {values}").fetchall()[0]
    return ColumnFacts(
        name=name,
        value_type=value_type if distinct else ValueType.EMPTY,
        distinct=int(distinct),
        **{count: int(n) for count, n in zip(counts, found, strict=True)},
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
    facts = summarise(connection, "described", shape.names[index], kind, own)
    connection.execute("DROP TABLE described")
    return facts
