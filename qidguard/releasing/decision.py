"""What was decided on a release, and on which grounds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.anonymize.receipt import Receipt
from qidguard.core.report import AuditReport
from qidguard.releasing.claims import Claim
from qidguard.releasing.columns import Selection
from qidguard.releasing.exception import Approval
from qidguard.releasing.past import Past
from qidguard.releasing.result import Outcome

if TYPE_CHECKING:
    from qidguard.engines.base import Snapshot


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What was decided on which grounds.

    Args:
        snapshot: The records that would be published.
        is_transformed: Whether the snapshot is the remedy's, to be closed by who holds this.
        report: The audit of exactly these records.
        before: The audit before the remedy, or None.
        receipt: What the remedy did, or None.
        selection: The columns that would be published.
        outcome: Passed, passed by exception, or blocked.
        reasons: Why it is blocked, beyond the report.
        approvals: The exceptions that let it through.
        past: The earlier releases it was judged against.
        notes: Sentences worth reading.
        claims: What the remedy claims, beside what was measured.
    """

    snapshot: "Snapshot"
    is_transformed: bool
    report: AuditReport
    before: AuditReport | None
    receipt: Receipt | None
    selection: Selection | None
    outcome: Outcome
    reasons: tuple[str, ...]
    approvals: tuple[Approval, ...]
    past: Past
    notes: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
