"""The values of the original column, laid out so that whatever is published covers a few ranges of them."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from qidguard.core.column import ColumnValues, ValueType

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def number_of(text: str) -> float | None:
    """Return the finite number that a text writes out in decimal; None for any other text."""
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if np.isfinite(number) else None


@dataclass(frozen=True, kw_only=True)
class OriginalDomain:
    """The original values in ranks: those with a position by it, the others in the order of codes, NULL last.

    Args:
        column: The original column.
        order: Shape (codes,), the code at each rank.
        positions: Shape (positioned,), ascending: the number of each rank that has one. In a column of text
            these are the values that write out a number, or of dates their days since 1970.
        has_written_dates: Whether the column is text that is dates.
    """

    column: ColumnValues = field(repr=False)
    order: "NDArray[np.int64]" = field(repr=False)
    positions: "NDArray[np.float64]" = field(repr=False)
    has_written_dates: bool = False

    @property
    def is_dated(self) -> bool:
        """Whether the values are dates or moments."""
        return self.has_written_dates or self.column.value_type in {ValueType.DATE, ValueType.TIMESTAMP}

    @cached_property
    def is_whole(self) -> bool:
        """Whether there is nothing between a number and the next whole one."""
        if self.has_written_dates:
            return bool((self.positions % 1 == 0).all())
        return self.column.value_type in {ValueType.INTEGER, ValueType.DATE}

    @cached_property
    def rank(self) -> "NDArray[np.int64]":
        """The rank of each code."""
        ranks = np.empty(len(self.order), dtype=np.int64)
        ranks[self.order] = np.arange(len(self.order))
        return ranks

    @cached_property
    def has_missing(self) -> bool:
        """Whether NULL occurs."""
        return bool((self.column.codes == 0).any())

    @property
    def size(self) -> int:
        """Number of values that occur, NULL being one."""
        return self.column.distinct + int(self.has_missing)

    @cached_property
    def by_text(self) -> dict[str, int]:
        """The code of each text."""
        return {text: code for code, text in enumerate(self.column.texts) if text is not None}

    @cached_property
    def _listed(self) -> list[float]:
        listed: list[float] = self.positions.tolist()
        return listed

    @cached_property
    def _sorted(self) -> list[tuple[str, int]]:
        return sorted(self.by_text.items())

    def position_of(self, text: str) -> float | None:
        """Return the position of an original value, by its text: exact where a number is a rounded one."""
        code = self.by_text.get(text)
        if code is None or (rank := int(self.rank[code])) >= len(self.positions):
            return None
        return self._listed[rank]

    def between(self, low: float, high: float) -> tuple[int, int]:
        """Return the range of ranks whose positions lie in low..high, both included; it may be empty."""
        first = bisect_left(self._listed, low)
        return first, max(first, bisect_right(self._listed, high))

    def starting_with(self, prefix: str, length: int | None) -> list[int]:
        """Return the codes whose text starts so and, where a length is given, has it."""
        codes = []
        for text, code in self._sorted[bisect_left(self._sorted, (prefix, -1)) :]:
            if not text.startswith(prefix):
                break
            if length is None or len(text) == length:
                codes.append(code)
        return codes

    def runs(self, codes: "NDArray[np.int64]") -> list[tuple[int, int]]:
        """Return codes as ranges of ranks; NULL is left out where it does not occur."""
        ranks = np.unique(self.rank[codes])
        ranks = ranks[ranks < self.size]
        if not len(ranks):
            return []
        breaks = np.flatnonzero(np.diff(ranks) != 1)
        firsts = ranks[np.concatenate([[0], breaks + 1])]
        lasts = ranks[np.concatenate([breaks, [len(ranks) - 1]])]
        return list(zip(firsts.tolist(), (lasts + 1).tolist(), strict=True))


def domain_of(column: ColumnValues) -> OriginalDomain:
    """Return the domain of an original column; of one that is still in use it is the same again."""
    known = _KNOWN.get(id(column))
    if known is None or known.column is not column:
        known = _KNOWN[id(column)] = _domain(column)
    return known


_KNOWN: WeakValueDictionary[int, OriginalDomain] = WeakValueDictionary()


def _domain(column: ColumnValues) -> OriginalDomain:
    from qidguard.anonymizing.hierarchy.dates import day_numbers  # it brings policies

    positions = np.full(len(column.texts), np.nan)
    days = day_numbers(column) if column.value_type is ValueType.TEXT else None
    if days is not None:
        positions = days.copy()
    elif column.has_scale and column.numbers is not None:
        positions = np.where(np.isfinite(column.numbers), column.numbers, np.nan)
    elif column.value_type is ValueType.TEXT:
        read = (None if text is None else number_of(text) for text in column.texts)
        positions = np.array([np.nan if number is None else number for number in read])
    positions[0] = np.nan
    codes = np.arange(1, len(positions))
    is_placed = np.isfinite(positions[1:])
    placed = codes[is_placed][np.argsort(positions[1:][is_placed], kind="stable")]
    order = np.concatenate([placed, codes[~is_placed], [0]]).astype(np.int64)
    return OriginalDomain(
        column=column, order=order, positions=positions[placed], has_written_dates=days is not None
    )
