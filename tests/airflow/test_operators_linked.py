"""A task over several tables of the same persons: all files are published, or none."""

from pathlib import Path

import pytest
import yaml
from airflow.sdk.exceptions import AirflowFailException

from hospital_files import hospital, hospital_policy, hospital_tables, published, written
from qidguard_provider.operators import QidguardAuditOperator, QidguardReleaseOperator
from releases import verified

pytestmark = pytest.mark.airflow


@pytest.fixture
def policy(ward):
    """Return the path of a policy whose tables lie beside it."""
    files = written(hospital(120), ward.folder / "tables")
    tables = hospital_tables(**{name: {"path": path} for name, path in files.items()})
    place = ward.folder / "hospital.yaml"
    place.write_text(yaml.safe_dump(hospital_policy(tables=tables)), encoding="utf-8")
    return place


def test_every_table_of_the_policy_is_published(ward, tried, policy):
    """The task names no source, for the policy does; what it leaves names one release of four files."""
    publish = QidguardReleaseOperator(task_id="publish", policy=str(policy), to=str(ward.published))
    said = tried.execute(publish)
    assert said["outcome"] == "passed"
    assert sorted(published(said["address"])) == ["conditions", "encounters", "observations", "patients"]
    assert verified(Path(said["address"])) == ()
    again = tried.execute(publish)
    assert again == said


def test_a_table_that_is_missing_fails_the_task(ward, tried, policy):
    """Nothing is published of the other three."""
    (ward.folder / "tables" / "conditions.csv").unlink()
    for task in (
        QidguardAuditOperator(task_id="audit", policy=str(policy)),
        QidguardReleaseOperator(task_id="publish", policy=str(policy), to=str(ward.published)),
    ):
        with pytest.raises(AirflowFailException, match="conditions"):
            tried.execute(task)
    assert ward.releases == []
