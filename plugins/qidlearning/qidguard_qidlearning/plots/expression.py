"""Expressions: names as labels of an axis of numbers, so that no name is ever read as anything but text."""

import unicodedata
from collections.abc import Sequence


def labels(names: Sequence[str]) -> str:
    """Return Vega's expression that turns the place 0, 1, 2, … of a label into its name.

    Two columns of the same name, or an empty one, so stay two labels.

    Args:
        names: Any texts.

    Returns:
        An expression of plain letters, digits and escapes.

    Units:
        None.

    Raises:
        AttributeError: When a name is not text.

    Example:
        >>> labels(["age", 'a"b']).replace(chr(92), "/")
        '["age","a/u0022b"][datum.value]'
    """
    return "[" + ",".join(map(_literal, names)) + "][datum.value]"


def _literal(name: str) -> str:
    return '"' + "".join(c if c.isalnum() and c.isascii() else _escaped(c) for c in name) + '"'


def _escaped(character: str) -> str:
    # a control character would come out of the expression raw, and no SVG can hold it
    is_writable = unicodedata.category(character) not in {"Cc", "Cs", "Cn"}
    units = (character if is_writable else "\ufffd").encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
