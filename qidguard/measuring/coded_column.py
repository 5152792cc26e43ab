"""A column in codes over the distinct rows of a table, of which records in memory are made."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.column import ColumnValues, ValueType

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class CodedColumn:
    """A column over the distinct rows of a table.

    Args:
        value_type: What its values are, once read.
        codes: Shape (rows,), NULL is 0.
        texts: The value of each code; None for persons, who are known by their codes alone.
        numbers: The number of each code, or of the first of them; None where there are none.
        declared: Its values in the order that is declared of them; empty where none is.
    """

    value_type: ValueType
    codes: "NDArray[np.int32]" = field(repr=False)
    texts: tuple[str | None, ...] | None = field(repr=False)
    numbers: "NDArray[np.float64] | None" = field(repr=False)
    declared: tuple[str, ...] = field(default=(), repr=False)

    def of_rows(self, name: str, place: "NDArray[np.int64]") -> ColumnValues:
        """Return the column of some rows, whose codes are those that occur."""
        codes = self.codes[place]
        occurs = np.bincount(codes, minlength=1) > 0
        occurs[0] = True  # NULL keeps its code, whether it occurs or not
        used = np.flatnonzero(occurs)
        codes = (np.cumsum(occurs) - 1).astype(np.int32)[codes]
        if self.texts is None:
            texts: tuple[str | None, ...] = (None, *map(str, used[1:].tolist()))
            numbers: NDArray[np.float64] | None = np.where(used > 0, used, np.nan)
        else:
            texts = tuple(self.texts[code] for code in used.tolist())
            numbers = None if self.numbers is None else _padded(self.numbers, int(used[-1]) + 1)[used]
        codes.flags.writeable = False
        if numbers is not None:
            numbers.flags.writeable = False
        return ColumnValues(
            name=name,
            value_type=self.value_type,
            codes=codes,
            texts=texts,
            numbers=numbers,
            declared=self.declared,
        )


def _padded(numbers: "NDArray[np.float64]", codes: int) -> "NDArray[np.float64]":
    return np.pad(numbers, (0, max(0, codes - len(numbers))), constant_values=np.nan)
