"""What it costs to read a DAG file with the gate's tasks in it."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.airflow

MOST_SHARE = 1 / 3

PROBE = """
import json, sys, time
from airflow.sdk import dag
first = time.process_time()

@dag(schedule=None)
def empty():
    pass

empty()
before, began = set(sys.modules), time.process_time()
from qidguard_provider.notifications.qidguard import QidguardNotifier
from qidguard_provider.operators import QidguardAuditOperator, QidguardReleaseOperator

@dag(schedule=None)
def gate():
    audit = QidguardAuditOperator(task_id="audit", policy="p.yaml")
    told = QidguardNotifier()
    audit >> QidguardReleaseOperator(task_id="publish", policy="p.yaml", on_failure_callback=told)

gate()
seconds = time.process_time() - began
print(json.dumps({"seconds": seconds, "first": first, "modules": sorted(set(sys.modules) - before)}))
"""

HEAVY = (
    "duckdb",
    "pandas",
    "numpy",
    "sqlalchemy",
    "alembic",
    "pydantic",
    "cryptography",
    "opendp",
    "ruamel",
    "rich",
)


@pytest.fixture(scope="module")
def probed():
    """Return what a process that reads an empty DAG, and then one with the gate, says of the difference."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE], check=True, capture_output=True, text=True, timeout=250
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.clock
def test_it_takes_a_third_of_what_airflow_takes(probed):
    """A DAG file is read again and again, and once for every task."""
    assert probed["seconds"] < MOST_SHARE * probed["first"]


def test_nothing_heavy_is_imported(probed):
    """Beyond what an empty DAG imports there is no database, no frame, no policy and no key."""
    assert [m for m in probed["modules"] if m.split(".")[0] in HEAVY] == []
    assert [m for m in probed["modules"] if m.startswith("qidguard.policy")] == []


def test_nothing_but_the_sdk_is_imported_of_airflow(probed):
    """The gate's tasks need no part of Airflow beyond what a task may use."""
    assert [m for m in probed["modules"] if m.startswith("airflow") and not m.startswith("airflow.sdk")] == []
