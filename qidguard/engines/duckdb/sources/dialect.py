"""How a delimited text is written: delimiter and quotes, found out from its records."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from qidguard.core.errors import DataError, UserError
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.sources.content import TextSample

Record = list[str]


@lru_cache(maxsize=32)
def _pattern(delimiter: str, quote: str) -> re.Pattern[str]:
    d = re.escape(delimiter)
    q = re.escape(quote)
    quoted = rf"{q}(?P<quoted>(?:[^{q}]|{q}{q})*+){q}|" if quote else ""
    return re.compile(rf"(?:{quoted}(?P<bare>[^{d}{q}\r\n]*+))(?P<end>{d}|\r\n|\n|\r|\Z)")


def parse(text: str, delimiter: str, quote: str, *, is_whole: bool) -> list[Record] | None:
    r"""Return the records of a text, blank lines left out; None where it breaks the grammar.

    Example:
        >>> parse('a,b\n"x, y",1\n', ",", '"', is_whole=True)
        [['a', 'b'], ['x, y', '1']]
        >>> parse('a,b"c\n', ",", '"', is_whole=True) is None
        True
    """
    records: list[Record] = []
    record: Record = []
    position = 0
    pattern = _pattern(delimiter, quote)
    while position < len(text):
        match = pattern.match(text, position)
        if match is None:
            is_cut = not is_whole and quote and text.startswith(quote, position)
            return records if is_cut and _is_open(text, position, quote) else None
        quoted = match["quoted"] if quote else None
        record.append(match["bare"] if quoted is None else quoted.replace(quote * 2, quote))
        position = match.end()
        if match["end"] == delimiter and position < len(text):
            continue
        if match["end"] == delimiter:
            record.append("")
        if len(record) > 1 or record[0] or quoted is not None:
            records.append(record)
        record = []
    return records


def _is_open(text: str, position: int, quote: str) -> bool:
    """Whether the quoted field that begins at ``position`` does not end within the text."""
    rest = text[position + 1 :].replace(quote * 2, "")
    return quote not in rest


CANDIDATES = (",", ";", "\t", "|")
WHITE = "whitespace"
_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar", WHITE: "white space"}


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How fields and records are told apart.

    Args:
        delimiter: One ASCII character.
        quote: One ASCII character, or empty where quoting does not exist.
        is_white: Whether runs of blanks and tabs are the delimiter; they are read as one tab.
        records: The records of the sample, at least one.
    """

    delimiter: str
    quote: str
    is_white: bool
    records: Sequence[Record]


def find_dialect(sample: TextSample, options: ReadOptions, label: str) -> Dialect:
    r"""Return the dialect of a sample.

    A delimiter is taken when it alone cuts all records of the sample into the same number of fields, at least
    two. Where none does but one cuts most records, it is taken too, so that reading names the first bad line.
    A text without any of the candidates is one column.

    Example:
        >>> find_dialect(TextSample(text="a;b\n1,5;2\n", is_whole=True), ReadOptions(), "x.csv").delimiter
        ';'
    """
    quote = _check_quote(options.quote)
    text = sample.text
    if "\0" in text:
        raise DataError(f"The file {label!r} holds NUL characters, so it is binary or of another encoding.")
    if not text.strip():
        raise DataError(f"The file {label!r} holds nothing but white space; nothing can be measured.")
    if options.delimiter == WHITE:
        return _white(text, quote)
    if options.delimiter is not None:
        delimiter = _check_delimiter(options.delimiter, quote)
        records = parse(text, delimiter, quote, is_whole=sample.is_whole)
        # where the grammar is broken the scan of the file names the line
        parsed: Sequence[Record] = records or [[""]]
        _check_cuts(sample, delimiter, quote, parsed, label)
    else:
        delimiter, parsed = _choose(sample, quote, label)
    if options.quote is None:
        _check_single_quotes(parsed, label)
    return Dialect(delimiter=delimiter, quote=quote, is_white=False, records=parsed)


def _check_cuts(
    sample: TextSample, delimiter: str, quote: str, records: Sequence[Record], label: str
) -> None:
    """Refuse a declared delimiter that cuts nothing where another one cuts every record alike."""
    if any(len(record) > 1 for record in records):
        return
    for candidate in CANDIDATES:
        other = parse(sample.text, candidate, quote, is_whole=sample.is_whole) or []
        widths = {len(record) for record in other}
        if len(other) > 1 and len(widths) == 1 and max(widths) > 1:
            raise DataError(
                f"The file {label!r} has no delimiter {delimiter!r}, but {candidate!r} cuts every record into"
                f" {max(widths)} fields; declare the right `delimiter:`."
            )


