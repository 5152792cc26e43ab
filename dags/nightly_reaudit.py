"""Judges again, each night, what is already published: by today's policies, exceptions and history.

One mapped task verifies one release byte for byte and judges it, named by data set and release. A release
that no longer passes, that was changed or is gone, or whose data set has no policy in the folder, fails its
own task and turns the run red, and so does a policy that cannot be read; the others are judged all the same.
Where nothing is published yet, nothing runs.

Schedule: daily, 02:00 UTC. Policies: the folder `policies` beside this file, or QIDGUARD_POLICIES. What is
published, the ledger says: the connection `qidguard_default`, or QIDGUARD_HOME. More than 1,024 releases need
a larger AIRFLOW__CORE__MAX_MAP_LENGTH; until then the run fails.
"""

import os
from datetime import UTC, datetime, timedelta

from airflow.sdk import DAG, task

from qidguard_provider.notifications.qidguard import QidguardNotifier
from qidguard_provider.operators import QidguardReauditOperator

POLICIES = os.environ.get("QIDGUARD_POLICIES", "policies")

with DAG(
    "nightly_reaudit",
    doc_md=__doc__,
    schedule="0 2 * * *",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    default_args={
        "retries": 2,  # of what failed; a blocked release is not tried again
        "retry_delay": timedelta(minutes=1),
        "on_failure_callback": QidguardNotifier(),
    },
    tags=["privacy"],
):

    @task
    def list_published() -> list[dict[str, str]]:
        """Return every release with the policies that are about its data set."""
        from qidguard_provider.work_list import reaudits

        return reaudits(POLICIES, __file__)

    QidguardReauditOperator.partial(
        task_id="reaudit",
        map_index_template="{{ task.data_set }} {{ task.release_id }}",
        max_active_tis_per_dagrun=4,
    ).expand_kwargs(list_published())
