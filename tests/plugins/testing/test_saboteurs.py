"""Anonymizers that each break one rule: the kit finds that one and no other."""

from multiprocessing import Process
from pathlib import Path

import pytest

import saboteurs
from conforming import Blocks
from qidguard_testing import checking, conformance
from qidguard_testing.checking import K, check_sample
from qidguard_testing.checks.told import EXAMPLE, _sentence
from qidguard_testing.determinism import in_fresh_process
from qidguard_testing.interruption import interruption
from qidguard_testing.sample import visits
from qidguard_testing.samples import SAMPLES, few, plain
from qidguard_testing.subject import make_subject
from qidguard_testing.trial import tried


def subject_of(kind):
    """Return a saboteur under test."""
    return make_subject(kind(), {"k": 3}, {"k_anonymity": 3})


ONE_RUN = [
    (saboteurs.Changed, set()),
    (saboteurs.CountsWhatIsNot, {"row_accounting"}),
    (saboteurs.CountsNothing, {"row_accounting"}),
    (saboteurs.TouchesSensitive, {"untouched_columns"}),
    (saboteurs.DrawsWithoutSeed, {"determinism"}),
    (saboteurs.DependsOnOrder, {"order"}),
    (saboteurs.MeansOfWholeNumbers, {"value_types"}),
    # nor is there a town of that number
    (saboteurs.NumbersForTexts, {"value_types", "truth"}),
    (saboteurs.NumbersAsTexts, {"value_types"}),
    (saboteurs.MovesRecords, {"truth"}),
    (saboteurs.WritesUnreadably, {"truth"}),
    (saboteurs.ClaimsTooMuch, {"proven_claims"}),
    (saboteurs.ClaimsNothing, {"proven_claims"}),
    (saboteurs.ClaimsWhatIsNoMetric, {"proven_claims"}),
    (saboteurs.ReachesLess, {"proven_claims"}),
    # the name of a person is also nothing that a town could be read from
    (saboteurs.CopiesIdentifiers, {"direct_identifiers", "truth"}),
    (saboteurs.RefusesInOneWord, {"outcome"}),
    (saboteurs.AnswersWrongly, {"outcome"}),
    (saboteurs.TellsTooMuchProgress, {"progress"}),
    (saboteurs.LeaksInANote, {"silence"}),
    (saboteurs.LeaksInANameOfSuppression, {"silence"}),
    (saboteurs.LeaksInAStep, {"silence"}),
    (saboteurs.LeaksInARefusal, {"silence"}),
    (saboteurs.LeaksInAPlot, {"silence"}),
    (saboteurs.DrawsNoPlot, {"plots"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "expected"), ONE_RUN, ids=lambda x: getattr(x, "__name__", ""))
def test_one_run_shows_what_is_wrong(kind, expected):
    """The check that is broken finds it, and no other does; the one that breaks nothing passes."""
    assert {violation.check for violation in check_sample(subject_of(kind), plain())} == expected


@pytest.mark.slow
def test_a_refusal_in_one_word_is_told_what_a_sentence_must_have():
    """Each part that is missing is named, and a sentence that has them all is shown, which passes itself."""
    found = [one.sentence for one in check_sample(subject_of(saboteurs.RefusesInOneWord), plain())]
    assert len(found) == 1
    for part in ("says 'impossible'", "it has 10 characters, fewer than 20", "no ';', ',' or ':'", EXAMPLE):
        assert part in found[0]
    assert list(_sentence(EXAMPLE)) == []
    assert "more than one line" in next(_sentence(f"{EXAMPLE}\n{EXAMPLE}"))


@pytest.mark.parametrize("k", [3, 12])
def test_who_counts_records_in_the_place_of_persons_is_found(k):
    """A table of few persons with many records shows it at every k that it has persons for; no other does."""
    tested = make_subject(saboteurs.CountsRecords(), {"k": k}, {"k_anonymity": k})
    tables = [make() for make in SAMPLES]
    found = {
        violation.sample for sample in tables if sample.entity for violation in check_sample(tested, sample)
    }
    assert "many records of few persons" in found
    assert check_sample(make_subject(Blocks(), {"k": k}, {"k_anonymity": k}), visits()) == []


def test_the_kit_tells_which_limits_it_asks_for(record_property, capsys):
    """Without ``claims`` it is a k of 3, whatever the arguments say."""
    assert make_subject(Blocks(), {"k": 5}, K).asks.startswith("its tasks ask for k_anonymity at least 3;")
    assert make_subject(Blocks(), {}, {}).asks.startswith("its tasks ask for no limit;")
    both = {"k_anonymity": 5, "prosecutor_risk_average": 0.1}
    asked = "k_anonymity at least 5 and prosecutor_risk_average at most 0.1"
    assert asked in make_subject(Blocks(), {"k": 5}, both).asks

    class Tested(conformance.AnonymizerConformance):
        anonymizer, arguments = Blocks(), {"k": 5}

    conformance.AnonymizerConformance.subject.__wrapped__(Tested(), record_property)
    assert "blocks: its tasks ask for k_anonymity at least 3" in capsys.readouterr().out


@pytest.mark.slow
def test_what_cannot_be_read_is_shown():
    """The values are made up, so the author sees what was written."""
    found = [one.sentence for one in check_sample(subject_of(saboteurs.WritesUnreadably), plain())]
    assert any("cannot be read: '" in sentence and "+" in sentence for sentence in found)


@pytest.mark.slow
def test_a_failure_on_few_records_is_found_on_few_records():
    """And the violation says which error it was and where it was raised."""
    assert check_sample(subject_of(saboteurs.FailsOnFew), plain()) == []
    violation, *_ = check_sample(subject_of(saboteurs.FailsOnFew), few())
    assert violation.check == "outcome"
    assert "IndexError" in str(violation)
    assert Path(saboteurs.__file__).name in str(violation)


class Hurries(Blocks):
    """Has fewer steps at each run, as where a time limit ends them."""

    runs = 0

    def anonymize(self, records, arguments, task):
        """Tell of 40, then of 20, 13, … steps."""
        type(self).runs += 1
        for step in range(40 // self.runs):
            task.progress.step("hurrying", step, 40)
        return super().anonymize(records, arguments, task)


INTERRUPTED = [
    (Blocks, set()),
    (Hurries, set()),
    (saboteurs.SwallowsInterrupts, {"it went on; let KeyboardInterrupt pass"}),
    (saboteurs.LeavesAFile, {"files are left behind"}),
    (saboteurs.LeavesAThread, {"threads or processes are left behind: left alone"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "said"), INTERRUPTED, ids=lambda x: getattr(x, "__name__", ""))
def test_ctrl_c_shows_what_is_wrong(kind, said, monkeypatch):
    """What goes on, or leaves files or threads behind, is found at each step; what ends cleanly is not."""
    monkeypatch.setattr("qidguard_testing.interruption._GRACE_SECONDS", 0.05)
    found = list(interruption(subject_of(kind), plain()))
    assert {violation.check for violation in found} == ({"interruption"} if said else set())
    for sentence in said:
        assert all(sentence in violation.sentence for violation in found)
        assert len(found) == 3  # the first step, one in the middle and the last


@pytest.mark.slow
def test_a_process_that_was_there_before_is_nobodys_fault(monkeypatch):
    """Who runs the kit may have processes of their own."""
    child = Process(name="of another")
    monkeypatch.setattr("qidguard_testing.interruption.active_children", lambda: [child])
    assert list(interruption(subject_of(Blocks), plain())) == []


@pytest.mark.slow
def test_a_process_of_its_own_shows_what_depends_on_hashes():
    """In one process a set has one order; in another it has another."""
    assert check_sample(subject_of(saboteurs.DependsOnHashes), plain()) == []
    (violation,) = in_fresh_process(subject_of(saboteurs.DependsOnHashes), [plain()])
    assert (violation.check, violation.sample) == ("determinism", "plain")


def test_what_cannot_be_pickled_is_said():
    """A process of its own cannot be sent a class that is made within a function."""

    class Local(Blocks):
        """Made here."""

    (violation,) = in_fresh_process(subject_of(Local), [plain()])
    assert "cannot be pickled" in violation.sentence


@pytest.mark.slow
def test_silence_shows_in_the_pace(monkeypatch):
    """A method that works for too long without a step is found, and one that tells its steps is not."""
    monkeypatch.setattr(checking, "LONGEST_SILENCE_SECONDS", 0.3)
    for kind, expected in ((saboteurs.WorksInSilence, ["pace"]), (Blocks, [])):
        with tried(subject_of(kind), plain()) as trial:
            assert [violation.check for violation in checking.pace(trial)] == expected


@pytest.mark.slow
def test_the_class_of_pytest_fails_with_what_is_wrong():
    """Each violation is a line."""

    class Tested(conformance.AnonymizerConformance):
        """One that claims nothing."""

    with pytest.raises(pytest.fail.Exception, match=r"plain.*nothing is claimed"):
        Tested().test_made_up_table(subject_of(saboteurs.ClaimsNothing), plain)
