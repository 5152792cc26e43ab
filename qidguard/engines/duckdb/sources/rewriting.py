"""Copies of a text in the one form that DuckDB reads: LF line ends, one delimiter, no leading blank lines."""

import codecs
import re
from pathlib import Path

from qidguard.core.errors import DataError

_CHUNK = 1 << 22
_RUNS = re.compile(rb"[ \t]+")
_EDGES = re.compile(rb"[ \t]*(\r?\n)[ \t]*")


def rewrite_white(source: Path, target: Path, quote: str, label: str) -> None:
    """Copy a text whose fields stand between runs of blanks and tabs: one tab between, none at the edges.

    Raises:
        DataError: when the quote occurs, since a quoted text with blanks in it would be cut.
    """
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
