"""Audits every table that a policy in the folder is about, each night, and publishes nothing.

One mapped task judges one policy's table and is named by its data set. A blocked table, or a policy that
cannot be read, fails its own task and turns the run red; the others are judged all the same. An empty folder
fails, and so does a file in it that is neither `.yaml` nor `README*`, `*.md` or hidden: nobody judges by it.

Schedule: daily, 05:00 UTC. Policies: the folder `policies` beside this file, or QIDGUARD_POLICIES. Where a
table is, its policy says (`source.path`). Ledger and keys: the connection `qidguard_default`, or
QIDGUARD_HOME.
"""

import os
from datetime import UTC, datetime, timedelta

from airflow.sdk import DAG, task

from qidguard_provider.notifications.qidguard import QidguardNotifier
from qidguard_provider.operators import QidguardAuditOperator

POLICIES = os.environ.get("QIDGUARD_POLICIES", "policies")

with DAG(
    "privacy_audit",
    doc_md=__doc__,
    schedule="0 5 * * *",
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

    @task
    def list_policies() -> list[dict[str, str]]:
        """Return policy and data set of every table to judge."""
        from qidguard_provider.work_list import audits

        return audits(POLICIES, __file__)

    QidguardAuditOperator.partial(
        task_id="audit", map_index_template="{{ task.data_set }}", max_active_tis_per_dagrun=4
    ).expand_kwargs(list_policies())
