"""Value types from DuckDB's own types."""

import re

from qidguard.core.column import ValueType

_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_EXACT_DIGITS = 15
"""Decimals of at most this many digits are told apart as floating-point numbers."""


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


def is_fraction(duckdb_type: str) -> bool:
    """Whether values of a DuckDB type are fractions that a floating-point number tells apart."""
    name = duckdb_type.upper()
    decimal = _DECIMAL.fullmatch(name)
    if decimal:
        return int(decimal[1]) <= _EXACT_DIGITS
    return name in {"DOUBLE", "FLOAT"}
