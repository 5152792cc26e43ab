"""Tasks of the gate in a real run of Airflow (``dag.test()`` on a database of its own)."""

import json
import os
import subprocess
import sys

import pytest

from ward import BAD, GOOD, POLICY, SECRET, SENTENCES

pytestmark = pytest.mark.airflow

DAG_FILE = """
import json, sys

from airflow.sdk import Asset, BaseNotifier, dag, task
from qidguard_provider.notifications.qidguard import QidguardNotifier
from qidguard_provider.operators import (
    QidguardAuditOperator, QidguardExceptionOperator, QidguardReleaseOperator, QidguardVerifyOperator,
)

class Mail(BaseNotifier):
    template_fields = ("body",)
    def __init__(self, body):
        super().__init__()
        self.body = body
    def notify(self, context):
        print("MAIL", self.body.replace("\\n", " | "))

told = QidguardNotifier(through=Mail("{{ qidguard.subject }}: {{ qidguard.message }} ({{ run_id }})"))

@dag(schedule=None, on_failure_callback=told, on_success_callback=told)
def gate():
    publish = QidguardReleaseOperator(
        task_id="publish", policy="ward.yaml", source="ward.csv", to="PUBLISHED",
        outlets=[Asset(name="ward", uri="file:///srv/ward")], on_success_callback=told,
    )
    verify = QidguardVerifyOperator(
        task_id="verify", address=publish.output,
        is_unsigned_allowed=True,
    )
    every = QidguardAuditOperator.partial(
        task_id="every", map_index_template="{{ task.judged.data_set }}, {{ task.source }}",
        on_failure_callback=told,
    ).expand_kwargs([{"policy": "ward.yaml", "source": name} for name in ("ward.csv", "bad.csv")])

    @task.qidguard_audit(policy="ward.yaml")
    def named() -> str:
        return "ward.csv"

    verify >> named() >> every

gate = gate()

if __name__ == "__main__":
    run = gate.test()
    from airflow.models.asset import AssetEvent
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session
    with create_session() as session:
        instances = run.get_task_instances(session=session)
        said = {
            "run": run.state,
            "run_id": run.run_id,
            "states": {f"{t.task_id}/{t.map_index}": t.state for t in instances},
            "names": sorted(t.rendered_map_index for t in instances if t.rendered_map_index),
            "left": {
                f"{x.task_id}/{x.map_index}/{x.key}": XComModel.deserialize_value(x)
                for x in session.query(XComModel).filter_by(run_id=run.run_id)
            },
            "events": [(e.source_task_id, e.extra) for e in session.query(AssetEvent)],
        }
    print("SAID", json.dumps(said, default=str))
"""


@pytest.fixture(scope="module")
def run(airflow_database, tmp_path_factory):
    """Return what a run left, and what it printed."""
    folder = airflow_database / "dags"
    place = tmp_path_factory.mktemp("run")
    for name, text in {"ward.yaml": POLICY, "ward.csv": GOOD, "bad.csv": BAD}.items():
        (folder / name).write_text(text)
    file = folder / "gate_in_a_run.py"
    file.write_text(DAG_FILE.replace("PUBLISHED", str(place / "published")))
    try:
        done = subprocess.run(
            [sys.executable, str(file)],
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            cwd=place,
            env={**os.environ, "QIDGUARD_HOME": str(place / "home")},
        )
    finally:
        file.unlink()
    output = done.stdout + done.stderr
    lines = output.splitlines()
    said = [line.removeprefix("SAID ") for line in lines if line.startswith("SAID ")]
    assert said, output[-5000:]
    mail = [line.removeprefix("MAIL ") for line in lines if line.startswith("MAIL ")]
    return {**json.loads(said[0]), "output": output, "mail": mail}


def test_good_tables_pass_and_a_bad_one_fails(run):
    """The mapped task over the bad table fails, and so does the run."""
    assert run["states"] == {
        "publish/-1": "success",
        "verify/-1": "success",
        "every/0": "success",
        "every/1": "failed",
        "named/-1": "success",
    }
    assert run["run"] == "failed"


def test_mapped_tasks_have_names(run):
    """Each says its data set and its table; the task that blocked, too."""
    assert run["names"] == ["ward, bad.csv", "ward, ward.csv"]


def test_parts_of_an_outcome_reach_other_tasks(run):
    """The verification took the address and the name from the release's outputs."""
    left = run["left"]
    assert left["verify/-1/return_value"]["address"] == left["publish/-1/return_value"]["address"]
    assert left["verify/-1/return_value"]["release_id"] == left["publish/-1/return_value"]["release_id"]


def test_a_blocked_task_leaves_its_outcome_and_its_link(run):
    """What it found and where its report is can be seen although it failed."""
    left = run["left"]
    assert left["every/1/return_value"]["outcome"] == "blocked"
    audit_id = left["every/1/return_value"]["audit_id"]
    assert left["every/1/_link_QidguardReportLink"] == f"/qidguard/audits/{audit_id}"
    assert left["every/0/_link_QidguardReportLink"] != left["every/1/_link_QidguardReportLink"]


def test_a_blocked_task_says_why_above_the_traceback(run):
    """The first thing that is said of it is the reason; Airflow's own words follow."""
    why, below = (run["output"].index(said) for said in (SENTENCES[0], "Task failed with exception"))
    assert why < below


def test_the_event_of_the_outlet_says_what_was_published(run):
    """One event, with the release's name and address."""
    ((task_id, extra),) = run["events"]
    made = run["left"]["publish/-1/return_value"]
    assert task_id == "publish"
    assert {part: extra[part] for part in ("data_set", "release_id", "audit_id", "address")} == {
        part: made[part] for part in ("data_set", "release_id", "audit_id", "address")
    }


def test_notifiers_of_tasks_and_of_the_dag_are_heard(run):
    """Also the DAG's own one, which ``airflow dags test`` calls with a DAG that renders no templates."""
    passed, blocked, ended = run["mail"]
    assert passed.startswith("ward passed: ward passed. | DAG gate, task publish, run ")
    assert blocked.startswith("ward blocked: ward is blocked: k-anonymity is 1 record")
    assert ended.startswith("gate task_failure: A run ended: task_failure. | DAG gate, run ")
    assert ended.endswith(f"({run['run_id']})")


def test_nothing_of_the_run_carries_a_value(run):
    """Neither logs nor what is kept between tasks, nor a message."""
    assert SECRET not in run["output"]
