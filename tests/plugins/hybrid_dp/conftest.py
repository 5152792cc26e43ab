"""Adult as the paper's evaluation takes it, and a maker of records."""

import pandas as pd
import pytest

from qidguard.sdk import records_of

ADULT = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "country", "income"),
)


@pytest.fixture(scope="session")
def adult_frame(data):
    """Return adult.data, 32,561 records, ``?`` kept as a value."""
    return pd.read_csv(data / "adult" / "adult.data", names=list(ADULT), skipinitialspace=True)


@pytest.fixture(scope="session")
def adult(adult_frame):
    """Return its records in memory."""
    return records_of(adult_frame)
