"""What is read in published columns: a value as it is, a part of it, or two numbers reckoned together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qidguard.undoing.persons import dense
from qidguard.undoing.scale import Scale

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Read(NamedTuple):
    """Shape (records,), a code of what is read, 0 for nothing; and the text or the number of each code."""

    codes: "NDArray[np.int64]"
    texts: "Sequence[str | None] | None" = None
    numbers: "NDArray[np.float64] | None" = None


@dataclass(frozen=True, kw_only=True)
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
    numbers: "NDArray[np.float64] | None" = field(repr=False)

    @cached_property
    def size(self) -> int:
        """One more than the largest code."""
        return int(self.codes.max(initial=0)) + 1

    @cached_property
    def is_repeating(self) -> bool:
        """Whether it has at most one value for two records, and more than one."""
        distinct = dense(self.codes)[1]
        return 1 < distinct <= len(self.codes) / 2

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
        if self.numbers is not None:
            order = np.argsort(np.argsort(self.numbers, kind="stable"), kind="stable")
            return order[self.codes]
        return self.codes


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

    def read(self, scales: "Callable[[str], Scale]") -> RecordReading:
        """Return what is read in the columns that ``scales`` gives."""
        read = self.read_from(*map(scales, self.columns))
        return RecordReading(part=self, codes=read.codes, texts=read.texts, numbers=read.numbers)


def whole(name: str) -> Part:
    """Return a column as it is."""
    return Part(columns=(name,), read_from=lambda scale: Read(scale.codes, scale.column.texts, scale.numbers))
