"""Verdicts: what blocks, what only warns, and what is a fault."""

from itertools import product

import pytest

from qidguard.core.errors import ExitCode
from qidguard.core.measurement import Measurement
from qidguard.core.verdict import Block, Bound, Limit, ThresholdResult, judge

BLOCK = Block(rule="entity", sentence="Who a person is, is missing.")


def result(value: float | None, *, is_blocking: bool = True, is_fault: bool = False) -> ThresholdResult:
    """Return a figure that must be at least 5."""
    figure = Measurement(metric="k_anonymity", value=value, unit="records", qids=("age",), is_fault=is_fault)
    return ThresholdResult(
        limit=Limit(bound=Bound.AT_LEAST, value=5, is_blocking=is_blocking), measurement=figure
    )


MET, MISSED, UNKNOWN, FAULT = result(5), result(4), result(None), result(None, is_fault=True)
FINE, WARNING = result(5, is_blocking=False), result(4, is_blocking=False)
UNKNOWN_WARNING = result(None, is_blocking=False)
FAULTY_WARNING = result(None, is_blocking=False, is_fault=True)


def test_a_limit_blocks_unless_it_says_otherwise() -> None:
    """Nobody gets a warning by leaving something out."""
    assert Limit(bound=Bound.AT_LEAST, value=5).is_blocking


def test_a_missed_warning_is_reported_and_lets_the_table_through() -> None:
    """It stands among the warnings, and so does one that cannot be measured."""
    verdict = judge([MET, WARNING, FINE, UNKNOWN_WARNING])
    assert verdict.is_passed
    assert verdict.exit_code is ExitCode.PASSED
    assert verdict.warnings == (WARNING, UNKNOWN_WARNING)
    assert verdict.blocks == ()


@pytest.mark.parametrize("blocking", [MISSED, UNKNOWN, FAULT, FAULTY_WARNING])
def test_beside_a_warning_everything_else_still_blocks(blocking: ThresholdResult) -> None:
    """A missed, unmeasured or faulty threshold blocks; a fault is no warning, and is exit 3."""
    verdict = judge([MET, WARNING, blocking])
    assert not verdict.is_passed
    assert verdict.warnings == (WARNING,)
    expected = ExitCode.INTERNAL_ERROR if blocking in (FAULT, FAULTY_WARNING) else ExitCode.BLOCKED
    assert verdict.exit_code is expected


@pytest.mark.parametrize("results", [[FINE], [WARNING], [FINE, WARNING]])
def test_warnings_alone_are_no_gate(results: list[ThresholdResult]) -> None:
    """Where nothing can block, the verdict blocks and says so, beside any other reason."""
    verdict = judge(results)
    assert verdict.exit_code is ExitCode.BLOCKED
    assert [block.sentence for block in verdict.blocks] == [
        "Every threshold only warns, so nothing would ever block; write on_miss: block for one."
    ]
    assert [block.rule for block in judge(results, [BLOCK]).blocks] == ["entity", "thresholds"]


def test_no_threshold_is_no_gate() -> None:
    """A policy that measures nothing blocks."""
    assert judge([]).exit_code is ExitCode.BLOCKED
    assert judge([]).blocks[0].sentence.startswith("The policy sets no threshold")
    assert judge([], [BLOCK]).blocks == (BLOCK,)


def test_a_table_passes_exactly_when_nothing_keeps_it_back() -> None:
    """Over every three results and with or without a block, told by counting kinds by hand."""
    kinds = {
        "met": MET,
        "missed": MISSED,
        "fault": FAULT,
        "fine": FINE,
        "warning": WARNING,
        "faulty warning": FAULTY_WARNING,
    }
    for names in product(kinds, repeat=3):
        for blocks in ([], [BLOCK]):
            verdict = judge([kinds[name] for name in names], blocks)
            expected = "met" in names and set(names) <= {"met", "fine", "warning"} and not blocks
            assert verdict.is_passed is expected, names
            assert (verdict.exit_code is ExitCode.PASSED) is expected
            assert (verdict.exit_code is ExitCode.INTERNAL_ERROR) is any("fault" in name for name in names)
