"""One method of a comparison: whether the policy holds, the risk that is left and what was lost."""

from dataclasses import dataclass
from enum import StrEnum

from qidguard.anonymize.attack import AttackResult
from qidguard.core.measurement import Measurement
from qidguard.core.parameter import Arguments


class Standing(StrEnum):
    """What came of a method."""

    AS_IT_IS = "as it is"
    PASSED = "passed"
    BLOCKED = "blocked"
    UNREACHABLE = "cannot"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class MethodRow:
    """What came of one method; it holds no value of the table.

    Args:
        label: The method's name, with the parameters that a person set.
        method: The anonymiser's name; empty for the table as it is.
        arguments: All its arguments.
        standing: What came of it.
        is_passed: Whether the policy holds on what it made.
        sentences: Why the policy does not hold, or why nothing was made.
        figures: Metric → figure in its unit: smallest class, risks and losses; what could not be measured
            is not there.
        utility: Every loss that was measured, with the reason where there is no figure.
        records_suppressed: Records of the source that are not published; None where nothing was made.
        cells_changed: Cells of kept records that are not the source's; None where nothing was made.
        attacks: What rehearsed attacks found.
        seconds: Wall time of the method alone; None where nothing was made.
        peak_bytes: Memory that the method held; None where nobody tells.
    """

    label: str
    method: str = ""
    arguments: Arguments
    standing: Standing
    is_passed: bool
    sentences: tuple[str, ...] = ()
    figures: dict[str, float]
    utility: tuple[Measurement, ...] = ()
    records_suppressed: int | None = None
    cells_changed: int | None = None
    attacks: tuple[AttackResult, ...] = ()
    seconds: float | None = None
    peak_bytes: int | None = None

    @property
    def is_made(self) -> bool:
        """Whether there is a table to look at."""
        return self.standing in {Standing.AS_IT_IS, Standing.PASSED, Standing.BLOCKED}
