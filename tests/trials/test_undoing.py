"""A column that undoes a generalization blocks through every door, until somebody deals with it."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from plugged import Coarse, Doing, host_with
from qidguard import ExitCode, anonymize, audit, compare
from qidguard.core.report import Undone
from qidguard.evidence.verify import verify_release
from qidguard.ledger import read
from qidguard.ledger.payloads import Audited, Checked
from qidguard.releasing.deciding.remedied import write_remedied
from qidguard.releasing.reaudit.reaudit import reaudit
from qidguard.rendering.console import console_text
from qidguard.rendering.junit import junit_text
from qidguard.rendering.notebook import to_html_fragment
from qidguard.rendering.schema import audit_schema
from qidguard.sdk import Anonymized


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
    return pd.DataFrame(
        {
            "person": [f"p{i:02}" for i in range(60)],
            "age": ages,
            "sex": ["f" if i // 6 % 2 else "m" for i in range(60)],
            "year": [2000 - age for age in ages],
            "ward": [f"w{i % 7 // 2}" for i in range(60)],
        }
    )


def rules(**changes):
    """Return a policy that is 10-anonymous once all ages are one."""
    return {
        "qidguard": 1,
        "name": "undoing",
        "roles": {
            "quasi_identifiers": ["age", "sex"],
            "insensitive": ["year", "ward"],
            "direct_identifiers": ["person"],
        },
        "thresholds": [{"metric": "k_anonymity", "at_least": 10}],
        "remedy": {"anonymizer": "coarse"},
        "release": {"data_set": "people", "earlier_releases": "unrelated"},
    } | changes


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
    made = write_remedied(
        table(), policy=policy, to=str(place.root / "made.parquet"), home=str(place.home), host=HOST
    )
    return made.is_passed, made.sentences


def by_audit(_, policy):
    """Return the same of the finished table beside its original."""
    published = table().assign(age="[20, 40]")
    with audit(published, policy, original=table(), is_same_order=True, host=HOST) as found:
        return found.is_passed, tuple(block.sentence for block in found.verdict.blocks)


def by_shuffled_audit(_, policy):
    """Return the same where nobody says which record was which: what did not change tells."""
    published = table().assign(age="[20, 40]").sample(frac=1, random_state=1).reset_index(drop=True)
    with audit(published, policy, original=table(), host=HOST) as found:
        return found.is_passed, tuple(block.sentence for block in found.verdict.blocks)


DOORS = [by_anonymize, by_compare, by_release, by_remedied, by_audit, by_shuffled_audit]
ONE_DOOR_AND_SLOW_ONES = [
    by_audit,
    *(pytest.param(d, marks=pytest.mark.slow) for d in DOORS if d is not by_audit),
]


@pytest.mark.slow
@pytest.mark.parametrize("door", ONE_DOOR_AND_SLOW_ONES)
def test_every_door_blocks_a_second_copy_of_what_was_generalized(place, door):
    """By the policy k is 30, for whoever reads the year it is 5."""
    assert door(place, rules()) == (False, (SENTENCE,))


@pytest.mark.slow
@pytest.mark.parametrize("door", ONE_DOOR_AND_SLOW_ONES)
@pytest.mark.parametrize(
    "changes",
    [
        {"accepted": ACCEPTED},
        {"release": rules()["release"] | {"drop": ["year"]}},
        {"roles": rules()["roles"] | {"direct_identifiers": ["person", "year"], "insensitive": ["ward"]}},
        {"thresholds": [{"metric": "k_anonymity", "at_least": 5}]},
    ],
    ids=["accepted", "dropped", "direct", "holds all the same"],
)
def test_it_passes_once_somebody_dealt_with_the_column(place, door, changes):
    """Accepted in words, not published, or harmless: the limit holds with the year read back, too."""
    assert door(place, rules(**changes)) == (True, ())


@pytest.mark.slow
def test_a_column_that_joined_the_qids_undoes_nothing():
    """The year is measured as any QID is: the limit is missed, by its own sentence."""
    roles = rules()["roles"] | {"quasi_identifiers": ["age", "sex", "year"], "insensitive": ["ward"]}
    with anonymize(table(), rules(roles=roles), anonymizer="coarse", host=HOST, seed=1) as tried:
        assert not tried.is_passed
        assert tried.after.verdict.thresholds[0].measurement.value == 5


@pytest.mark.slow
def test_what_a_person_accepted_is_said_everywhere():
    """Report, notes and drawings carry the words and the figure beside the one that was published."""
    with anonymize(table(), rules(accepted=ACCEPTED), anonymizer="coarse", host=HOST, seed=1) as tried:
        report = tried.after
    assert report.undone == (
        Undone(
            columns=("year",),
            qid="age",
            kind="known",
            persons=60,
            generalized=60,
            precision=1.0,
            is_undone=True,
            accepted="the year is on every form (A. Roe)",
        ),
    )
    [read_back] = report.read_backs
    assert (read_back.is_accepted, read_back.is_met, read_back.below) == (True, False, 60)
    assert report.notes[-2:] == (
        f"{SENTENCE.partition('. ')[0]}. It is accepted: the year is on every form (A. Roe).",
        "With year read back, k is 5, not 30: 0 persons are unique, 60 stand in classes below 10.",
    )
    for drawn in (console_text(report), to_html_fragment(report), junit_text(report)):
        assert "k is 5, not 30" in drawn
    for drawn in (console_text(report), to_html_fragment(report)):
        assert "Read back" in drawn


@pytest.mark.slow
def test_both_figures_stand_in_the_document():
    """It fits the published schema."""
    with anonymize(table(), rules(), anonymizer="coarse", host=HOST, seed=1) as tried:
        after = tried.to_dict()["after"]
    Draft202012Validator(audit_schema()).validate(after)
    assert [t["value"] for t in after["thresholds"]] == [30]
    [read_back] = after["read_backs"]
    assert [t["value"] for t in read_back["thresholds"]] == [5]
    assert after["blocks"] == [{"rule": "undoing", "sentence": SENTENCE, "is_internal": False}]
    assert [u["persons"] for u in after["undone"]] == [60]


@pytest.mark.slow
def test_two_copies_are_two_acceptances():
    """What reads the age back by the other column is not accepted."""
    both = table().assign(month=lambda rows: rows["year"] * 12)
    roles = rules()["roles"] | {"insensitive": ["year", "ward", "month"]}
    with anonymize(both, rules(roles=roles, accepted=ACCEPTED), anonymizer="coarse", host=HOST) as tried:
        assert tried.sentences == (SENTENCE.replace("year", "month"),)
        assert [read.is_accepted for read in tried.after.read_backs] == [False, True]
    with anonymize(both, rules(roles=roles), anonymizer="coarse", host=HOST) as tried:
        assert tried.sentences[0].startswith("year is known to whoever knows the original age.")
        assert "So is month. With year and month read back, k is 5, not 30" in tried.sentences[0]


@pytest.mark.slow
def test_two_qids_are_two_lines():
    """The figures are of both together, at the end."""
    rows = table().assign(code=lambda rows: rows["sex"].map({"f": "1", "m": "2"}))

    def coarse_sex(records, arguments, task):
        done = Coarse().anonymize(records, arguments, task)
        more = Coarse("sex", "*").anonymize(records, arguments, task)
        return replace(done, columns={**done.columns, **more.columns})

    host = host_with([Doing(coarse_sex, "both"), Coarse()])
    roles = rules()["roles"] | {"insensitive": ["year", "ward", "code"]}
    with anonymize(rows, rules(roles=roles), anonymizer="both", host=host, seed=1) as tried:
        said = tried.sentences
    assert len(said) == 2
    assert "With year and code read back, k is 5, not 60" in said[1]
    assert "read back" not in said[0]


@pytest.mark.slow
def test_a_table_that_was_not_changed_has_nothing_to_undo():
    """No column is generalized, so none can be told."""
    with anonymize(table(), rules(), anonymizer="same", host=HOST, seed=1) as tried:
        assert (tried.after.undone, tried.after.read_backs) == ((), ())


@pytest.mark.slow
def test_a_search_that_fails_blocks_as_a_fault_of_our_own(monkeypatch):
    """The error's words may hold a value, so only its kind is said."""
    import qidguard.undoing

    def fails(*_, **__):
        raise ValueError("age 24")

    monkeypatch.setattr(qidguard.undoing, "find_undoings", fails)
    with anonymize(table(), rules(), anonymizer="coarse", host=HOST, seed=1) as tried:
        assert (tried.is_passed, tried.exit_code) == (False, ExitCode.INTERNAL_ERROR)
        [sentence] = tried.sentences
        assert sentence == (
            "Internal fault: Whether published columns tell what was generalized could not be found out: the"
            " search failed with ValueError."
        )


