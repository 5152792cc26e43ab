"""Answers: the figures of some subsets, and why one is not there."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(kw_only=True)
class Answers:
    """Figures of some subsets of columns, filled by whoever measures them.

    Args:
        values: Shape (subsets, figures); NaN where no number exists.
        reasons: (row, figure) → why there is no number.
    """

    values: NDArray[np.float64]
    reasons: dict[tuple[int, int], str] = field(default_factory=dict)

    @classmethod
    def blank(cls, subsets: int, figures: int) -> "Answers":
        """Return answers without a number."""
        return cls(values=np.full((subsets, figures), np.nan))
