"""Delimited text: found out, read, and rewritten where DuckDB cannot read it as it is."""

import codecs
import re
from dataclasses import dataclass, replace
from pathlib import Path

from qidguard.core.errors import DataError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.connection import Connection, reading
from qidguard.engines.duckdb.sources.content import (
    TextContent,
    look_at,
    read_sample,
    to_plain,
    without_lines,
)
from qidguard.engines.duckdb.sources.dialect import Dialect, find_dialect
from qidguard.engines.duckdb.sources.header import Header, find_header
from qidguard.engines.duckdb.sources.paths import literal
from qidguard.engines.duckdb.sources.staged import WHITE_SPACE, Staged
from qidguard.engines.duckdb.sources.structure import CsvStructure, scan
from qidguard.engines.duckdb.sources.typed import check_hidden_markers, read_text
from qidguard.engines.sql.identifier import quote_text

_CHUNK = 1 << 22
_RUNS = re.compile(rb"[ \t]+")
_EDGES = re.compile(rb"[ \t]*(\r?\n)[ \t]*")


def rewrite_white(source: Path, target: Path, quote: str, label: str) -> None:
    """Copy a text whose fields stand between runs of blanks and tabs: one tab between, none at the edges."""
    with source.open("rb") as read, target.open("wb") as write:
        is_first = True
        while lines := read.readlines(_CHUNK):
            text = b"".join(lines)
            if quote and quote.encode() in text:
                raise DataError(
                    f"The file {label!r} has quotes between white space, which are not read; set `delimiter:"
                    " ' '`,"
                    " or `quote:` to a character that the file does not use."
                )
            if is_first:
                text = text.removeprefix(codecs.BOM_UTF8)
                is_first = False
            write.write(_RUNS.sub(b"\t", _EDGES.sub(rb"\1", text.strip(b" \t"))))


def rewrite_lines(source: Path, target: Path, quote: str) -> None:
    """Copy a text: LF for every CRLF outside of quotes, no mark and no blank lines at the beginning."""
    with source.open("rb") as read, target.open("wb") as write:
        is_quoted = False
        is_first = True
        for line in read:
            ends = line.endswith(b"\r\n")
            if is_first:
                line = line.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901 - the mark is no part of the line
            if quote:
                is_quoted ^= line.count(quote.encode()) % 2 == 1
            if is_first and line in {b"\n", b"\r\n"}:
                continue
            is_first = False
            write.write(line if is_quoted or not ends else line[:-2] + b"\n")


_SAMPLE = 1 << 16
_ENOUGH_RECORDS = 20
_LARGEST_SAMPLE = 1 << 26
_LONGEST_RECORD = 1 << 26
_SHORTEST_LINE_BUFFER = 2_000_000


def delimited_names(path: Path, label: str, options: ReadOptions, *, is_cut: bool = False) -> tuple[str, ...]:
    """Return the column names of a CSV from its first records."""
    content, options = _looked_at(path, label, options, is_cut=is_cut)
    dialect = _dialect(content, options)
    return find_header(dialect.records, options, label, is_trimmed=_is_spaced(dialect, options)).names


def stage_delimited(connection: Connection, path: Path, label: str, options: ReadOptions) -> Staged:
    """Return a CSV as a table of texts in the connection."""
    content, options = _looked_at(path, label, options)
    dialect = _dialect(content, options)
    copies: list[Path] = []

    def new_path(suffix: str) -> Path:
        copies.append(connection.new_path(suffix))
        return copies[-1]

    try:
        plain = to_plain(content, new_path)
        if content.skipped:
            source, plain = plain, new_path(".csv")
            without_lines(source, plain, content.skipped)
        if dialect.is_white:
            source, plain = plain, new_path(".tsv")
            rewrite_white(source, plain, dialect.quote, label)
        structure = scan(plain, dialect.delimiter, dialect.quote, label, skipped=content.skipped)
        # DuckDB takes the first CR or LF for the line end, even one inside quotes, and knows no mixture
        is_irregular = structure.newline != "LF" and structure.has_quoted_line_end
        if structure.newline == "mixed" or structure.leading_blank_lines or is_irregular:
            source, plain = plain, new_path(".csv")
            rewrite_lines(source, plain, dialect.quote)
            structure = replace(structure, newline="LF", leading_blank_lines=0)
        reading = _Reading(connection, plain, label, dialect, structure)
        return reading.stage(options, path.stat().st_size)
    finally:
        for copy in copies:
            copy.unlink(missing_ok=True)


_DECLARED = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
"""The line that Excel writes before the column names, and hides when it reads them."""


