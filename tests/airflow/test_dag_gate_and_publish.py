"""``dags/gate_and_publish.py``, run as people run it."""

import re
from pathlib import Path

import pytest
from airflow.sdk import Param

from dag_runs import SECRET, Deployment

DAGS = Path(__file__).resolve().parents[2] / "dags"

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(400)]


@pytest.fixture
def deployment(tmp_path) -> Deployment:
    """Return what ``qidguard init`` writes, with an Airflow around it."""
    return Deployment(tmp_path)


def test_a_good_table_is_published_once_however_often_the_run_is_cleared(deployment):
    """Green, one verified release that the event names; the same run again publishes no second one."""
    ran = deployment.run("gate_and_publish")
    assert (ran.code, ran.tasks) == (
        0,
        {
            "audit": "success",
            "block": "skipped",
            "decide": "success",
            "notify": "success",
            "publish": "success",
        },
    )
    [release_id] = deployment.published
    assert deployment.faults(release_id) == ()
    [said] = deployment.events()
    assert (said["data_set"], said["release_id"]) == ("demo", release_id)
    assert said["address"] == str(deployment.site / "published" / "demo" / release_id)
    assert max(len(left) for left in deployment.passed_on()) < 2000

    again = deployment.run("gate_and_publish")
    assert (again.code, again.tasks) == (ran.code, ran.tasks)
    assert deployment.published == [release_id]
    assert len(deployment.entries("released")) == 1
    assert "was published already" in again.log


def test_a_bad_table_is_blocked_and_everybody_is_told(deployment):
    """Red, nothing published, no event; the verdict is in the ledger, and the notice runs all the same."""
    ran = deployment.run("gate_and_publish", source=str(deployment.raw_table))
    assert (ran.code, ran.tasks) == (
        1,
        {
            "audit": "success",
            "block": "failed",
            "decide": "success",
            "notify": "success",
            "publish": "skipped",
        },
    )
    assert (deployment.published, deployment.events()) == ([], [])
    [checked] = deployment.entries()
    assert (checked.kind, checked.payload["outcome"]) == ("checked", "blocked")
    assert checked.payload["by"]["dag_id"] == "gate_and_publish"
    assert "demo is blocked: k-anonymity is 1 entity, must be at least 11" in ran.log
    assert SECRET in deployment.raw_table.read_text()
    assert SECRET not in ran.log + "".join(deployment.passed_on())


def test_a_wrong_parameter_is_refused_before_anything_runs(deployment):
    """A path that would depend on where a worker runs is no table."""
    ran = deployment.run("gate_and_publish", source="data/demo.csv")
    assert ran.code != 0
    assert "does not match" in ran.log
    assert set(ran.tasks.values()) <= {None}


@pytest.mark.parametrize(
    ("source", "is_taken"),
    [
        ("/srv/ward.csv", True),
        ("/srv/is it?.csv", True),
        ("s3://bucket/ward.csv", True),
        ("https://host:8443/ward.csv", True),
        ("abfs://container@account.example/ward.csv", True),
        ("zip://ward.csv::s3://bucket/ward.zip", True),
        ("ward.csv", False),
        ("s3://key:secret@bucket/ward.csv", False),
        ("s3://key:sec/ret@bucket/ward.csv", False),
        ("https://token@host/ward.csv", False),
        ("zip://ward.csv::s3://key:secret@bucket/ward.zip", False),
        ("https://host/ward.csv?token=secret", False),
        ("https://host/ward.csv#secret", False),
    ],
)
def test_a_secret_is_no_part_of_a_parameter(source, is_taken):
    """Airflow shows the parameters of a run as they were given."""
    code = (DAGS / "gate_and_publish.py").read_text(encoding="utf-8")
    [pattern] = re.findall(r'pattern=r"(.+)",', code)
    param = Param(None, type=["null", "string"], pattern=pattern)
    assert (param.resolve(source, suppress_exception=True) == source) is is_taken


@pytest.mark.slow
def test_a_worker_that_dies_after_publishing_leaves_one_release(deployment):
    """The retry finds what the first try published, and says so in its event."""
    deployment.intervene(
        "publish",
        """
said = execute(context)
if context["ti"].try_number == 1:
    raise OSError("the worker is gone")
return said
""",
    )
    ran = deployment.run("gate_and_publish")
    assert (ran.code, ran.tasks["publish"]) == (0, "success")
    assert "the worker is gone" in ran.log
    [release_id] = deployment.published
    assert [said["release_id"] for said in deployment.events()] == [release_id]
    assert len(deployment.entries("released")) == 1
