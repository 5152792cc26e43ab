"""Anonymizers that each break one rule: the kit finds that one and no other."""

from multiprocessing import Process
from pathlib import Path

import pytest

import saboteurs
from conforming import Blocks
from qidguard.testing import checking, conformance
from qidguard.testing.checking import K, check_sample
from qidguard.testing.checks.told import EXAMPLE, _sentence
from qidguard.testing.determinism import in_fresh_process
from qidguard.testing.interruption import interruption
from qidguard.testing.sample import visits
from qidguard.testing.samples import SAMPLES, few, plain
from qidguard.testing.subject import make_subject
from qidguard.testing.trial import tried
from saboteurs import (
    AnswersWrongly,
    Changed,
    ClaimsNothing,
    ClaimsTooMuch,
    ClaimsWhatIsNoMetric,
    CopiesIdentifiers,
    CountsNothing,
    CountsRecords,
    CountsWhatIsNot,
    DependsOnHashes,
    DependsOnOrder,
    DrawsNoPlot,
    DrawsWithoutSeed,
    FailsOnFew,
    LeaksInANameOfSuppression,
    LeaksInANote,
    LeaksInAPlot,
    LeaksInARefusal,
    LeaksInAStep,
    LeavesAFile,
    LeavesAThread,
    MeansOfWholeNumbers,
    MovesRecords,
    NumbersAsTexts,
    NumbersForTexts,
    ReachesLess,
    RefusesInOneWord,
    SwallowsInterrupts,
    TellsTooMuchProgress,
    TouchesSensitive,
    WorksInSilence,
    WritesUnreadably,
)


def subject_of(kind):
    """Return a saboteur under test."""
    return make_subject(kind(), {"k": 3}, {"k_anonymity": 3})


# one of each check for every save; what breaks the same check in another way is slow
ONE_RUN = [
    (Changed, set()),
    pytest.param(CountsWhatIsNot, {"row_accounting"}, marks=pytest.mark.slow),
    pytest.param(CountsNothing, {"row_accounting"}, marks=pytest.mark.slow),
    (TouchesSensitive, {"untouched_columns"}),
    (DrawsWithoutSeed, {"determinism"}),
    pytest.param(DependsOnOrder, {"order"}, marks=pytest.mark.slow),
    pytest.param(MeansOfWholeNumbers, {"value_types"}, marks=pytest.mark.slow),
    # nor is there a town of that number
    pytest.param(NumbersForTexts, {"value_types", "truth"}, marks=pytest.mark.slow),
    pytest.param(NumbersAsTexts, {"value_types"}, marks=pytest.mark.slow),
    pytest.param(MovesRecords, {"truth"}, marks=pytest.mark.slow),
    pytest.param(WritesUnreadably, {"truth"}, marks=pytest.mark.slow),
    (ClaimsTooMuch, {"proven_claims"}),
    pytest.param(ClaimsNothing, {"proven_claims"}, marks=pytest.mark.slow),
    pytest.param(ClaimsWhatIsNoMetric, {"proven_claims"}, marks=pytest.mark.slow),
    pytest.param(ReachesLess, {"proven_claims"}, marks=pytest.mark.slow),
    # the name of a person is also nothing that a town could be read from
    pytest.param(CopiesIdentifiers, {"direct_identifiers", "truth"}, marks=pytest.mark.slow),
    pytest.param(RefusesInOneWord, {"outcome"}, marks=pytest.mark.slow),
    pytest.param(AnswersWrongly, {"outcome"}, marks=pytest.mark.slow),
    pytest.param(TellsTooMuchProgress, {"progress"}, marks=pytest.mark.slow),
    (LeaksInANote, {"silence"}),
    pytest.param(LeaksInANameOfSuppression, {"silence"}, marks=pytest.mark.slow),
    pytest.param(LeaksInAStep, {"silence"}, marks=pytest.mark.slow),
    pytest.param(LeaksInARefusal, {"silence"}, marks=pytest.mark.slow),
    pytest.param(LeaksInAPlot, {"silence"}, marks=pytest.mark.slow),
    pytest.param(DrawsNoPlot, {"plots"}, marks=pytest.mark.slow),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "expected"), ONE_RUN, ids=lambda x: getattr(x, "__name__", ""))