def _looked_at(
    path: Path, label: str, options: ReadOptions, *, is_cut: bool = False
) -> tuple[TextContent, ReadOptions]:
    """Return how a text is stored, and the options with the delimiter that its first line declares."""
    content = look_at(path, label, options.encoding)
    content = replace(content, is_cut=is_cut, skipped=options.skip_lines or 0)
    first = read_sample(content, _SAMPLE).text.split("\n", 1)[0]
    declared = _DECLARED.fullmatch(first.removesuffix("\r"))
    if declared is None:
        return content, options
    if options.delimiter not in {None, declared[1]}:
        raise DataError(
            f"The first line of {label!r} declares the delimiter {declared[1]!r}, and `delimiter:` says"
            f" {options.delimiter!r}; correct it, or leave it out."
        )
    return replace(content, skipped=content.skipped + 1), replace(options, delimiter=declared[1])


def _dialect(content: TextContent, options: ReadOptions) -> Dialect:
    size = _SAMPLE
    while True:
        sample = read_sample(content, size)
        is_enough = sample.is_whole or size >= _LARGEST_SAMPLE
        # a long quoted field or a wide table may leave few records in a small sample
        if is_enough or sample.text.count("\n") >= _ENOUGH_RECORDS:
            dialect = find_dialect(sample, options, content.label)
            if is_enough or len(dialect.records) >= _ENOUGH_RECORDS:
                return dialect
        size *= 4


def _is_spaced(dialect: Dialect, options: ReadOptions) -> bool:
    """Whether fields are trimmed, as far as the sample says."""
    fields = [field for record in dialect.records for field in record[1:]]
    return options.is_trimmed or (bool(fields) and all(field.startswith(" ") for field in fields))


@dataclass(frozen=True)
class _Reading:
    """One checked file on its way into a table."""

    connection: Connection
    path: Path
    label: str
    dialect: Dialect
    structure: CsvStructure

    def stage(self, options: ReadOptions, file_bytes: int) -> Staged:
        structure = self.structure
        is_spaced = structure.is_blank_after_delimiter and not options.is_trimmed
        header = find_header(
            self.dialect.records, options, self.label, is_trimmed=options.is_trimmed or is_spaced
        )
        rows = structure.records - header.has_line
        if rows == 0:
            raise DataError(f"The file {self.label!r} has a header but no records; nothing can be measured.")
        if structure.longest_record > _LONGEST_RECORD:
            raise DataError(
                f"A record of {self.label!r} is longer than {_LONGEST_RECORD:,} bytes; check `quote:`."
            )
        # trimming blanks alone is several times faster than trimming all that may be white space
        white_space = WHITE_SPACE if structure.has_other_edge_space else " "
        trimmed = white_space if options.is_trimmed else " " if is_spaced else ""
        table = self._load(header, options, trimmed)
        if structure.has_edge_space and trimmed != white_space:
            check_hidden_markers(
                self.connection.duckdb,
                [f"c{i}" for i in range(len(header.names))],
                table,
                options.missing,
                header.names,
                white_space,
            )
        loaded = self.connection.duckdb.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
        if loaded != rows:
            raise DataError(
                f"The file {self.label!r} has {rows} records, but {loaded} of them were read; correct its"
                " quotes and line ends."
            )
        notes = header.notes
        if is_spaced:
            shown = "', '" if self.dialect.delimiter == "," else "the delimiter and a blank"
            notes = (f"fields are separated by {shown}; the blank was dropped", *notes)
        return Staged(
            names=header.names,
            relation=table,
            is_text=True,
            rows=rows,
            is_materialized=True,
            file_bytes=file_bytes,
            notes=notes,
        )

    def _load(self, header: Header, options: ReadOptions, trimmed: str) -> str:
        database = self.connection.duckdb
        plain = [f"c{i}" for i in range(len(header.names))]
        source = self._read_csv(plain, has_line=header.has_line)
        table = self.connection.new_name("staged")
        expressions = [
            f"{read_text(column, options.missing, trimmed=trimmed, is_empty_missing=True)} AS {column}"
            for column in plain
        ]
        with reading(self.connection, f"the file {self.label!r}"):
            database.execute(f"CREATE TABLE {table} AS SELECT {', '.join(expressions)} FROM {source}")
        return table

    def _read_csv(self, columns: list[str], *, has_line: bool) -> str:
        quote = quote_text(self.dialect.quote)
        line_buffer = max(_SHORTEST_LINE_BUFFER, self.structure.longest_record + 1024)
        texts = ", ".join(f"{quote_text(column)}: 'VARCHAR'" for column in columns)
        # naming CRLF makes DuckDB 2.0 read no record of some files, and finding it works
        newline = "new_line = '\\n', " if self.structure.newline == "LF" else ""
        return (
            f"read_csv({quote_text(literal(self.path))}, auto_detect = false, header ="
            f" {str(has_line).lower()},\n"
            f"delim = {quote_text(self.dialect.delimiter)}, quote = {quote}, escape = {quote},\n"
            f"columns = {{{texts}}}, {newline}max_line_size = {line_buffer},\n"
            "strict_mode = true, null_padding = false, ignore_errors = false, compression = 'none',\n"
            "hive_partitioning = false)"
        )
