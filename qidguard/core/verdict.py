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
        is_blocking: Whether a figure beyond it blocks; else it is a warning.
    """

    bound: Bound
    value: Number
    combination: str = "default"
    is_blocking: bool = True

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"a limit must be a finite number, not {self.value}")

    def is_met_by(self, value: Number | None) -> bool:
        """Return whether a figure is on the allowed side.

        Args:
            value: The figure; None and NaN are on no allowed side.

        Returns:
            True on the allowed side, and within a relative 1e-12 of the limit itself.

        Units:
            Those of the metric.

        Raises:
            TypeError: When ``value`` is no number.

        Example:
            >>> Limit(bound=Bound.AT_LEAST, value=5).is_met_by(4)
            False
        """
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
    def is_blocking(self) -> bool:
        """Whether it keeps the table back: missed and no mere warning, or unmeasured by a plugin's fault."""
        return self.measurement.is_fault or (self.limit.is_blocking and not self.is_met)

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
    """Passed only when there is at least one threshold that can block, none does, and nothing else blocks."""

    thresholds: tuple[ThresholdResult, ...]
    blocks: tuple[Block, ...] = ()

    def __bool__(self) -> bool:
        """Return whether the table may be released under the policy."""
        return self.is_passed

    @property
    def is_passed(self) -> bool:
        """Whether the table may be released under the policy."""
        can_block = any(t.limit.is_blocking for t in self.thresholds)
        return can_block and not any(t.is_blocking for t in self.thresholds) and not self.blocks

    @property
    def warnings(self) -> tuple[ThresholdResult, ...]:
        """The thresholds that were missed and do not block."""
        return tuple(t for t in self.thresholds if not t.is_met and not t.is_blocking)

    @property
    def exit_code(self) -> ExitCode:
        """0 passed, 1 blocked, 3 blocked because a plugin or qidguard itself failed."""
        faults = (t.measurement.is_fault for t in self.thresholds)
        if any(faults) or any(block.is_internal for block in self.blocks):
            return ExitCode.INTERNAL_ERROR
        return ExitCode.PASSED if self.is_passed else ExitCode.BLOCKED


def judge(results: Sequence[ThresholdResult], blocks: Sequence[Block] = ()) -> Verdict:
    """Return the verdict over ``results``; a policy without a single threshold that can block blocks."""
    every_block = list(blocks)
    if not results and not every_block:
        every_block.append(
            Block(
                rule="thresholds", sentence="The policy sets no threshold, so nothing can pass it; add one."
            )
        )
    if results and not any(result.limit.is_blocking for result in results):
        sentence = "Every threshold only warns, so nothing would ever block; write on_miss: block for one."
        every_block.append(Block(rule="thresholds", sentence=sentence))
    return Verdict(thresholds=tuple(results), blocks=tuple(every_block))
