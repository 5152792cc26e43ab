"""Published Parquet: data and nothing else, every value as the snapshot holds it, with types."""

from collections.abc import Sequence
from pathlib import Path

from qidguard.core.errors import DataError
from qidguard.engines.duckdb.snapshot.exact_type import exact_types
from qidguard.engines.duckdb.snapshot.opened import Column, Opened
from qidguard.engines.duckdb.sources.file import reachable
from qidguard.engines.duckdb.sources.paths import literal
from qidguard.engines.sql.identifier import quote, quote_text

_WIDE = frozenset({"HUGEINT", "UHUGEINT"})
_WIDEST = "CAST('99999999999999999999999999999999999999' AS HUGEINT)"
"""What a DECIMAL(38, 0), the widest whole number of Parquet, reaches."""


class ParquetFile:
    """How columns become a Parquet file.

    Args:
        opened: The private copy.
        columns: What is written.
    """

    def __init__(self, opened: Opened, columns: Sequence[Column]) -> None:
        self._opened = opened
        self._columns = columns
        self._check_names()
        self._check_values()
        self._types = exact_types(opened, columns)

    @property
    def types(self) -> dict[str, str]:
        """The type of each column, by its own name."""
        return {column.name: self._types[column.column] for column in self._columns}

    def copy(self, path: Path, order: str) -> str:
        """Return the statement that writes the file."""
        selected = ", ".join(
            f"{_stored(column, self._types[column.column])} AS {quote(column.name)}"
            for column in self._columns
        )
        return (
            f"COPY (SELECT {selected}\nFROM {self._opened.relation}\nORDER BY {order})\n"
            f"TO {quote_text(str(path))} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)"
        )

    def read_back(self, path: Path) -> tuple[str, tuple[str, ...]]:
        """Return a relation over the written file, its columns c0, c1, …, and the names that it holds."""
        connection = self._opened.connection
        within = quote_text(literal(reachable(connection, path)))
        rows = connection.duckdb.execute(f"SELECT name FROM parquet_schema({within})").fetchall()
        plain = ", ".join(f"c{i}" for i in range(len(self._columns)))
        relation = f"read_parquet({within}, hive_partitioning = false) AS written({plain})"
        return relation, tuple(str(row[0]) for row in rows[1:])

    def _check_names(self) -> None:
        seen: dict[str, str] = {}
        for column in self._columns:
            # DuckDB takes names that differ only in the case of a to z for the same and renames one
            folded = column.name.translate(_LOWER)
            if folded in seen:
                raise DataError(
                    f"Columns {seen[folded]!r} and {column.name!r} differ only in case, and no Parquet file"
                    " can be written with both; rename or drop one, or publish CSV."
                )
            seen[folded] = column.name

    def _check_values(self) -> None:
        checks = {column.name: _unfit(column) for column in self._columns}
        asked = {name: sql for name, sql in checks.items() if sql}
        if not asked:
            return
        tests = ", ".join(f"coalesce(bool_or({sql}), false)" for sql in asked.values())
        flags = self._opened.connection.duckdb.execute(f"SELECT {tests} FROM {self._opened.relation}")
        for name, is_unfit in zip(asked, flags.fetchall()[0], strict=True):
            if is_unfit:
                raise DataError(
                    f"Column {name!r} holds an infinite time or a whole number of more than 38 digits, which"
                    " Parquet cannot hold; publish CSV, or make the column text."
                )


_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def _stored(column: Column, kind: str) -> str:
    if column.kind in _WIDE:
        # DuckDB would write them as floating-point numbers
        return f"CAST({column.column} AS DECIMAL(38, 0))"
    return column.column if kind == column.kind else f"CAST({column.column} AS {kind})"


def _unfit(column: Column) -> str | None:
    """Return SQL for whether Parquet lacks a value, or None where it has them all."""
    if column.kind == "HUGEINT":
        return f"{column.column} NOT BETWEEN -{_WIDEST} AND {_WIDEST}"
    if column.kind == "UHUGEINT":
        return f"{column.column} > CAST({_WIDEST} AS UHUGEINT)"
    if column.kind == "DATE" or column.kind.startswith("TIMESTAMP"):
        return f"NOT isfinite({column.column})"
    return None
