"""Tables to learn from: columns as lists."""

import numpy as np
import pytest

from qidguard.sdk import Changes, ColumnValues, MemoryRecords, ValueType


def _column(name, values):
    """Return one column, coded as an engine codes it; whole numbers are a column of numbers."""
    known = sorted({value for value in values if value is not None})
    code = {None: 0} | {value: place for place, value in enumerate(known, 1)}
    is_whole = bool(known) and all(isinstance(value, int) for value in known)
    return ColumnValues(
        name=name,
        value_type=ValueType.INTEGER if is_whole else ValueType.TEXT,
        codes=np.array([code[value] for value in values], dtype=np.int32),
        texts=(None, *map(str, known)),
        numbers=np.array([np.nan, *known], dtype=np.float64) if is_whole else None,
    )


@pytest.fixture(scope="session")
def changes():
    """Return a maker of an original beside what is published of it."""

    def make(before, after=None, *, kept=True, seed=1):
        tables = [
            MemoryRecords.of_columns(_column(name, values) for name, values in one.items())
            for one in (before, before if after is None else after)
        ]
        if kept is True:
            kept = np.ones(tables[0].records, dtype=np.bool_)
        elif kept is not None:
            kept = np.array(kept)
        return Changes(before=tables[0], after=tables[1], kept=kept, suppression_mark="*", seed=seed)

    return make


@pytest.fixture(scope="session")
def people():
    """Return 300 people whose income follows their age, with a column of noise."""
    rng = np.random.default_rng(2)
    age = rng.integers(18, 80, 300)
    return {
        "age": age.tolist(),
        "place": [f"p{v}" for v in rng.integers(0, 4, 300).tolist()],
        "income": np.where(age + rng.normal(0, 6, 300) > 50, "high", "low").tolist(),
    }
