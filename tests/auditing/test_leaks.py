"""The check of what columns undo cannot be left out: in whatever way it gives no answer, nothing passes."""

import sys
import time
from dataclasses import replace
from importlib.metadata import entry_points
from types import MappingProxyType, ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import qidguard
from plugged import Coarse, host_with
from qidguard import ExitCode
from qidguard.core.leaks import Leak, Leaks, Unexamined
from qidguard.core.watchdog import LIMIT_VARIABLE
from qidguard.host.loading import assemble
from qidguard.sdk import DataError, NotMeasurable, PluginError, hookimpl

ROWS = pd.DataFrame({"age": [20 + i % 20 for i in range(80)], "ward": [f"w{i % 7}" for i in range(80)]})
POLICY = {
    "qidguard": 1,
    "name": "leaks",
    "roles": {"quasi_identifiers": ["age"], "insensitive": ["ward"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 4}],
}
WORDS = "Whether published columns tell what was generalized could not be found out: "
CHECK = "plugin 'checks' of qidguard-checks 0.1.0: leak check 'undoing'"
NO_ANSWER = f"{CHECK} gave no answer, for "
MEND = "; mend the plugin."
KNOWN = np.zeros(80, dtype=np.bool_)


def installed(*left_out, **more):
    """Return the host of the installed plugins without some, and with modules that offer checks by a hook."""
    found = [entry for entry in entry_points(group="qidguard") if entry.name not in left_out]
    return assemble(found, registered=more)


def plugin(hook="qidguard_leaks", **offers):
    """Return a module that offers what is given, by their names, or raises it."""
    module = ModuleType("more")

    def hooked():
        return [SimpleNamespace(name=name, title=name, find=find) for name, find in offers.items()]

    hooked.__name__ = hook
    setattr(module, hook, hookimpl(hooked))
    return module


def with_check(find, name="undoing"):
    """Return the installed host whose check is a function."""
    host = installed()
    check = SimpleNamespace(name=name, title=name, find=find)
    leaks = MappingProxyType({**host.leaks, name: check})
    return replace(host, registry=MappingProxyType({**host.registry, "leaks": leaks}))


def leak(**changes):
    """Return an answer with one leak, of which something is wrong."""
    fields = {"columns": ("ward",), "qid": "age", "told": 0.5, "precision": 1.0, "persons": 1}
    return Leaks(found=(Leak(**{**fields, "generalized": 2, "is_undone": False, "known": KNOWN, **changes}),))


def answers(answer):
    """Return the installed host whose check gives this, whatever it is asked."""
    return with_check(lambda _: answer)


def raises(error):
    """Return the installed host whose check raises this."""

    def find(_):
        raise error

    return with_check(find)


def broken(monkeypatch, name):
    """Return a host whose plugin of checks cannot be imported."""
    monkeypatch.setitem(sys.modules, name, None)
    return installed()


def found(host, *, has_original=True):
    """Return the audit of a table whose ages are one, beside the original, which passes if it is checked."""
    original = {"original": ROWS, "is_same_order": True} if has_original else {}
    return qidguard.audit(ROWS.assign(age="*") if has_original else ROWS, POLICY, host=host, **original)


def test_it_passes_where_it_is_checked():
    """The table on which all ways fail below, with the check and without its original."""
    for has_original in (True, False):
        with found(installed(), has_original=has_original) as audit:
            assert (audit.is_passed, audit.verdict.blocks) == (True, ())


