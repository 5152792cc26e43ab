"""A published column as this room sees it: codes without a gap, and their order and numbers."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.column import ColumnValues, ValueType
from qidguard.undoing.dates import days_of
from qidguard.undoing.persons import dense

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DATES = {ValueType.DATE, ValueType.TIMESTAMP}


@dataclass(frozen=True)
class Scale:
    """A column whose texts may be dates.

    Args:
        column: The column; NULL has code 0.
    """

    column: ColumnValues

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def codes(self) -> "NDArray[np.int32]":
        """Shape (records,), the code of each record."""
        return self.column.codes

    @property
    def size(self) -> int:
        """Number of codes, NULL's among them."""
        return len(self.column.texts)

    @cached_property
    def days(self) -> "NDArray[np.float64] | None":
        """Shape (codes,), days since 1970; None for what holds no dates."""
        column = self.column
        if column.value_type in _DATES:
            return column.numbers
        return days_of(column.texts) if column.value_type in {ValueType.TEXT, ValueType.INTEGER} else None

    @cached_property
    def numbers(self) -> "NDArray[np.float64] | None":
        """Shape (codes,), numbers and days, NaN for what is none; None for text."""
        return self.column.numbers if self.column.has_order else self.days

    @cached_property
    def ranks(self) -> "NDArray[np.int64]":
        """Shape (codes,), the place of each code in the order of numbers or dates, else of texts."""
        numbers = self.numbers
        if numbers is None or self.column.has_order:
            return np.arange(self.size, dtype=np.int64)
        return dense(np.argsort(np.argsort(numbers, kind="stable"), kind="stable"))[0]

    @cached_property
    def ordered(self) -> "tuple[NDArray[np.float64], NDArray[np.int64]]":
        """The numbers of the column in their order, and the code of each."""
        numbers = self.numbers
        if numbers is None:
            return np.empty(0), np.empty(0, dtype=np.int64)
        order = np.argsort(numbers, kind="stable")
        order = order[~np.isnan(numbers[order])]
        return numbers[order], order

    @cached_property
    def plain_texts(self) -> tuple[str | None, ...]:
        """The text of each code as values are compared."""
        return tuple(None if text is None else plain(text) for text in self.column.texts)


def plain(text: str) -> str:
    """Return a text as values are compared: without blanks around it, case, and zeros before a number.

    Example:
        >>> plain(" 007 "), plain("7.0"), plain("Nurse")
        ('7', '7', 'nurse')
    """
    text = text.strip().casefold()
    if text.isdigit():
        return text.lstrip("0") or "0"
    if text.endswith(".0") and text[:-2].lstrip("-").isdigit():
        return text[:-2]
    return text
