"""A missed threshold passes only by a recorded, signed, expiring exception, and everybody can see it."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest

from qidguard import UserError
from qidguard.evidence.canonical import canonical_bytes
from qidguard.evidence.keys import load_private_key, new_key_pair
from qidguard.ledger import NewEntry, open_ledger
from qidguard.releasing.deciding.approve import Consent, make_exception, revoke_exception
from releases import once, people, policy

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SMALL = people(size=4)


@pytest.fixture
def officer(tmp_path):
    """The key of the privacy officer, an approver of the policy."""
    new_key_pair(tmp_path / "officer", "officer")
    return load_private_key(tmp_path / "officer" / "officer.key")


@pytest.fixture
def rules(officer):
    """A policy with an approver, which SMALL misses with k = 4."""
    approvers = [{"name": "A. Roe", "key": officer.public.text}]
    return policy(exceptions={"approvers": approvers, "longest_days": 30})


def consent(made, **changes):
    """Return a consent to the blocked release ``made``."""
    fields = {
        "audit_id": made.audit_id,
        "covers": ("k_anonymity",),
        "reason": "pilot with one hospital",
        "expires": date(2026, 12, 1),
    }
    return Consent(**(fields | changes))


def let_through(place, made, key, **changes):
    """Record an exception for the blocked release ``made``."""
    with open_ledger(place.ledger) as ledger:
        return make_exception(ledger, consent(made, **changes), key, NOW)


@pytest.mark.slow
def test_an_exception_lets_the_named_threshold_pass_and_is_seen_everywhere(place, rules, officer):
    """It stands in the result, the manifest, the attestation, the record and the ledger."""
    blocked = place.release(SMALL, rules, now=NOW)
    approval = let_through(place, blocked, officer)
    made = place.release(SMALL, rules, now=NOW)
    assert made.outcome.value == "passed_by_exception"
    assert [a.id for a in made.approvals] == [approval.id]
    folder = place.releases()[0]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["outcome"] == "passed_by_exception"
    (seen,) = manifest["exceptions"]
    assert seen["by"] == "A. Roe"
    assert seen["reason"] == "pilot with one hospital"
    assert seen["thresholds"] == ["k_anonymity ≥ 5"]
    record = place.record(made.audit_id)
    kept = seen | {"thresholds": ["k_anonymity ≥ 5 (accepted: 4)"]}
    assert record["approvals"] == [kept]
    assert record["policy"]["deviations"] == ["k_anonymity ≥ 5 (accepted: 4)"]
    later = place.record(place.release(people(), rules, now=NOW).audit_id)
    assert later["release"]["earlier_approvals"] == [approval.id]
    assert later["policy"]["deviations"] == []
    assert [e.payload["exceptions"] for e in place.entries("audited")] == [[], [kept], []]


@pytest.mark.slow
def test_a_worse_figure_than_the_accepted_one_is_blocked(place, rules, officer):
    """What was let through at 4 is not let through at 3, and 5 needs nothing."""
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    assert not place.release(people(size=3), rules, now=NOW).is_published
    assert place.release(people(size=5), rules, now=NOW).approvals == ()


@pytest.mark.slow
def test_an_exception_ends_after_its_last_day(place, rules, officer):
    """On the last day it holds, on the next it does not, and nobody can go back in time."""
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    last = datetime(2026, 12, 1, 23, 59, tzinfo=UTC)
    assert place.release(SMALL, rules, now=last).is_published
    assert not place.release(SMALL, rules, now=last + timedelta(minutes=2)).is_published
    with pytest.raises(UserError, match="correct the clock"):
        place.release(SMALL, rules, now=NOW - timedelta(days=1))


@pytest.mark.slow
def test_an_exception_holds_for_one_policy_and_one_data_set(place, rules, officer):
    """Whoever changes a word of the policy needs a new exception, and so does another data set."""
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    assert not place.release(SMALL, rules | {"description": "other"}, now=NOW).is_published
    release = rules["release"] | {"data_set": "others"}
    assert not place.release(SMALL, rules | {"release": release}, now=NOW).is_published


@pytest.mark.slow
def test_other_thresholds_stay_blocked(place, officer):
    """An exception on k-anonymity leaves l-diversity where it was."""
    thresholds = [
        {"metric": "k_anonymity", "at_least": 5},
        {"metric": "distinct_l_diversity", "at_least": 4},
    ]
    approvers = [{"name": "A. Roe", "key": officer.public.text}]
    rules = policy(exceptions={"approvers": approvers}, thresholds=thresholds)
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    assert not place.release(SMALL, rules, now=NOW).is_published


@pytest.mark.slow
def test_a_key_that_is_no_approvers_lets_nothing_through(place, rules, tmp_path):
    """Neither when the exception is made, nor when somebody writes one into the ledger by hand."""
    new_key_pair(tmp_path / "stranger", "stranger")
    stranger = load_private_key(tmp_path / "stranger" / "stranger.key")
    blocked = place.release(SMALL, rules, now=NOW)
    with pytest.raises(UserError, match=r"none of the policy's exceptions\.approvers"):
        let_through(place, blocked, stranger)
    approvers = [{"name": "A. Roe", "key": stranger.public.text}]
    theirs = policy(exceptions={"approvers": approvers})
    let_through(place, place.release(SMALL, theirs, now=NOW), stranger)
    assert place.release(SMALL, theirs, now=NOW).is_published
    assert not place.release(SMALL, rules, now=NOW).is_published


@pytest.mark.slow
def test_an_altered_exception_is_none(place, rules, officer):
    """A copy with a later day does not carry the approver's signature, whatever the ledger says beside it."""
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    (entry,) = place.entries("exception")
    payload = json.loads(json.dumps(dict(entry.payload)))
    payload["envelope"] = payload["envelope"].replace('"sig":"', '"sig":"A')
    with open_ledger(place.ledger) as ledger:
        revoke_exception(ledger, entry.id, "test", NOW)
        ledger.append(
            NewEntry(id="exception-forged", kind="exception", data_set="people", at=NOW, payload=payload)
        )
        again = dict(entry.payload)
        ledger.append(
            NewEntry(id="exception-copied", kind="exception", data_set="people", at=NOW, payload=again)
        )
    assert not place.release(SMALL, rules, now=NOW).is_published


