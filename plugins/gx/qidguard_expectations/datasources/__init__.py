"""DuckDB as a data source of Great Expectations, by its own connection."""