MISSING = {
    "not installed": (
        lambda: installed("checks"),
        "there is no leak check 'undoing', since no installed plugin offers leaks; install one that does",
    ),
    "left out": (
        lambda: assemble(entry_points(group="qidguard"), {"standard"}),
        "no loaded plugin offers the leak check 'undoing', and QIDGUARD_PLUGINS leaves out checks",
    ),
    "in the place of another": (
        lambda: installed("checks", more=plugin(other=lambda _: Leaks())),
        "there is no leak check 'undoing'; see: qidguard plugins",
    ),
    "contested": (
        lambda: installed(more=plugin(undoing=lambda _: Leaks())),
        "leak check 'undoing' cannot be trusted: plugin 'more'",
    ),
    "no method": (
        lambda: installed("checks", more=plugin(undoing=None)),
        "no loaded plugin offers the leak check 'undoing', and not all loaded: plugin 'more'",
    ),
    "hook misspelled": (
        lambda: installed("checks", more=plugin("qidguard_leak", undoing=lambda _: Leaks())),
        "qidguard_leak is no hook of qidguard, so it is never called; did you mean qidguard_leaks?",
    ),
    "another one broken": (
        lambda: installed(more=plugin(other=None)),
        "not all leak checks loaded: plugin 'more' of this process unreleased: ",
    ),
}
FAILING = {
    "raises": (lambda: raises(ValueError("age 24")), f"{CHECK} failed with ValueError{MEND}"),
    "ends": (lambda: raises(SystemExit(0)), f"{CHECK} failed with SystemExit{MEND}"),
    "cannot": (lambda: raises(NotMeasurable("too few")), "too few."),
    "says so": (lambda: raises(PluginError("no words")), "no words."),
    "nothing": (lambda: answers(None), f"{NO_ANSWER}it gave NoneType, no Leaks{MEND}"),
    "a list": (lambda: answers([]), f"{NO_ANSWER}it gave list, no Leaks{MEND}"),
    "no tuple": (lambda: with_check(lambda _: Leaks(found=[])), f"{CHECK} failed with TypeError{MEND}"),
    "no leak": (lambda: with_check(lambda _: Leaks(found=("x",))), f"{CHECK} failed with TypeError{MEND}"),
    "no QID": (lambda: answers(leak(qid="ward")), f"{NO_ANSWER}it is about a column that is no QID{MEND}"),
    "no QID beside": (
        lambda: answers(leak(beside="ward")),
        f"{NO_ANSWER}it is about a column that is no QID{MEND}",
    ),
    "left open of no QID": (
        lambda: answers(Leaks(unexamined=(Unexamined(qid="ward", reason="it is"),))),
        f"{NO_ANSWER}it is about a column that is no QID{MEND}",
    ),
    "not published": (
        lambda: answers(leak(columns=("name",))),
        f"{NO_ANSWER}it is about a column that is not published{MEND}",
    ),
    "no column": (
        lambda: answers(leak(columns=())),
        f"{NO_ANSWER}it is about a column that is not published{MEND}",
    ),
    "no share": (
        lambda: answers(leak(told=float("nan"))),
        f"{NO_ANSWER}a share lies outside 0 to 1{MEND}",
    ),
    "too many": (lambda: answers(leak(persons=3)), f"{NO_ANSWER}more persons are told than there are{MEND}"),
    "of other records": (
        lambda: answers(leak(known=KNOWN[:3])),
        f"{NO_ANSWER}it does not say of each record what is known{MEND}",
    ),
    "no codes": (
        lambda: answers(leak(joined=np.zeros(80))),
        f"{NO_ANSWER}what is known is not coded{MEND}",
    ),
    "codes below": (
        lambda: answers(leak(joined=np.full(80, -1))),
        f"{NO_ANSWER}a code lies outside 0 to 2,147,483,648{MEND}",
    ),
    "no array": (lambda: answers(leak(known=None)), f"{CHECK} failed with AttributeError{MEND}"),
    "another one": (
        lambda: with_check(lambda _: None, "other"),
        "an unknown plugin: leak check 'other' gave no answer, for it gave NoneType, no Leaks",
    ),
}


def assert_blocked(audit, words):
    """Assert that one sentence of our own fault blocks, and nothing else."""
    [block] = audit.verdict.blocks
    assert (audit.is_passed, audit.exit_code) == (False, ExitCode.INTERNAL_ERROR)
    assert (block.rule, block.is_internal, "24" in block.sentence) == ("undoing", True, False)
    assert block.sentence.startswith(WORDS)
    assert words in block.sentence


