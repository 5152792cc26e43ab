"""A small column of ages with what is published of it, for the examples of this folder."""

import numpy as np

from qidguard.anonymizing.coverage.coverage import Coverage
from qidguard.anonymizing.coverage.reading import read_coverage
from qidguard.core.column import ColumnValues, ValueType


def ages() -> Coverage:
    """Return the coverage of ages 17, 18, 19 and 30, published as ``[17, 19]`` and 18."""
    before = ColumnValues(
        name="age",
        value_type=ValueType.INTEGER,
        codes=np.array([1, 2, 3, 4], dtype=np.int32),
        texts=(None, "17", "18", "19", "30"),
        numbers=np.array([np.nan, 17, 18, 19, 30]),
    )
    after = ColumnValues(
        name="age",
        value_type=ValueType.TEXT,
        codes=np.array([1, 2, 1, 1], dtype=np.int32),
        texts=(None, "[17, 19]", "18"),
    )
    return read_coverage(before, after)
