"""Bands of numbers that people read easily: widths of 1, 2 or 5 times a power of ten, with open ends."""

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from qidguard.anonymizing.hierarchy.assembling import assemble
from qidguard.anonymizing.hierarchy.intervals import interval_hierarchy
from qidguard.core.column import ColumnValues, ValueType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.hierarchy import Hierarchy


class Bands(NamedTuple):
    """Readable bands.

    Args:
        widths: The width of each level, each a multiple of the one before.
        bottom: What numbers are coded below; None where no tail is long.
        top: What numbers are coded from on.
    """

    widths: tuple[float, ...]
    bottom: float | None = None
    top: float | None = None


_MOST_BANDS = 25
"""Bands of the finest level: ages from 17 to 90 begin with a width of 5."""

_MOST_OF_MANY = 50
_MANY_VALUES = 150

_COARSER = 1.5
"""A level is kept when it has this many times fewer bands than the one below it."""

_TAIL = 0.01
"""The share of records at either end that may be a tail."""

_FEWEST = 3
"""Values from which on there is something to merge."""

_LONG = 1e12
"""Widths from which on a sentence is easier to read with an exponent."""

_EXACT = 2.0**50
"""Widths in a number beyond which floats do not tell the bands apart."""


def band_hierarchy(values: ColumnValues) -> "Hierarchy | None":
    """Return the hierarchy of readable bands; None where numbers are too large for their range."""
    bands = readable_bands(values)
    if bands is None:
        return None
    if not bands.widths:
        return neighbor_hierarchy(values) or assemble(values, [], origin="too few values for bands")
    made = interval_hierarchy(values, widths=bands.widths, bottom=bands.bottom, top=bands.top)
    ends = ", open ends" if bands.bottom is not None or bands.top is not None else ""
    return replace(made, origin=f"bands of {', '.join(map(_said, bands.widths))}{ends}")


def neighbor_hierarchy(values: ColumnValues) -> "Hierarchy | None":
    """Return whole numbers without a gap in twos, fours, … from the lowest on; None for others."""
    import numpy as np

    numbers = np.asarray(values.numbers)[1:]
    finite = np.sort(numbers[np.isfinite(numbers)])
    if values.value_type is not ValueType.INTEGER or len(finite) < _FEWEST or (np.diff(finite) != 1).any():
        return None
    widths = tuple(2**power for power in range(1, int(len(finite) - 1).bit_length()))
    made = interval_hierarchy(values, widths=widths, origin=int(finite[0]))
    return replace(made, origin="neighbors in their order")


def readable_bands(values: ColumnValues) -> Bands | None:
    """Return the bands of a column of numbers; no width where there are too few values.

    The finest width leaves at most 25 bands, of more than 150 values at most 50. Each further one is the
    next larger of 1, 2 and 5 times a power of ten that is a multiple of it and leaves a third fewer bands.
    Where the outer hundredth of the records at one end lies further away than all others are wide, that end
    is open from a multiple of the largest width on.

    Example:
        >>> import numpy as np
        >>> age = ColumnValues(
        ...     name="age",
        ...     value_type=ValueType.INTEGER,
        ...     codes=np.arange(1, 75, dtype=np.int32),
        ...     texts=(None, *map(str, range(17, 91))),
        ...     numbers=np.array([np.nan, *range(17, 91)]),
        ... )
        >>> readable_bands(age)
        Bands(widths=(5, 10, 20), bottom=None, top=None)
    """
    import numpy as np

    given = np.asarray(values.numbers)[1:]
    counts = np.bincount(values.codes, minlength=len(values.texts))[1:]
    is_finite = np.isfinite(given)
    order = np.argsort(given[is_finite], kind="stable")
    numbers, counts = given[is_finite][order], counts[is_finite][order]
    if len(numbers) < _FEWEST:
        return Bands(())
    low, high = _ends(numbers, counts)
    if not np.isfinite(high - low):
        return None
    width = _finest(high - low, len(numbers), is_whole=values.value_type is ValueType.INTEGER)
    if width is None or np.abs(numbers).max() > _EXACT * float(width):
        return None
    inside = numbers[(low <= numbers) & (numbers <= high)]
    widths: list[Decimal] = []
    groups = len(numbers)
    while float(width) < 2 * (high - low):
        left = len(np.unique(np.floor(inside / float(width)))) + (low > numbers[0]) + (high < numbers[-1])
        if left * _COARSER <= groups and left > 1:
            widths.append(width)
            groups = left
        # the finest is sought among all widths, the others among its multiples
        width = next_multiple(width) if widths else _next(width)
    if not widths:
        return Bands(())
    bottom, top = _open_ends(numbers, low, high, float(widths[-1]))
    return Bands(tuple(map(_plain, widths)), bottom, top)


