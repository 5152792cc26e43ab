"""Making a table meet its policy in a task, without publishing it."""

import pytest
from airflow.sdk.exceptions import AirflowFailException

from qidguard_provider.operators import QidguardAnonymizeOperator, QidguardAuditOperator

pytestmark = pytest.mark.airflow

REMEDY = "remedy: {anonymizer: small_class_suppression, parameters: {k: 2, most_suppressed: 0.5}}\n"


def _anonymize(to, **given):
    return QidguardAnonymizeOperator(
        **{"task_id": "cure", "policy": "cure.yaml", "source": "bad.csv", "to": to, **given}
    )


@pytest.fixture
def curable(ward):
    """Return a ward whose policy names a remedy."""
    ward.write("cure.yaml", ward.folder.joinpath("ward.yaml").read_text() + REMEDY)
    return ward


def test_the_remedy_writes_one_file_that_passes(curable, tried):
    """The records that stood in the way are gone, and the next task audits what is left."""
    to = str(curable.folder / "safe.csv")
    said = tried.execute(_anonymize(to))
    assert (said["outcome"], said["address"]) == ("passed", to)
    assert curable.folder.joinpath("safe.csv").read_text().count("\n") == 3  # the header and the class of two
    audit = QidguardAuditOperator(task_id="audit", policy="ward.yaml", source=said["address"])
    assert tried.execute(audit)["outcome"] == "passed"


@pytest.mark.usefixtures("curable")
def test_an_audit_says_that_a_remedy_could_help(tried):
    """Later tasks may branch on it."""
    audit = {"task_id": "audit", "source": "bad.csv", "fail_on_block": False}
    cured = tried.execute(QidguardAuditOperator(policy="cure.yaml", **audit))
    plain = tried.execute(QidguardAuditOperator(policy="ward.yaml", **audit))
    assert (cured["is_remediable"], plain["is_remediable"]) == (True, False)


def test_a_policy_without_a_remedy_is_a_mistake(ward, tried):
    """There is nothing to transform by."""
    with pytest.raises(AirflowFailException, match="names no remedy"):
        tried.execute(_anonymize(str(ward.folder / "safe.csv"), policy="ward.yaml"))


@pytest.mark.usefixtures("curable")
def test_a_relative_file_is_refused(tried):
    """Where it would lie depends on the worker."""
    with pytest.raises(AirflowFailException, match=r"to must be an absolute path or a URL, not 'safe\.csv'"):
        tried.execute(_anonymize("safe.csv"))


def test_what_stays_blocked_is_not_written(curable, tried):
    """A remedy that reaches nothing leaves no file, and the task fails."""
    ward = curable
    ward.write("worse.csv", "age,sex,illness\n1,f,flu\n2,f,flu\n3,m,flu\n4,m,flu\n")
    with pytest.raises(AirflowFailException, match="is blocked"):
        tried.execute(_anonymize(str(ward.folder / "safe.csv"), source="worse.csv"))
    assert not ward.folder.joinpath("safe.csv").exists()
    assert tried.left["return_value"]["address"] is None
