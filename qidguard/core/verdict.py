"""Verdicts: measurements judged against limits. Whatever is in doubt blocks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from qidguard.core.errors import ExitCode
from qidguard.core.measurement import Measurement
from qidguard.core.statistic import Number

RELATIVE_TOLERANCE = 1e-12
"""A figure this close to its limit equals it: floating-point sums differ in their last digits."""


class Bound(StrEnum):
    """Which side of the limit is allowed; the limit itself is."""

    AT_LEAST = "at_least"
    AT_MOST = "at_most"


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What a policy demands of one figure.

    Args:
        bound: Whether the figure must be at least or at most ``value``.
        value: The limit in the metric's unit; finite.
        combination: The name of the QID combination that it belongs to.
    """

    bound: Bound
    value: Number
    combination: str = "default"

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"a limit must be a finite number, not {self.value}")

    def is_met_by(self, value: Number | None) -> bool:
        """Whether ``value`` is on the allowed side; None and NaN never are."""
        if value is None or math.isnan(value):
            return False
        if math.isclose(value, self.value, rel_tol=RELATIVE_TOLERANCE):
            return True
        return value > self.value if self.bound is Bound.AT_LEAST else value < self.value


@dataclass(frozen=True, kw_only=True)
class ThresholdResult:
    """One limit, the figure that was measured for it, and whether it holds."""

    limit: Limit
    measurement: Measurement

    @property
    def is_met(self) -> bool:
        """Whether the limit holds."""
        return self.limit.is_met_by(self.measurement.value)

    @property
    def distance(self) -> Number | None:
        """Measured − limit, in the metric's unit; None where nothing could be measured."""
        value = self.measurement.value
        return None if value is None else value - self.limit.value


@dataclass(frozen=True, kw_only=True)
class Block:
    """A reason to block that is no threshold, as one sentence: the rule, the value, the remedy.

    ``is_internal`` marks a fault of a plugin or of qidguard itself (exit 3 in place of 1).
    """

    rule: str
    sentence: str
    is_internal: bool = False


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Passed only when there is at least one threshold, every one holds, and nothing else blocks."""

    thresholds: tuple[ThresholdResult, ...]
    blocks: tuple[Block, ...] = ()

    @property
    def is_passed(self) -> bool:
        """Whether the table may be released under the policy."""
        return bool(self.thresholds) and all(t.is_met for t in self.thresholds) and not self.blocks

    @property
    def exit_code(self) -> ExitCode:
        """0 passed, 1 blocked, 3 blocked because a plugin or qidguard itself failed."""
        faults = (t.measurement.is_fault for t in self.thresholds)
        if any(faults) or any(block.is_internal for block in self.blocks):
            return ExitCode.INTERNAL_ERROR
        return ExitCode.PASSED if self.is_passed else ExitCode.BLOCKED


def judge(results: Sequence[ThresholdResult], blocks: Sequence[Block] = ()) -> Verdict:
    """Return the verdict over ``results``; a policy without a single threshold blocks."""
    found = list(blocks)
    if not results and not found:
        found.append(
            Block(
                rule="thresholds", sentence="The policy sets no threshold, so nothing can pass it; add one."
            )
        )
    return Verdict(thresholds=tuple(results), blocks=tuple(found))
