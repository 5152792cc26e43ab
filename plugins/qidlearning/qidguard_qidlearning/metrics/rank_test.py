"""The test of conditional independence that the PC algorithm asks: Fisher's z on rank correlations."""

import math
from collections.abc import Sequence

import numpy as np

from qidguard import TableView
from qidguard_qidlearning.metrics.rank_correlation import RankCorrelation

FEWEST_RECORDS = 4
"""Records that the test needs, and one more for each column that is held fixed."""

_LARGEST = 1 - 1e-12
"""Largest partial correlation in absolute value, for that of 1 has no finite z."""


class RankTest:
    """Fisher's z test (Fisher 1924) that two columns are independent given others.

    z = artanh(r)·√(n − |S| − 3), r the partial correlation given the columns S, is held against the normal
    distribution. It stops when the caller asked to.

    Args:
        view: The table, which knows whether the caller asked to stop.
        correlation: The rank correlations.
    """

    method = "fisherz"
    """What the library calls a test of this kind."""

    def __init__(self, *, view: TableView, correlation: RankCorrelation) -> None:
        self._view = view
        self._correlation = correlation
        self._known: dict[tuple[int, ...], float] = {}

    def __call__(self, x: int, y: int, given: Sequence[int]) -> float:
        """Return the p-value of independence of x and y given columns.

        Args:
            x: Place of a column in the correlations.
            y: Place of another one.
            given: Places of further columns.

        Returns:
            The two-sided p-value.

        Units:
            A probability, 0..1.

        Raises:
            KeyboardInterrupt: When the caller asked to stop.

        Example:
            >>> from types import SimpleNamespace
            >>> apart = RankCorrelation(matrix=np.eye(2), records=10, column={"a": 0, "b": 1})
            >>> RankTest(view=SimpleNamespace(is_interrupted=False), correlation=apart)(0, 1, ())
            1.0
        """
        if self._view.is_interrupted:
            raise KeyboardInterrupt
        key = (min(x, y), max(x, y), *sorted(given))
        if key not in self._known:
            inverse = np.linalg.inv(self._correlation.matrix[np.ix_(key, key)])
            partial = -inverse[0, 1] / math.sqrt(inverse[0, 0] * inverse[1, 1])
            bounded = max(-_LARGEST, min(_LARGEST, partial))
            z = math.atanh(bounded) * math.sqrt(self._correlation.records - len(given) - FEWEST_RECORDS + 1)
            self._known[key] = math.erfc(abs(z) / math.sqrt(2))
        return self._known[key]
