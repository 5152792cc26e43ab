"""The DuckDB engine."""

from qidguard.engines.duckdb.engine import ENGINE

__all__ = ["ENGINE"]
