"""``dags/nightly_reaudit.py``, run as people run it."""

import pytest

from dag_runs import Deployment
from qidguard import release

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(400)]


def publish(deployment, data_set, release_id):
    """Publish the good table under a name."""
    policy = deployment.policy if data_set == "demo" else deployment.write_policy(data_set, deployment.table)
    made = release(str(deployment.table), policy=policy, home=str(deployment.home), release_id=release_id)
    assert made.is_published


def test_each_release_is_judged_by_todays_policy(tmp_path):
    """All pass at first; then one policy has run out, one release was changed, one has no policy any more."""
    deployment = Deployment(tmp_path)
    for data_set, release_id in (("demo", "r1"), ("demo", "r2"), ("old", "r1"), ("lost", "r1")):
        publish(deployment, data_set, release_id)
    ran = deployment.run("nightly_reaudit")
    assert (ran.code, ran.tasks) == (
        0,
        {
            "list_published": "success",
            "reaudit demo r1": "success",
            "reaudit demo r2": "success",
            "reaudit lost r1": "success",
            "reaudit old r1": "success",
        },
    )
    kept = {entry.payload["release_id"] for entry in deployment.entries("checked")}
    assert kept == {"r1", "r2"}

    deployment.edit(deployment.policy.with_name("old.yaml"), "roles:", "review_by: 2026-01-31\nroles:")
    deployment.policy.with_name("lost.yaml").unlink()
    file = deployment.site / "published" / "demo" / "r2" / "demo.csv"
    file.write_bytes(file.read_bytes().replace(b"public", b"Public", 1))
    again = deployment.run("nightly_reaudit")
    assert (again.code, again.tasks) == (
        1,
        {
            "list_published": "success",
            "reaudit demo r1": "success",
            "reaudit demo r2": "failed",
            "reaudit lost r1": "failed",
            "reaudit old r1": "failed",
        },
    )
    assert "lost.yaml: there is no such policy file" in again.log


def test_no_ledger_is_no_pass_and_an_empty_one_is(tmp_path):
    """A worker that looks for the ledger in the wrong place turns the run red, not green."""
    deployment = Deployment(tmp_path)
    red = deployment.run("nightly_reaudit")
    assert (red.code, red.tasks["list_published"]) == (1, "failed")
    assert "there is no ledger at" in red.log
    deployment.run("privacy_audit")  # makes the ledger
    green = deployment.run("nightly_reaudit")
    assert (green.code, green.tasks["list_published"]) == (0, "success")
