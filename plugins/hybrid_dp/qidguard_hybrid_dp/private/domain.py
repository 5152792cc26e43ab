"""What the cells of a column are: declared, or found under a threshold, and never read off the data."""

from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from math import floor, isfinite, log10
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, PublishedValue, ValueType, interval_text, published_number

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Categories:
    """A column of categories. One more cell, the last, holds what is missing or is none of them.

    Args:
        name: The column's name.
        values: The categories, each once; public.
        value_type: What the column's values are, which synthetic records take.
    """

    name: str
    values: tuple[str, ...] = field(repr=False)
    value_type: ValueType = ValueType.TEXT

    @property
    def cells(self) -> int:
        """Number of cells, ≥ 1."""
        return len(self.values) + 1

    def codes(self, column: ColumnValues) -> "NDArray[np.int64]":
        """Return the cell of each record, shape (records,)."""
        place = {text: cell for cell, text in enumerate(self.values)}
        of_code = np.array([place.get(text or "", len(self.values)) for text in column.texts])
        of_code[0] = len(self.values)
        return of_code.astype(np.int64)[column.codes]

    def drawn(self, cells: "NDArray[np.int64]", random: np.random.Generator) -> list[PublishedValue]:
        """Return a value for each cell: the category itself; none for the last."""
        del random
        labels = self.labels
        return [labels[cell] for cell in cells.tolist()]

    @property
    def labels(self) -> tuple[PublishedValue, ...]:
        """What stands for each cell: the category itself; none for the last."""
        return (*(_typed(text, self.value_type) for text in self.values), None)


@dataclass(frozen=True, kw_only=True)
class Bins:
    """A column of numbers or dates in bins of one width; the last cell holds what is missing or not a number.

    What lies outside the bounds is counted in the first or the last bin.

    Args:
        name: The column's name.
        bounds: Lower and upper end, declared; in the column's unit, days since 1970 for dates.
        bins: Number of bins, ≥ 1; of whole numbers no more than there are between the bounds.
        value_type: What the column's values are.
    """

    name: str
    bounds: tuple[Fraction, Fraction]
    bins: int
    value_type: ValueType

    @property
    def cells(self) -> int:
        """Number of cells, ≥ 2."""
        return self._bins + 1

    @property
    def _is_whole(self) -> bool:
        return self.value_type in (ValueType.INTEGER, ValueType.DATE)

    @property
    def _bins(self) -> int:
        low, high = self.bounds
        return min(self.bins, floor(high) - floor(low) + 1) if self._is_whole else self.bins

    @property
    def edges(self) -> "NDArray[np.float64]":
        """Shape (bins + 1,): the lower ends of the bins, and the end of the last."""
        low, high = self.bounds
        if self._is_whole:
            first, span = floor(low), floor(high) - floor(low) + 1
            return np.array([first + at * span // self._bins for at in range(self._bins + 1)], dtype=float)
        return np.array([float(low + (high - low) * at / self._bins) for at in range(self._bins + 1)])

    def codes(self, column: ColumnValues) -> "NDArray[np.int64]":
        """Return the cell of each record, shape (records,)."""
        numbers = column.numbers
        assert numbers is not None  # noqa: S101 - numeric columns only are binned
        of_code = np.searchsorted(self.edges[:-1], numbers, side="right").astype(np.int64) - 1
        of_code = np.where(np.isnan(numbers), self._bins, np.clip(of_code, 0, self._bins - 1))
        return of_code[column.codes]

    @property
    def labels(self) -> tuple[PublishedValue, ...]:
        """What stands for each cell: the interval of a bin, the value itself where it is one; none last."""
        ends = self.edges.tolist()
        if self._is_whole and all(high - low == 1 for low, high in pairwise(ends)):
            return (*(published_number(low, self.value_type) for low in ends[:-1]), None)
        # an end that two bins of other numbers share belongs to the upper one
        texts = [(self._text(low), self._text(high - self._is_whole)) for low, high in pairwise(ends)]
        return (*(interval_text(low, high) for low, high in texts), None)

    def _text(self, number: float) -> str:
        value = published_number(number, self.value_type)
        return f"{value:.10g}" if isinstance(value, float) else str(value)

    def drawn(self, cells: "NDArray[np.int64]", random: np.random.Generator) -> list[PublishedValue]:
        """Return a value for each cell, drawn uniformly from its bin; none for the last."""
        edges = np.append(self.edges, np.nan)
        low, high = edges[cells], edges[np.minimum(cells + 1, self._bins)]
        if self._is_whole:
            numbers = np.floor(low + random.random(len(cells)) * (high - low))
            numbers = np.clip(numbers, low, high - 1)
        else:
            digits = max(0, 2 - floor(log10(float(edges[1] - edges[0]))))
            numbers = np.clip(np.round(low + random.random(len(cells)) * (high - low), digits), low, high)
        is_missing = cells == self._bins
        return [
            None if missing else published_number(number, self.value_type)
            for number, missing in zip(numbers.tolist(), is_missing.tolist(), strict=True)
        ]


Domain = Categories | Bins


def _typed(text: str, value_type: ValueType) -> PublishedValue:
    """Return a category as a value of its column, or as its text where it is none."""
    try:
        match value_type:
            case ValueType.INTEGER:
                return int(text)
            case ValueType.NUMBER:
                return float(text) if isfinite(float(text)) else text
            case ValueType.DATE:
                return date.fromisoformat(text)
            case ValueType.TIMESTAMP:
                return datetime.fromisoformat(text)
            case ValueType.BOOLEAN if text in ("true", "false"):
                return text == "true"
    except ValueError:
        pass
    return text
