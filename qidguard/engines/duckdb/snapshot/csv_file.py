"""Published CSV: RFC 4180 in UTF-8 with LF, so plain that every reader finds the same fields."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qidguard.core.errors import DataError
from qidguard.engines.duckdb.snapshot.opened import Column, Opened
from qidguard.engines.duckdb.sources.file import reachable
from qidguard.engines.duckdb.sources.paths import literal
from qidguard.engines.sql.identifier import quote_text

_LONGEST_RECORD = 1 << 26
_SHORTEST_LINE_BUFFER = 2_000_000
_EDGES = (" ", "\t")
"""White space that some readers drop at the edge of a field without quotes."""


@dataclass(frozen=True, kw_only=True)
class _Texts:
    """What the texts of a column hold."""

    has_null: bool
    has_empty: bool
    has_nul: bool
    has_edge: bool


class CsvFile:
    """How columns become a CSV file.

    NULL is a field without anything, and an empty text is ``""``. In a file of one column NULL is ``""`` too,
    since a record would else be a blank line.

    Args:
        opened: The private copy.
        columns: What is written.
    """

    def __init__(self, opened: Opened, columns: Sequence[Column]) -> None:
        self._opened = opened
        self._columns = columns
        self._longest, self._texts = self._look()
        self._check()

    @property
    def types(self) -> dict[str, str]:
        """The type of each column, by its own name: a CSV holds texts."""
        return {column.name: "VARCHAR" for column in self._columns}

    def copy(self, path: Path, order: str) -> str:
        """Return the statement that writes the file."""
        is_single = len(self._columns) == 1
        selected = ", ".join(
            f"coalesce({column.exact}, '') AS {column.column}"
            if is_single
            else f"{column.exact} AS {column.column}"
            for column in self._columns
        )
        edged = [c.column for c, texts in zip(self._columns, self._texts, strict=True) if texts.has_edge]
        quoted = f", FORCE_QUOTE ({', '.join(edged)})" if edged else ""
        header = ",".join(_field(column.name) for column in self._columns) + "\n"
        # DuckDB would rename one of two names that differ only in case, so the header is ours
        return (
            f"COPY (SELECT {selected}\nFROM {self._opened.relation}\nORDER BY {order})\n"
            f"TO {quote_text(str(path))} (FORMAT csv, COMPRESSION none, USE_TMP_FILE false,\n"
            f"HEADER false, PREFIX {quote_text(header)}, SUFFIX '\n',\n"
            f"DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR ''{quoted})"
        )

    def read_back(self, path: Path) -> tuple[str, tuple[str, ...]]:
        """Return a relation over the written file, its columns c0, c1, …, and the names that it holds."""
        connection = self._opened.connection
        within = quote_text(literal(reachable(connection, path)))
        names = connection.duckdb.execute(f"SELECT * FROM {self._read_csv(within, False)} LIMIT 1").fetchall()
        return self._read_csv(within, True), tuple(str(name) for name in names[0])

    def _read_csv(self, path: str, has_header: bool) -> str:  # noqa: FBT001 - named by its parameter in SQL
        texts = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self._columns)))
        is_single = len(self._columns) == 1 and self._texts[0].has_null
        names = sum(2 * len(column.name.encode()) + 3 for column in self._columns)
        buffer = max(_SHORTEST_LINE_BUFFER, 2 * self._longest + 3 * len(self._columns) + 1024, names)
        return (
            f"read_csv({path}, auto_detect = false, header = {str(has_header).lower()}, delim = ',',\n"
            f"quote = '\"', escape = '\"', columns = {{{texts}}}, new_line = '\\n',\n"
            f"max_line_size = {buffer}, nullstr = '', allow_quoted_nulls = {str(is_single).lower()},\n"
            "strict_mode = true, null_padding = false, ignore_errors = false, compression = 'none',\n"
            "hive_partitioning = false)"
        )

    def _look(self) -> tuple[int, list[_Texts]]:
        length = f"strlen(concat({', '.join(column.exact for column in self._columns)}))"
        tests = ", ".join(f"[{', '.join(_tests(column))}]" for column in self._columns)
        longest, *flags = self._opened.connection.duckdb.execute(
            f"SELECT max({length}), {tests} FROM {self._opened.relation}"
        ).fetchall()[0]
        return int(longest), [
            _Texts(has_null=null, has_empty=empty, has_nul=nul, has_edge=edge)
            for null, empty, nul, edge in flags
        ]

    def _check(self) -> None:
        for column, texts in zip(self._columns, self._texts, strict=True):
            if texts.has_null and texts.has_empty:
                raise DataError(
                    f"Column {column.name!r} holds both NULL and empty texts, which readers of CSV do not"
                    " tell apart; publish Parquet, or declare the empty text as missing."
                )
            if texts.has_nul:
                raise DataError(
                    f"Column {column.name!r} holds NUL characters, which no CSV can carry; publish Parquet."
                )
        if self._longest > _LONGEST_RECORD:
            raise DataError(
                f"A record is longer than {_LONGEST_RECORD:,} bytes, which readers of CSV refuse; publish"
                " Parquet."
            )


def _tests(column: Column) -> list[str]:
    text = column.column
    has_null = f"count({text}) < count(*)"
    if column.kind != "VARCHAR":
        return [has_null, "false", "false", "false"]
    edges = " OR ".join(
        f"{where}({text}, {quote_text(blank)})" for blank in _EDGES for where in ("starts_with", "ends_with")
    )
    tests = (f"{text} = ''", f"contains({text}, chr(0))", edges)
    return [has_null, *(f"coalesce(bool_or({test}), false)" for test in tests)]


def _field(name: str) -> str:
    is_plain = name.strip() == name and not name.startswith(("#", "\ufeff"))
    if is_plain and not any(character in name for character in ',"\r\n'):
        return name
    return '"' + name.replace('"', '""') + '"'
