"""Missing markers and trimming as SQL over one text column."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.core.errors import DataError
from qidguard.engines.sql.identifier import quote_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

WHITE_SPACE = (
    " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + ("\u2028\u2029\u202f\u205f\u3000")
)
"""What counts as white space: the characters that Python's ``str.strip`` drops."""


def read_text(column: str, missing: Sequence[str], *, trimmed: str, is_empty_missing: bool) -> str:
    """Return an SQL expression of a text column with its markers as NULL.

    Args:
        column: A plain column name such as ``c0``.
        missing: The declared markers; compared as they stand, without the white space around them.
        trimmed: The characters that are dropped from both ends first; empty for none.
        is_empty_missing: Whether the empty text is NULL too.

    Returns:
        The expression.

    Example:
        >>> read_text("c0", ("?",), trimmed="", is_empty_missing=True)
        "CASE WHEN c0 NOT IN ('', '?') THEN c0 END"
    """
    value = _trim(column, trimmed) if trimmed else column
    markers = _markers(missing, is_empty_missing=is_empty_missing)
    return f"CASE WHEN {value} NOT IN ({markers}) THEN {value} END" if markers else value


def read_number(column: str, missing: Sequence[str]) -> str:
    """Return an SQL expression of a numeric column with the markers that are numbers as NULL.

    Example:
        >>> read_number("c0", ("?", "-9"))
        'CASE WHEN c0 NOT IN (-9) THEN c0 END'
    """
    numbers = [marker.strip() for marker in missing if _is_plain_number(marker)]
    return f"CASE WHEN {column} NOT IN ({', '.join(numbers)}) THEN {column} END" if numbers else column


def check_hidden_markers(
    database: "DuckDBPyConnection",
    columns: Sequence[str],
    relation: str,
    missing: Sequence[str],
    names: Sequence[str],
    white_space: str = WHITE_SPACE,
) -> None:
    """Check that no declared marker stands between white space, where it would stay a value.

    Args:
        database: The connection.
        columns: SQL expressions of texts.
        relation: What they are read from.
        missing: The declared markers.
        names: The real names of these columns, for the message.
        white_space: The characters that may surround a marker.

    Raises:
        DataError: when a marker matches only after trimming.
    """
    markers = _markers(missing, is_empty_missing=False)
    if not markers or not columns:
        return
    found = ", ".join(
        f"bool_or({column} NOT IN ({markers}) AND {_trim(column, white_space)} IN ({markers}))"
        for column in columns
    )
    row = database.execute(f"SELECT {found} FROM {relation}").fetchall()[0]
    hidden = [name for name, is_hidden in zip(names, row, strict=True) if is_hidden]
    if hidden:
        raise DataError(
            f"Column {hidden[0]!r} holds a declared missing marker with white space around it, which would"
            " count as"
            " a value; set `trim: true`."
        )


def _trim(column: str, characters: str) -> str:
    # trim without characters drops a set of DuckDB's own, with no-break spaces in it
    return f"trim({column}, {quote_text(characters)})"


def _markers(missing: Sequence[str], *, is_empty_missing: bool) -> str:
    texts = [""] * is_empty_missing + [marker.strip() for marker in missing]
    return ", ".join(quote_text(text) for text in dict.fromkeys(texts))


def _is_plain_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and text.strip().lstrip("+-").replace(".", "", 1).isdecimal()
    except ValueError:
        return False
