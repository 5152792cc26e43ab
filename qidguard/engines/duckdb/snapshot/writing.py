"""Write a file to be published, read it back and compare it with the snapshot."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from qidguard.core.errors import DataError, InternalError, UserError
from qidguard.core.files import to_disk
from qidguard.engines.base import PublishedFormat
from qidguard.engines.duckdb.connection import cannot_write
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import Column, Opened, content_digest, opened
from qidguard.engines.duckdb.sources.copied import Copied
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


_WRITING = "writing the file"
_FORMATS: dict[PublishedFormat, type[ParquetFile] | type[CsvFile]] = {"parquet": ParquetFile, "csv": CsvFile}


def write(
    copied: Copied,
    lender: Lender,
    path: Path,
    names: Sequence[str],
    kind: PublishedFormat,
    *,
    seed: int | None,
) -> dict[str, str]:
    """Write columns of a private copy to a new file, compare it with the copy, and return its types."""
    if kind not in _FORMATS:
        raise ValueError(f"a published file is parquet or csv, not {kind!r}")
    if not names:
        raise DataError("A published file needs at least one column; publish one.")
    path = Path(path).absolute()
    with opened(copied, lender, _WRITING, target=path) as source:
        columns = source.columns(names)
        _check_names(columns)
        form = _FORMATS[kind](source, columns)
        with _new_file(path):
            source.connection.duckdb.execute(form.copy(path, order(seed)))
            _to_disk(path)
            _compare(source, columns, form, path)
    return form.types


def order(seed: int | None) -> str:
    """Return SQL for the order of records: by a hash of seed and place, so no thread has a say in it."""
    if seed is None:
        return "position"
    return f"CAST('0x' || sha256(concat({int(seed)}, ':', position))[1:16] AS UBIGINT), position"


def _check_names(columns: Sequence[Column]) -> None:
    for column in columns:
        try:
            column.name.encode()
        except UnicodeEncodeError:
            raise DataError(
                f"The column name {column.name!r} is no valid Unicode, which no file can hold; rename it."
            ) from None


@contextmanager
def _new_file(path: Path) -> Iterator[None]:
    """Reserve a path for a file that was not there before; whatever fails removes it again."""
    try:
        # nothing that is there is overwritten or followed, be it a file or a link
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except FileExistsError:
        raise UserError(
            f"The file {str(path)!r} exists already and is not overwritten; name another one."
        ) from None
    except OSError as error:
        raise cannot_write(path, _WRITING, error) from None
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _to_disk(path: Path) -> None:
    try:
        to_disk(path)
    except OSError as error:
        raise cannot_write(path, _WRITING, error) from None


def _compare(source: Opened, columns: Sequence[Column], form: ParquetFile | CsvFile, path: Path) -> None:
    database = source.connection.duckdb
    names = [column.name for column in columns]
    relation, found_names = form.read_back(path)
    inside = [column.column for column in columns]
    expected = content_digest(database, source.relation, inside, names)
    plain = [f"c{i}" for i in range(len(columns))]
    if content_digest(database, relation, plain, found_names) != expected:
        raise InternalError(
            f"The file {path.name!r} does not hold what was written to it, so it was removed; check the disk"
            " and run it again."
        )


TEXT = "VARCHAR"
_TYPES = ("BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "BOOLEAN")
"""No text is what values of two of these print as."""

_ENDLESS = frozenset({"DOUBLE", "DATE", "TIMESTAMP"})
"""Types with values that are no finite ones."""

_PROBED_RECORDS = 1000


def exact_types(opened: Opened, columns: Sequence[Column]) -> dict[str, str]:
    """Return the type that each column is written with, by its name inside.

    A column of a typed source keeps its own. One of a CSV's texts gets the type whose values print as all of
    its texts, to the last character: so `01`, `1.50`, `True` or a suppression mark leave it text, a table
    that is read from the file has the classes that were audited, and its content has the same digest.
    """
    kinds = {column.column: column.kind for column in columns}
    if not opened.copied.is_text or not columns:
        return kinds
    probed: dict[str, tuple[str, ...]] = {column.column: _TYPES for column in columns}
    some = _fitting(opened, probed, f"(SELECT * FROM {opened.relation} LIMIT {_PROBED_RECORDS})")
    every = _fitting(opened, some, opened.relation)
    # every type fits where there is no text at all
    return kinds | {name: fitting[0] if len(fitting) == 1 else TEXT for name, fitting in every.items()}


def _fitting(opened: Opened, asked: dict[str, tuple[str, ...]], relation: str) -> dict[str, tuple[str, ...]]:
    """Return which of the types asked for fit all texts of each column; all where there is no text."""
    pairs = [(name, kind) for name, kinds in asked.items() for kind in kinds]
    if not pairs:
        return asked
    tests = ", ".join(f"coalesce(bool_and({_is_exact(name, kind)}), true)" for name, kind in pairs)
    fits = opened.connection.duckdb.execute(f"SELECT {tests} FROM {relation}").fetchall()[0]
    fitting = [pair for pair, is_fitting in zip(pairs, fits, strict=True) if is_fitting]
    return {name: tuple(kind for column, kind in fitting if column == name) for name in asked}


def _is_exact(name: str, kind: str) -> str:
    """Return SQL for whether a text comes back from a type; NULL where there is no text."""
    cast = f"TRY_CAST({name} AS {kind})"
    is_same = f"coalesce(CAST({cast} AS {TEXT}) = {name}, false)"
    is_finite = f" AND coalesce(isfinite({cast}), false)" if kind in _ENDLESS else ""
    return f"CASE WHEN {name} IS NOT NULL THEN {is_same}{is_finite} END"
