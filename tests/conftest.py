"""Fixtures shared by all tests."""

import gc
import os
import signal
import sys
from pathlib import Path

import fsspec
import pytest
from hypothesis import HealthCheck, settings

from examples import examples

# Workers and commands start a hundred times: kept compiled files spare each of them some seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What a script starts with & ignores Ctrl-C, and hands that on: then nothing here could be interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no fault: nothing here depends on how long an example takes.
settings.register_profile(
    "tests",
    parent=settings(),
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tests")


def pytest_collection_finish() -> None:
    """Keep garbage collection from looking through the tests themselves, which stay to the end."""
    gc.collect()
    gc.freeze()


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


@pytest.fixture
def memory():
    """An empty store in memory: all tests of a process share one, and would find what another released."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    yield system
    system.store.clear()
