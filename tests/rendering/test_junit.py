from dataclasses import replace
from xml.etree import ElementTree as ET

from example_report import blocked, described, passed, threshold
from qidguard.core.verdict import Bound, judge
from qidguard.rendering.junit import junit_text


def read(report):
    """Return the suite of a report's XML."""
    return ET.fromstring(junit_text(report)).find("testsuite")  # noqa: S314 - it is our own XML


def test_each_threshold_and_each_reason_is_a_case():
    """Four thresholds and one other reason are five cases, four of them failures."""
    suite = read(blocked())
    assert len(suite.findall("testcase")) == 5
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5",
        "failures": "4",
        "errors": "0",
        "skipped": "0",
    }
    assert len(suite.findall("testcase/failure")) == 4


def test_a_passed_report_has_no_failure():
    """Cases of thresholds that hold are empty."""
    assert [len(case) for case in read(passed()).findall("testcase")] == [0, 0]


def test_a_failure_says_how_far_off():
    """The message of a failure is the threshold's sentence."""
    first = read(blocked()).find("testcase/failure")
    assert (
        first.get("message") == "k-anonymity is 1 entity, must be at least 2 (1 short), over age, sex, zip."
    )
    assert first.text == first.get("message")


def test_a_fault_is_an_error():
    """A fault of a plugin, as a block or in a threshold, is an error and no failure."""
    report = blocked()
    fault = threshold("k", None, Bound.AT_LEAST, 2, reason="plugin x 1.0 failed")
    fault = replace(fault, measurement=replace(fault.measurement, is_fault=True))
    block = replace(report.verdict.blocks[0], is_internal=True)
    suite = read(replace(report, verdict=judge([fault], [block])))
    assert (suite.get("errors"), suite.get("failures")) == ("2", "0")
    assert len(suite.findall("testcase/error")) == 2


def test_without_a_policy_one_case_is_skipped():
    """Nothing was judged, so nothing looks like a pass."""
    suite = read(described())
    assert suite.get("skipped") == "1"
    assert suite.find("testcase/skipped").get("message") == "No policy was given, so nothing was judged."


def test_hostile_names_give_well_formed_xml(hostile):
    """Control characters, surrogates and markup never break the document."""
    text = junit_text(hostile)
    suite = ET.fromstring(text)  # noqa: S314 - it is our own XML
    assert len(suite.findall(".//testcase")) == 20
    assert not set(text) & set("\x00\x07\x1b\ud800\ufffe\u202e")
