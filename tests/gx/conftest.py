"""What the tests of the Great Expectations door share: a context, and databases that stand beside it."""

import os
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from gx_project import new_context
from postgres import postgres_server

__all__ = ["postgres_server"]

HAS_GX = find_spec("great_expectations") is not None
HERE = Path(__file__).parent

# without the extra these files cannot be imported; CI runs them in a step of its own, with it
collect_ignore_glob = [] if HAS_GX else ["test_*.py"]

THIRD_PARTY = ("great_expectations", "pyspark")
"""Libraries whose own warnings are no matter of this project."""

if HAS_GX:
    # read when a context is made: nothing of a test leaves the machine
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    with warnings.catch_warnings():
        # the first import warns of other libraries' ways
        warnings.simplefilter("ignore")
        import great_expectations


def pytest_collection_modifyitems(items):
    """Let warnings of Great Expectations and what it stands on pass, in the tests of this folder."""
    for item in items:
        if item.path.is_relative_to(HERE):
            for module in THIRD_PARTY:
                item.add_marker(pytest.mark.filterwarnings(f"ignore:::{module}"))


@pytest.fixture
def context(tmp_path, monkeypatch):
    """Return a data context in memory, without progress bars, beside a home of its own.

    When the test ends its connections to databases are closed; that library leaves them open.
    """
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    made = great_expectations.get_context(mode="ephemeral")
    made.variables.progress_bars = {"globally": False}
    yield made
    for source in made.data_sources.all().values():
        if hasattr(source, "get_engine"):
            source.get_engine().dispose()
        if hasattr(source.execution_engine, "close"):
            source.execution_engine.close()


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """Return the home folder, in which the ledger is."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("QIDGUARD_LEDGER", raising=False)
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path, home) -> Path:
    """Return the folder of a file project beside the home."""
    assert home.parent == tmp_path
    new_context(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def postgres_url(postgres_server):
    """Return the URL of an empty PostgreSQL database, for SQLAlchemy.

    Great Expectations wants a host in it; the socket that stands behind is the one that counts.
    """
    url = postgres_server.create_database()
    yield url.replace("postgresql://", "postgresql+psycopg://").replace("@/", "@localhost/")
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def spark():
    """Return a Spark of one thread on this machine alone."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    yield session
    session.stop()
