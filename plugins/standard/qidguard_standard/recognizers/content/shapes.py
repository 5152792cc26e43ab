"""Shapes of numbers: how they are written, read as patterns."""

import re

_KINDS = {"9": "[0-9]", "A": "[A-Z]", "X": "[0-9A-Z]", "H": "[0-9A-F]"}


def pattern_of(shapes: tuple[str, ...]) -> str:
    r"""Return the pattern of some shapes: 9 is a digit, A a letter, X either, H hexadecimal, else itself.

    Example:
        >>> pattern_of(("99-A",))
        '(?:[0-9]{2}\\-[A-Z])'
    """
    return "(?:" + "|".join(_of(shape) for shape in shapes) + ")"


def _of(shape: str) -> str:
    parts = []
    for run in re.finditer(r"(.)\1*", shape):
        kind, count = _KINDS.get(run[1], re.escape(run[1])), len(run[0])
        parts.append(kind if count == 1 else f"{kind}{{{count}}}")
    return "".join(parts)
