"""Quoting of identifiers: the one place where a name becomes part of an SQL text."""

from qidguard.core.errors import DataError


def quote(name: str) -> str:
    """Return ``name`` as a quoted SQL identifier.

    The name is set in double quotes and each double quote inside it is doubled (ISO/IEC 9075-2, delimited
    identifier), so no name can end the quotation.

    Example:
        >>> quote("age"), quote('a"b')
        ('"age"', '"a""b"')
    """
    if not name or "\0" in name:
        raise DataError(f"A column needs a name without NUL characters, not {name!r}; rename it.")
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Return ``text`` as an SQL string literal.

    The text is set in single quotes and each single quote inside it is doubled (ISO/IEC 9075-2, character
    string literal).
    """
    if "\0" in text:
        raise DataError("A text in SQL cannot hold NUL characters; remove them.")
    return "'" + text.replace("'", "''") + "'"
