"""Publishes a table only where its policy holds; else the run fails and says why.

audit → publish or block → notify. The audit decides which way the run goes; `publish` judges once more what
it publishes, byte for byte, so that nothing unseen slips through. Its Asset is updated by a release and
nothing else. `notify` tells the outcome either way, and does not make a red run green.

Schedule: Mondays, 06:00 UTC, one run at a time; Airflow makes up for the last missed Monday when the DAG is
unpaused. A retry or a cleared task never publishes twice: the release
is named by the run. Where the table is and where releases go, the policy says (`source.path`,
`release.destination`); the parameter `source` names another table.
"""

import os
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import DAG, Asset, Param, task

from qidguard_provider.fault import refused
from qidguard_provider.notifications.qidguard import QidguardNotifier
from qidguard_provider.operators import QidguardAuditOperator, QidguardReleaseOperator

DATA_SET, POLICY_FILE = "demo", "demo.yaml"

POLICY = f"{os.environ.get('QIDGUARD_POLICIES', 'policies')}/{POLICY_FILE}"
PUBLISHED = Asset(name=f"{DATA_SET}/published", uri=f"qidguard://{DATA_SET}/published")
JUDGED = {"policy": POLICY, "data_set": DATA_SET, "source": "{{ params.source or '' }}"}

with DAG(
    "gate_and_publish",
    doc_md=__doc__,
    schedule="0 6 * * 1",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=1)},
    params={
        "source": Param(
            None,
            type=["null", "string"],
            pattern=r"^(?!.*://(.*[?#]|[^@]*:[^@]*@)|.*https?://[^/]*@)(/|[a-z][a-z0-9+.-]*://)\S",
            maxLength=2000,
            title="Table",
            description="An absolute path, or a URL without a password; empty takes what the policy says.",
        )
    },
    tags=["privacy"],
):
    audit = QidguardAuditOperator(task_id="audit", fail_on_block=False, **JUDGED)

    @task.branch
    def decide(judged: dict) -> str:
        """Return the task that comes next; where a remedy of the policy could help, `publish` tries it."""
        may_pass = judged["outcome"] != "blocked" or judged["is_remediable"]
        return "publish" if may_pass else "block"

    publish = QidguardReleaseOperator(task_id="publish", outlets=[PUBLISHED], **JUDGED)

    @task
    def block(judged: dict) -> None:
        """Fail, with the reasons."""
        raise refused(*judged["sentences"])

    @task
    def notify(**context: Any) -> None:
        """Tell people how it ended, whatever came before; give the notifier a channel of yours."""
        made = context["ti"].xcom_pull(task_ids="publish") or {}
        QidguardNotifier()({**context, "reason": "success" if made.get("address") else "failure"})

    (
        decide(audit.output)
        >> [publish, block(audit.output)]
        # a teardown runs whatever happened before it, and has no say in whether the run is green
        >> notify().as_teardown()
    )
