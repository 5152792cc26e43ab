"""The texts that generalised cells are published as: one way to write an interval, and one to write a set."""

from collections.abc import Sequence

_SPECIAL = frozenset(',{}[]()"')


def interval_text(low: str, high: str) -> str:
    """Return a closed interval as it is published; both ends belong to it.

    Args:
        low: The text of the lower end, a number or a date.
        high: The text of the upper end.

    Returns:
        ``[low, high]``; the value itself where both ends are the same text.

    Units:
        Those of the column.

    Raises:
        ValueError: When an end is empty.

    Example:
        >>> interval_text("17", "25"), interval_text("17", "17")
        ('[17, 25]', '17')
    """
    if not low or not high:
        raise ValueError("an interval needs two ends")
    return low if low == high else f"[{low}, {high}]"


def set_text(members: Sequence[str | None]) -> str:
    """Return a set of values as it is published.

    Args:
        members: Texts of values or intervals, in the order in which they are to stand, at least one; None is
            a missing value.

    Returns:
        ``{a, b}``; the only member itself where there is one. A missing value is an empty place; a value
        that is empty, holds a comma, bracket or quote, or begins or ends with white space is quoted. An
        interval ``[a, b]`` stands as it is.

    Units:
        None.

    Raises:
        ValueError: When there is no member, or the only one is missing.

    Example:
        >>> set_text(["f", "m"]), set_text([None, "[17, 25]"]), set_text(["a, b", "c"])
        ('{f, m}', '{, [17, 25]}', '{"a, b", c}')
    """
    if not members or list(members) == [None]:
        raise ValueError("a published set needs a value")
    if len(members) == 1:
        return str(members[0])
    return "{" + ", ".join(_member(member) for member in members) + "}"


def _member(text: str | None) -> str:
    if text is None:
        return ""
    is_interval = text.startswith("[") and text.endswith("]")
    if is_interval or (text and text == text.strip() and not _SPECIAL & set(text)):
        return text
    return '"' + text.replace('"', '""') + '"'
