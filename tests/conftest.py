"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of public data sets; without it a test fails in CI and skips elsewhere."""
    beside = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    folder = Path(os.environ.get("QIDGUARD_DATA", beside))
    if folder.is_dir():
        return folder
    reason = f"no public data sets at {folder}; set QIDGUARD_DATA to their folder"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
