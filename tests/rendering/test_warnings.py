"""A threshold that only warns is seen everywhere and blocks nowhere."""

from dataclasses import replace

from example_report import passed, threshold
from qidguard.core.verdict import Bound, judge
from qidguard.rendering.console import console_text
from qidguard.rendering.document import document
from qidguard.rendering.junit import junit_text
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
