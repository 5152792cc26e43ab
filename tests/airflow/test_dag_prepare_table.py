"""``dags/prepare_table.py``, run as people run it."""

import pytest

from dag_runs import SECRET, Deployment

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(400)]

REMEDY = "remedy: {anonymizer: small_class_suppression, parameters: {k: 11}}\n"


def test_what_passes_is_one_private_file_and_nothing_is_published(tmp_path):
    """A relative folder is refused; what stays blocked leaves no file, and the failure says each reason."""
    deployment = Deployment(tmp_path)
    text = deployment.policy.read_text(encoding="utf-8")
    deployment.policy.write_text(text + REMEDY, encoding="utf-8")
    refused = deployment.run("prepare_table")
    assert (refused.code, refused.tasks) == (1, {"anonymize": "failed"})
    assert "to must be an absolute path or a URL" in refused.log

    deployment.settings["QIDGUARD_INTERMEDIATE"] = str(tmp_path / "intermediate")
    made = tmp_path / "intermediate" / "demo.csv"
    blocked = deployment.run("prepare_table", source=str(deployment.raw_table))
    assert (blocked.code, blocked.tasks, made.exists()) == (1, {"anonymize": "failed"}, False)
    assert "demo is blocked for 4 reasons:" in blocked.log
    ran = deployment.run("prepare_table", moment="2026-06-02T06:00:00+00:00")
    assert (ran.code, ran.tasks, made.is_file()) == (0, {"anonymize": "success"}, True)
    assert made.stat().st_mode & 0o77 == 0
    assert deployment.published == []
    assert SECRET not in blocked.log + ran.log + "".join(deployment.passed_on())
