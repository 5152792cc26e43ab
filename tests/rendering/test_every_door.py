"""Warnings and whom releases isolate are told at every door: sentences, console, JSON, JUnit and HTML."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator

from example_report import blocked, passed, threshold
from qidguard.core.isolated import Isolated, IsolatedBy, IsolatedOverTime
from qidguard.core.verdict import Bound, judge
from qidguard.rendering.audit_document import AuditDocument
from qidguard.rendering.console import console_text
from qidguard.rendering.document import document
from qidguard.rendering.isolated import helping_sentences, isolated_sentences
from qidguard.rendering.junit import junit_text
from qidguard.rendering.notebook import to_html_fragment
from qidguard.rendering.sentence import headline, outcome, reasons


def warned():
    """Return a report that passes, with one missed threshold that only warns."""
    missed = threshold("k-anonymity", 1, Bound.AT_LEAST, 5)
    soft = replace(missed, limit=replace(missed.limit, is_blocking=False))
    report = passed()
    return replace(report, verdict=judge([*report.verdict.thresholds, soft]))


def test_a_warning_passes_and_is_counted():
    """Two thresholds hold, one warns; nothing is a reason to block."""
    report = warned()
    assert outcome(report) == "PASSED"
    assert headline(report) == "2 of 3 thresholds hold, 1 warning."
    assert reasons(report) == []


def test_a_warning_is_seen_in_every_report():
    """The console has its own sign, the document a flag, JUnit a remark in a case that passed."""
    report = warned()
    assert "! " in console_text(report)
    flags = [(t["is_met"], t["is_warning"]) for t in document(report)["thresholds"]]
    assert flags == [(True, False), (True, False), (False, True)]
    assert 'failures="0"' in junit_text(report)
    assert "should be at least 5 (4 short)" in junit_text(report)


FOUND = IsolatedOverTime(
    qids=("age", "sex", "zip"),
    k=5,
    releases=2,
    followed=1200,
    isolated=Isolated(left=5, came=6, stayed=3),
    already=Isolated(left=1, stayed=1),
    by_release=(
        IsolatedBy(release_id="2026-09", isolated=Isolated(left=4)),
        IsolatedBy(release_id="2026-10", isolated=Isolated(left=5, came=6)),
    ),
    together=Isolated(stayed=3),
)
REPORT = replace(blocked(), isolated=(FOUND,))


def test_sentences_on_isolated_persons_say_counts_releases_and_what_helps():
    """The latest release first; those whom earlier releases isolate by themselves nothing helps."""
    assert isolated_sentences(REPORT) == [
        "2 earlier releases and this one isolate 14 of 1,200 entities below k = 5: 5 left, 6 came, 3 stayed.",
        "By release: 2026-10: 11, 2026-09: 4, only all together: 3.",
        (
            "Who left has to stay, or go 5 of a group at a time; who came has to wait for 4 others;"
            " who stayed has to stay among 4 others, group by group."
        ),
        (
            "2 of them the earlier releases isolate by themselves; what is out stays out, and nothing that"
            " this table could be changes it."
        ),
    ]


@pytest.mark.parametrize("became", ["left", "came", "stayed"])
def test_only_those_who_are_there_are_helped(became):
    """One kind of persons gives one piece of advice."""
    one = replace(FOUND, isolated=Isolated(**{became: 2}), already=Isolated())
    assert [f"Who {became}" in sentence for sentence in helping_sentences(one)] == [True]
    assert [sentence.count("; ") for sentence in helping_sentences(one)] == [0]


def test_the_document_holds_whom_releases_isolate():
    """The schema accepts the document with the field and without it."""
    told = document(REPORT)
    Draft202012Validator(AuditDocument.model_json_schema()).validate(told)
    assert told["isolated"][0]["by_release"][1] == {
        "release_id": "2026-10",
        "isolated": {"persons": 11, "left": 5, "came": 6, "stayed": 0},
    }
    assert "isolated" not in document(blocked())


def test_junit_and_html_say_whom_releases_isolate():
    """A property of the suite, and a list below the reasons."""
    suite = ET.fromstring(junit_text(REPORT)).find("testsuite")  # noqa: S314 - it is our own XML
    named = {p.get("name"): p.get("value") for p in suite.find("properties")}
    assert named["isolated_over_releases"] == " ".join(isolated_sentences(REPORT))
    assert all(sentence in to_html_fragment(REPORT) for sentence in isolated_sentences(REPORT))


def test_a_count_below_zero_is_refused():
    """Nobody is fewer than nobody."""
    with pytest.raises(ValueError, match="at least 0"):
        Isolated(left=-1)
