"""Uses what was published: runs after each release of the Asset `demo/published`, and never without one.

The event names the release. It is verified before it is used: every byte, who signed it, and that it lies
where the policy publishes (`release.destination`). Whether it must be signed, the policy says, too
(`release.signature`). Put your own tasks behind `verify`. Started by hand it
fails: then no event names a release.
"""

import os
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import DAG, Asset, task

from qidguard_provider.fault import refused
from qidguard_provider.operators import QidguardVerifyOperator

DATA_SET, POLICY_FILE = "demo", "demo.yaml"

POLICY = f"{os.environ.get('QIDGUARD_POLICIES', 'policies')}/{POLICY_FILE}"
PUBLISHED = Asset(name=f"{DATA_SET}/published", uri=f"qidguard://{DATA_SET}/published")

with DAG(
    "published_consumer",
    doc_md=__doc__,
    schedule=[PUBLISHED],
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=1)},
    tags=["privacy"],
):

    @task
    def find_release(triggering_asset_events: Any = None) -> dict[str, str]:
        """Return what the newest event says: data_set, release_id, audit_id and address."""
        events = [event for found in triggering_asset_events.values() for event in found]
        if not events:
            raise refused("No event names a release; update the Asset, or publish one.")
        return max(events, key=lambda event: event.timestamp).extra

    found = find_release()
    verify = QidguardVerifyOperator(
        task_id="verify",
        address=found["address"],
        release_id=found["release_id"],
        data_set=DATA_SET,
        policy=POLICY,
        is_unsigned_allowed=True,  # unless the policy demands a signature
        is_elsewhere_allowed=False,  # whoever can send an event names the address
    )

    @task
    def use(release: dict[str, str]) -> None:
        """Do something with the files of the release."""
        said = f"{release['data_set']} {release['release_id']} is ready at {release['address']}"
        print(said)  # noqa: T201 - what a task prints stands in its log

    verify >> use(found)
