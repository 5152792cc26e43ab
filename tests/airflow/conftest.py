"""What the tests of the Airflow door share: an Airflow of their own, and a ward with tables and policies."""

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from ward import BAD, GOOD, POLICY, Tried, Ward

HAS_AIRFLOW = find_spec("airflow") is not None

# without the extra these files cannot be imported; CI runs them in a step of its own, with it
collect_ignore_glob = [] if HAS_AIRFLOW else ["test_*.py"]

if HAS_AIRFLOW:
    # Airflow reads these once, when it is first imported, so they stand before any test is collected
    HOME = Path(tempfile.mkdtemp(prefix="qidguard-airflow-"))
    (HOME / "dags").mkdir()
    os.environ["AIRFLOW_HOME"] = str(HOME)
    os.environ["AIRFLOW__CORE__DAGS_FOLDER"] = str(HOME / "dags")
    os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"


def pytest_unconfigure():
    """Remove the Airflow of these tests."""
    if HAS_AIRFLOW:
        shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture
def ward(tmp_path, monkeypatch):
    """Return a ward whose home the environment names; nothing else of qidguard is set."""
    for name in [name for name in os.environ if name.startswith(("QIDGUARD_", "AIRFLOW_CONN_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    made = Ward(folder=tmp_path / "dags", home=tmp_path / "home", published=tmp_path / "published")
    made.folder.mkdir()
    made.write("ward.csv", GOOD)
    made.write("bad.csv", BAD)
    made.write("ward.yaml", POLICY)
    return made


@pytest.fixture
def tried(ward):
    """Return a try of a task whose DAG lies in the ward's folder."""
    return Tried(folder=ward.folder)


@pytest.fixture(scope="session")
def airflow_database():
    """Make the metadata database of the tests' Airflow, once."""
    command = [sys.executable, "-m", "airflow", "db", "migrate"]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    return HOME
