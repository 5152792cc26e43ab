"""What is read in published columns: a value as it is, or two numbers reckoned together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qidguard_checks.undoing.tally import dense

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import ColumnValues

    Numbers = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A column whose texts may be dates.

    Args:
        column: The column; NULL has code 0.
        mark: The text that stands for a suppressed cell, beside ``*``.
    """

    column: "ColumnValues"
    mark: str | None = None

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @cached_property
    def codes(self) -> "NDArray[np.int64]":
        """Shape (records,), the code of each record, 0 for what is missing: NULL, ``?`` and marks."""
        missing, own = self.column.missing_codes(self.mark), self.column.codes.astype(np.int64)
        return np.where(np.isin(own, missing), 0, own) if missing else own

    @property
    def size(self) -> int:
        """Number of codes, NULL's among them."""
        return len(self.column.texts)

    @property
    def numbers(self) -> "Numbers | None":
        """Shape (codes,), numbers and days, NaN for what is none; None for text."""
        return self.column.numbers if self.column.has_scale else self.column.days

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


class Read(NamedTuple):
    """Shape (records,), a code of what is read, 0 for nothing; and the text or the number of each code."""

    codes: "NDArray[np.int64]"
    texts: "Sequence[str | None] | None" = None
    numbers: "Numbers | None" = None


@dataclass(frozen=True)
class RecordReading:
    """What is read over some records.

    Args:
        part: What it is, and where it is read.
        codes: Shape (records,), a code of what is read, 0 for nothing.
        texts: The text of each code; None where only numbers are read.
        numbers: The number of each code, NaN for none; None where texts are read.
    """

    part: "Part"
    codes: "NDArray[np.int64]" = field(repr=False)
    texts: "Sequence[str | None] | None" = field(repr=False)
    numbers: "Numbers | None" = field(repr=False)

    @cached_property
    def size(self) -> int:
        """One more than the largest code."""
        return int(self.codes.max(initial=0)) + 1

    @cached_property
    def is_repeating(self) -> bool:
        """Whether it has at most one value for two records, and more than one."""
        return 1 < dense(self.codes)[1] <= len(self.codes) / 2

    @cached_property
    def partition(self) -> bytes:
        """The same for readings that part the records alike."""
        codes, size = dense(self.codes)
        first = np.empty(size, dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        return bytes(np.argsort(np.argsort(first))[codes].astype(np.int32).tobytes())

    @cached_property
    def ranks(self) -> "NDArray[np.int64]":
        """Shape (records,), the place of each record's value in the order of numbers, else of texts."""
        if self.numbers is None:
            return self.codes
        order = np.argsort(np.argsort(self.numbers, kind="stable"), kind="stable")
        return order[self.codes]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A way to read one published column, or two.

    Args:
        columns: The columns.
        words: What is read in them, such as ``year``; empty for the value itself.
        read_from: Reads it in columns, in that order.
    """

    columns: tuple[str, ...]
    words: str = ""
    read_from: Callable[..., Read] = field(repr=False, compare=False)

    def read(self, scales: Callable[[str], Scale]) -> RecordReading:
        """Return what is read in the columns that ``scales`` gives."""
        return RecordReading(self, *self.read_from(*map(scales, self.columns)))


def whole(name: str) -> Part:
    """Return a column as it is."""
    return Part(columns=(name,), read_from=lambda scale: Read(scale.codes, scale.column.texts, scale.numbers))


def together(one: str, other: str) -> Part:
    """Return the values of two columns, taken together."""
    return Part(columns=(one, other), read_from=lambda a, b: Read(1 + a.codes * b.size + b.codes))


_DIGITS = 6
"""Significant digits of a product or a quotient, of which the numbers may have been rounded themselves."""

_OPERATIONS: "dict[str, Callable[[Numbers, Numbers], Numbers]]" = {
    "sum": np.add,
    "difference": np.subtract,
    "product": np.multiply,
    "quotient": np.divide,
    "inverse quotient": lambda one, other: np.divide(other, one),
}


def reckoned(scales: Sequence[Scale]) -> list[Part]:
    """Return sum, difference, product and quotients of every two columns of numbers."""
    return [
        Part(columns=(one.name, other.name), words=words, read_from=partial(_reckon, operation))
        for one, other in combinations(scales, 2)
        for words, operation in _OPERATIONS.items()
    ]


def _reckon(operation: "Callable[[Numbers, Numbers], Numbers]", one: Scale, other: Scale) -> Read:
    assert one.numbers is not None and other.numbers is not None  # noqa: S101, PT018 - only such are reckoned
    with np.errstate(all="ignore"):
        numbers = operation(one.numbers[one.codes], other.numbers[other.codes])
        is_exact = operation in {np.add, np.subtract}
        digits = 2 * _DIGITS if is_exact else _DIGITS
        size = np.power(10.0, np.floor(np.log10(np.abs(numbers))) + 1 - digits)
        rounded = np.where(numbers == 0, 0.0, np.rint(numbers / size) * size)
    is_number = np.isfinite(rounded)
    exact = np.float64 if is_exact else np.float32  # the last bits of what is rounded may differ
    some, codes = np.unique(rounded[is_number].astype(exact), return_inverse=True)
    place = np.zeros(len(numbers), dtype=np.int64)
    place[is_number] = codes + 1
    return Read(place, None, np.append(np.nan, some.astype(np.float64)))