@pytest.mark.slow
def test_a_revoked_exception_is_none(place, rules, officer):
    """After the revocation the release is blocked again."""
    approval = let_through(place, place.release(SMALL, rules, now=NOW), officer)
    with open_ledger(place.ledger) as ledger:
        revoke_exception(ledger, approval.id, "the pilot ended", NOW)
    assert not place.release(SMALL, rules, now=NOW).is_published


def test_an_exception_lives_no_longer_than_the_policy_allows(place, rules, officer):
    """Thirty days are allowed, thirty-one are not, and a day that has gone is no day."""
    blocked = place.release(SMALL, rules, now=NOW)
    with pytest.raises(UserError, match="lets an exception live 30 days"):
        let_through(place, blocked, officer, expires=date(2026, 12, 22))
    with pytest.raises(UserError, match="yet to come"):
        let_through(place, blocked, officer, expires=date(2026, 11, 20))
    assert let_through(place, blocked, officer, expires=date(2026, 12, 21)).id


@pytest.mark.slow
def test_what_is_no_missed_threshold_cannot_be_excepted(place, rules, officer):
    """A metric that held, a release that passed, an audit that does not exist, an empty reason."""
    blocked = place.release(SMALL, rules, now=NOW)
    with pytest.raises(UserError, match="missed no threshold on 'suda'"):
        let_through(place, blocked, officer, covers=("suda",))
    with pytest.raises(UserError, match="needs a reason"):
        let_through(place, blocked, officer, reason="  ")
    passed = place.release(people(), rules, now=NOW)
    with pytest.raises(UserError, match="was not blocked"):
        let_through(place, passed, officer)
    with pytest.raises(UserError, match="There is no audit"):
        let_through(place, blocked, officer, audit_id="audit-none")


@pytest.mark.slow
def test_a_doubt_cannot_be_excepted(place, officer):
    """An exception covers thresholds; a column that nobody decided blocks whatever was signed."""
    approvers = [{"name": "A. Roe", "key": officer.public.text}]
    rules = policy(exceptions={"approvers": approvers})
    let_through(place, place.release(SMALL, rules, now=NOW), officer)
    assert place.release(SMALL, rules, now=NOW).is_published
    unknown = place.release(SMALL.assign(unknown=1), rules, now=NOW)
    assert not unknown.is_published
    with pytest.raises(UserError, match="covers thresholds only"):
        let_through(place, unknown, officer)


@pytest.mark.slow
def test_an_exception_is_bound_to_its_source(place, rules, officer):
    """The same rows with another illness: no worse a figure, no more persons, and another source."""
    approval = let_through(place, place.release(SMALL, rules, now=NOW), officer)
    assert approval.source_sha256
    other = SMALL.assign(illness="cold")
    blocked = place.release(other, rules, now=NOW)
    assert not blocked.is_published
    (note,) = blocked.notes
    assert note.startswith(f"Exception {approval.id} lets nothing through: the source is another one (")
    assert note.endswith("; a new exception is needed.")
    let_through(place, blocked, officer)
    assert place.release(other, rules, now=NOW).is_published


