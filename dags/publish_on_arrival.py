"""Publishes a table as soon as a new one has arrived, only where its policy holds.

Whatever loads the table names the Asset `demo/arrived` as its outlet (or reports it by REST); each event
starts the gate. What passes updates the Asset `demo/published`, whose consumers run then and only then, such
as the DAG `published_consumer`. What is blocked fails the run, and no consumer hears of it.

One run at a time. A retry or a cleared task never publishes twice: the release is named by the run. Where the
table is and where releases go, the policy says (`source.path`, `release.destination`).
"""

import os
from datetime import UTC, datetime, timedelta

from airflow.sdk import DAG, Asset

from qidguard_provider.notifications.qidguard import QidguardNotifier
from qidguard_provider.operators import QidguardReleaseOperator

DATA_SET, POLICY_FILE = "demo", "demo.yaml"

POLICY = f"{os.environ.get('QIDGUARD_POLICIES', 'policies')}/{POLICY_FILE}"
ARRIVED = Asset(name=f"{DATA_SET}/arrived", uri=f"qidguard://{DATA_SET}/arrived")
PUBLISHED = Asset(name=f"{DATA_SET}/published", uri=f"qidguard://{DATA_SET}/published")

with DAG(
    "publish_on_arrival",
    doc_md=__doc__,
    schedule=[ARRIVED],
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    default_args={
        "retries": 2,  # of what failed; a blocked table is not tried again
        "retry_delay": timedelta(minutes=1),
        "on_failure_callback": QidguardNotifier(),
    },
    tags=["privacy"],
):
    QidguardReleaseOperator(
        task_id="publish", policy=POLICY, data_set=DATA_SET, inlets=[ARRIVED], outlets=[PUBLISHED]
    )
