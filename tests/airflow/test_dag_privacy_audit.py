"""``dags/privacy_audit.py``, run as people run it."""

import pytest

from dag_runs import SECRET, Deployment

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(400)]


def test_every_policy_of_the_folder_is_judged_and_named(tmp_path):
    """One blocked table and one broken policy turn the run red, and the others are judged all the same."""
    deployment = Deployment(tmp_path)
    deployment.write_policy("raw", deployment.raw_table)
    broken = deployment.policy.with_name("broken.yml")
    broken.write_text("qidguard: 1\nname: broken\nthreshold: []\n", encoding="utf-8")
    deployment.policy.with_name("README.txt").write_text("no policy", encoding="utf-8")
    ran = deployment.run("privacy_audit")
    assert (ran.code, ran.tasks) == (
        1,
        {
            "list_policies": "success",
            "audit broken": "failed",
            "audit demo": "success",
            "audit raw": "failed",
        },
    )
    judged = {entry.data_set: entry.payload["outcome"] for entry in deployment.entries("checked")}
    assert judged == {"demo": "passed", "raw": "blocked"}
    assert "broken.yml line 3" in ran.log
    assert deployment.published == []
    assert SECRET not in ran.log + "".join(deployment.passed_on())

    broken.unlink()
    deployment.policy.with_name("raw.yaml").unlink()
    again = deployment.run("privacy_audit")
    assert (again.code, again.tasks) == (0, {"list_policies": "success", "audit demo": "success"})


def test_a_folder_without_policies_fails(tmp_path):
    """Nothing to judge by is no pass; the folder may be another one than that beside the DAGs."""
    deployment = Deployment(tmp_path)
    (tmp_path / "empty").mkdir()
    deployment.settings["QIDGUARD_POLICIES"] = str(tmp_path / "empty")
    ran = deployment.run("privacy_audit")
    assert (ran.code, ran.tasks["list_policies"]) == (1, "failed")
    assert f"The folder of policies '{tmp_path / 'empty'}' holds no .yaml file" in ran.log
