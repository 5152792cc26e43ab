"""Fixtures shared by all tests."""

import gc
import os
import signal
import sys
from pathlib import Path

import fsspec
import pytest
from hypothesis import HealthCheck, settings

from examples import IS_THOROUGH, examples
from seeds import SEED

# Workers and commands start a hundred times: kept compiled files spare each of them some seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What a script starts with & ignores Ctrl-C, and hands that on: then nothing here could be interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# For every save the same examples are drawn each time; the whole check draws others, and a seed repeats them.
# A busy machine is no fault: nothing here depends on how long an example takes.
settings.register_profile(
    "tests",
    parent=settings(),
    max_examples=examples(100),
    derandomize=not IS_THOROUGH,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tests")


def pytest_report_header() -> str:
    """Say which seed repeats what is drawn."""
    return f"drawn by QIDGUARD_SEED={SEED}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a server, and what is slow of the cases of which ``samples(n)`` runs for every save."""
    cases: dict[object, list[pytest.Item]] = {}
    for item in items:
        if "postgres_server" in getattr(item, "fixturenames", ()):
            item.add_marker("postgresql")
        if item.get_closest_marker("samples"):
            cases.setdefault(getattr(item, "function", item), []).append(item)
    for found in cases.values():
        [count] = found[0].get_closest_marker("samples").args
        kept = {len(found) * n // count for n in range(count)}
        for at, item in enumerate(found):
            if at not in kept:
                item.add_marker("slow")


def pytest_collection_finish() -> None:
    """Keep garbage collection from looking through the tests themselves, which stay to the end."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Hand them back: what stays frozen keeps DuckDB's binding from its end, which it then complains of."""
    gc.unfreeze()


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
