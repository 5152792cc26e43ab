"""Chunks: the classes of many subsets side by side, so that statistics are taken once for all of them."""

from dataclasses import dataclass

from qidguard.measure.lattice.records import Ints


@dataclass(frozen=True, kw_only=True)
class Cells:
    """The cells of the classes of a chunk, by class.

    Args:
        starts: For each class where its cells begin.
        n: Persons in each cell.
        value: The attribute's dense code in each cell.
    """

    starts: Ints
    n: Ints
    value: Ints


@dataclass(frozen=True, kw_only=True)
class Persons:
    """The entities of a chunk's sets, by the size of their smallest class.

    Args:
        starts: For each set where its rows begin.
        size: The size of the smallest class of the entities in the row.
        times: How many entities the row stands for.
    """

    starts: Ints
    size: Ints
    times: Ints


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """Classes of some sets, by set.

    Args:
        sets: The answer's row of each set.
        starts: For each set where its classes begin.
        size: Persons in each class.
        times: How many equal classes each row stands for.
        cells: The cells of the classes, where an attribute is looked at.
        persons: The entities, where a person is one.
    """

    sets: Ints
    starts: Ints
    size: Ints
    times: Ints
    cells: Cells | None = None
    persons: Persons | None = None
