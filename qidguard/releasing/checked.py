"""What came of judging a table without publishing it."""

from dataclasses import dataclass

from qidguard.core.errors import ExitCode
from qidguard.core.report import AuditReport
from qidguard.releasing.exception import Approval
from qidguard.releasing.result import Outcome
from qidguard.report.sentence import reasons


@dataclass(frozen=True, kw_only=True)
class Checked:
    """An audit that stands in the ledger.

    Args:
        data_set: The data set.
        audit_id: The entry of the ledger that holds the whole report.
        outcome: Passed, passed by exception, or blocked.
        report: What was found; None where there was nothing left to be judged.
        reasons: Why it is blocked beyond what the report says, one sentence each.
        notes: Sentences worth reading that do not block.
        approvals: The exceptions that let it through.
        is_curable: Whether it is blocked by thresholds alone, and the policy names a remedy.
        release_id: The published release that was judged; None for a table that is not published.
    """

    data_set: str
    audit_id: str
    outcome: Outcome
    report: AuditReport | None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    approvals: tuple[Approval, ...] = ()
    is_curable: bool = False
    release_id: str | None = None

    @property
    def is_passed(self) -> bool:
        """Whether the policy holds, or an exception covers what it misses."""
        return self.outcome is not Outcome.BLOCKED

    @property
    def exit_code(self) -> ExitCode:
        """0 passed, 1 blocked, 3 blocked because a plugin or qidguard itself failed."""
        if self.is_passed:
            return ExitCode.PASSED
        is_fault = self.report is not None and self.report.exit_code is ExitCode.INTERNAL_ERROR
        return ExitCode.INTERNAL_ERROR if is_fault else ExitCode.BLOCKED

    @property
    def sentences(self) -> tuple[str, ...]:
        """Why it is blocked, one sentence each; none where it passed."""
        if self.is_passed:
            return ()
        return (*(reasons(self.report) if self.report is not None else ()), *self.reasons)
