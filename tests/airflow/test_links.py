"""The link from a task to its report."""

from types import SimpleNamespace

import pytest
from airflow.sdk import BaseOperator, BaseXCom
from airflow.sdk.exceptions import AirflowFailException

from qidguard_provider.links.qidguard import QidguardReportLink, report_address
from qidguard_provider.operators import QidguardAuditOperator

pytestmark = pytest.mark.airflow


def test_a_task_that_ran_links_to_its_audit(ward, tried):
    """The link is there for a task that passed, as the ledger names its audit."""
    operator = QidguardAuditOperator(task_id="audit", policy="ward.yaml", source="ward.csv")
    tried.execute(operator)
    (link,) = operator.operator_extra_links
    assert link.get_link(operator, ti_key=None) == f"/qidguard/audits/{ward.entries[0].id}"


def test_a_task_that_blocked_links_to_its_audit(ward, tried):
    """The report matters most where the task failed."""
    operator = QidguardAuditOperator(task_id="audit", policy="ward.yaml", source="bad.csv")
    with pytest.raises(AirflowFailException):
        tried.execute(operator)
    link = QidguardReportLink().get_link(operator, ti_key=None)
    assert link == f"/qidguard/audits/{ward.entries[0].id}"


@pytest.mark.parametrize(
    ("left", "link"),
    [
        ({"audit_id": "audit-1"}, "/qidguard/audits/audit-1"),
        ({"audit_id": None}, ""),
        (None, ""),
        ("text", ""),
    ],
)
def test_another_task_links_to_what_it_returned(monkeypatch, left, link):
    """A task that is none of the gate's may return what those do; mapped or not, its key finds it."""
    asked = []

    def stand_in(**given):
        asked.append(given)
        return left

    monkeypatch.setattr(BaseXCom, "get_value", stand_in)
    key = SimpleNamespace(map_index=3)
    assert QidguardReportLink().get_link(BaseOperator(task_id="other"), ti_key=key) == link
    assert asked == [{"ti_key": key, "key": "return_value"}]


def test_a_task_that_failed_before_its_verdict_has_no_link(tried):
    """Nothing was found, so there is nothing to link to, and nothing is asked for."""
    operator = QidguardAuditOperator(task_id="audit", policy="none.yaml", source="ward.csv")
    with pytest.raises(AirflowFailException):
        tried.execute(operator)
    assert QidguardReportLink().get_link(operator, ti_key=None) == ""


def test_the_address_is_behind_that_of_airflow(monkeypatch):
    """Airflow may be served below a path."""
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://example.org/airflow/")
    assert report_address("audit-1") == "https://example.org/airflow/qidguard/audits/audit-1"


def test_an_audit_id_cannot_leave_its_page():
    """Whatever stands in XCom stays one part of the path."""
    assert report_address("../x?y") == "/qidguard/audits/..%2Fx%3Fy"
