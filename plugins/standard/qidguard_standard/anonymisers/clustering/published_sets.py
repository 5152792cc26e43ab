"""Publish a class by all of its values: an interval of its numbers or dates, the set of its categories."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard import ColumnValues, Original, Recoded, interval_text, set_text
from qidguard_standard.anonymisers.clustering.members import Members

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard import PublishedValue

_BITS = 64


def published_sets(column: ColumnValues, classes: Members, mark: str) -> Recoded:
    """Return what a column is published as when each class shows all values that occur in it.

    Args:
        column: The original column.
        classes: The records of each class.
        mark: The text of a suppressed cell. A class in which one occurs beside values publishes the mark, for
            such a cell may stand for any value.

    Returns:
        Numbers and dates as ``[smallest, largest]``, beside NULL as ``{, [smallest, largest]}``, as
        beside NaN and the infinite; categories
        as ``{a, b}``, NULL an empty place. A class with a single value keeps it.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> from qidguard import ValueType
        >>> from qidguard_standard.anonymisers.clustering.members import members
        >>> sex = ColumnValues(
        ...     name="sex", value_type=ValueType.TEXT, codes=np.array([1, 2, 2]), texts=(None, "f", "m")
        ... )
        >>> published_sets(sex, members(np.array([0, 0, 1])), "*").values
        (Original(code=2), '{f, m}')
    """
    marked = np.array([text == mark for text in column.texts])
    found = _intervals(column, classes) if column.is_numeric else _sets(column, classes)
    values = tuple(_published(column, codes, marked, mark) for codes in found[1])
    return Recoded(codes=classes.by_record(found[0]), values=values)


def _published(
    column: ColumnValues, codes: tuple[int, ...], marked: "NDArray[np.bool_]", mark: str
) -> "PublishedValue":
    """Return the published value of a class with these codes, of numbers the smallest and largest last."""
    if len(codes) == 1:
        return Original(codes[0])
    if any(marked[code] for code in codes):
        return mark
    if not column.is_numeric or column.numbers is None:
        return set_text([column.texts[code] for code in codes])
    apart = [column.texts[code] for code in codes if not np.isfinite(column.numbers[code])]
    ends = [str(column.texts[code]) for code in codes if np.isfinite(column.numbers[code])]
    return set_text([*apart, interval_text(ends[0], ends[-1])] if ends else apart)


def _intervals(column: ColumnValues, classes: Members) -> "tuple[NDArray[np.int64], list[tuple[int, ...]]]":
    """Return for each class the place of its codes, and these: what is no finite number, and both ends."""
    codes, span, starts = column.codes[classes.order], len(column.texts), classes.starts
    finite = np.isfinite(np.asarray(column.numbers))
    is_number = finite[codes]
    low = np.minimum.reduceat(np.where(is_number, codes, span), starts).astype(np.int64)
    high = np.maximum.reduceat(np.where(is_number, codes, -1), starts).astype(np.int64)
    # NULL, NaN, the infinite and the mark: few, and each stands by itself
    apart = np.flatnonzero(~finite)
    bit = np.zeros(span, dtype=np.int64)
    bit[apart] = 1 << np.arange(len(apart))
    others = np.bitwise_or.reduceat(bit[codes], starts)
    keys = (low * (span + 1) + high + 1) * (1 << len(apart)) + others
    first, place = np.unique(keys, return_index=True, return_inverse=True)[1:]
    found = []
    for one in first.tolist():
        ends = sorted({int(low[one]), int(high[one])}) if high[one] >= 0 else []
        found.append((*(int(code) for code in apart if bit[code] & others[one]), *ends))
    return place.reshape(-1), found


def _sets(column: ColumnValues, classes: Members) -> "tuple[NDArray[np.int64], list[tuple[int, ...]]]":
    """Return for each class the place of its set, and the codes of each set."""
    codes, span = column.codes[classes.order], len(column.texts)
    if span <= _BITS:
        masks = np.bitwise_or.reduceat(np.left_shift(np.uint64(1), codes.astype(np.uint64)), classes.starts)
        sets, place = np.unique(masks, return_inverse=True)
        return place.reshape(-1), [_codes_of(int(mask)) for mask in sets]
    keys = np.sort(classes.owner * span + codes)
    keys = keys[np.append(True, keys[1:] != keys[:-1])]
    ends = np.searchsorted(keys // span, np.arange(1, classes.count))
    places: dict[tuple[int, ...], int] = {}
    parts = (tuple(part.tolist()) for part in np.split(keys % span, ends))
    return np.array([places.setdefault(part, len(places)) for part in parts]), list(places)


def _codes_of(mask: int) -> tuple[int, ...]:
    return tuple(code for code in range(_BITS) if mask >> code & 1)