@pytest.mark.slow
def test_an_exception_is_bound_to_the_persons_concerned(place, rules, officer):
    """Three classes of four are let through; four classes of four need a new exception, which says why."""
    three = people(groups=3, size=4)
    let_through(place, place.release(three, rules, now=NOW), officer)
    blocked = place.release(people(groups=4, size=4), rules, now=NOW)
    assert not blocked.is_published
    assert "it concerns 16 persons, more than the accepted 12" in blocked.notes[0]
    worse = place.release(people(groups=3, size=3), rules, now=NOW)
    assert "the figure of k_anonymity is 3, worse than the accepted 4" in worse.notes[0]
    assert "persons" not in worse.notes[0]


@pytest.mark.slow
def test_persons_are_counted_in_the_classes_that_miss(place, officer):
    """Of 14 persons 4 are in a class below 5, with their records; a metric without classes concerns all."""
    import pandas as pd

    table = pd.concat([people(groups=2, size=5), people(size=4, groups=3, first=50).iloc[8:]])
    twice = pd.concat([table, table.iloc[-1:]])
    thresholds = [
        {"metric": "k_anonymity", "at_least": 5},
        {"metric": "distinct_l_diversity", "at_least": 4},
        {"metric": "k_anonymity", "at_least": 4},
    ]
    approvers = [{"name": "A. Roe", "key": officer.public.text}]
    made = place.release(twice, policy(exceptions={"approvers": approvers}, thresholds=thresholds), now=NOW)
    assert place.record(made.audit_id)["persons_concerned"] == [4, 14, None]


@pytest.mark.slow
def test_persons_are_counted_for_whatever_counts_them(place, officer):
    """Held against pandas: classes that miss by themselves, shares and numbers of persons; else everybody."""
    import pandas as pd

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
    approvers = [{"name": "A. Roe", "key": officer.public.text}]
    asked = once(exceptions={"approvers": approvers}, thresholds=[threshold for threshold, _, _ in cases])
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
    bound = {w.metric: w.bound_to for w in let_through(place, made, officer, covers=covers).waived}
    assert bound["k_anonymity"] == (
        "this source, a figure no worse than 1, and no more than the 10 persons concerned"
    )
    assert bound["average_class_size"].endswith(
        "no more than the 16 persons of the table, since nobody can tell whom this figure spares"
    )
    assert place.release(table, asked, now=NOW).outcome.value == "passed_by_exception"


@pytest.mark.slow
def test_an_exception_of_the_first_form_is_read_and_lets_nothing_through(place, rules, officer, monkeypatch):
    """What an older qidguard signed names no source and no persons: it is listed, and a new one is needed."""
    from qidguard.releasing.deciding import approve
    from qidguard.releasing.deciding.exception import FIRST_FORMAT

    def first_form(signed):
        """Return what 0.1.0 signed."""
        signed = signed | {"format": FIRST_FORMAT}
        del signed["source_sha256"]
        signed["thresholds"] = [{n: v for n, v in t.items() if n != "persons"} for t in signed["thresholds"]]
        return canonical_bytes(signed)

    with monkeypatch.context() as patched:
        patched.setattr(approve, "canonical_bytes", first_form)
        approval = let_through(place, place.release(SMALL, rules, now=NOW), officer)
    blocked = place.release(SMALL, rules, now=NOW)
    assert not blocked.is_published
    (note,) = blocked.notes
    assert note == (
        f"Exception {approval.id} lets nothing through: it was made by an older qidguard and names neither"
        " source nor persons; a new exception is needed."
    )
    assert place.faults() == ()


@pytest.mark.slow
def test_who_releases_cannot_approve(place, rules, officer, tmp_path):
    """By the key's id, wherever its file lies: refused when it approves, and when it releases."""
    own = str(tmp_path / "officer" / "officer.key")
    blocked = place.release(SMALL, rules, now=NOW, key=own)
    with pytest.raises(UserError, match="signs releases, and who releases cannot approve"):
        let_through(place, blocked, officer)
    unsigned = place.release(SMALL, rules, now=NOW)
    let_through(place, unsigned, officer)
    signed = place.release(SMALL, rules, now=NOW, key=own)
    assert not signed.is_published
    assert "which signs releases; have an approver sign with another key" in signed.notes[0]
    assert place.release(SMALL, rules, now=NOW).is_published
    others = once(exceptions=rules["exceptions"])
    assert place.release(people(first=900), others, now=NOW, key=own).is_published
    with pytest.raises(UserError, match="signs releases"):
        let_through(place, unsigned, officer)
