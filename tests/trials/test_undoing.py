"""A column that undoes a generalization blocks through every door, until somebody deals with it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from plugged import Coarse, Doing, host_with
from qidguard import ExitCode, anonymize, audit
from qidguard.core.report import Undone
from qidguard.evidence.verify import verify_release
from qidguard.ledger import read
from qidguard.ledger.payloads import Audited, Checked
from qidguard.releasing.deciding.check import write_remedied
from qidguard.releasing.reaudit.reaudit import reaudit
from qidguard.rendering.audit_document import AuditDocument
from qidguard.rendering.console import console_text
from qidguard.rendering.junit import junit_text
from qidguard.rendering.notebook import to_html_fragment
from qidguard.sdk import Anonymized
from qidguard_comparison import compare
from releases import at_least, once


def unchanged(records, *_):
    """Publish every record as it is."""
    return Anonymized(kept=np.ones(records.records, dtype=np.bool_), columns={})


HOST = host_with([Coarse(), Doing(unchanged, "same")])
ACCEPTED = [{"columns": ["year"], "tells": "age", "reason": "the year is on every form", "by": "A. Roe"}]
SENTENCE = (
    "year is known to whoever knows the original age. With year read back, k is 5, not 30: 0 persons are"
    " unique, 60 stand in classes below 10. Make year a QID, drop or coarsen it, or accept it in words."
)


def table() -> pd.DataFrame:
    """Return 60 persons: five of each of six ages and two sexes, the year of birth beside the age."""
    ages = [20 + i % 6 for i in range(60)]
    columns = {"person": [f"p{i:02}" for i in range(60)], "age": ages}
    columns |= {"sex": ["f" if i // 6 % 2 else "m" for i in range(60)], "year": [2000 - age for age in ages]}
    return pd.DataFrame(columns | {"ward": [f"w{i % 7 // 2}" for i in range(60)]})


def rules(**changes):
    """Return a policy that is 10-anonymous once all ages are one."""
    known = {"quasi_identifiers": ["age", "sex"], "insensitive": ["year", "ward"]}
    roles = known | {"direct_identifiers": ["person"]}
    return once(roles=roles, thresholds=at_least(k_anonymity=10), remedy={"anonymizer": "coarse"}) | changes


def coarsened(changes=None, rows=None, *, anonymizer="coarse", host=HOST):
    """Return the trial of the method under a policy."""
    source = table() if rows is None else rows
    return anonymize(source, rules(**changes or {}), anonymizer=anonymizer, host=host, seed=1)


def by_anonymize(_, policy):
    """Return whether ``anonymize`` lets it through, and why not."""
    with anonymize(table(), policy, anonymizer="coarse", host=HOST, seed=1) as tried:
        assert tried.exit_code is (ExitCode.PASSED if tried.is_passed else ExitCode.BLOCKED)
        return tried.is_passed, tried.sentences


def by_compare(_, policy):
    """Return the same of ``compare``, which recommends what passes."""
    found = compare(table(), policy, anonymizers="coarse", host=HOST, seed=1)
    [row] = found.methods
    assert (found.best is row) == row.is_passed
    return row.is_passed, row.sentences


def by_release(place, policy):
    """Return the same of a release by remedy."""
    made = place.release(table(), policy, host=HOST)
    assert bool(place.releases()) == made.is_published
    return made.is_published, made.sentences


def by_remedied(place, policy):
    """Return the same of what an Airflow task transforms on its way to a release."""
    place.root.mkdir(exist_ok=True)
    to, home = str(place.root / "made.parquet"), str(place.home)
    made = write_remedied(table(), policy=policy, to=to, home=home, host=HOST)
    return made.is_passed, made.sentences


def audited(published, policy, **more):
    """Return whether a finished table passes beside its original, and what blocks it."""
    with audit(published, policy, original=table(), host=HOST, **more) as found:
        return found.is_passed, tuple(block.sentence for block in found.verdict.blocks)


def by_audit(_, policy):
    """Return the same of the finished table beside its original."""
    return audited(table().assign(age="[20, 40]"), policy, is_same_order=True)


def by_shuffled_audit(_, policy):
    """Return the same where nobody says which record was which: what did not change tells."""
    return audited(table().assign(age="[20, 40]").sample(frac=1, random_state=1, ignore_index=True), policy)


DOORS = [by_audit, by_anonymize, by_compare, by_release, by_remedied, by_shuffled_audit]
ROLES, RELEASE = rules()["roles"], rules()["release"]
CHANGES = {
    "nobody dealt with it": ({}, (False, (SENTENCE,))),
    "accepted": ({"accepted": ACCEPTED}, (True, ())),
    "dropped": ({"release": RELEASE | {"drop": ["year"]}}, (True, ())),
    "direct": (
        {"roles": ROLES | {"direct_identifiers": ["person", "year"], "insensitive": ["ward"]}}, (True, ()),
    ),
    "holds all the same": ({"thresholds": at_least(k_anonymity=5)}, (True, ())),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("changes", "expected"), CHANGES.values(), ids=CHANGES)
def test_every_door_blocks_a_second_copy_until_somebody_dealt_with_it(place, door, changes, expected):
    """By the policy k is 30, for whoever reads the year 5: accepted in words, not published, or harmless."""
    assert door(place, rules(**changes)) == expected


@pytest.mark.slow
def test_only_what_was_generalized_and_is_no_qid_is_undone():
    """The year as a QID is measured as any: the limit is missed; a table as it was has nothing to undo."""
    roles = ROLES | {"quasi_identifiers": ["age", "sex", "year"], "insensitive": ["ward"]}
    with coarsened({"roles": roles}) as tried:
        assert (tried.is_passed, tried.after.verdict.thresholds[0].measurement.value) == (False, 5)
    with coarsened(anonymizer="same") as tried:
        assert (tried.after.undone, tried.after.read_backs) == ((), ())


@pytest.mark.slow
def test_what_a_person_accepted_is_said_everywhere():
    """Report, notes and drawings carry the words and the figure beside the one that was published."""
    with coarsened({"accepted": ACCEPTED}) as tried:
        report = tried.after
    words = "the year is on every form (A. Roe)"
    counted = {"persons": 60, "generalized": 60, "precision": 1.0}
    told = Undone(columns=("year",), qid="age", kind="known", is_undone=True, accepted=words, **counted)
    assert report.undone == (told,)
    [read_back] = report.read_backs
    assert (read_back.is_accepted, read_back.is_met, read_back.below) == (True, False, 60)
    assert report.notes[-2:] == (
        f"{SENTENCE.partition('. ')[0]}. It is accepted: {words}.",
        "With year read back, k is 5, not 30: 0 persons are unique, 60 stand in classes below 10.",
    )
    drawn = [console_text(report), to_html_fragment(report), junit_text(report)]
    assert ["k is 5, not 30" in one for one in drawn] == [True] * 3
    assert ["Read back" in one for one in drawn[:2]] == [True] * 2


@pytest.mark.slow
def test_both_figures_stand_in_the_document():
    """It fits the published schema."""
    with coarsened() as tried:
        after = tried.to_dict()["after"]
    Draft202012Validator(AuditDocument.model_json_schema()).validate(after)
    [read_back] = after["read_backs"]
    assert [[t["value"] for t in one["thresholds"]] for one in (after, read_back)] == [[30], [5]]
    assert after["blocks"] == [{"rule": "undoing", "sentence": SENTENCE, "is_internal": False}]
    assert [u["persons"] for u in after["undone"]] == [60]


@pytest.mark.slow
def test_two_copies_are_two_acceptances():
    """What reads the age back by the other column is not accepted."""
    both = table().assign(month=lambda rows: rows["year"] * 12)
    roles = {"roles": ROLES | {"insensitive": ["year", "ward", "month"]}}
    with coarsened(roles | {"accepted": ACCEPTED}, both) as tried:
        assert tried.sentences == (SENTENCE.replace("year", "month"),)
        assert [read.is_accepted for read in tried.after.read_backs] == [False, True]
    with coarsened(roles, both) as tried:
        assert tried.sentences[0].startswith("year is known to whoever knows the original age.")
        assert "So is month. With year and month read back, k is 5, not 30" in tried.sentences[0]


@pytest.mark.slow
def test_two_qids_are_two_lines():
    """The figures are of both together, at the end."""
    rows = table().assign(code=lambda rows: rows["sex"].map({"f": "1", "m": "2"}))

    def coarse_sex(*given):
        done, more = (one.anonymize(*given) for one in (Coarse(), Coarse("sex", "*")))
        return replace(done, columns={**done.columns, **more.columns})

    host = host_with([Doing(coarse_sex, "both"), Coarse()])
    roles = ROLES | {"insensitive": ["year", "ward", "code"]}
    with coarsened({"roles": roles}, rows, anonymizer="both", host=host) as tried:
        first, second = tried.sentences
    assert "With year and code read back, k is 5, not 60" in second
    assert "read back" not in first


@pytest.mark.slow
def test_persons_count_and_not_records():
    """Sixty persons with two records each are sixty."""
    roles = ROLES | {"direct_identifiers": [], "entity": "person"}
    with coarsened({"roles": roles}, pd.concat([table()] * 2, ignore_index=True)) as tried:
        assert tried.sentences == (SENTENCE,)


@pytest.mark.slow
def test_a_check_that_fails_blocks_as_a_fault_of_our_own(monkeypatch):
    """The error's words may hold a value, so only its kind is said."""

    def fails(*_, **__):
        raise ValueError("age 24")

    monkeypatch.setattr("qidguard_checks.plugin.Undoing.find", fails)
    with coarsened() as tried:
        assert (tried.is_passed, tried.exit_code) == (False, ExitCode.INTERNAL_ERROR)
        [sentence] = tried.sentences
    assert sentence == (
        "Internal fault: Whether published columns tell what was generalized could not be found out: plugin"
        " 'checks' of qidguard-checks 0.1.0: leak check 'undoing' failed with ValueError; mend the plugin."
    )


