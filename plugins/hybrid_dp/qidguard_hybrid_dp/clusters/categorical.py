"""The columns that clusters are made of: categories by their hierarchy; numbers for the baseline alone."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Hierarchy

if TYPE_CHECKING:
    from numpy.typing import NDArray

WHOLE_LOSS = 1 << 20
"""The loss of a value that is suppressed; losses are whole numbers, so that every way of adding agrees."""


@dataclass(frozen=True, kw_only=True)
class Categorical:
    """A categorical quasi-identifier of the records that are clustered.

    Args:
        name: The column's name.
        codes: Shape (n,), the code of each record's value; NULL is 0, a value of its own.
        hierarchy: Its levels by code.
    """

    name: str
    codes: "NDArray[np.int32]" = field(repr=False)
    hierarchy: Hierarchy = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Numeric:
    """A numeric quasi-identifier, as plain k-member clusters it; the hybrid scheme never does.

    Args:
        name: The column's name.
        codes: Shape (n,), the code of each record's number; NULL is 0.
        numbers: Shape (codes,), the number of each code, NaN where it is none.
    """

    name: str
    codes: "NDArray[np.int32]" = field(repr=False)
    numbers: "NDArray[np.float64]" = field(repr=False)


def group_losses(column: Categorical) -> "NDArray[np.int64]":
    """Return what each code loses at each level, of ``WHOLE_LOSS``: (values of its group − 1) / (values − 1).

    NULL counts as a value where a record has it. At the top all is lost, at level 0 nothing; what another
    level labels as the top is lost there, too.

    Shape (levels, codes).
    """
    groups = column.hierarchy.groups
    counts = np.ones(groups.shape[1], dtype=np.int64)
    counts[0] = int((column.codes == 0).any())
    whole = max(int(counts.sum()) - 1, 1)
    top = column.hierarchy.labels[-1][0]
    losses = np.zeros(groups.shape, dtype=np.int64)
    for level in range(1, len(groups)):
        of_group = np.bincount(groups[level], weights=counts).astype(np.int64)
        losses[level] = np.maximum(of_group[groups[level]] - 1, 0) * WHOLE_LOSS // whole
        is_top = np.array([name == top for name in column.hierarchy.labels[level]])
        losses[level][is_top[groups[level]] & (of_group[groups[level]] > 1)] = WHOLE_LOSS
    losses[-1] = WHOLE_LOSS
    return losses
