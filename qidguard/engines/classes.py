"""Classes in arrays, as a walk over subsets finds them or as somebody made them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Unsupported(Exception):  # noqa: N818 - no failure: the statistic goes by the table's own SQL
    """Raised for a statistic that cannot be taken of classes in arrays; the table is asked then."""


@dataclass(frozen=True, kw_only=True)
class ChunkCells:
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
class ChunkPersons:
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
    """Classes of some sets, by set: statistics are taken once for all of them.

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
    cells: ChunkCells | None = None
    persons: ChunkPersons | None = None


@dataclass(frozen=True, kw_only=True)
class AttributeValues:
    """The attribute's values in the whole table, by dense code.

    Args:
        code: The table's own code of each value.
        persons: How many persons have it.
        number: The value as a number, NaN where there is none; None where nobody asks for numbers.
    """

    code: Ints
    persons: Ints
    number: Floats | None
