"""``dags/human_sign_off.py``, run as people run it; the officer answers by what Airflow's API calls."""

from datetime import date, timedelta

import pytest

from dag_runs import SECRET, Deployment

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(500)]

REASON = "A pilot with ten students, agreed with the board."

# as if the blocked task were cleared, and had found something else, while the officer reads
EXCHANGED = """
    @task
    def exchange():
        import os, sqlite3

        change = "UPDATE xcom SET value = replace(value, 'audit-', 'another-') WHERE task_id = 'release'"
        with sqlite3.connect(f"{os.environ['AIRFLOW_HOME']}/airflow.db", timeout=30) as database:
            database.execute(change)

    ask >> exchange() >> sign >> publish"""


@pytest.fixture
def deployment(tmp_path) -> Deployment:
    """Return a deployment whose policy names an approver."""
    made = Deployment(tmp_path)
    made.allow_exceptions()
    made.settings["QIDGUARD_OFFICERS"] = "roe"
    return made


def test_an_approval_publishes_by_an_exception_that_says_who_and_why(deployment):
    """The officer sees sentences and no value; the exception expires, and one release comes of it."""
    ran = deployment.run(
        "human_sign_off",
        answer=("Approve", {"reason": REASON, "days": 3}),
        source=str(deployment.raw_table),
    )
    assert (ran.code, ran.tasks) == (
        0,
        {
            "ask": "success",
            "decide": "success",
            "publish": "success",
            "refuse": "skipped",
            "release": "success",
            "sign": "success",
        },
    )
    [asked] = deployment.asked()
    assert "- k-anonymity is 1 entity, must be at least 11 (10 short)" in asked
    assert SECRET not in asked + ran.log + "".join(deployment.passed_on())
    [exception] = deployment.entries("exception")
    said = exception.payload
    assert (said["by"], said["key_id"]) == ("A. Roe", deployment.approver.id)
    assert said["reason"].startswith(f"{REASON} (approved by A. Roe in Airflow: human_sign_off, manual__")
    assert date.fromisoformat(said["expires"]) == exception.at.date() + timedelta(days=3)
    [release_id] = deployment.published
    assert deployment.faults(release_id) == ()
    assert [event["release_id"] for event in deployment.events()] == [release_id]
    assert len(deployment.entries("released")) == 1

    again = deployment.run("human_sign_off", source=str(deployment.raw_table))
    assert (again.code, again.tasks["ask"], again.tasks["publish"]) == (0, "skipped", "success")
    assert deployment.published == [release_id]


def test_a_rejection_ends_it_red(deployment):
    """Nothing is published, no exception is made, and Airflow knows who rejected."""
    ran = deployment.run("human_sign_off", answer=("Reject", {}), source=str(deployment.raw_table))
    assert (ran.code, ran.tasks["ask"], ran.tasks["publish"]) == (1, "failed", "upstream_failed")
    assert (deployment.published, deployment.events(), deployment.entries("exception")) == ([], [], [])
    assert deployment.answered_by() == ["A. Roe"]


def test_an_approval_without_a_reason_is_none(deployment):
    """An exception says why, or there is none, and nothing is published."""
    ran = deployment.run("human_sign_off", answer=("Approve", {}), source=str(deployment.raw_table))
    assert (ran.code, ran.tasks["sign"], ran.tasks["publish"]) == (1, "failed", "upstream_failed")
    assert "An exception needs a reason" in ran.log
    assert (deployment.published, deployment.entries("exception")) == ([], [])


def test_nobody_is_asked_where_nobody_may_let_it_through(tmp_path):
    """Without an approver a blocked table fails at once, and one that passes is published at once."""
    deployment = Deployment(tmp_path)
    refused = deployment.run("human_sign_off", source=str(deployment.raw_table))
    assert (refused.code, refused.tasks["ask"], refused.tasks["refuse"]) == (1, "skipped", "failed")
    assert "The policy names nobody who may let it through" in refused.log
    assert (deployment.published, deployment.asked()) == ([], [])
    passed = deployment.run("human_sign_off", moment="2026-06-02T06:00:00+00:00")
    assert (passed.code, passed.tasks["ask"], passed.tasks["publish"]) == (0, "skipped", "success")
    assert len(deployment.published) == 1
    assert [event["release_id"] for event in deployment.events()] == deployment.published


def test_nobody_is_asked_where_no_officer_is_named(deployment):
    """Anybody could answer then, the person who started the run included; the run says what to set."""
    del deployment.settings["QIDGUARD_OFFICERS"]
    ran = deployment.run("human_sign_off", source=str(deployment.raw_table))
    assert (ran.code, ran.tasks["ask"], ran.tasks["refuse"]) == (1, "skipped", "failed")
    assert "set QIDGUARD_OFFICERS to the user ids" in ran.log
    assert (deployment.published, deployment.asked()) == ([], [])


def test_the_missing_connection_is_named(deployment):
    """Before anybody is asked, since an approval that nobody can sign lets nothing through."""
    del deployment.settings["AIRFLOW_CONN_QIDGUARD_APPROVER"]
    ran = deployment.run("human_sign_off", source=str(deployment.raw_table))
    assert (ran.code, ran.tasks["ask"], ran.tasks["refuse"]) == (1, "skipped", "failed")
    assert "There is no connection 'qidguard_approver'" in ran.log
    assert (deployment.published, deployment.asked()) == ([], [])


def test_another_audit_while_the_officer_reads_is_not_signed(deployment):
    """The exception is of the audit that was shown, and not of what the blocked task left afterward."""
    deployment.edit(deployment.dags / "human_sign_off.py", "    ask >> sign >> publish", EXCHANGED)
    ran = deployment.run(
        "human_sign_off", answer=("Approve", {"reason": REASON, "days": 3}), source=str(deployment.raw_table)
    )
    assert (ran.tasks["exchange"], ran.tasks["sign"]) == ("success", "success")
    [exception] = deployment.entries("exception")
    [shown] = deployment.asked()
    assert f"The record: {exception.payload['audit_id']}." in shown
    assert [left for left in deployment.passed_on() if "another-" in left]
