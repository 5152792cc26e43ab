"""A missed threshold passes only by a recorded, signed, expiring exception, and everybody can see it."""

import base64
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pytest

from officers import Officer
from qidguard import UserError
from qidguard.evidence.canonical import canonical_bytes
from qidguard.evidence.dsse import seal, unseal
from qidguard.ledger import NewEntry, open_ledger
from qidguard.policy import load_policy
from qidguard.releasing.deciding import approve
from qidguard.releasing.deciding.approve import revoke_exception
from qidguard.releasing.deciding.exception import FIRST_FORMAT, PAYLOAD_TYPE, valid_approvals
from released import new_key
from releases import at_least, once, other_people, people, policy

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SMALL = people(size=4)


@pytest.fixture
def rules(officer):
    """A policy with an approver, which SMALL misses with k = 4."""
    return policy(exceptions=officer.exceptions)


@pytest.fixture
def try_again(place, rules):
    """Return what releases a table, SMALL if no other, on the day of the exception if on no other."""
    return lambda table=SMALL, now=NOW, asked=None, **more: place.release(
        table, asked or rules, now=now, **more
    )


@pytest.fixture
def approval(place, try_again, officer):
    """An exception for SMALL, until 1 December."""
    return officer.let_through(place, try_again().audit_id, NOW)


@pytest.mark.slow
def test_an_exception_lets_the_named_threshold_pass_and_is_seen_everywhere(place, try_again, approval):
    """It stands in the result, the manifest, the attestation, the record and the ledger."""
    made = try_again()
    assert (made.outcome.value, [a.id for a in made.approvals]) == ("passed_by_exception", [approval.id])
    folder = place.releases()[0]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["outcome"] == "passed_by_exception"
    (seen,) = manifest["exceptions"]
    assert (seen["by"], seen["reason"], seen["thresholds"]) == ("A. Roe", "pilot", ["k_anonymity ≥ 5"])
    record = place.record(made.audit_id)
    kept = seen | {"thresholds": ["k_anonymity ≥ 5 (accepted: 4)"]}
    assert record["approvals"] == [kept]
    assert record["policy"]["deviations"] == ["k_anonymity ≥ 5 (accepted: 4)"]
    later = place.record(try_again(people()).audit_id)
    assert (later["release"]["earlier_approvals"], later["policy"]["deviations"]) == ([approval.id], [])
    assert [e.payload["exceptions"] for e in place.entries("audited")] == [[], [kept], []]


@pytest.mark.slow
@pytest.mark.usefixtures("approval")
def test_an_exception_holds_for_one_policy_and_data_set_through_its_last_day(rules, try_again):
    """Whoever changes a word of the policy needs a new one; on the next day too, and nobody can go back."""
    last = datetime(2026, 12, 1, 23, 59, tzinfo=UTC)
    asked = [{"description": "other"}, {"release": {"data_set": "others"}}, {}]
    assert [try_again(asked=rules | one, now=last).is_published for one in asked] == [False, False, True]
    assert not try_again(now=last + timedelta(minutes=2)).is_published
    with pytest.raises(UserError, match="correct the clock"):
        try_again(now=NOW - timedelta(days=1))


@pytest.mark.slow
def test_other_thresholds_stay_blocked(place, officer, try_again):
    """An exception on k-anonymity leaves l-diversity where it was."""
    rules = policy(exceptions=officer.exceptions, thresholds=at_least(k_anonymity=5, distinct_l_diversity=4))
    officer.let_through(place, try_again(asked=rules).audit_id, NOW)
    assert not try_again(asked=rules).is_published


@pytest.mark.slow
def test_a_key_that_is_no_approvers_lets_nothing_through(place, try_again, tmp_path):
    """Neither when the exception is made, nor when somebody writes one into the ledger by hand."""
    stranger = Officer(tmp_path, "stranger")
    with pytest.raises(UserError, match=r"none of the policy's exceptions\.approvers"):
        stranger.let_through(place, try_again().audit_id, NOW)
    theirs = policy(exceptions=stranger.exceptions)
    stranger.let_through(place, try_again(asked=theirs).audit_id, NOW)
    assert (try_again(asked=theirs).is_published, try_again().is_published) == (True, False)


