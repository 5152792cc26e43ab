"""A verdict as plain values says what the verdict says, and never contradicts itself."""

from dataclasses import replace

import pytest

from qidguard import InternalError
from qidguard.core.verdict import Block, judge
from qidguard.releasing.findings import Findings, findings_of
from qidguard.report.example import blocked, passed


def test_a_fault_is_told_from_a_block():
    """Exit code 3 where a plugin or qidguard failed, 1 where the policy does not hold, 0 where it does."""
    fine, missed = passed(), blocked()
    broken = Block(rule="plugins", sentence="a plugin failed.", is_internal=True)
    fault = replace(fine, verdict=judge(fine.verdict.thresholds, [broken]))
    assert [findings_of(report).exit_code for report in (fine, missed, fault)] == [0, 1, 3]
    assert findings_of(fine, reasons=("a signature is missing.",)).exit_code == 1


def test_a_report_without_a_verdict_has_no_findings():
    """An audit without a policy judged nothing."""
    with pytest.raises(InternalError, match="no verdict"):
        findings_of(replace(passed(), verdict=None))


@pytest.mark.parametrize(("outcome", "exit_code"), [("passed", 1), ("blocked", 0), ("fine", 0)])
def test_findings_do_not_contradict_themselves(outcome, exit_code):
    """Whatever door makes them."""
    with pytest.raises(InternalError):
        Findings(
            outcome=outcome,
            exit_code=exit_code,
            source="",
            records=None,
            entities=None,
            policy=None,
            figures=(),
            blocks=(),
            versions={},
        )
