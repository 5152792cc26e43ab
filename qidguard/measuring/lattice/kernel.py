"""Kernels: the steps of the walk over arrays, by numpy or compiled; the classes are the same."""

from dataclasses import dataclass
from typing import Protocol

from qidguard.engines.classes import Floats, Ints


@dataclass(frozen=True, slots=True)
class Classes:
    """Rows in classes.

    Args:
        rows: The level's rows.
        weights: How many records each row stands for, None where each stands for one person alone.
        group: The class of each row, 0..groups−1.
        groups: Number of classes.
    """

    rows: Ints
    weights: Floats | None
    group: Ints
    groups: int


@dataclass(frozen=True, slots=True)
class Split:
    """What a step leaves.

    Args:
        shared: The rows that share their class with another, in their old order; classes numbered anew.
        lost: The rows that are a class of their own.
        lost_weights: How many records each of those stands for, None where each stands for one.
    """

    shared: Classes
    lost: Ints
    lost_weights: Floats | None


@dataclass(frozen=True, slots=True)
class Tail:
    """The columns at the end of the walk, whose subsets are summed out of the cells of them all.

    All subsets' cells lie in one row of numbers: first those of all columns, then those of each smaller set.

    Args:
        columns: How many columns there are.
        cells: Number of cells of all columns together, ≥ 1.
        into: Adding cell ``source[i]`` into cell ``into[i]``, one after the other, fills all sets' cells.
        source: See ``into``; as long.
        mask: For each cell the set that it belongs to, bit i being the tail's column i.
    """

    columns: int
    cells: int
    into: Ints
    source: Ints
    mask: Ints


class Kernel(Protocol):
    """The steps that take the time."""

    @property
    def name(self) -> str:
        """What plans call it."""

    @property
    def is_parallel(self) -> bool:
        """Whether several threads are worth their cost."""

    def split(self, classes: Classes, codes: Ints, cardinality: int) -> Split:
        """Split classes by one more column, given by its code in each of the level's rows."""

    def merge(self, classes: Classes, number: Ints, first: Ints, span: int, *, is_counted: bool) -> Split:
        """Let rows of one class that are one row of a later level become one.

        Args:
            classes: The classes.
            number: For each row of the records its row in the later level.
            first: For each row of the level a row of the records that it stands for.
            span: Number of rows of the later level.
            is_counted: Whether rows that come together count as several records.
        """

    def sizes(
        self, classes: Classes, tail: Tail, codes: Ints, masks: Ints, alone: Ints
    ) -> tuple[Ints, Ints, Ints]:
        """Return the persons in each class of some sets: the set's place in ``masks``, the size, how often.

        Args:
            classes: The classes of the columns before the tail.
            tail: The tail.
            codes: The cell of all the tail's columns in each of the level's rows.
            masks: The tail's columns in each wanted set.
            alone: How many classes of size 0, 1, … each of the sets has beside.
        """
