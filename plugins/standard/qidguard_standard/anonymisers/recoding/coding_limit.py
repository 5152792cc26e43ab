"""The limit beyond which values of a column are coded alike."""

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from qidguard import ColumnValues, NotMeasurable, UserError, ValueType

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEPS_IN_RANGE = 20
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, kw_only=True)
class CodingLimit:
    """A limit of one column; the limit itself is coded with what lies beyond it.

    Args:
        value: The limit, in the column's unit; dates in days since 1970.
        is_top: Whether values above it are meant, else those below.
        is_moved: Whether it lies further inside than was asked, for too few persons lay beyond.
        whole: Whether the column holds whole numbers.
        is_date: Whether it holds dates.
    """

    value: float
    is_top: bool
    is_moved: bool
    whole: bool
    is_date: bool

    @property
    def shown(self) -> int | float | date:
        """The limit as a value of the column."""
        if self.is_date:
            return _EPOCH + timedelta(days=int(self.value))
        return int(self.value) if self.whole else self.value

    @property
    def label(self) -> str:
        """``>= v`` or ``<= v``."""
        shown = self.shown
        text = f"{shown:.15g}" if isinstance(shown, float) else str(shown)
        return f"{'>=' if self.is_top else '<='} {text}"

    def beyond(self, numbers: "NDArray[np.float64]") -> "NDArray[np.bool_]":
        """Return which numbers are coded; NaN is not."""
        return numbers >= self.value if self.is_top else numbers <= self.value


def coding_limit(
    values: ColumnValues, text: str, k: int, entity: "NDArray[np.int32] | None", *, is_top: bool
) -> CodingLimit:
    """Return the limit that a text asks for, moved inwards until k persons lie beyond it, or nobody.

    Args:
        values: The column, of numbers or dates.
        text: A number, a date as 2021-03-01, or a quantile as 99%.
        k: Persons that a coded group has at least, ≥ 1.
        entity: Shape (records,), the code of each record's person; None where each record is one.
        is_top: Whether values above are meant.

    Returns:
        The limit. A quantile is moved inwards to a round number: the step is 1, 2 or 5 times a power of ten,
        at most a twentieth of the range, and at least 1 for whole numbers and dates.

    Units:
        Those of the column.

    Raises:
        NotMeasurable: When the column has no numbers or dates, or no limit has k persons beyond it.
        UserError: When the text is none of the three.

    Example:
        >>> age = ColumnValues(
        ...     name="age",
        ...     value_type=ValueType.INTEGER,
        ...     codes=np.array([1, 2, 3, 3], dtype=np.int32),
        ...     texts=(None, "30", "91", "95"),
        ...     numbers=np.array([np.nan, 30.0, 91.0, 95.0]),
        ... )
        >>> coding_limit(age, "90", 2, None, is_top=True).label
        '>= 90'
    """
    name, kind = values.name, values.value_type
    if values.numbers is None or kind not in {ValueType.INTEGER, ValueType.NUMBER, ValueType.DATE}:
        raise NotMeasurable(
            f"{name!r} holds no numbers or dates, so it has no top and no bottom; leave it out"
        )
    whole = kind is not ValueType.NUMBER
    # on a mirrored column the bottom is a top
    sign = 1.0 if is_top else -1.0
    numbers = sign * values.numbers[values.codes]
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        raise NotMeasurable(f"{name!r} holds no number, so it has no top and no bottom; leave it out")
    step = _step(float(np.ptp(known)), whole=whole)
    if text.endswith("%"):
        share = _parsed(values, text[:-1], name) / 100
        if not 0 <= share <= 1:
            raise UserError(f"the quantile of {name!r} must lie in 0..100 %, not {text!r}")
        asked = float(np.quantile(known, share if is_top else 1 - share, method="lower"))
        asked = math.floor(asked / step) * step
    else:
        asked = sign * _parsed(values, text, name, is_date=kind is ValueType.DATE)
        asked = float(math.ceil(asked)) if whole else asked
    limit = _with_company(numbers, known, asked, k, entity)
    if limit is None:
        raise NotMeasurable(f"k = {k} persons lie beyond no limit of {name!r}; lower k or leave it out")
    if limit < asked:
        limit = math.floor(limit / step) * step
    return CodingLimit(
        value=sign * limit,
        is_top=is_top,
        is_moved=limit < asked,
        whole=whole,
        is_date=kind is ValueType.DATE,
    )


def _with_company(
    numbers: "NDArray[np.float64]",
    known: "NDArray[np.float64]",
    asked: float,
    k: int,
    entity: "NDArray[np.int32] | None",
) -> float | None:
    """Return the highest limit, from ``asked`` down, that k persons or nobody lie beyond."""
    there = np.isfinite(numbers)
    if not (known >= asked).any():
        return asked
    if entity is None:
        first = known
    else:
        # the highest number of each person: beyond a limit are those whose highest is
        highest = np.full(int(entity.max()) + 1, -np.inf)
        np.maximum.at(highest, entity[there], numbers[there])
        first = highest[np.isfinite(highest)]
    if len(first) < k:
        return None
    return min(asked, float(np.partition(first, len(first) - k)[len(first) - k]))


def _step(span: float, *, whole: bool) -> float:
    """Return 1, 2 or 5 times a power of ten, at most a twentieth of the range."""
    if span <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / _STEPS_IN_RANGE))
    factor = max(f for f in (1, 2, 5) if f == 1 or f * power <= span / _STEPS_IN_RANGE)
    return max(1.0, factor * power) if whole else factor * power


def _parsed(values: ColumnValues, text: str, name: str, *, is_date: bool = False) -> float:
    try:
        if is_date:
            return float((datetime.fromisoformat(text).replace(tzinfo=UTC).date() - _EPOCH).days)
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        kind = "a date as 2021-03-01" if values.value_type is ValueType.DATE else "a number"
        raise UserError(f"the limit of {name!r} must be {kind} or a quantile as 99%, not {text!r}")
    return number