def _ends(numbers: "NDArray[np.float64]", counts: "NDArray[np.int64]") -> tuple[float, float]:
    """Return the ends between which bands lie: those of all numbers, or of all but a long tail."""
    import numpy as np

    weights = counts if counts.any() else np.ones(len(counts))
    below = np.cumsum(weights) / weights.sum()
    low = float(numbers[np.searchsorted(below, _TAIL)])
    high = float(numbers[min(int(np.searchsorted(below, 1 - _TAIL)), len(numbers) - 1)])
    if low == high:
        # nearly all records hold one number: the others alone say how wide bands are
        low, high = float(numbers[0]), float(numbers[int(0.9 * (len(numbers) - 1))])
        if low == high:
            return float(numbers[0]), float(numbers[-1])
    core = high - low
    first = low if low - numbers[0] > core else float(numbers[0])
    last = high if numbers[-1] - high > core else float(numbers[-1])
    return first, last


def _finest(span: float, distinct: int, *, is_whole: bool) -> Decimal | None:
    most = _MOST_BANDS if distinct <= _MANY_VALUES else _MOST_OF_MANY
    if not span > 0:
        return None
    least = Decimal(repr(span)) / most
    width = Decimal(1).scaleb(least.adjusted())
    if is_whole:
        width = max(width, Decimal(1))
    while width < least or (is_whole and width < 2):  # noqa: PLR2004 - a band of one whole number is the number
        width = _next(width)
    return width


def _next(width: Decimal) -> Decimal:
    """Return the next larger of 1, 2 and 5 times a power of ten."""
    return width * (Decimal("2.5") if width.as_tuple().digits[0] == 2 else 2)  # noqa: PLR2004 - 2 to 5


def next_multiple(width: Decimal) -> Decimal:
    """Return the next larger of 1, 2 and 5 times a power of ten that is a multiple of one of them.

    Example:
        >>> [int(next_multiple(Decimal(width))) for width in (1, 2, 5, 10, 20)]
        [2, 10, 10, 20, 100]
    """
    found = _next(width)
    while found % width:
        found = _next(found)
    return found


def _open_ends(
    numbers: "NDArray[np.float64]", low: float, high: float, widest: float
) -> tuple[float | None, float | None]:
    """Return from where on the ends are open, at multiples of the largest width."""
    import numpy as np

    bottom = float(np.floor(low / widest) * widest) if low > numbers[0] else None
    top = float((np.floor(high / widest) + 1) * widest) if high < numbers[-1] else None
    bottom = bottom if bottom is not None and numbers[0] < bottom else None
    top = top if top is not None and numbers[-1] >= top else None
    return (None if bottom is None else _short(bottom)), (None if top is None else _short(top))


def _plain(width: Decimal) -> float:
    return int(width) if width == width.to_integral_value() else float(width)


def _said(width: float) -> str:
    return f"{width:,}" if width < _LONG else f"{width:g}"


def _short(number: float) -> float:
    # the product of a width such as 0.1 may be a digit off
    number = float(f"{number:.12g}")
    return int(number) if number.is_integer() else number
