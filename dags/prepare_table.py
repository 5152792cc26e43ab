"""Makes a table meet its policy by the policy's remedy, and writes one intermediate file; publishes nothing.

For a table that another process hands on: what passes stands in a file that appears in one step, and what is
still blocked leaves no file and fails the run with the reasons. The remedy is the policy's (`remedy`), and
its result is audited from scratch. Whoever publishes the file judges it once more.

Started by hand or by REST, one run at a time. Where the table is, the policy says (`source.path`); the
parameter `source` names another one. The file lies in QIDGUARD_INTERMEDIATE, which must be an absolute folder
or a URL, takes the place of the run's before, and holds every column of the source: keep it private.
"""

import os
from datetime import UTC, datetime, timedelta

from airflow.sdk import DAG, Param

from qidguard_provider.notifications.qidguard import QidguardNotifier
from qidguard_provider.operators import QidguardAnonymizeOperator

DATA_SET, POLICY_FILE = "demo", "demo.yaml"

POLICY = f"{os.environ.get('QIDGUARD_POLICIES', 'policies')}/{POLICY_FILE}"
FOLDER = os.environ.get("QIDGUARD_INTERMEDIATE", "intermediate")

with DAG(
    "prepare_table",
    doc_md=__doc__,
    schedule=None,
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    default_args={
        "retries": 2,  # of what failed; a table that stays blocked is not tried again
        "retry_delay": timedelta(minutes=1),
        "on_failure_callback": QidguardNotifier(),
    },
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
    QidguardAnonymizeOperator(
        task_id="anonymize",
        policy=POLICY,
        data_set=DATA_SET,
        source="{{ params.source or '' }}",
        to=f"{FOLDER}/{DATA_SET}.csv",
    )
