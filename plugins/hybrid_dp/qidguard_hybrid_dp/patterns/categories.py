"""Four categories of values by how frequent they are: super major, major, minor, super minor (Example 1)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Category(StrEnum):
    """How frequent a value is."""

    SUPER_MAJOR = "super major"
    MAJOR = "major"
    MINOR = "minor"
    SUPER_MINOR = "super minor"


CATEGORIES = tuple(Category)
"""From the most frequent to the rarest; a value's rank is its place here."""


@dataclass(frozen=True, kw_only=True)
class CategoryLimits:
    """Below which share of the records a value is minor, and super minor; the paper names no limits.

    Args:
        minor: Share of the records, 0..1.
        super_minor: Share of the records, 0..``minor``.
    """

    minor: float = 0.05
    super_minor: float = 0.01


def ranks_of(counts: "NDArray[np.int64]", limits: CategoryLimits) -> "NDArray[np.int8]":
    """Return the place of each value's category in ``CATEGORIES``; shape (values,).

    The most frequent value is super major, the first one of equally frequent ones. A value that does not
    occur is super minor. NULL is a value like any other.

    Args:
        counts: Shape (values,), records of each value.
        limits: The shares.

    Example:
        >>> ranks_of(np.array([27816, 3124, 1039, 311, 271]), CategoryLimits()).tolist()
        [0, 1, 2, 3, 3]
    """
    records = max(1, int(counts.sum()))
    ranks = np.full(len(counts), CATEGORIES.index(Category.MAJOR), dtype=np.int8)
    ranks[counts < limits.minor * records] = CATEGORIES.index(Category.MINOR)
    ranks[counts < limits.super_minor * records] = CATEGORIES.index(Category.SUPER_MINOR)
    if len(counts):
        ranks[int(np.argmax(counts))] = CATEGORIES.index(Category.SUPER_MAJOR)
    return ranks
