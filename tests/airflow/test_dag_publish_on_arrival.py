"""``dags/publish_on_arrival.py`` and ``dags/published_consumer.py``, run as people run them.

That Airflow starts them by events of Assets is proven where a real one runs.
"""

import json

import pytest

from dag_runs import Deployment
from qidguard import release

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(400)]


def test_only_what_passes_reaches_the_consumer(tmp_path):
    """A bad table updates no Asset; a good one does, and the consumer verifies it before it is used."""
    deployment = Deployment(tmp_path)
    good = deployment.table.read_bytes()
    deployment.table.write_bytes(deployment.raw_table.read_bytes())
    blocked = deployment.run("publish_on_arrival")
    assert (blocked.code, blocked.tasks) == (1, {"publish": "failed"})
    assert (deployment.published, deployment.events()) == ([], [])

    deployment.table.write_bytes(good)
    passed = deployment.run("publish_on_arrival")
    assert (passed.code, passed.tasks) == (0, {"publish": "success"})
    [release_id] = deployment.published
    [event] = deployment.events()
    assert event["release_id"] == release_id
    assert deployment.faults(release_id) == ()

    deployment.intervene("find_release", f"return {json.dumps(event)}")
    used = deployment.run("published_consumer")
    assert (used.code, used.tasks) == (
        0,
        {"find_release": "success", "use": "success", "verify": "success"},
    )
    assert f"demo {release_id} is ready at {event['address']}" in used.log

    file = deployment.site / "published" / "demo" / release_id / "demo.csv"
    file.write_bytes(file.read_bytes().replace(b"public", b"Public", 1))
    refused = deployment.run("published_consumer")
    assert (refused.code, refused.tasks) == (
        1,
        {"find_release": "success", "use": "upstream_failed", "verify": "failed"},
    )


def test_a_release_from_elsewhere_is_not_used(tmp_path):
    """Whoever can send an event could name an unsigned release of their own making."""
    deployment = Deployment(tmp_path)
    made = release(
        str(deployment.table),
        policy=deployment.policy,
        to=str(tmp_path / "elsewhere"),
        home=str(tmp_path / "other"),
        release_id="r1",
    )
    event = {"data_set": "demo", "release_id": "r1", "audit_id": made.audit_id, "address": made.address}
    deployment.intervene("find_release", f"return {json.dumps(event)}")
    ran = deployment.run("published_consumer")
    assert (ran.code, ran.tasks["verify"], ran.tasks["use"]) == (1, "failed", "upstream_failed")
    assert "it does not lie below" in ran.log


def test_a_consumer_without_an_event_fails(tmp_path):
    """Nothing is used that no release announced."""
    ran = Deployment(tmp_path).run("published_consumer")
    assert (ran.code, ran.tasks["find_release"], ran.tasks["use"]) == (1, "failed", "upstream_failed")
    assert "No event names a release" in ran.log