def test_only_the_signature_of_an_approver_counts(place, rules, approval):
    """The very words that an approver signed, by a stranger, nobody or a wrong signature, are none."""
    (entry,) = place.entries("exception")
    written = entry.payload["envelope"].encode()
    signed, document = unseal(written, PAYLOAD_TYPE).payload, json.loads(written)
    (signature,) = document["signatures"]
    wrong = base64.b64encode(bytes(64)).decode()
    forged = canonical_bytes(document | {"signatures": [signature | {"sig": wrong}]})

    def valid(envelope: bytes) -> list[str]:
        kept = replace(entry, payload={**entry.payload, "envelope": envelope.decode()})
        return [one.id for one in valid_approvals([kept], load_policy(rules), "people", NOW.date())]

    assert valid(written) == [approval.id]
    for envelope in (seal(signed, PAYLOAD_TYPE, new_key()), seal(signed, PAYLOAD_TYPE, None), forged):
        assert valid(envelope) == []


@pytest.mark.slow
def test_a_revoked_exception_is_none_and_neither_is_an_altered_one(place, try_again, approval):
    """A copy of it, or one that lacks the approver's signature, whatever the ledger says beside it."""
    (entry,) = place.entries("exception")
    payload = json.loads(json.dumps(dict(entry.payload)))
    forged = payload | {"envelope": payload["envelope"].replace('"sig": "', '"sig": "A')}
    assert forged != payload
    with open_ledger(place.ledger) as ledger:
        revoke_exception(ledger, approval.id, "the pilot ended", NOW)
        assert not try_again().is_published
        for name, content in (("forged", forged), ("copied", payload)):
            again = NewEntry(
                id=f"exception-{name}", kind="exception", data_set="people", at=NOW, payload=content
            )
            ledger.append(again)
    assert not try_again().is_published


def test_what_cannot_be_excepted_is_said(place, try_again, officer):
    """Thirty days are allowed and thirty-one are not; a metric that held, no audit, no reason."""
    blocked = try_again().audit_id
    for changes, said in (
        ({"expires": date(2026, 12, 22)}, "lets an exception live 30 days"),
        ({"expires": date(2026, 11, 20)}, "yet to come"),
        ({"covers": ("suda",)}, "missed no threshold on 'suda'"),
        ({"reason": "  "}, "needs a reason"),
        ({"audit_id": "audit-none"}, "There is no audit"),
    ):
        with pytest.raises(UserError, match=said):
            officer.let_through(place, now=NOW, **{"audit_id": blocked} | changes)
    assert officer.let_through(place, blocked, NOW, expires=date(2026, 12, 21)).id


@pytest.mark.slow
@pytest.mark.usefixtures("approval")
def test_a_doubt_cannot_be_excepted(place, officer, try_again):
    """An exception covers thresholds; a column that nobody decided blocks whatever was signed."""
    assert try_again().is_published
    unknown = try_again(SMALL.assign(unknown=1))
    assert not unknown.is_published
    with pytest.raises(UserError, match="covers thresholds only"):
        officer.let_through(place, unknown.audit_id, NOW)


@pytest.mark.slow
def test_an_exception_is_bound_to_its_source(place, officer, try_again, approval):
    """The same rows with another illness: no worse a figure, no more persons, and another source."""
    assert approval.source_sha256
    other = SMALL.assign(illness="cold")
    blocked = try_again(other)
    assert not blocked.is_published
    (note,) = blocked.notes
    assert note.startswith(f"Exception {approval.id} lets nothing through: the source is another one (")
    assert note.endswith("; a new exception is needed.")
    officer.let_through(place, blocked.audit_id, NOW)
    assert try_again(other).is_published


@pytest.mark.slow
@pytest.mark.usefixtures("approval")
def test_an_exception_is_bound_to_the_figure_and_the_persons_concerned(place, officer, try_again):
    """Three classes of four are let through; four of them or classes of three are not, and of five pass."""
    more, worse = try_again(people(groups=4, size=4)), try_again(people(size=3))
    assert (more.is_published, worse.is_published) == (False, False)
    assert "it concerns 16 persons, more than the accepted 12" in more.notes[0]
    assert "the figure of k_anonymity is 3, worse than the accepted 4" in worse.notes[0]
    assert "persons" not in worse.notes[0]
    passed = try_again(people(size=5))
    assert passed.approvals == ()
    with pytest.raises(UserError, match="was not blocked"):
        officer.let_through(place, passed.audit_id, NOW)


@pytest.mark.slow
def test_persons_are_counted_in_the_classes_that_miss(place, officer):
    """Of 14 persons 4 are in a class below 5, with their records; a metric without classes concerns all."""
    table = pd.concat([people(groups=2, size=5), people(size=4, groups=3, first=50).iloc[8:]])
    thresholds = [*at_least(k_anonymity=5, distinct_l_diversity=4), *at_least(k_anonymity=4)]
    asked = policy(exceptions=officer.exceptions, thresholds=thresholds)
    made = place.release(pd.concat([table, table.iloc[-1:]]), asked, now=NOW)
    assert place.record(made.audit_id)["persons_concerned"] == [4, 14, None]


