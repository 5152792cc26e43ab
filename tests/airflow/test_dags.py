"""The folder ``dags/``: what every file in it keeps to, and what it costs to parse one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dag_runs import airflow_environment
from qidguard_provider.operators import __all__ as operators

DAGS = Path(__file__).resolve().parents[2] / "dags"
FILES = sorted(DAGS.glob("*.py"))
NAMES = {
    "gate_and_publish",
    "human_sign_off",
    "nightly_reaudit",
    "prepare_table",
    "privacy_audit",
    "publish_on_arrival",
    "publish_series",
    "published_consumer",
}
MOST_SHARE = 1 / 3
"""What parsing a file may cost beyond an empty DAG, of what an empty one costs with Airflow's library."""
HEAVY = {
    *("alembic", "cryptography", "duckdb", "fsspec", "great_expectations", "numpy", "opendp", "pandas"),
    *("pyarrow", "pydantic_core", "ruamel", "sqlalchemy", "qidguard_standard", "qidguard_checks"),
    *(f"qidguard.{room}" for room in ("engines", "host", "ledger", "auditing", "releasing", "evidence")),
}
"""What no file may import when it is parsed, beyond what Airflow has imported for an empty one."""

# as Airflow's DAG processor does: the library is there, and each file is parsed in a process of its own
_PARSE = """
import importlib.util, json, os, sys, time
from pathlib import Path

def parse(path):
    began = time.process_time()
    spec = importlib.util.spec_from_file_location(path.stem, path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    return time.process_time() - began

empty, *files = map(Path, sys.argv[1:])
first = parse(empty)
from airflow.sdk import DAG
entered, enter = [], DAG.__enter__
DAG.__enter__ = lambda dag: entered.append(dag) or enter(dag)
before, base = set(sys.modules), parse(empty)
entered.clear()
for file in files:
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0, file
        continue
    cost = parse(file) - base
    [dag] = entered
    print(json.dumps({
        "cost": cost,
        "first": first,
        "new": sorted(set(sys.modules) - before),
        "id": dag.dag_id,
        "doc": dag.doc_md,
        "catchup": dag.catchup,
        "runs": dag.max_active_runs,
        "start": dag.start_date.isoformat(),
        "retries": max(task.retries for task in dag.tasks),
    }), flush=True)
    os._exit(0)

from airflow.dag_processing.dagbag import DagBag
bag = DagBag(str(files[0].parent))
print(json.dumps([sorted(bag.dags), bag.import_errors]))
"""
_EMPTY = """
from datetime import UTC, datetime, timedelta
from airflow.sdk import DAG, Asset, Param, task
from airflow.sdk.exceptions import AirflowFailException

with DAG("empty", schedule=None):
    pass
"""

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(200)]


def test_these_are_the_examples():
    """No file was added, lost or renamed without this test."""
    assert {path.stem for path in FILES} == NAMES


@pytest.mark.parametrize("operator", operators)
def test_every_operator_has_an_example_that_is_run(operator):
    """Some file uses it, and a test runs that file as people do."""
    examples = [path.stem for path in FILES if operator in path.read_text(encoding="utf-8")]
    tests = "".join(file.read_text(encoding="utf-8") for file in Path(__file__).parent.glob("test_dag_*.py"))
    assert [name for name in examples if f'.run("{name}"' in tests], f"no DAG that is run shows {operator}"


@pytest.fixture(scope="module")
def parsed(tmp_path_factory):
    """Return what parsing each file came to, and at last what Airflow's bag of DAGs holds."""
    folder = tmp_path_factory.mktemp("parse")
    (folder / "empty.py").write_text(_EMPTY, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _PARSE, str(folder / "empty.py"), *map(str, FILES)],
        env=airflow_environment(folder, DAGS),
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith(("{", "["))]


def test_airflow_takes_every_file_as_one_dag(parsed):
    """The bag of Airflow holds a DAG named by each file, without an import error."""
    assert parsed[-1] == [sorted(NAMES), {}]


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_dag_says_what_it_does_and_never_runs_beside_itself(name, parsed):
    """Its words are shown in Airflow; it is dated in UTC, does not catch up, and a failure is retried."""
    [found] = [said for said in parsed[:-1] if said["id"] == name]
    assert found["doc"].count("\n") >= 4
    assert (found["catchup"], found["runs"], found["start"]) == (False, 1, "2026-01-01T00:00:00+00:00")
    assert found["retries"] == 2
    assert len((DAGS / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 100


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_file_imports_nothing_heavy_when_it_is_parsed(name, parsed):
    """Airflow parses each file again and again, in the scheduler and before every task."""
    [found] = [said for said in parsed[:-1] if said["id"] == name]
    assert not [module for module in found["new"] if _is_heavy(module)]


@pytest.mark.clock
@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_file_parses_at_once(name, parsed):
    """Beyond an empty DAG it takes the processor a third of what Airflow's own library takes, or less."""
    [found] = [said for said in parsed[:-1] if said["id"] == name]
    print(f"{name}: {found['cost']:.3f} s beyond an empty DAG")  # noqa: T201 - a figure; -rP shows it
    assert found["cost"] < MOST_SHARE * found["first"]


def _is_heavy(module: str) -> bool:
    return any(module == heavy or module.startswith(f"{heavy}.") for heavy in HEAVY)
