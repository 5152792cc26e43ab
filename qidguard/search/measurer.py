"""What a search asks figures of: anything that measures the same figures on many sets of columns."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qidguard.measure.figure import Figure


class Measurer(Protocol):
    """Measures figures on sets of columns, as ``qidguard.measure.subset_measurer.SubsetMeasurer`` does."""

    @property
    def figures(self) -> Sequence[Figure]:
        """What is asked of each set."""

    def measure(self, sets: Sequence[frozenset[str]]) -> NDArray[np.float64]:
        """Return the figures; shape (sets, figures), NaN where no number exists."""

    def reason(self, qids: frozenset[str], figure: int) -> str:
        """Return why a figure of a set does not exist; empty where it does."""
