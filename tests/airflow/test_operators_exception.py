"""Letting a blocked release through in a task: signed by an approver, said by whom, and only for a while."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from airflow.sdk.exceptions import AirflowFailException

from qidguard.evidence.keys import new_key_pair
from qidguard.interfaces.airflow.operators import QidguardExceptionOperator, QidguardReleaseOperator

pytestmark = pytest.mark.airflow


@pytest.fixture
def signed(ward, monkeypatch):
    """Return a ward whose policy names an approver, with a connection that holds the approver's key."""
    public = new_key_pair(ward.folder / "keys", "ann", "sesame")
    policy = ward.folder.joinpath("ward.yaml").read_text()
    approvers = f"approvers: [{{name: Ann, key: '{public.text}'}}]"
    ward.write("ward.yaml", f"{policy}exceptions: {{{approvers}, longest_days: 10}}\n")
    key = Path(ward.folder, "keys", "ann.key").read_text()
    connection = {"conn_type": "qidguard", "password": "sesame", "extra": {"signing_key_secret": key}}
    monkeypatch.setenv("AIRFLOW_CONN_QIDGUARD_APPROVER", json.dumps(connection))
    return ward


def _release(ward, source="bad.csv", **given):
    usual = {"task_id": "publish", "policy": "ward.yaml", "to": str(ward.published), "fail_on_block": False}
    return QidguardReleaseOperator(**{**usual, "source": source, **given})


def _exception(audit_id, **given):
    return QidguardExceptionOperator(task_id="let", audit_id=audit_id, reason="A pilot.", **given)


def _recorded(ward):
    return [entry.payload for entry in ward.entries if entry.kind == "exception"]


def _today():
    return datetime.now(UTC).date()


def test_what_was_blocked_is_published_by_exception(signed, tried):
    """Blocked, approved, released again under the same name: the run ends with a release."""
    blocked = tried.execute(_release(signed))
    let = tried.execute(_exception(blocked["audit_id"], responder="ann@example.org"))
    released = tried.execute(_release(signed))
    assert (blocked["outcome"], let["outcome"], released["outcome"]) == (
        "blocked",
        "passed_by_exception",
        "passed_by_exception",
    )
    assert released["release_id"] == blocked["release_id"]
    assert signed.releases == [blocked["release_id"]]


def test_the_ledger_says_who_approved_where_and_until_when(signed, tried):
    """Reason, responder and run stand in the entry; the day is the policy's latest where it is under 30."""
    blocked = tried.execute(_release(signed))
    tried.execute(_exception(blocked["audit_id"], responder={"id": "7", "name": "ann@example.org"}))
    (said,) = _recorded(signed)
    assert said["reason"] == (
        "A pilot. (approved by ann@example.org in Airflow: gate, manual__2026-11-21T12:00:00+00:00)"
    )
    assert said["by"] == "Ann"
    assert said["expires"] == (_today() + timedelta(days=10)).isoformat()
    assert said["recorded_by"]["task_id"] == "let"


@pytest.mark.parametrize(
    ("responder", "who"),
    [
        ({"responded_by_user": {"id": "7", "name": "Ann"}, "chosen_options": ["Approve"]}, "by Ann in"),
        ({"responded_by_user": {"id": "7"}}, "by 7 in"),
        ("Ann", "by Ann in"),
        (None, "(Airflow: gate"),
        ({"responded_by_user": None}, "(Airflow: gate"),
    ],
)
def test_the_responder_is_what_the_approval_left(signed, tried, responder, who):
    """A name, a user, or the whole answer of an approval task."""
    blocked = tried.execute(_release(signed))
    tried.execute(_exception(blocked["audit_id"], responder=responder))
    assert who in _recorded(signed)[0]["reason"]


