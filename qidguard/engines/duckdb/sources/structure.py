"""The structure of a whole CSV file: checked byte by byte before DuckDB reads it.

DuckDB reads some damaged files without a word: it drops the empty field of a trailing delimiter, loses the
header after a blank line, and takes quotes in the middle of a field as they come. So the grammar (RFC 4180)
is checked here, over the positions of delimiters, quotes and line ends only.
"""

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.errors import DataError
from qidguard.engines.duckdb.sources.content import check_utf8

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK = 1 << 21
_DELIMITER, _QUOTE, _LF, _CR, _NUL = 1, 2, 3, 4, 5
_BLANK, _OTHER_SPACE = 1, 2


@dataclass(frozen=True, kw_only=True)
class CsvStructure:
    """What a CSV file consists of.

    Args:
        records: Number of records, the header counted, blank lines not.
        fields: Number of fields of every record.
        longest_record: Bytes of the longest record.
        newline: How every line ends: LF, CRLF, or both ("mixed").
        has_quoted_line_end: Whether a CR or LF stands inside quotes.
        leading_blank_lines: Number of blank lines before the first record.
        is_blank_after_delimiter: Whether a blank follows every delimiter of the file.
        has_edge_space: Whether some field may begin or end with white space.
        has_other_edge_space: Whether that may be something else than a blank.
    """

    records: int
    fields: int
    longest_record: int
    newline: str
    has_quoted_line_end: bool
    leading_blank_lines: int
    is_blank_after_delimiter: bool
    has_edge_space: bool
    has_other_edge_space: bool


def scan(path: Path, delimiter: str, quote: str, label: str, *, skipped: int = 0) -> CsvStructure:
    """Return the structure of a UTF-8 file, a private one: nobody can truncate it under the memory map.

    ``skipped`` lines stood before it in the file that messages speak of.
    """
    return _Scan(np.memmap(path, dtype=np.uint8, mode="r"), delimiter, quote, label, skipped).run()


