"""The shape of a column's values, too coarse to tell one of them."""

import math
from collections.abc import Iterable
from statistics import median_low

from qidguard.core.column import ValueDraw, ValueType
from qidguard.core.content import ColumnShape

FEWEST_NUMBERS = 20
"""Of fewer distinct numbers no bounds are given."""

_SAME = 0.95
_TAIL = 0.05
_NUMBERS = {ValueType.INTEGER, ValueType.NUMBER}


def shape_of(draw: ValueDraw, value_type: ValueType) -> ColumnShape | None:
    """Return the shape of what was drawn fairly; None where nothing was.

    Example:
        >>> draw = ValueDraw(texts=("ab1", "c d"), records=(1, 1), drawn=2)
        >>> found = shape_of(draw, ValueType.TEXT)
        >>> found.typical, found.is_same_length, found.digits, found.words
        (2, True, 0.15, 1.5)
    """
    texts = [text.strip() for text in draw.texts[: draw.drawn]]
    if not texts:
        return None
    whole = value_type in _NUMBERS and is_whole(texts)
    if whole:
        texts = [text.partition(".")[0] for text in texts]
    lengths = sorted(map(len, texts))
    typical = median_low(lengths)
    every = "".join(texts)
    characters = max(1, len(every))
    low, high = _bounds(texts) if value_type in _NUMBERS else (None, None)
    return ColumnShape(
        looked_at=len(texts),
        shortest=_band(lengths[0]),
        typical=_band(typical),
        longest=_band(lengths[-1]),
        is_same_length=lengths.count(typical) >= _SAME * len(lengths),
        digits=_step(sum(map(str.isdigit, every)) / characters, 20),
        letters=_step(sum(map(str.isalpha, every)) / characters, 20),
        blanks=_step(sum(map(str.isspace, every)) / characters, 20),
        words=_step(sum(len(text.split()) for text in texts) / len(texts), 2),
        is_whole=whole,
        low=low,
        high=high,
    )


def is_whole(texts: Iterable[str]) -> bool:
    """Whether every text is a whole number, 110.0 too.

    Example:
        >>> is_whole(["-3", "110.0"]), is_whole(["1.5"]), is_whole([])
        (True, False, False)
    """
    seen = False
    for text in texts:
        seen = True
        number, _, rest = text.partition(".")
        if rest.strip("0") or not (number.isascii() and number.lstrip("+-").isdigit()):
            return False
    return seen


def _band(length: int) -> int:
    return 0 if length <= 0 else 1 << (length.bit_length() - 1)


def _step(figure: float, steps: int) -> float:
    return round(round(figure * steps) / steps, 2)


def _bounds(texts: Iterable[str]) -> tuple[float | None, float | None]:
    """Return marks of a scale between which nine in ten of the numbers lie."""
    numbers = sorted(filter(math.isfinite, map(_number, texts)))
    if len(numbers) < FEWEST_NUMBERS:
        return None, None
    tail = int(_TAIL * len(numbers))
    return _mark_below(numbers[tail]), -_mark_below(-numbers[-1 - tail])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _mark_below(number: float) -> float:
    """Return the largest of 0 and ±1, ±2, ±5 times a power of ten that is not above a number."""
    if number == 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(abs(number)))
    marks = (1.0, 2.0, 5.0, 10.0)
    if number > 0:
        return max((m * power for m in marks if m * power <= number), default=power)
    return -min((m * power for m in marks if m * power >= -number), default=10 * power)
