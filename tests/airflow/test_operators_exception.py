"""Letting a blocked release through in a task: signed by an approver, said by whom, and only for a while."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from airflow.sdk.exceptions import AirflowFailException

from qidguard.evidence.keys import new_key_pair
from qidguard.ledger import open_ledger
from qidguard.releasing.deciding.approve import revoke_exception
from qidguard_provider.operators import (
    QidguardExceptionOperator,
    QidguardReleaseOperator,
    exception,
)
from qidguard_provider.operators.approval import QidguardApprovalOperator

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


def _answer(reason="A pilot with ten students.", days=None, **given):
    """Return what an approval task leaves of an officer who has just approved."""
    form = {"reason": reason} | ({} if days is None else {"days": days})
    left = {"chosen_options": ["Approve"], "params_input": form, "responded_at": datetime.now(UTC)}
    return {**left, "responded_by_user": {"id": "7", "name": "ann@example.org"}, **given}


def _exception(audit_id, answer=None, **given):
    answer = _answer() if answer is None else answer
    return QidguardExceptionOperator(task_id="let", audit_id=audit_id, answer=answer, **given)


def _revoke(ward):
    with open_ledger(str(ward.home / "ledger.db")) as ledger:
        revoke_exception(ledger, _recorded(ward)[0]["id"], "no longer", datetime.now(UTC))


def _recorded(ward):
    return [entry.payload for entry in ward.entries if entry.kind == "exception"]


def _today():
    return datetime.now(UTC).date()


def test_what_was_blocked_is_published_by_exception(signed, tried):
    """Blocked, approved, released again under the same name: the run ends with a release."""
    blocked = tried.execute(_release(signed))
    let = tried.execute(_exception(blocked["audit_id"]))
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
    tried.execute(_exception(blocked["audit_id"]))
    (said,) = _recorded(signed)
    assert said["reason"] == (
        "A pilot with ten students. (approved by ann@example.org in Airflow:"
        " gate, manual__2026-11-21T12:00:00+00:00)"
    )
    assert said["by"] == "Ann"
    assert said["expires"] == (_today() + timedelta(days=10)).isoformat()
    assert said["recorded_by"]["task_id"] == "let"


@pytest.mark.parametrize(("user", "who"), [({"id": "7", "name": "Ann"}, "Ann"), ({"id": "7"}, "7")])
def test_who_approved_is_the_name_else_the_id(signed, tried, user, who):
    """What Airflow knows of the person who answered."""
    blocked = tried.execute(_release(signed))
    tried.execute(_exception(blocked["audit_id"], _answer(responded_by_user=user)))
    assert f"(approved by {who} in Airflow: gate, " in _recorded(signed)[0]["reason"]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (None, "answer must be what the task that asks leaves"),
        ("Approve", "answer must be what the task that asks leaves"),
        ({"chosen_options": ["Reject"]}, "The answer is not an approval"),
        ({"chosen_options": []}, "The answer is not an approval"),
        ({"chosen_options": ["Approve", "Reject"]}, "The answer is not an approval"),
        ({"responded_by_user": None}, "Nobody answered in time"),
        ({"responded_by_user": {"id": "", "name": " "}}, "Nobody answered in time"),
        ({"timedout": True}, "Nobody answered in time"),
        ({"responded_at": None}, r"does not say when it was given \(responded_at\)"),
        ({"responded_at": "2999-01-01T00:00:00"}, r"does not say when it was given \(responded_at\)"),
        ({"responded_at": "soon"}, r"does not say when it was given \(responded_at\)"),
        ({"params_input": None}, "An exception needs a reason of at least 10 characters"),
        (
            {"params_input": {"reason": " a pilot   "}},
            "An exception needs a reason of at least 10 characters",
        ),
    ],
)
def test_only_a_whole_approval_of_a_person_lets_anything_through(signed, tried, answer, sentence):
    """A rejection, a default after a timeout, an answer by nobody, without moment or reason: none is one."""
    blocked = tried.execute(_release(signed))
    given = {**_answer(), **answer} if isinstance(answer, dict) else answer
    operator = QidguardExceptionOperator(task_id="let", audit_id=blocked["audit_id"], answer=given)
    with pytest.raises(AirflowFailException, match=sentence):
        tried.execute(operator)
    assert _recorded(signed) == []


def test_an_audit_newer_than_the_answer_is_refused(signed, tried):
    """Who answered cannot have seen it."""
    answer = _answer()
    blocked = tried.execute(_release(signed))
    with pytest.raises(AirflowFailException, match="is newer than the answer"):
        tried.execute(_exception(blocked["audit_id"], answer))
    assert _recorded(signed) == []


def test_who_asks_leaves_the_audit_that_was_shown(tried):
    """It is left before the task waits, and a text about another audit is not shown at all."""
    named = {"task_id": "ask", "subject": "?", "assigned_users": [{"id": "roe", "name": "roe"}]}
    ask = QidguardApprovalOperator(audit_id="audit-1", body="On audit-1.", **named)
    # here nothing stores the question, so that asking itself fails after the id was left
    with pytest.raises(AttributeError, match="'id'"):
        ask.execute({**tried.context(ask), "task_instance": object()})
    assert tried.left == {"audit_id": "audit-1"}
    for audit_id, body in [
        ("audit-2", "On audit-1."),
        (None, "None"),
        ("", "On audit-1."),
        ("audit-1", None),
    ]:
        ask = QidguardApprovalOperator(audit_id=audit_id, body=body, **named)
        with pytest.raises(AirflowFailException, match="does not name the audit"):
            ask.execute(tried.context(ask))


@pytest.mark.parametrize("users", [None, []])
def test_a_task_that_names_nobody_asks_nobody(tried, users):
    """Airflow would take an answer of anybody, the person who started the run included."""
    ask = QidguardApprovalOperator(
        task_id="ask", subject="?", audit_id="audit-1", body="audit-1", assigned_users=users
    )
    with pytest.raises(AirflowFailException, match="names nobody who may answer"):
        ask.execute(tried.context(ask))
    assert tried.left == {}


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


def test_an_answer_makes_no_second_exception_after_a_revocation(signed, tried):
    """Clearing the task does not undo that the exception was taken back; the next run asks anew."""
    blocked = tried.execute(_release(signed))
    answer = _answer()
    tried.execute(_exception(blocked["audit_id"], answer))
    _revoke(signed)
    for again in (answer, _answer()):
        with pytest.raises(AirflowFailException, match="was revoked; ask again in a new run"):
            tried.execute(_exception(blocked["audit_id"], again))
    assert len(_recorded(signed)) == 1
    assert tried.execute(_release(signed))["outcome"] == "blocked"


def test_an_answer_makes_no_second_exception_after_it_expired(signed, tried, monkeypatch):
    """Eleven days later the ten are over: neither this run nor another renews them by the same answer."""
    blocked = tried.execute(_release(signed))
    answer = _answer(days=10)
    tried.execute(_exception(blocked["audit_id"], answer))

    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(days=11)

    answer["responded_at"] = answer["responded_at"].isoformat()
    monkeypatch.setattr(exception, "datetime", Later)
    with pytest.raises(AirflowFailException, match="has expired; ask again in a new run"):
        tried.execute(_exception(blocked["audit_id"], answer))
    tried.run_id = "another"
    with pytest.raises(AirflowFailException, match="would have expired"):
        tried.execute(_exception(blocked["audit_id"], answer))
    assert len(_recorded(signed)) == 1


ISOLATED = "persons_isolated_over_releases"


@pytest.mark.parametrize(
    ("covers", "metrics"),
    [
        (None, ["k_anonymity", ISOLATED]),
        (["k_anonymity"], ["k_anonymity"]),
        ("k_anonymity", ["k_anonymity"]),
        ("['k_anonymity', 'k_anonymity']", ["k_anonymity"]),
        (f"['{ISOLATED}', 'k_anonymity']", ["k_anonymity", ISOLATED]),
        ("{{ 'k_anonymity' }}", ["k_anonymity"]),
    ],
)
def test_what_it_covers_may_be_a_list_or_text_or_all(signed, tried, covers, metrics):
    """A template gives text; nothing given covers all that was missed, and one of two misses lets none by."""
    blocked = tried.execute(_release(signed))
    tried.execute(_exception(blocked["audit_id"], covers=covers))
    assert [waived.split()[0] for waived in _recorded(signed)[0]["thresholds"]] == metrics
    outcome = "passed_by_exception" if len(metrics) == 2 else "blocked"
    assert tried.execute(_release(signed))["outcome"] == outcome


@pytest.mark.parametrize("days", [3, "3"])
def test_days_count_from_the_answer(signed, tried, monkeypatch, days):
    """Three days after the answer is the last day, although it is signed two days later."""
    blocked = tried.execute(_release(signed))
    answer = _answer(days=days)
    answer["responded_at"] = answer["responded_at"].isoformat()

    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(days=2)

    monkeypatch.setattr(exception, "datetime", Later)
    tried.execute(_exception(blocked["audit_id"], answer))
    assert _recorded(signed)[0]["expires"] == (_today() + timedelta(days=3)).isoformat()


@pytest.mark.parametrize("days", [0, -1, 367, 10**9, "soon", 1.5, True, "1_0", ""])
def test_days_are_a_whole_number_within_a_year(signed, tried, days):
    """What is not, is a sentence."""
    blocked = tried.execute(_release(signed))
    with pytest.raises(AirflowFailException, match="days must be a whole number from 1 to 366, not"):
        tried.execute(_exception(blocked["audit_id"], _answer(days=days)))
    assert _recorded(signed) == []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"days": 11}, "The policy lets an exception live 10 days"),
        ({"covers": "t_closeness"}, "The audit missed no threshold on 't_closeness'"),
        ({"audit_id": "audit-0"}, "There is no audit 'audit-0' in the ledger"),
        ({"approver_conn_id": "nobody"}, "There is no connection 'nobody'"),
    ],
)
def test_mistakes_are_sentences_and_record_nothing(signed, tried, given, sentence):
    """A task that cannot record an exception fails without a retry."""
    blocked = tried.execute(_release(signed))
    given = {"audit_id": blocked["audit_id"], **given}
    answer = _answer(days=given.pop("days", None))
    with pytest.raises(AirflowFailException, match=sentence):
        tried.execute(_exception(answer=answer, **given))
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