class _Scan:
    def __init__(
        self, data: "NDArray[np.uint8]", delimiter: str, quote: str, label: str, skipped: int
    ) -> None:
        self.data = data
        self.skipped = skipped
        self.label = label
        self.delimiter = delimiter
        self.quote = ord(quote) if quote else -1
        self.kinds = _kinds(delimiter, quote)
        self.edges = _edges(delimiter)
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.start = 3 if bytes(data[:3]) == codecs.BOM_UTF8 else 0
        self.size = len(data)
        self.quotes = 0
        self.last_open = 0
        self.delimiters = 0
        self.blanks_after = 0
        self.pending = 0
        self.record_start = self.start
        self.records = 0
        self.fields = 0
        self.longest = 0
        self.crlf = 0
        self.lf = 0
        self.leading = 0
        self.blank_lines = 0
        self.first_blank_line = 0
        self.edge = 0
        self.has_quoted_line_end = False

    def run(self) -> CsvStructure:
        for begin in range(self.start, self.size, _CHUNK):
            end = min(begin + _CHUNK, self.size)
            check_utf8(
                self.data[begin:end].tobytes(), self.decoder, begin, self.label, is_last=end == self.size
            )
            self._chunk(begin, end)
        if self.quotes % 2:
            line = self._line_of(self.last_open)
            raise DataError(
                f"A quote in line {line} of {self.label!r} is never closed; correct the file or set `quote:`."
            )
        if self.record_start < self.size:
            self._records(np.array([self.size]), np.array([self.pending + 1]), np.array([self.size]))
        if self.fields == 1 and self.blank_lines:
            raise DataError(
                f"Line {self.first_blank_line} of {self.label!r} is blank, which in a file of one column may"
                " be a missing"
                ' value or nothing; write "" or remove the line.'
            )
        newline = "mixed" if self.crlf and self.lf else "CRLF" if self.crlf else "LF"
        return CsvStructure(
            records=self.records,
            fields=self.fields,
            longest_record=self.longest,
            newline=newline,
            has_quoted_line_end=self.has_quoted_line_end,
            leading_blank_lines=self.leading,
            is_blank_after_delimiter=0 < self.delimiters == self.blanks_after,
            has_edge_space=self.edge > 0 or self.has_quoted_line_end,
            has_other_edge_space=self.edge > _BLANK or self.has_quoted_line_end,
        )

    def _chunk(self, begin: int, end: int) -> None:
        kinds = self.kinds[self.data[begin:end]]
        at = np.flatnonzero(kinds)
        kind = kinds[at]
        at += begin
        if (kind == _NUL).any():
            raise DataError(
                f"The file {self.label!r} holds NUL characters, so it is binary or of another encoding."
            )
        before, after = self._neighbors(at, begin)
        self._look_at_edges(before, after)
        if (kind == _QUOTE).any():
            outside = self._quoting(at, kind, before, after)
        else:
            outside = np.full(len(at), self.quotes % 2 == 0)
        self.has_quoted_line_end |= bool(np.isin(kind[~outside], (_LF, _CR)).any())
        at, kind, before, after = at[outside], kind[outside], before[outside], after[outside]
        lone = (kind == _CR) & ((after != ord("\n")) | (at == self.size - 1))
        if lone.any():
            line = self._line_of(int(at[lone][0]))
            raise DataError(
                f"Line {line} of {self.label!r} holds a carriage return that ends no line; end lines with LF"
                " or CRLF."
            )
        kept = kind != _CR
        at, kind, before, after = at[kept], kind[kept], before[kept], after[kept]
        is_delimiter = kind == _DELIMITER
        self.delimiters += int(np.count_nonzero(is_delimiter))
        self.blanks_after += int(np.count_nonzero(after[is_delimiter] == ord(" ")))
        ends = np.flatnonzero(~is_delimiter)
        if len(ends):
            widths = np.diff(ends, prepend=-1 - self.pending)
            is_crlf = before[ends] == ord("\r")
            crlf = int(np.count_nonzero(is_crlf))
            self.crlf += crlf
            self.lf += len(ends) - crlf
            self._records(at[ends] + 1, widths, at[ends] - is_crlf)
            self.pending = len(kind) - int(ends[-1]) - 1
        else:
            self.pending += len(kind)

    def _neighbors(
        self, at: "NDArray[np.int64]", begin: int
    ) -> "tuple[NDArray[np.uint8], NDArray[np.uint8]]":
        newline = np.uint8(ord("\n"))
        before = self.data[np.maximum(at - 1, 0)]
        after = self.data[np.minimum(at + 1, self.size - 1)]
        if len(at) and at[0] == self.start and begin == self.start:
            before[0] = newline
        if len(at) and at[-1] == self.size - 1:
            after[-1] = newline
        return before, after

    def _look_at_edges(self, before: "NDArray[np.uint8]", after: "NDArray[np.uint8]") -> None:
        """Find out whether white space may stand at the edge of a field, until it is known."""
        if self.edge < _OTHER_SPACE and len(before):
            around = max(self.edges[before].max(), self.edges[after].max())
            first_and_last = max(self.edges[self.data[self.start]], self.edges[self.data[-1]])
            self.edge = int(max(self.edge, around, first_and_last))

    def _quoting(
        self,
        at: "NDArray[np.int64]",
        kind: "NDArray[np.uint8]",
        before: "NDArray[np.uint8]",
        after: "NDArray[np.uint8]",
    ) -> "NDArray[np.bool_]":
        """Check every quote against the grammar and return which positions stand outside of quotes."""
        is_quote = kind == _QUOTE
        seen = self.quotes + np.cumsum(is_quote)
        opens = is_quote & (seen % 2 == 1)
        closes = is_quote & (seen % 2 == 0)
        ends = np.array([ord(self.delimiter), ord("\n"), ord("\r"), self.quote], dtype=np.uint8)
        wrong = (opens & ~np.isin(before, ends)) | (closes & ~np.isin(after, ends))
        if wrong.any():
            line = self._line_of(int(at[wrong][0]))
            raise DataError(
                f"Line {line} of {self.label!r} has a quote inside a field, where quotes must be doubled and"
                " enclose the"
                " whole field; correct the file, or set `quote:` to a character that the file does not use."
            )
        if opens.any():
            self.last_open = int(at[opens][-1])
        self.quotes = int(seen[-1])
        outside: NDArray[np.bool_] = ~is_quote & (seen % 2 == 0)
        return outside

    def _records(
        self, next_starts: "NDArray[np.int64]", widths: "NDArray[np.int64]", ends: "NDArray[np.int64]"
    ) -> None:
        """Take note of lines: where the next begins, their number of fields, where their text ends."""
        starts = np.concatenate(([self.record_start], next_starts[:-1]))
        lengths = ends - starts
        blank = lengths == 0
        self.record_start = int(next_starts[-1])
        if blank.any():
            if not self.blank_lines:
                self.first_blank_line = self._line_of(int(starts[blank][0]))
            self.blank_lines += int(np.count_nonzero(blank))
            if not self.records:
                self.leading += len(blank) if blank.all() else int(np.argmin(blank))
            starts, widths, lengths = starts[~blank], widths[~blank], lengths[~blank]
        if not len(widths):
            return
        if not self.records:
            self.fields = int(widths[0])
        ragged = widths != self.fields
        if ragged.any():
            i = int(np.argmax(ragged))
            title = ", or set `skip_lines:` where a title stands first" if widths[i] > self.fields else ""
            raise DataError(
                f"Line {self._line_of(int(starts[i]))} of {self.label!r} has {_count(int(widths[i]))}, but"
                f" the first record has {self.fields}; correct the file, or `delimiter:` and `quote:`{title}."
            )
        self.records += len(widths)
        self.longest = max(self.longest, int(lengths.max()))

    def _line_of(self, position: int) -> int:
        """Return the number of the line, from 1, that holds a byte; slow, for messages."""
        line = 1 + self.skipped
        for begin in range(0, position, _CHUNK):
            line += int(np.count_nonzero(self.data[begin : min(begin + _CHUNK, position)] == ord("\n")))
        return line


def _kinds(delimiter: str, quote: str) -> "NDArray[np.uint8]":
    kinds = np.zeros(256, dtype=np.uint8)
    for character, kind in (("\n", _LF), ("\r", _CR), ("\0", _NUL), (delimiter, _DELIMITER), (quote, _QUOTE)):
        if character:
            kinds[ord(character)] = kind
    return kinds


def _edges(delimiter: str) -> "NDArray[np.uint8]":
    """Return which bytes beside a delimiter, quote or line end may belong to white space."""
    edges = np.zeros(256, dtype=np.uint8)
    edges[[ord(c) for c in "\t\v\f\x1c\x1d\x1e\x1f" if c != delimiter]] = _OTHER_SPACE
    edges[128:] = _OTHER_SPACE
    if delimiter != " ":
        edges[ord(" ")] = _BLANK
    return edges


def _count(fields: int) -> str:
    return f"{fields} field" if fields == 1 else f"{fields} fields"
