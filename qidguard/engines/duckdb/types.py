"""Value types from DuckDB's own types."""

from qidguard.core.column import ValueType


def value_type(duckdb_type: str) -> ValueType:
    """Return the value type of a DuckDB column type as its name prints."""
    name = duckdb_type.upper()
    is_decimal = name.startswith("DECIMAL")
    if name.endswith("INT") or name in {"INTEGER", "UINTEGER"} or (is_decimal and name.endswith(",0)")):
        return ValueType.INTEGER
    if is_decimal or name in {"DOUBLE", "FLOAT"}:
        return ValueType.NUMBER
    if name.startswith("TIMESTAMP"):
        return ValueType.TIMESTAMP
    return {"DATE": ValueType.DATE, "BOOLEAN": ValueType.BOOLEAN}.get(name, ValueType.TEXT)
