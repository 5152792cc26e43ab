"""``dags/publish_series.py``, run as people run it, under ``dags/policies/series.yaml``."""

from pathlib import Path

import pandas as pd
import pytest

from dag_runs import Deployment
from qidguard import release

POLICY = Path(__file__).resolve().parents[2] / "dags" / "policies" / "series.yaml"

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(400)]


def test_a_second_month_is_published_and_a_lost_state_blocks(tmp_path):
    """Who left stays and who came waits, as the log says; without the state the third month fails."""
    deployment = Deployment(tmp_path)
    deployment.policy.write_text(POLICY.read_text(encoding="utf-8"), encoding="utf-8")
    whole = pd.read_csv(deployment.raw_table, dtype=str)
    last = len(whole) - 100
    whole.iloc[: last - 50].to_csv(deployment.raw_table, index=False)
    to = str(deployment.site / "published")
    assert release(None, policy=deployment.policy, to=to, home=str(deployment.home)).is_published
    whole.iloc[20:last].to_csv(deployment.raw_table, index=False)
    ran = deployment.run("publish_series", moment="2026-02-01T06:00:00+00:00")
    assert (ran.code, ran.tasks) == (0, {"notify": "success", "publish": "success"}), ran.log[-3000:]
    assert "persons are stale" in ran.log
    assert len(deployment.published) == 2
    assert [deployment.faults(release_id) for release_id in deployment.published] == [(), ()]
    assert max(len(left) for left in deployment.passed_on()) < 2000

    for state in (deployment.site / "private" / "series").glob("*/*.state"):
        state.unlink()
    blocked = deployment.run("publish_series", moment="2026-03-01T06:00:00+00:00")
    assert (blocked.code, blocked.tasks) == (1, {"notify": "success", "publish": "failed"})
    assert "is missing, so nobody knows the last values of who left" in blocked.log
    assert len(deployment.published) == 2