def _choose(sample: TextSample, quote: str, label: str) -> tuple[str, Sequence[Record]]:
    parsed = {
        candidate: parse(sample.text, candidate, quote, is_whole=sample.is_whole)
        for candidate in CANDIDATES
        if candidate in sample.text
    }
    fitting = {
        candidate: records
        for candidate, records in parsed.items()
        if records and len(records[0]) > 1 and len({len(record) for record in records}) == 1
    }
    if len(fitting) == 1:
        return next(iter(fitting.items()))
    if fitting:
        raise _ambiguous(label, list(fitting))
    _check_title(parsed, label)
    frequent = {
        candidate: records or [[""]]
        for candidate, records in parsed.items()
        if _is_frequent(sample, candidate, records)
    }
    if len(frequent) == 1:
        return next(iter(frequent.items()))
    if frequent:
        raise _ambiguous(label, list(frequent))
    if parsed:
        # some lines hold a delimiter and most do not: one column of texts, or a damaged table
        raise _ambiguous(label, list(parsed))
    records = parse(sample.text, ",", quote, is_whole=sample.is_whole)
    if records:
        _check_white(records, label)
    return ",", records or [[""]]


_LONGEST_TITLE = 20
"""Records that may stand before the column names."""


def _check_title(parsed: "Mapping[str, Sequence[Record] | None]", label: str) -> None:
    """Refuse a text of which one delimiter cuts all records alike, but the first few into fewer fields."""
    behind: dict[str, int] = {}
    for candidate, records in parsed.items():
        widths = [len(record) for record in records or ()]
        before = next((i for i, width in enumerate(widths) if width == widths[-1]), 0)
        is_even = len(widths) > before + 1 and len(set(widths[before:])) == 1
        if not (0 < before <= _LONGEST_TITLE and is_even):
            continue
        widest = max(widths[:before])
        # a delimiter at the end of every line but the first is no field that a title lacks
        if any(any(map(str.strip, record[widest:])) for record in (records or ())[before:]):
            behind[candidate] = before
    if len(behind) == 1:
        [(candidate, before)] = behind.items()
        which = "first record has" if before == 1 else f"first {before} records have"
        raise DataError(
            f"The {which} fewer fields than those that follow in {label!r}, if {_NAMES[candidate]} separates"
            " them: where it is a title, set `skip_lines:` to the number of lines before the column names."
        )


def _is_frequent(sample: TextSample, candidate: str, records: Sequence[Record] | None) -> bool:
    """Whether a candidate cuts most records, or stands in most lines where there are no records."""
    if records:
        is_cut = [len(record) > 1 for record in records]
    else:
        is_cut = [candidate in line for line in sample.text.splitlines() if line.strip()]
    return sum(is_cut) * 2 > len(is_cut)


def _ambiguous(label: str, candidates: Sequence[str]) -> DataError:
    names = " or ".join(_NAMES[candidate] for candidate in candidates)
    return DataError(
        f"The fields of {label!r} may be separated by {names} or not at all, and qidguard does not guess; set"
        " `delimiter:`."
    )


def _check_white(records: Sequence[Record], label: str) -> None:
    widths = Counter(len(record[0].split()) for record in records)
    if len(widths) == 1 and next(iter(widths)) > 1:
        raise DataError(
            f"The fields of {label!r} may be separated by white space or not at all, and qidguard does not"
            " guess; set"
            " `delimiter: whitespace`, or `delimiter: ','` for one column."
        )


def _check_single_quotes(records: Sequence[Record], label: str) -> None:
    for fields in zip(*records[1:], strict=False):
        if all(len(field) > 1 and field[0] == field[-1] == "'" for field in (f.strip() for f in fields)):
            raise DataError(
                f'The fields of {label!r} seem to be quoted with single quotes; set `quote: "\'"`.'
            )


def _white(text: str, quote: str) -> Dialect:
    lines = text.replace("\r\n", "\n").split("\n")
    records = [line.replace("\t", " ").strip(" ") for line in lines]
    fields = [[field for field in record.split(" ") if field] for record in records if record]
    return Dialect(delimiter="\t", quote=quote, is_white=True, records=fields)


def _check_quote(quote: str | None) -> str:
    if quote is None:
        return '"'
    if quote and (
        len(quote) > 1 or not quote.isascii() or quote.isalnum() or quote.isspace() or quote == "\0"
    ):
        raise UserError(f"A quote is one ASCII character that is no letter, digit or blank, not {quote!r}.")
    return quote


def _check_delimiter(delimiter: str, quote: str) -> str:
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in "\r\n\0" or delimiter == quote:
        raise UserError(
            f"A delimiter is one ASCII character other than the quote, or 'whitespace', not {delimiter!r}."
        )
    return delimiter