@pytest.mark.parametrize(("host", "words"), [*MISSING.values(), *FAILING.values()], ids=[*MISSING, *FAILING])
def test_whatever_keeps_the_check_from_answering_blocks(host, words):
    """One sentence says whose fault it is and what to do, and no value of the table."""
    with found(host()) as audit:
        assert_blocked(audit, words)


@pytest.mark.parametrize("way", ["not installed", "left out", "contested"])
def test_a_table_without_an_original_is_blocked_as_well(way):
    """What is finer than a published QID is looked for there, so somebody must look."""
    host, words = MISSING[way]
    with found(host(), has_original=False) as audit:
        assert_blocked(audit, words)


def test_a_plugin_that_cannot_be_imported_blocks(monkeypatch):
    """Nobody knows what it would have offered, a recognizer perhaps, and nobody else offers the check."""
    with found(broken(monkeypatch, "qidguard_checks.plugin")) as audit:
        told = [block.sentence for block in audit.verdict.blocks]
        assert audit.exit_code == ExitCode.INTERNAL_ERROR
        assert [sentence.startswith(WORDS) for sentence in told] == [False, True]
        words = "plugin 'checks' of qidguard-checks 0.1.0: ModuleNotFoundError: import of"
        assert all(words in sentence for sentence in told)


@pytest.mark.clock
def test_a_check_that_never_ends_blocks_at_the_limit(monkeypatch):
    """The way out is named."""
    monkeypatch.setenv(LIMIT_VARIABLE, "0.5")
    with found(with_check(lambda _: time.sleep(3600))) as audit:
        assert_blocked(
            audit, f"{CHECK} ran for more than 0.5 seconds and was interrupted; mend the plugin, or"
        )


def test_what_reads_the_table_may_still_say_why_it_cannot():
    """An error of the data stays one, and a lack of memory too: both end the audit, and nothing passes."""
    for error in (DataError("half a character"), MemoryError()):
        with pytest.raises(type(error)):
            found(raises(error))


@pytest.mark.parametrize("limit", ["", "standard", "qidguard-standard,qir"])
def test_the_choice_of_plugins_cannot_switch_it_off(limit, monkeypatch):
    """``QIDGUARD_PLUGINS`` without the check blocks, whatever it names; without a metric nothing starts."""
    monkeypatch.setenv("QIDGUARD_PLUGINS", limit)
    if not limit:
        with pytest.raises(PluginError, match="QIDGUARD_PLUGINS leaves out checks"):
            found(None)
        return
    with found(None) as audit:
        assert_blocked(audit, "QIDGUARD_PLUGINS leaves out checks")


def test_what_another_check_finds_counts_beside_it():
    """A further plugin's leak is read back as ours are."""
    told = np.ones(80, dtype=np.bool_)
    answer = leak(told=1.0, persons=80, generalized=80, is_undone=True, known=told)
    with found(with_check(lambda _: answer, "other")) as audit:
        [read] = audit.report.read_backs
        assert (read.columns, read.qids, read.thresholds[0].measurement.value) == (("ward",), ("age",), 4)
        assert (
            "ward tells the original age of 80 of 80 persons in whom it was generalized."
            in audit.report.notes
        )


def test_a_remedy_is_blocked_as_well():
    """Without the check nothing that an anonymizer makes is let through."""
    host = host_with([Coarse("age", "*")])
    leaks = MappingProxyType({})
    without = replace(host, registry=MappingProxyType({**host.registry, "leaks": leaks}))
    for each, is_passed in ((host, True), (without, False)):
        with qidguard.anonymize(ROWS, POLICY, anonymizer="coarse", host=each, seed=1) as tried:
            assert tried.is_passed is is_passed
    [sentence] = tried.sentences
    assert f"{WORDS}there is no leak check 'undoing'" in sentence
