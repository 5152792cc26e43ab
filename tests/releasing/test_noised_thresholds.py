"""A release with noise tells over which columns each threshold holds, everywhere, and never silently."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from rich.console import Console

from noise import Noisy
from plugged import host_with
from qidguard import anonymize
from qidguard.evidence.canonical import EvidenceFault
from qidguard.evidence.statement import read_statement
from qidguard.ledger import LedgerError
from qidguard.releasing.deciding.exception import covering
from qidguard.releasing.reaudit.retrospect import noise_then
from qidguard.rendering.audit_document import AuditDocument
from qidguard.rendering.console import ConsoleReport
from qidguard.rendering.notebook import to_html_fragment
from qidguard.rendering.sentence import headline
from qidguard.sdk import Recoded, interval_text
from reaudits import ANONYMOUS, again
from releases import Place, once, people

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
LEFT_OUT = {"metric": "k_anonymity", "at_least": 5, "noised": "left_out"}
AS_PUBLISHED = {"metric": "k_anonymity", "at_least": 5}
READ = {"over": ["sex"], "as_published": [], "left_out": ["age"]}


def spread(numbers, _):
    """Return noise that gives nearly every record a value of its own, for a test that needs no chance."""
    return numbers + np.arange(len(numbers)) % 19


def rules(*thresholds, **more):
    """Return a policy whose remedy is noise on ages."""
    remedy = {"anonymizer": "noisy", "parameters": {"epsilon": "1/2", "bounds": {"age": [20, 40]}}}
    return once(remedy=remedy, privacy_budget={"epsilon": 9}, thresholds=list(thresholds), **more)


def host():
    """Return the installed host with noise that is known."""
    return host_with([Noisy(noise=spread)])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a place with one release over the columns without noise, and the release."""
    place = Place(tmp_path_factory.mktemp("noised"))
    return place, place.release(people(), rules(LEFT_OUT), release_id="r1", host=host())


@pytest.mark.slow
def test_as_published_is_the_default_and_blocks(place):
    """Nearly every age is another one: k is 1, and the verdict says that it took published ages as known."""
    blocked = place.release(people(), rules(AS_PUBLISHED), host=host())
    assert not blocked.is_published
    (result,) = blocked.report.verdict.thresholds
    assert (result.measurement.value, result.measurement.noised.as_published) == (1, ("age",))
    (entry,) = place.entries("audited")
    (said,) = entry.payload["missed"]
    assert said.endswith("must be at least 5 (4 short), over age, sex, noised values of age as published.")


@pytest.mark.slow
def test_left_out_says_in_every_place_that_it_holds_over_the_others_only(made):
    """Report, console, JSON, HTML, record, ledger and attestation; the check of the attestation too."""
    place, released = made
    report = released.report
    (one,) = report.noised
    assert (one.qids, one.noised) == (("age", "sex"), ("age",))
    assert (
        "k_anonymity is measured over sex only, and says nothing of an attacker who knows age" in one.sentence
    )
    assert one.sentence in report.notes
    assert "says nothing of an attacker who knows age" in to_html_fragment(report)
    assert headline(report) == "The only threshold holds, over columns without noise only."
    shown = StringIO()
    for is_brief in (True, False):
        Console(file=shown, width=100).print(ConsoleReport(report=report, is_brief=is_brief))
    words = " ".join(shown.getvalue().split())
    assert words.count("says nothing of an attacker who knows age") == 2
    assert one.sentence in " ".join(repr(released).split())
    record = place.record(released.audit_id)["risk_after"]
    Draft202012Validator(AuditDocument.model_json_schema()).validate(record)
    assert record["noised"][0]["sentence"] == one.sentence
    (figure,) = record["thresholds"]
    assert (figure["noised"], figure["qids"], figure["value"]) == (READ, ["sex"], 5)
    assert figure["sentence"].endswith(
        "over sex, without age, which has noise: it holds for these columns only."
    )
    (entry,) = place.entries("audited")
    assert entry.payload["noised"][0]["sentence"] == one.sentence
    assert entry.payload["figures"][0]["noised"] == READ
    found = place.verification()
    assert found.faults == ()
    predicate = found.statement["predicate"]
    assert predicate["noised"] == [{"combination": "default", "sentence": one.sentence}]
    assert predicate["verdict"]["thresholds"][0]["noised"] == READ
    said = "k_anonymity of the combination default was measured over sex only, without age, which noise"
    assert any(note.startswith(said) for note in found.notes)
    assert one.sentence in found.notes


@pytest.mark.slow
def test_a_rehearsal_tells_the_same_before_anything_is_charged():
    """In its lines, in a notebook and in its document; on a combination without noise nothing is said."""
    voters = {"name": "voters", "quasi_identifiers": ["sex"], "thresholds": [AS_PUBLISHED]}
    asked = rules(LEFT_OUT, combinations=[voters])
    with anonymize(people(), asked, host=host_with([Noisy()]), seed=1) as made:
        assert made.is_passed
        (one,) = made.after.noised
        assert one.combination == "default"
        assert one.sentence in " ".join(repr(made).split())
        assert "says nothing of an attacker who knows age" in made._repr_html_()
        assert made.to_dict()["after"]["noised"][0]["sentence"] == one.sentence
        assert headline(made.after) == "2 of 2 thresholds hold, 1 over columns without noise only."


