"""A column as this room sees it: what is missing, and the days that its texts or numbers may be."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.content import MISSING_WORDS
from qidguard.core.dates import read_dates
from qidguard.core.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DATES = {ValueType.DATE, ValueType.TIMESTAMP}
_READ = 0.95
"""The share of the texts that must be dates."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A column whose texts may be dates.

    Args:
        column: The column; NULL has code 0.
        marks: Texts that stand for a suppressed cell.
    """

    column: ColumnValues
    marks: Collection[str] = field(default=(SUPPRESSED,))

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @cached_property
    def codes(self) -> "NDArray[np.int64]":
        """Shape (records,), the code of each record, 0 for what is missing: NULL, ``?`` and marks."""
        missing = [
            code
            for code, text in enumerate(self.column.texts)
            if text is not None and (text in self.marks or text.strip().casefold() in MISSING_WORDS)
        ]
        own = self.column.codes.astype(np.int64)
        return np.where(np.isin(own, missing), 0, own) if missing else own

    @property
    def size(self) -> int:
        """Number of codes, NULL's among them."""
        return len(self.column.texts)

    @cached_property
    def days(self) -> "NDArray[np.float64] | None":
        """Shape (codes,), days since 1970, NaN for none; None for what holds no dates."""
        column = self.column
        if column.value_type in _DATES:
            return column.numbers
        if column.value_type not in {ValueType.TEXT, ValueType.INTEGER} or self.size <= 2:  # noqa: PLR2004 - one value has no order
            return None
        texts = [str(text) for text in column.texts[1:]]
        reading = read_dates(texts)
        if reading.is_years or reading.read < _READ * len(texts):
            return None
        return np.concatenate([[np.nan], reading.days])

    @cached_property
    def numbers(self) -> "NDArray[np.float64] | None":
        """Shape (codes,), numbers and days, NaN for what is none; None for text."""
        return self.column.numbers if self.column.has_scale else self.days

    @cached_property
    def plain_texts(self) -> tuple[str | None, ...]:
        """The text of each code as values are compared."""
        return tuple(None if text is None else plain(text) for text in self.column.texts)

    def at(self, places: "NDArray[np.int64]") -> "Scale":
        """Return the column at some records, with the codes that occur there."""
        return replace(self, column=self.column.at(places))


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