@pytest.mark.slow
def test_persons_are_counted_for_whatever_counts_them(place, officer):
    """Held against pandas: classes that miss by themselves, shares and numbers of persons; else everybody."""
    ages = [20] * 6 + [30] * 4 + [40] * 3 + [50] * 2 + [60]
    illness = list("aabbcc") + list("aabb") + list("aaa") + list("ab") + ["a"]
    table = pd.DataFrame({"age": ages, "illness": illness}).assign(sex="f", name="x")
    table["person"] = [f"p{i}" for i in range(len(table))]
    size = table.groupby("age")["illness"].transform("size")
    values = table.groupby("age")["illness"].transform("nunique")
    everybody = len(table)
    cases = [
        ({"metric": "k_anonymity", "at_least": 5}, (size < 5).sum(), False),
        ({"metric": "distinct_l_diversity", "at_least": 2}, (values < 2).sum(), False),
        ({"metric": "entropy_l_diversity", "at_least": 2.5}, (values < 3).sum(), False),
        ({"metric": "prosecutor_risk_max", "at_most": 0.25}, (size < 4).sum(), False),
        ({"metric": "persons_below_k", "at_most": 0, "parameters": {"k": 4}}, (size < 4).sum(), False),
        ({"metric": "share_below_k", "at_most": 0.1, "parameters": {"k": 3}}, (size < 3).sum(), False),
        ({"metric": "share_unique", "at_most": 0.01}, (size == 1).sum(), False),
        ({"metric": "prosecutor_risk_average", "at_most": 0.1}, everybody, True),
        ({"metric": "average_class_size", "at_least": 5}, everybody, True),
    ]
    asked = once(exceptions=officer.exceptions, thresholds=[threshold for threshold, _, _ in cases])
    made = place.release(table, asked, now=NOW)
    record = place.record(made.audit_id)
    found = dict(
        zip(
            [t["metric"] for t in record["risk_after"]["thresholds"]],
            zip(record["persons_concerned"], record["is_everybody_concerned"], strict=True),
            strict=True,
        )
    )
    assert found == {t["metric"]: (int(number), is_all) for t, number, is_all in cases}
    covers = tuple(threshold["metric"] for threshold, _, _ in cases)
    bound = {
        w.metric: w.bound_to for w in officer.let_through(place, made.audit_id, NOW, covers=covers).waived
    }
    assert bound["k_anonymity"] == (
        "this source, a figure no worse than 1, and no more than the 10 persons concerned"
    )
    assert bound["average_class_size"].endswith(
        "no more than the 16 persons of the table, since nobody can tell whom this figure spares"
    )
    assert place.release(table, asked, now=NOW).outcome.value == "passed_by_exception"


@pytest.mark.slow
def test_an_exception_of_the_first_form_is_read_and_lets_nothing_through(
    place, officer, try_again, monkeypatch
):
    """What an older qidguard signed names no source and no persons: it is listed, and a new one is needed."""

    def first_form(signed):
        """Return what 0.1.0 signed."""
        signed = signed | {"format": FIRST_FORMAT}
        del signed["source_sha256"]
        signed["thresholds"] = [{n: v for n, v in t.items() if n != "persons"} for t in signed["thresholds"]]
        return canonical_bytes(signed)

    with monkeypatch.context() as patched:
        patched.setattr(approve, "canonical_bytes", first_form)
        approval = officer.let_through(place, try_again().audit_id, NOW)
    blocked = try_again()
    assert not blocked.is_published
    (note,) = blocked.notes
    assert note == (
        f"Exception {approval.id} lets nothing through: it was made by an older qidguard and names neither"
        " source nor persons; a new exception is needed."
    )
    assert place.faults() == ()


@pytest.mark.slow
def test_who_releases_cannot_approve(place, rules, officer, try_again):
    """By the key's id, wherever its file lies: refused when it approves, and when it releases."""
    own = str(officer.file)
    blocked = try_again(key=own)
    with pytest.raises(UserError, match="signs releases, and who releases cannot approve"):
        officer.let_through(place, blocked.audit_id, NOW)
    unsigned = try_again()
    officer.let_through(place, unsigned.audit_id, NOW)
    signed = try_again(key=own)
    assert not signed.is_published
    assert "which signs releases; have an approver sign with another key" in signed.notes[0]
    assert try_again().is_published
    others = once(exceptions=rules["exceptions"], release=other_people("people"))
    assert try_again(people(first=900), asked=others, key=own).is_published
    with pytest.raises(UserError, match="signs releases"):
        officer.let_through(place, unsigned.audit_id, NOW)
