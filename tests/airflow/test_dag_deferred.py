"""The project's DAGs where Airflow defers by default: the same runs, work outside of worker slots."""

import pytest

from dag_runs import Deployment

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(400)]


def test_the_gate_publishes_as_ever(tmp_path):
    """A good table is published, whole, its event names it, and nothing stays where answers lay."""
    deployment = Deployment(tmp_path)
    answers = tmp_path / "answers"
    deployment.settings |= {
        "AIRFLOW__OPERATORS__DEFAULT_DEFERRABLE": "True",
        "QIDGUARD_DEFERRED": str(answers),
    }
    passed = deployment.run("gate_and_publish")
    assert passed.code == 0, passed.log[-4000:]
    assert passed.log.count("The work goes on outside of the worker slot") == 2
    (release,) = deployment.published
    assert deployment.faults(release) == ()
    assert deployment.events()[-1]["release_id"] == release
    assert list(answers.iterdir()) == []
