"""Numbers: the values of a coded column as floating-point numbers, for arithmetic on an attribute."""

from duckdb import DuckDBPyConnection

from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.errors import NotMeasurable
from qidguard.engines.duckdb import naming

_PLAIN = "TRY_CAST(value AS DOUBLE)"
_DAYS = "epoch(TRY_CAST(value AS TIMESTAMP)) / 86400.0"
_EXPRESSION = {
    ValueType.INTEGER: _PLAIN,
    ValueType.NUMBER: _PLAIN,
    ValueType.BOOLEAN: "CAST(CAST(value AS BOOLEAN) AS DOUBLE)",
    ValueType.DATE: _DAYS,
    ValueType.TIMESTAMP: _DAYS,
    ValueType.EMPTY: "CAST(NULL AS DOUBLE)",
}


def build_numbers(connection: DuckDBPyConnection, index: int, facts: ColumnFacts) -> None:
    """Create the table of a column's numbers: ``value``, which is the code, and ``number``.

    Missing, NaN, infinite and suppressed values have the number NULL.

    Raises:
        NotMeasurable: When the column holds text.
    """
    if facts.value_type not in _EXPRESSION:
        raise NotMeasurable(
            f"column {facts.name!r} holds text, and this figure takes numbers; name a numeric column"
        )
    number = _EXPRESSION[facts.value_type]
    connection.execute(
        f"CREATE TABLE IF NOT EXISTS {naming.numbers(index)} AS\n"
        "SELECT code AS value, CASE WHEN isfinite(number) THEN number END AS number\n"
        f"FROM (SELECT code, {number} AS number FROM {naming.dictionary(index)}) AS typed"
    )
