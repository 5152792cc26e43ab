"""Published values that nobody writes: which are equal, what they are together, and their order."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from qidguard.core.column import (
    ColumnValues,
    Original,
    PublishedValue,
    Recoded,
    ValueType,
    published_text,
)
from qidguard.core.versions import ColumnSource

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def published_column(
    before: ColumnValues,
    codes: "NDArray[np.integer[Any]]",
    values: Sequence[PublishedValue],
    same: "NDArray[np.int64] | None",
    mark: str,
) -> ColumnValues:
    """Return what is published of records: values in the place of a column, by the position of each.

    ``same`` gives for each code of the column the first of those that are one value with it, where some are.
    """
    import numpy as np

    occurs = np.flatnonzero(np.bincount(codes))
    used = [values[at] for at in occurs.tolist()]
    told = [_told(value, before, same, mark) for value in used]
    kind = _kind(told)
    texts = _one_text(told, used)
    numbers = {text: one.number for text, one in zip(texts, told, strict=True) if text is not None}
    has_numbers = kind not in {ValueType.TEXT, ValueType.EMPTY}
    declared = {text: at for at, text in enumerate(before.declared)}

    def by_order(text: str) -> tuple[bool, float, str]:
        number = numbers[text] if has_numbers else declared.get(text, math.nan)
        return (*_place(number), text)

    order = sorted(numbers, key=by_order)
    place: dict[str | None, int] = {None: 0} | {text: at for at, text in enumerate(order, start=1)}
    by_value = np.zeros(len(values), dtype=np.int32)
    by_value[occurs] = [place[text] for text in texts]
    return ColumnValues(
        name=before.name,
        value_type=kind,
        codes=by_value[codes],
        texts=(None, *order),
        numbers=np.array([math.nan, *(numbers[text] for text in order)]) if has_numbers else None,
        declared=before.declared,
    )


def made_column(before: ColumnSource, name: str, recoded: Recoded, mark: str) -> ColumnValues:
    """Return what a new table publishes in a column, which the source has unless it holds counts."""
    import numpy as np

    if name in before.names:
        known = before.column(name)
    else:
        nothing = np.zeros(0, dtype=np.int32)
        known = ColumnValues(name=name, value_type=ValueType.EMPTY, codes=nothing, texts=(None,))
    return published_column(known, recoded.codes, recoded.values, None, mark)


def _place(number: float) -> tuple[bool, float]:
    """Return what values are ordered by: numbers first, then what has none."""
    return (True, 0.0) if math.isnan(number) else (False, number)


@dataclass(frozen=True, kw_only=True)
class _Told:
    """A published value: its text, None for NULL; its number, NaN where it has none; what it is."""

    text: str | None
    number: float
    kind: ValueType | None


def _told(value: PublishedValue, before: ColumnValues, same: "NDArray[np.int64] | None", mark: str) -> _Told:
    if isinstance(value, Original):
        code = int(value.code) if same is None else int(same[value.code])
        number = math.nan if before.numbers is None else float(before.numbers[code])
        text = before.texts[code]
        return _Told(text=text, number=number, kind=None if text in {None, mark} else before.value_type)
    if value is None or value == mark:
        return _Told(text=value if isinstance(value, str) else None, number=math.nan, kind=None)
    if isinstance(value, str):
        return _Told(text=value, number=math.nan, kind=ValueType.TEXT)
    if isinstance(value, date):
        is_moment = isinstance(value, datetime)
        moment = datetime.fromisoformat(published_text(value))
        days = (moment - datetime(1970, 1, 1)) / timedelta(days=1)  # noqa: DTZ001 - both are in UTC
        kind = ValueType.TIMESTAMP if is_moment else ValueType.DATE
        return _Told(text=published_text(value), number=days, kind=kind)
    if isinstance(value, bool):
        return _Told(text=published_text(value), number=float(value), kind=ValueType.BOOLEAN)
    kind = ValueType.INTEGER if isinstance(value, int) else ValueType.NUMBER
    return _Told(text=published_text(value), number=float(value), kind=kind)


_WIDER = {
    frozenset({ValueType.INTEGER, ValueType.NUMBER}): ValueType.NUMBER,
    frozenset({ValueType.DATE, ValueType.TIMESTAMP}): ValueType.TIMESTAMP,
}


def _kind(told: Sequence[_Told]) -> ValueType:
    """Return what published values are together."""
    kinds = frozenset(one.kind for one in told if one.kind is not None)
    if len(kinds) == 1:
        return next(iter(kinds))
    is_empty = all(one.text is None for one in told)
    return ValueType.EMPTY if is_empty else _WIDER.get(kinds, ValueType.TEXT)


def _one_text(told: Sequence[_Told], values: Sequence[PublishedValue]) -> list[str | None]:
    """Return the text of each, where a fraction that is published has that of an equal one of the source."""
    pairs = list(zip(told, values, strict=True))
    own = {
        one.number: one.text
        for one, value in pairs
        if isinstance(value, Original) and one.kind is ValueType.NUMBER
    }
    return [
        own.get(one.number, one.text)
        if one.kind in _PLAIN_NUMBERS and not isinstance(value, Original)
        else one.text
        for one, value in pairs
    ]


_PLAIN_NUMBERS = {ValueType.INTEGER, ValueType.NUMBER}
