"""Coded columns: the values a column may hold, and which of them each record has."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MISSING = -1
"""The code of a record that has no value."""


@dataclass(frozen=True, kw_only=True)
class Coded:
    """A column as codes.

    Args:
        values: The values, whole numbers or texts.
        codes: One position in ``values`` for each record; −1 where the value is missing.
    """

    values: tuple[int, ...] | tuple[str, ...]
    codes: NDArray[np.int64]

    def column(self) -> "pd.Series[Any]":
        """Return the column as pandas holds it: nullable whole numbers, or text with missing values."""
        kind = "Int64" if isinstance(self.values[0], int) else "str"
        values = pd.array(list(self.values), dtype=kind)
        return pd.Series(values.take(self.codes, allow_fill=True))

    def at(self, records: NDArray[np.int64]) -> "Coded":
        """Return the column of some records."""
        return Coded(values=self.values, codes=self.codes[records])


def weighted(rng: np.random.Generator, weights: NDArray[np.floating], records: int) -> NDArray[np.int64]:
    """Return one code a record, drawn by weights that need not add up to 1."""
    return rng.choice(len(weights), size=records, p=weights / weights.sum()).astype(np.int64)


def conditional(
    rng: np.random.Generator, weights: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return one code a record, drawn by the row of weights that the record names."""
    cumulated = np.cumsum(weights, axis=1)
    cumulated /= cumulated[:, -1:]
    drawn = rng.random(len(rows))
    codes: NDArray[np.int64] = (drawn[:, None] >= cumulated[rows, :-1]).sum(axis=1, dtype=np.int64)
    return codes