@pytest.mark.slow
def test_what_fails_while_it_is_read_back_blocks_too(monkeypatch):
    """That is code of the host, and no table passes by its fault either."""

    def fails(*_, **__):
        raise ValueError("age 24")

    monkeypatch.setattr("qidguard.auditing.undoing.read_back", fails)
    with coarsened() as tried:
        assert (tried.is_passed, tried.exit_code) == (False, ExitCode.INTERNAL_ERROR)
        assert tried.sentences[0].endswith("could not be found out: the search failed with ValueError.")


def test_records_that_cannot_be_paired_are_a_note():
    """Nothing is left as it was, so nobody knows which record became which."""
    few = rules(roles=ROLES | {"insensitive": [], "direct_identifiers": []})
    published = pd.DataFrame({"age": ["[20, 40]"] * 60, "sex": ["*"] * 60})
    with audit(published, few, original=table()[["age", "sex"]], host=HOST) as found:
        assert found.is_passed
        said = "Whether a published column tells the original age, sex was not"
        assert found.report.notes[-1].startswith(said)


@pytest.mark.slow
def test_the_ledger_keeps_it_whole_and_the_public_documents_only_the_pair(place):
    """Counts stand in the entry and its record; the attestation says which pair, and that it was accepted."""
    made = place.release(table(), rules(accepted=ACCEPTED), host=HOST)
    [entry] = place.entries("audited")
    audited = read(entry, Audited).payload
    assert [(told["qid"], told["persons"]) for told in audited.undone] == [("age", 60)]
    assert [read_back["below"] for read_back in audited.read_backs] == [60]
    assert place.record(made.audit_id)["risk_after"]["undone"][0]["generalized"] == 60
    [folder] = place.releases()
    verification = verify_release(str(folder), is_unsigned_allowed=True)
    assert verification.faults == ()
    said = verification.statement["predicate"]["undone"]
    assert said == [{"columns": ["year"], "tells": "age", "is_met": False, "is_accepted": True}]


@pytest.mark.slow
def test_a_blocked_release_is_kept_in_the_ledger_with_its_reason(place):
    """The sentence is a block, which no exception lets through."""
    place.release(table(), rules(), host=HOST)
    [entry] = place.entries("audited")
    audited = read(entry, Audited).payload
    assert (audited.outcome, audited.blocks, audited.missed) == ("blocked", (SENTENCE,), ())


@pytest.mark.slow
def test_what_is_accepted_no_more_blocks_a_published_release(place):
    """The original is gone; the record of the release still knows what its columns tell."""
    made = place.release(table(), rules(accepted=ACCEPTED), host=HOST)
    asked = {"home": str(place.home), "host": HOST}
    assert reaudit("people", made.release_id, policy=rules(accepted=ACCEPTED), **asked).is_passed
    today = reaudit("people", made.release_id, policy=rules(), **asked)
    assert not today.is_passed
    [sentence] = today.sentences
    assert sentence == (
        "year tells the original age of this release, and today's policy does not accept it: read back, a"
        " limit is missed; accept it in words, or withdraw the release."
    )
    kept = [read(entry, Checked).payload for entry in place.entries("checked")]
    assert [checked.outcome for checked in kept] == ["passed", "blocked"]
