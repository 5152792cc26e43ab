"""What came of one release."""

from dataclasses import dataclass
from enum import StrEnum

from qidguard.anonymize.receipt import Receipt
from qidguard.core.errors import ExitCode, UserError
from qidguard.core.report import AuditReport
from qidguard.releasing.exception import Approval


class Outcome(StrEnum):
    """How a release ended."""

    PASSED = "passed"
    PASSED_BY_EXCEPTION = "passed_by_exception"
    BLOCKED = "blocked"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class Release:
    """The result of one release.

    Args:
        data_set: The name under which releases of this table are kept.
        release_id: The release's own name.
        audit_id: The entry of the ledger that holds the whole record.
        outcome: How it ended.
        report: The audit that decided: of the table as it would be published.
        before: The audit before the remedy; None where no remedy was used.
        address: Where the release is; None where nothing was published.
        reasons: Why nothing was published, beyond what the report says; one sentence each.
        notes: Sentences worth reading.
        approvals: The exceptions that let it through.
        key_id: The key that signed it, or None.
        is_repeated: Whether the same release was there already, so that nothing was done.
        receipt: What the remedy did; None where none was used.
        is_published: Whether the destination holds it.
    """

    data_set: str
    release_id: str
    audit_id: str
    outcome: Outcome
    report: AuditReport | None
    before: AuditReport | None = None
    address: str | None = None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    approvals: tuple[Approval, ...] = ()
    key_id: str | None = None
    is_repeated: bool = False
    receipt: Receipt | None = None

    @property
    def is_published(self) -> bool:
        """Whether the destination holds this release, complete."""
        return self.address is not None

    @property
    def exit_code(self) -> ExitCode:
        """0 published, 1 blocked, 3 blocked because a plugin or qidguard itself failed."""
        if self.is_published:
            return ExitCode.PASSED
        if self.report is not None and self.report.exit_code is ExitCode.INTERNAL_ERROR:
            return ExitCode.INTERNAL_ERROR
        return ExitCode.BLOCKED


class ChangedError(UserError):
    """The source changed while it was read."""

    exit_code = ExitCode.BLOCKED
    is_transient = True
