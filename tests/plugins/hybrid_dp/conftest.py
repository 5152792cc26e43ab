"""Adult as the paper's evaluation takes it, and a maker of records."""

import pytest

from private_tables import read_adult
from qidguard.sdk import records_of


@pytest.fixture(scope="session")
def adult_frame(data):
    """Return adult.data, 32,561 records, ``?`` kept as a value."""
    return read_adult(data / "adult" / "adult.data").rename(columns={"native-country": "country"})


@pytest.fixture(scope="session")
def adult(adult_frame):
    """Return its records in memory."""
    return records_of(adult_frame)
