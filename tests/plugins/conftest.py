"""The public data sets that metrics are measured on, and the end of what was opened for several tests."""

import pandas as pd
import pytest

from measured_people import OPENED, close_frames


@pytest.fixture(scope="session", autouse=True)
def _closed():
    """Close what was opened for all tests."""
    yield
    OPENED.close()


@pytest.fixture(scope="module", autouse=True)
def _closed_frames():
    """Close what was opened for the tests of a module."""
    yield
    close_frames()


ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex"
    " capital-gain capital-loss hours-per-week native-country income"
)
"""The columns of Adult, whose files have no header."""


@pytest.fixture(scope="session")
def adult(data):
    """Return Adult's train and test records together; ``?`` is a value."""
    options = {"names": ADULT.split(), "skipinitialspace": True, "dtype": "string", "comment": "|"}
    parts = [pd.read_csv(data / "adult" / name, **options) for name in ("adult.data", "adult.test")]
    table = pd.concat(parts, ignore_index=True)
    table["income"] = table["income"].str.rstrip(".")
    return table
