"""Anonymisers that each break one rule: the kit finds that one and no other."""

import itertools
import tempfile
import threading
import time
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from qidguard import Bound, Guarantee, Limit, NotMeasurable, Recoded
from qidguard.testing import conformance, pace
from qidguard.testing.checking import check_sample
from qidguard.testing.determinism import in_fresh_process
from qidguard.testing.interruption import interruption
from qidguard.testing.samples import few, plain
from qidguard.testing.subject import make_subject
from qidguard.testing.trial import tried

_SPEC = spec_from_file_location("conforming", Path(__file__).with_name("test_conforming_anonymiser.py"))
_CONFORMING = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_CONFORMING)
Blocks = _CONFORMING.Blocks


class Changed(Blocks):
    """What the conforming one does, with one thing changed afterwards."""

    def anonymize(self, records, arguments, task):
        """Change the answer."""
        return self.change(super().anonymize(records, arguments, task), records, task)

    def change(self, done, _records, _task):
        """Change nothing."""
        return done


class CountsWhatIsNot(Changed):
    """Tells of a suppressed record, and there is none."""

    def change(self, done, _records, _task):
        """Count one."""
        return replace(done, suppressed_by={"all": 1})


class CountsNothing(Changed):
    """Suppresses the largest class and tells of no record."""

    def change(self, done, _records, _task):
        """Suppress."""
        block = done.columns["income"].codes
        return replace(done, kept=block != np.bincount(block).argmax())


class TouchesSensitive(Changed):
    """Publishes another illness."""

    def change(self, done, records, _task):
        """Hide all of them."""
        hidden = Recoded(codes=np.zeros(records.records, dtype=np.int64), values=("*",))
        return replace(done, columns={**done.columns, "illness": hidden})


class DrawsWithoutSeed(Blocks):
    """Cuts blocks of another size each time, as who draws without the seed may."""

    is_order_free = False

    def __init__(self):
        self._more = itertools.cycle(range(9))

    def blocks(self, number, entity, k, task):
        """Take the next size: two draws might be alike by chance, and these never are."""
        return super().blocks(number, entity, k + next(self._more), task)


class DependsOnHashes(Changed):
    """Writes what it found in the order of a set of texts, which differs between processes."""

    def change(self, done, _records, _task):
        """Write a note."""
        return replace(done, notes=("columns in no order: " + ", ".join({f"c{i}" for i in range(40)}),))


class DependsOnOrder(Changed):
    """Hides all incomes where the first record has the lowest, and says that order decides nothing."""

    def change(self, done, records, _task):
        """Hide them."""
        if records.column("income").codes[0] > 1:
            return done
        hidden = Recoded(codes=np.zeros(records.records, dtype=np.int64), values=("*",))
        return replace(done, columns={**done.columns, "income": hidden})


class MeansOfWholeNumbers(Blocks):
    """Publishes fractions in a column of whole numbers."""

    def cell(self, column, codes, task):
        """Take the middle."""
        if column.name != "income":
            return super().cell(column, codes, task)
        return float(column.numbers[codes].mean()) + 0.25


class NumbersForTexts(Blocks):
    """Publishes the number of a block in a column of text."""

    def cell(self, column, codes, task):
        """Number the block."""
        return int(codes[0]) if column.name == "town" else super().cell(column, codes, task)


class NumbersAsTexts(Blocks):
    """Publishes numbers as texts, so that nobody can reckon with them."""

    def cell(self, column, codes, task):
        """Write the middle."""
        if column.name != "income":
            return super().cell(column, codes, task)
        return f"{int(column.numbers[codes].mean())}.5"


class MovesRecords(Changed):
    """Publishes for each record what belongs to another."""

    def change(self, done, _records, _task):
        """Turn the order of the blocks round."""
        turned = {
            name: Recoded(codes=column.codes.max() - column.codes, values=column.values)
            for name, column in done.columns.items()
        }
        return replace(done, columns=turned)


class WritesUnreadably(Blocks):
    """Publishes sets in a writing of its own."""

    def cell(self, column, codes, task):
        """Join by a plus sign."""
        if column.name != "town" or len(codes) == 1:
            return super().cell(column, codes, task)
        return "+".join(column.texts[code] for code in codes)


