"""Publishes a series month by month: persons come and leave, and no difference of two months isolates one.

publish → notify. The policy has `series`, by which the gate learns who left, came and waits, and a `remedy`
that keeps groups of persons together; `policies/series.yaml` is one. What was published fresh, stale and
waiting stands in the log of `publish`. A month that is blocked fails it and says in counts whom which earlier
release isolates, who left, came or stayed, and what would help; nobody hears of the Asset then.

Schedule: the first of each month, 06:00 UTC, one run at a time. A retry or a cleared task never publishes
twice: the release is named by the run. Where the month's table is and where releases go, the policy says
(`source.path`, `release.destination`). Its `series.state`, if it has one, is a folder that every worker
reaches, for the workers' account only.
"""

import os
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import DAG, Asset, task

from qidguard_provider.notifications.qidguard import QidguardNotifier
from qidguard_provider.operators import QidguardReleaseOperator

DATA_SET, POLICY_FILE = "demo", "demo.yaml"

POLICY = f"{os.environ.get('QIDGUARD_POLICIES', 'policies')}/{POLICY_FILE}"
PUBLISHED = Asset(name=f"{DATA_SET}/published", uri=f"qidguard://{DATA_SET}/published")

with DAG(
    "publish_series",
    doc_md=__doc__,
    schedule="0 6 1 * *",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    default_args={
        "retries": 2,  # of what failed; a blocked month is not tried again
        "retry_delay": timedelta(minutes=1),
    },
    tags=["privacy"],
):
    publish = QidguardReleaseOperator(
        task_id="publish", policy=POLICY, data_set=DATA_SET, outlets=[PUBLISHED]
    )

    @task
    def notify(**context: Any) -> None:
        """Tell people how the month ended; give the notifier a channel of yours."""
        made = context["ti"].xcom_pull(task_ids="publish") or {}
        QidguardNotifier()({**context, "reason": "success" if made.get("address") else "failure"})

    # a teardown runs whatever happened before it, and has no say in whether the run is green
    publish >> notify().as_teardown()