def test_one_run_shows_what_is_wrong(kind, expected):
    """The check that is broken finds it, and no other does; the one that breaks nothing passes."""
    assert {violation.check for violation in check_sample(subject_of(kind), plain())} == expected


@pytest.mark.slow
def test_a_refusal_in_one_word_is_told_what_a_sentence_must_have():
    """Each part that is missing is named, and a sentence that has them all is shown, which passes itself."""
    found = [violation.sentence for violation in check_sample(subject_of(RefusesInOneWord), plain())]
    assert len(found) == 1
    for part in ("says 'impossible'", "it has 10 characters, fewer than 20", "no ';', ',' or ':'", EXAMPLE):
        assert part in found[0]
    assert list(_sentence(EXAMPLE)) == []
    assert "more than one line" in next(_sentence(f"{EXAMPLE}\n{EXAMPLE}"))


@pytest.mark.parametrize("k", [3, 12])
def test_who_counts_records_in_the_place_of_persons_is_found(k):
    """A table of few persons with many records shows it at every k that it has persons for; no other does."""
    tested = make_subject(CountsRecords(), {"k": k}, {"k_anonymity": k})
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
    found = [violation.sentence for violation in check_sample(subject_of(WritesUnreadably), plain())]
    assert any("cannot be read: '" in sentence and "+" in sentence for sentence in found)


@pytest.mark.slow
def test_a_failure_on_few_records_is_found_on_few_records():
    """And the violation says which error it was and where it was raised."""
    assert check_sample(subject_of(FailsOnFew), plain()) == []
    violation, *_ = check_sample(subject_of(FailsOnFew), few())
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
    (SwallowsInterrupts, {"it went on; let KeyboardInterrupt pass"}),
    pytest.param(LeavesAFile, {"files are left behind"}, marks=pytest.mark.slow),
    pytest.param(LeavesAThread, {"threads or processes are left behind: left alone"}, marks=pytest.mark.slow),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "said"), INTERRUPTED, ids=lambda x: getattr(x, "__name__", ""))
def test_ctrl_c_shows_what_is_wrong(kind, said, monkeypatch):
    """What goes on, or leaves files or threads behind, is found at each step; what ends cleanly is not."""
    monkeypatch.setattr("qidguard.testing.interruption._GRACE_SECONDS", 0.05)
    found = list(interruption(subject_of(kind), plain()))
    assert {violation.check for violation in found} == ({"interruption"} if said else set())
    for sentence in said:
        assert all(sentence in violation.sentence for violation in found)
        assert len(found) == 3  # the first step, one in the middle and the last


@pytest.mark.slow
def test_a_process_that_was_there_before_is_nobodys_fault(monkeypatch):
    """Who runs the kit may have processes of their own."""
    child = Process(name="of another")
    monkeypatch.setattr("qidguard.testing.interruption.active_children", lambda: [child])
    assert list(interruption(subject_of(Blocks), plain())) == []


@pytest.mark.slow
def test_a_process_of_its_own_shows_what_depends_on_hashes():
    """In one process a set has one order; in another it has another."""
    assert check_sample(subject_of(DependsOnHashes), plain()) == []
    (violation,) = in_fresh_process(subject_of(DependsOnHashes), [plain()])
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
    for kind, expected in ((WorksInSilence, ["pace"]), (Blocks, [])):
        with tried(subject_of(kind), plain()) as trial:
            assert [violation.check for violation in checking.pace(trial)] == expected


@pytest.mark.slow
def test_the_class_of_pytest_fails_with_what_is_wrong():
    """Each violation is a line."""

    class Tested(conformance.AnonymizerConformance):
        """One that claims nothing."""

    with pytest.raises(pytest.fail.Exception, match=r"plain.*nothing is claimed"):
        Tested().test_made_up_table(subject_of(ClaimsNothing), plain)