class ClaimsTooMuch(Blocks):
    """Claims classes of 50."""

    def claims(self, k, task):
        """Claim more."""
        return super().claims(50, task)


class ClaimsNothing(Blocks):
    """Reaches the target and does not say so."""

    def claims(self, _k, _task):
        """Claim nothing."""
        return ()


class ClaimsWhatIsNoMetric(Blocks):
    """Claims a metric that nobody offers."""

    def claims(self, k, task):
        """Claim it beside the right one."""
        limit = Limit(bound=Bound.AT_LEAST, value=1)
        return (*super().claims(k, task), Guarantee(metric="serenity", limit=limit, qids=("town",)))


class ReachesLess(Blocks):
    """Cuts smaller blocks than asked, and claims what it reaches."""

    def blocks(self, number, entity, _k, task):
        """Cut blocks of one."""
        return super().blocks(number, entity, 1, task)

    def claims(self, _k, task):
        """Claim one."""
        return super().claims(1, task)


class CopiesIdentifiers(Changed):
    """Publishes names of people as towns."""

    is_order_free = False

    def change(self, done, records, _task):
        """Take the name of one person of each block."""
        block, names = done.columns["town"].codes, records.column("name")
        first = [names.texts[names.codes[np.flatnonzero(block == i)[0]]] for i in range(block.max() + 1)]
        return replace(done, columns={**done.columns, "town": Recoded(codes=block, values=tuple(first))})


class FailsOnFew(Blocks):
    """Fails where there are fewer persons than k."""

    def blocks(self, number, entity, k, task):
        """Raise what is no answer."""
        if len(number) < k:
            raise IndexError("list index out of range")
        return super().blocks(number, entity, k, task)


class RefusesInOneWord(Blocks):
    """Says nothing of the rule, the number and the remedy."""

    def blocks(self, _number, _entity, _k, _task):
        """Refuse."""
        raise NotMeasurable("impossible")


class AnswersWrongly(Blocks):
    """Gives back something else."""

    def anonymize(self, _records, _arguments, _task):
        """Give a list."""
        return [True]


class TellsTooMuchProgress(Changed):
    """Tells more steps than there are."""

    def change(self, done, _records, task):
        """Tell."""
        task.progress.step("polishing", 7, 5)
        return done


class LeaksInANote(Changed):
    """Writes a value of the table into a note."""

    def change(self, done, records, _task):
        """Name the first town."""
        return replace(done, notes=(f"most people live in {records.column('town').texts[1]}.",))


class LeaksInANameOfSuppression(Changed):
    """Tells of suppressed records by a value."""

    def change(self, done, records, _task):
        """Name the largest income with a separator of thousands."""
        return replace(done, suppressed_by={f"income {int(records.column('income').numbers[-1]):,}": 0})


class LeaksInAStep(Changed):
    """Tells which value it works on."""

    def change(self, done, records, task):
        """Name it."""
        task.progress.step(f"cutting at {records.column('income').texts[3]}", 0, 1)
        return done


class LeaksInARefusal(Blocks):
    """Names the value that it cannot hide."""

    def anonymize(self, records, _arguments, _task):
        """Refuse."""
        raise NotMeasurable(
            f"{records.column('town').texts[1]} has too few people for k = 3; drop the column"
        )


class SwallowsInterrupts(Blocks):
    """Goes on after Ctrl-C."""

    def blocks(self, number, entity, k, task):
        """Try again without progress."""
        try:
            return super().blocks(number, entity, k, task)
        except KeyboardInterrupt:
            return np.zeros(len(number), dtype=np.int64)


class LeavesAFile(Blocks):
    """Writes a file and removes it only where all goes well."""

    def blocks(self, number, entity, k, task):
        """Write."""
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(b"half")
        found = super().blocks(number, entity, k, task)
        Path(file.name).unlink()
        return found


class LeavesAThread(Blocks):
    """Starts a thread and ends it only where all goes well."""

    def blocks(self, number, entity, k, task):
        """Start."""
        ends = threading.Event()
        threading.Thread(target=ends.wait, args=(10,), daemon=True, name="left alone").start()
        found = super().blocks(number, entity, k, task)
        ends.set()
        return found


