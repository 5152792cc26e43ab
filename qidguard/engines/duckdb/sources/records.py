"""Records of a sample of text, by the grammar of RFC 4180 and nothing looser."""

import re
from functools import lru_cache

Record = list[str]


@lru_cache(maxsize=32)
def _pattern(delimiter: str, quote: str) -> re.Pattern[str]:
    d = re.escape(delimiter)
    q = re.escape(quote)
    quoted = rf"{q}(?P<quoted>(?:[^{q}]|{q}{q})*+){q}|" if quote else ""
    return re.compile(rf"(?:{quoted}(?P<bare>[^{d}{q}\r\n]*+))(?P<end>{d}|\r\n|\n|\r|\Z)")


def parse(text: str, delimiter: str, quote: str, *, is_whole: bool) -> list[Record] | None:
    r"""Return the records of a text, blank lines left out; None where it breaks the grammar.

    Args:
        text: Whole lines.
        delimiter: One character.
        quote: One character, or empty where quoting does not exist.
        is_whole: Whether the text ends here; otherwise a record that is cut off is dropped.

    Returns:
        One list of fields a record, quotes removed.

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