def test_records_that_cannot_be_paired_are_a_note():
    """Nothing is left as it was, so nobody knows which record became which."""
    original, few = table()[["age", "sex"]], rules()["roles"] | {"insensitive": [], "direct_identifiers": []}
    published = pd.DataFrame({"age": ["[20, 40]"] * 60, "sex": ["*"] * 60})
    with audit(published, rules(roles=few), original=original, host=HOST) as found:
        assert found.is_passed
        assert found.report.notes[-1].startswith(
            "Whether a published column tells the original age, sex was not"
        )


@pytest.mark.slow
def test_persons_count_and_not_records():
    """Sixty persons with two records each are sixty."""
    rows = pd.concat([table()] * 2, ignore_index=True)
    roles = rules()["roles"] | {"direct_identifiers": [], "entity": "person"}
    with anonymize(rows, rules(roles=roles), anonymizer="coarse", host=HOST, seed=1) as tried:
        assert tried.sentences == (SENTENCE,)


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
    assert "60" not in json.dumps(said)


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
    held = reaudit(
        "people", made.release_id, policy=rules(accepted=ACCEPTED), home=str(place.home), host=HOST
    )
    assert held.is_passed
    today = reaudit("people", made.release_id, policy=rules(), home=str(place.home), host=HOST)
    assert not today.is_passed
    [sentence] = today.sentences
    assert sentence == (
        "year tells the original age of this release, and today's policy does not accept it: read back, a"
        " limit is missed; accept it in words, or withdraw the release."
    )
    kept = [read(entry, Checked).payload for entry in place.entries("checked")]
    assert [checked.outcome for checked in kept] == ["passed", "blocked"]
