"""Published intervals of numbers, read from their text."""

import re

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_CLOSED = re.compile(rf"[\[(]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[\])]")
_BELOW = re.compile(rf"<=?\s*({_NUMBER})")
_ABOVE = re.compile(rf">=?\s*({_NUMBER})")
_EVERYTHING = float("-inf"), float("inf")


def interval_of(text: str) -> tuple[float, float]:
    """Return the ends of a published number or interval, in the column's unit; other text may be anything.

    An open end counts as a closed one: who attacks with it holds a little more possible.

    Example:
        >>> interval_of("39"), interval_of("[30, 39]"), interval_of(">= 80")
        ((39.0, 39.0), (30.0, 39.0), (80.0, inf))
        >>> interval_of("< 20"), interval_of("*")
        ((-inf, 20.0), (-inf, inf))
    """
    if re.fullmatch(_NUMBER, text):
        return float(text), float(text)
    if found := _CLOSED.fullmatch(text):
        return float(found[1]), float(found[2])
    if found := _BELOW.fullmatch(text):
        return _EVERYTHING[0], float(found[1])
    if found := _ABOVE.fullmatch(text):
        return float(found[1]), _EVERYTHING[1]
    return _EVERYTHING