@pytest.mark.slow
@pytest.mark.parametrize("read", [
    {"over": ["sex"], "as_published": [], "left_out": ["wage"]},
    {"over": ["age", "sex"], "as_published": [], "left_out": ["age"]},
    {"over": ["age", "sex"], "as_published": [], "left_out": []},
    {"over": ["sex"], "as_published": [], "left_out": []},
    {"over": ["sex"], "as_published": ["age"], "left_out": []},
    {"over": ["age", "sex"], "as_published": ["sex"], "left_out": []},
], ids=["bare column", "both", "silent", "no reading", "not measured", "another"])  # fmt: skip
def test_an_attestation_that_names_other_columns_than_the_guarantee_is_refused(made, read):
    """What a threshold reads as noised is noised by the guarantee, and nothing else of it is."""
    place, _ = made
    with pytest.raises(EvidenceFault, match="columns with noise that are not those of the guarantee"):
        read_statement(place.forged(("verdict", "thresholds", 0, "noised"), read))


def test_nothing_left_blocks_with_a_sentence(place):
    """Every quasi-identifier has noise, and the policy leaves noised ones out."""
    asked = rules(LEFT_OUT)
    asked["roles"] |= {"quasi_identifiers": ["age"], "insensitive": ["sex"]}
    blocked = place.release(people(), asked, host=host())
    assert not blocked.is_published
    (entry,) = place.entries("audited")
    assert "nothing is left to measure" in entry.payload["missed"][0]


class Strict(Noisy):
    """Publishes the interval that holds all of its noised numbers in place of each."""

    def anonymize(self, records, arguments, task):
        """Draw, and widen."""
        done = super().anonymize(records, arguments, task)
        widest = Recoded(codes=np.zeros(records.records, dtype=np.int64), values=(interval_text(20, 40),))
        return replace(done, columns={"age": widest})


@pytest.mark.slow
def test_intervals_of_noised_numbers_pass_over_all_columns(place):
    """They are classes of their own, whoever knows them: nothing needs to be left out."""
    made = place.release(people(), rules(AS_PUBLISHED), host=host_with([Strict(noise=spread)]))
    assert made.is_published
    (result,) = made.report.verdict.thresholds
    assert (result.measurement.value, result.measurement.qids) == (5, ("age", "sex"))
    assert headline(made.report) == "The only threshold holds."
    assert "as if an attacker knew those" in made.report.noised[0].sentence


@pytest.mark.slow
def test_what_a_column_tells_of_a_noised_one_counts_as_known(place):
    """The year of birth is known by the age: with it read back age counts, and k is that of years."""
    table = people(groups=4, size=20).assign(born=lambda t: 2000 - t.age - (t.index % 2))
    table["age"] = 2000 - table.born
    asked = rules(LEFT_OUT | {"at_least": 12})
    asked["roles"] |= {"insensitive": ["born"]}
    asked["remedy"]["parameters"]["bounds"] = {"age": [20, 60]}
    blocked = place.release(table, asked, host=host())
    assert not blocked.is_published
    (read,) = blocked.report.read_backs
    assert read.qids[0] == "age"
    (result,) = read.thresholds
    assert result.measurement.qids == ("age", "sex")
    assert (result.measurement.noised, result.measurement.value) == (None, 10)


@pytest.mark.slow
@pytest.mark.parametrize("first", [AS_PUBLISHED, LEFT_OUT], ids=["as published", "left out"])
def test_an_exception_for_one_reading_is_none_for_the_other(place, officer, first):
    """The same metric, limit, persons and policy: only what was missed and named is let through."""
    six = [{**AS_PUBLISHED, "at_least": 6}, {**LEFT_OUT, "at_least": 6}]
    asked = rules(*six, exceptions=officer.exceptions)
    blocked = place.release(people(), asked, host=host(), now=NOW)
    approval = officer.let_through(place, blocked.audit_id, NOW)
    waived = {bool(json.loads(one.noised)["left_out"]): one for one in approval.waived}
    assert waived[True].demand == "k_anonymity ≥ 6 without age (noise)"
    assert waived[False].demand == "k_anonymity ≥ 6"
    half = replace(approval, waived=(waived[first is LEFT_OUT],))
    persons = (one.persons for one in approval.waived)
    missed = list(zip(blocked.report.verdict.thresholds, persons, strict=True))
    found = [covering(missed, [one], approval.source_sha256, ()).approvals for one in (half, approval)]
    assert found == [(), (approval,)]
    let = place.release(people(), asked, host=host(), now=NOW)
    assert let.outcome.value == "passed_by_exception"


@pytest.mark.slow
def test_a_reaudit_takes_the_recorded_figure_of_the_same_reading_only(made):
    """Persons cannot be counted any more; as published it was never measured."""
    place, _ = made
    later = again(place, rules(LEFT_OUT), host=host())
    assert later.is_passed
    (result,) = later.report.verdict.thresholds
    assert (result.measurement.value, result.measurement.noised.left_out) == (5, ("age",))
    assert later.report.noised[0].noised == ("age",)
    other = again(place, rules(AS_PUBLISHED), host=host())
    assert not other.is_passed
    assert "was not measured when this was released" in other.sentences[0]


@pytest.mark.slow
def test_where_records_are_persons_a_reaudit_measures_what_is_published(place):
    """Over the columns without noise it passes; as published it does not."""
    asked = rules(LEFT_OUT) | {"roles": ANONYMOUS}
    assert place.release(people(), asked, release_id="r1", host=host()).is_published
    assert again(place, asked, host=host()).is_passed
    strict = again(place, rules(AS_PUBLISHED) | {"roles": ANONYMOUS}, host=host())
    assert "noised values of age as published" in strict.sentences[0]


@pytest.mark.slow
def test_a_record_whose_guarantee_contradicts_itself_is_not_trusted(made):
    """Nobody then knows which columns have noise; a record without one names none, so all are measured."""
    place, released = made
    record = place.record(released.audit_id)
    assert (noise_then(record).columns, noise_then({"suppression": None})) == (("age",), None)
    record["suppression"]["privacy"]["parts"][0]["scale"] = "1"
    with pytest.raises(LedgerError, match="cannot be trusted"):
        noise_then(record)