def test_a_retry_makes_no_second_exception(signed, tried):
    """The second try finds what the first one recorded; another run makes its own."""
    blocked = tried.execute(_release(signed))
    tried.execute(_exception(blocked["audit_id"]))
    tried.try_number = 2
    tried.execute(_exception(blocked["audit_id"]))
    assert len(_recorded(signed)) == 1
    tried.run_id = "another"
    tried.execute(_exception(blocked["audit_id"]))
    assert len(_recorded(signed)) == 2


def test_a_retry_after_it_was_revoked_makes_a_new_one(signed, tried):
    """What was taken back is not found again."""
    from qidguard.ledger import open_ledger
    from qidguard.releasing.approve import revoke_exception

    blocked = tried.execute(_release(signed))
    tried.execute(_exception(blocked["audit_id"]))
    with open_ledger(str(signed.home / "ledger.db")) as ledger:
        revoke_exception(ledger, _recorded(signed)[0]["id"], "no longer", datetime.now(UTC))
    tried.execute(_exception(blocked["audit_id"]))
    assert len(_recorded(signed)) == 2


@pytest.mark.parametrize(
    "covers", [None, ["k_anonymity"], "k_anonymity", "['k_anonymity', 'k_anonymity']", "{{ 'k_anonymity' }}"]
)
def test_what_it_covers_may_be_a_list_or_text_or_all(signed, tried, covers):
    """A template gives text; nothing given covers all that was missed."""
    blocked = tried.execute(_release(signed))
    tried.execute(_exception(blocked["audit_id"], covers=covers))
    (waived,) = _recorded(signed)[0]["thresholds"]
    assert waived.startswith("k_anonymity")


@pytest.mark.parametrize("days", [3, "3", "{{ 1 + 2 }}"])
def test_days_count_from_today(signed, tried, days):
    """Three days from now is the last day."""
    blocked = tried.execute(_release(signed))
    tried.execute(_exception(blocked["audit_id"], days=days))
    assert _recorded(signed)[0]["expires"] == (_today() + timedelta(days=3)).isoformat()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"days": 0}, "days must be a whole number from 1 on, not 0"),
        ({"days": "soon"}, "days must be a whole number from 1 on, not 'soon'"),
        ({"days": 11}, "The policy lets an exception live 10 days"),
        ({"covers": "t_closeness"}, "The audit missed no threshold on 't_closeness'"),
        ({"reason": " "}, "An exception needs a reason; give it with reason="),
        ({"audit_id": "audit-0"}, "There is no audit 'audit-0' in the ledger of 'qidguard_default'"),
        ({"approver_conn_id": "nobody"}, "There is no connection 'nobody'"),
    ],
)
def test_mistakes_are_sentences_and_record_nothing(signed, tried, given, sentence):
    """A task that cannot record an exception fails without a retry."""
    blocked = tried.execute(_release(signed))
    with pytest.raises(AirflowFailException, match=sentence):
        tried.execute(
            QidguardExceptionOperator(
                **{"task_id": "let", "audit_id": blocked["audit_id"], "reason": "pilot", **given}
            )
        )
    assert _recorded(signed) == []


def test_only_an_approver_can_let_it_pass(signed, tried, monkeypatch):
    """Another key signs nothing that holds."""
    new_key_pair(signed.folder / "keys", "bob")
    connection = {"conn_type": "qidguard", "extra": {"signing_key": str(signed.folder / "keys" / "bob.key")}}
    monkeypatch.setenv("AIRFLOW_CONN_QIDGUARD_APPROVER", json.dumps(connection))
    blocked = tried.execute(_release(signed))
    with pytest.raises(AirflowFailException, match=r"none of the policy's exceptions\.approvers"):
        tried.execute(_exception(blocked["audit_id"]))


def test_what_passed_needs_no_exception(signed, tried):
    """An audit that was not blocked cannot be excepted."""
    passed = tried.execute(_release(signed, "ward.csv"))
    with pytest.raises(AirflowFailException, match="was not blocked"):
        tried.execute(_exception(passed["audit_id"]))
