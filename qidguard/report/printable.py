"""Names and texts from outside, made safe to print: nothing in them acts on a terminal or hides."""

import unicodedata
from collections.abc import Sequence

LONGEST_NAME = 60
"""Longer names are cut in sentences and tables, in characters; the JSON document keeps them whole."""

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_DELIMITERS = ',"'


def visible(text: str) -> str:
    r"""Return ``text`` with control, format and unassigned characters as backslash escapes.

    Args:
        text: Any text, such as a column name or the sentence of a plugin.

    Returns:
        One line of text without escape sequences, direction marks or zero-width characters.

    Example:
        >>> visible("a\x1b[31mb\n")
        'a\\x1b[31mb\\n'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _HIDDEN else c for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def shown_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a column name as printed: visible, cut when long, quoted where it would be misread.

    Args:
        name: The column's own name.
        longest: Number of characters that are kept, ≥ 2.

    Returns:
        The name; with double quotes around it if it is empty, has outer white space, a comma or a quote.

    Example:
        >>> shown_name("age"), shown_name(" age, sex")
        ('age', '" age, sex"')
    """
    text = visible(name)
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    is_unclear = not text or text != text.strip() or "  " in text or any(d in text for d in _DELIMITERS)
    return '"' + text.replace('"', r"\"") + '"' if is_unclear else text


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return names as one phrase, the first ``most`` of them and how many are left out.

    Args:
        names: Column names.
        most: How many are written out, ≥ 1.

    Returns:
        The names with commas between them, or ``no columns``.

    Example:
        >>> listed(["age", "sex", "zip"], most=2)
        'age, sex and 1 more'
    """
    if not names:
        return "no columns"
    head = ", ".join(shown_name(name) for name in names[:most])
    left = len(names) - most
    return f"{head} and {left:,} more" if left > 0 else head
