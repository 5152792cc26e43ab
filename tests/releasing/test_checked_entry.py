"""An entry of a verdict says what the verdict says, and never contradicts itself."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from example_report import blocked, passed
from qidguard import InternalError
from qidguard.core.verdict import Block, judge
from qidguard.ledger import open_ledger, read
from qidguard.ledger.payloads import Checked
from qidguard.releasing.deciding.checked_entry import record_check, record_report

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path):
    """Return an empty ledger."""
    with open_ledger(f"{tmp_path}/ledger.db") as ledger:
        yield ledger


def recorded(ledger, report, **more):
    """Return what the ledger keeps of a report."""
    return read(record_report(ledger, report, data_set="people", at=NOW, **more), Checked).payload


def test_a_fault_is_told_from_a_block(ledger):
    """Exit code 3 where a plugin or qidguard failed, 1 where the policy does not hold, 0 where it does."""
    fine, failing = passed(), blocked()
    broken = Block(rule="plugins", sentence="a plugin failed.", is_internal=True)
    fault = replace(fine, verdict=judge(fine.verdict.thresholds, [broken]))
    assert [recorded(ledger, report).exit_code for report in (fine, failing, fault)] == [0, 1, 3]
    assert recorded(ledger, fault, reasons=("late.",)).blocks == ("a plugin failed.", "late.")
    assert recorded(ledger, fine, reasons=("a signature is missing.",)).exit_code == 1


def test_what_is_missed_is_what_the_figures_say_is_not_met(ledger):
    """Sentences beside the report stand after its own; the digest names the record, with what is given."""
    entry = recorded(ledger, blocked(), reasons=("a signature is missing.",), more={"suppression": {"n": 2}})
    assert entry.missed == tuple(figure["sentence"] for figure in entry.figures if not figure["is_met"]) != ()
    assert entry.blocks[-1] == "a signature is missing."
    attached = ledger.attachment(entry.record)
    record = json.loads(attached)
    assert (sha256(attached).hexdigest(), record.keys()) == (entry.record, {"risk_after", "suppression"})
    assert record["suppression"] == {"n": 2}


def test_a_report_without_a_verdict_is_not_recorded(ledger):
    """An audit without a policy judged nothing."""
    with pytest.raises(InternalError, match="no verdict"):
        recorded(ledger, replace(passed(), verdict=None))
    assert list(ledger.entries()) == []


@pytest.mark.parametrize(("outcome", "exit_code"), [("passed", 1), ("blocked", 0), ("fine", 0)])
def test_an_entry_does_not_contradict_itself(ledger, outcome, exit_code):
    """Whatever door makes it."""
    checked = replace(recorded(ledger, passed()), audit_id="a2", outcome=outcome, exit_code=exit_code)
    with pytest.raises(InternalError):
        record_check(ledger, checked, data_set="people", at=NOW)
    assert len(list(ledger.entries())) == 1