class WorksInSilence(Blocks):
    """Works for long without a step."""

    def blocks(self, number, entity, k, task):
        """Work."""
        ends = time.process_time() + 0.4
        while time.process_time() < ends:
            pass
        return super().blocks(number, entity, k, task)


def subject_of(kind):
    """Return a saboteur under test."""
    return make_subject(kind(), {"k": 3}, {"k_anonymity": 3})


ONE_RUN = [
    (Changed, set()),
    (CountsWhatIsNot, {"row_accounting"}),
    (CountsNothing, {"row_accounting"}),
    (TouchesSensitive, {"untouched_columns"}),
    (DrawsWithoutSeed, {"determinism"}),
    (DependsOnOrder, {"order"}),
    (MeansOfWholeNumbers, {"value_types"}),
    # nor is there a town of that number
    (NumbersForTexts, {"value_types", "truth"}),
    (NumbersAsTexts, {"value_types"}),
    (MovesRecords, {"truth"}),
    (WritesUnreadably, {"truth"}),
    (ClaimsTooMuch, {"proven_claims"}),
    (ClaimsNothing, {"proven_claims"}),
    (ClaimsWhatIsNoMetric, {"proven_claims"}),
    (ReachesLess, {"proven_claims"}),
    # the name of a person is also nothing that a town could be read from
    (CopiesIdentifiers, {"direct_identifiers", "truth"}),
    (RefusesInOneWord, {"outcome"}),
    (AnswersWrongly, {"outcome"}),
    (TellsTooMuchProgress, {"progress"}),
    (LeaksInANote, {"silence"}),
    (LeaksInANameOfSuppression, {"silence"}),
    (LeaksInAStep, {"silence"}),
    (LeaksInARefusal, {"silence"}),
]


@pytest.mark.parametrize(("kind", "expected"), ONE_RUN, ids=lambda x: getattr(x, "__name__", ""))
def test_one_run_shows_what_is_wrong(kind, expected):
    """The check that is broken finds it, and no other does; the one that breaks nothing passes."""
    assert {violation.check for violation in check_sample(subject_of(kind), plain())} == expected


def test_a_failure_on_few_records_is_found_on_few_records():
    """And the violation says which error it was and where it was raised."""
    assert check_sample(subject_of(FailsOnFew), plain()) == []
    violation, *_ = check_sample(subject_of(FailsOnFew), few())
    assert violation.check == "outcome"
    assert "IndexError" in str(violation)
    assert Path(__file__).name in str(violation)


INTERRUPTED = [
    (Blocks, set()),
    (SwallowsInterrupts, {"it went on; let KeyboardInterrupt pass"}),
    (LeavesAFile, {"files are left behind"}),
    (LeavesAThread, {"threads or processes are left behind: left alone"}),
]


@pytest.mark.parametrize(("kind", "said"), INTERRUPTED, ids=lambda x: getattr(x, "__name__", ""))
def test_ctrl_c_shows_what_is_wrong(kind, said, monkeypatch):
    """What goes on, or leaves files or threads behind, is found at each step; what ends cleanly is not."""
    monkeypatch.setattr("qidguard.testing.interruption._GRACE_SECONDS", 0.05)
    found = list(interruption(subject_of(kind), plain()))
    assert {violation.check for violation in found} == ({"interruption"} if said else set())
    for sentence in said:
        assert all(sentence in violation.sentence for violation in found)
        assert len(found) == 2


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


def test_silence_shows_in_the_pace(monkeypatch):
    """A method that works for too long without a step is found, and one that tells its steps is not."""
    monkeypatch.setattr(pace, "LONGEST_SILENCE_SECONDS", 0.3)
    for kind, expected in ((WorksInSilence, ["pace"]), (Blocks, [])):
        with tried(subject_of(kind), plain()) as trial:
            assert [violation.check for violation in pace.pace(trial)] == expected


def test_the_class_of_pytest_fails_with_what_is_wrong():
    """Each violation is a line."""

    class Tested(conformance.AnonymiserConformance):
        """One that claims nothing."""

    with pytest.raises(pytest.fail.Exception, match=r"plain.*nothing is claimed"):
        Tested().test_made_up_table(subject_of(ClaimsNothing), plain)
