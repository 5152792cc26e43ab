"""A column of people who are attacked, told in terms of the original's values."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qidguard import ColumnValues


@dataclass(frozen=True, kw_only=True)
class SourceColumn:
    """A column of the original or of withheld records.

    A withheld person may have a value that the original lacks. A number between two of the original's is
    covered where both are, for what covers it reaches from one to the other. Any other new value is
    *foreign*: nothing covers it but what covers every value.

    Args:
        codes: Shape (records,), the code of each record's value.
        low: Shape (codes,), the original's code of each value, or of the next lower one; −1 for a foreign
            value.
        high: Shape (codes,), the original's code of each value, or of the next higher one; −1 likewise.
        numbers: Shape (codes,), the values as numbers, NaN for NULL; None where they are none.
    """

    codes: NDArray[np.int32] = field(repr=False)
    low: NDArray[np.int64] = field(repr=False)
    high: NDArray[np.int64] = field(repr=False)
    numbers: NDArray[np.float64] | None = field(repr=False)

    @classmethod
    def original(cls, column: ColumnValues) -> "SourceColumn":
        """Return a column of the original itself."""
        same = np.arange(len(column.texts))
        numbers = column.numbers if column.is_numeric else None
        return cls(codes=column.codes, low=same, high=same, numbers=numbers)

    @classmethod
    def withheld(cls, column: ColumnValues, original: ColumnValues) -> "SourceColumn":
        """Return a column of withheld records in terms of the original's column of the same name."""
        numbers = column.numbers if column.is_numeric and original.is_numeric else None
        low = same_values(column, original)
        high = low.copy()
        if numbers is not None and original.numbers is not None:
            is_there = np.isfinite(original.numbers)
            codes = np.flatnonzero(is_there)
            is_new = (low < 0) & np.isfinite(numbers)
            place = np.searchsorted(original.numbers[codes], numbers[is_new])
            is_between = (place > 0) & (place < len(codes))
            new = np.flatnonzero(is_new)[is_between]
            low[new], high[new] = codes[place[is_between] - 1], codes[place[is_between]]
        return cls(codes=column.codes, low=low, high=high, numbers=numbers)


def same_values(column: ColumnValues, original: ColumnValues) -> NDArray[np.int64]:
    """Return for each code of a column the original's code of the same value, −1 where it has none.

    Numbers are compared as numbers where both columns hold them, so that 5 and 5.0 are one; else texts.
    """
    if column.is_numeric and original.is_numeric and column.numbers is not None:
        known = {} if original.numbers is None else _places(original.numbers)
        found = [known.get(number, -1) for number in column.numbers.tolist()]
        found[0] = 0
    else:
        texts = {text: code for code, text in enumerate(original.texts)}
        found = [texts.get(text, -1) for text in column.texts]
    return np.array(found, dtype=np.int64)


def _places(numbers: NDArray[np.float64]) -> dict[float, int]:
    # NaN, of NULL and of the suppression mark, equals nothing and is found by nobody
    return {number: code for code, number in enumerate(numbers.tolist()) if number == number}  # noqa: PLR0124
