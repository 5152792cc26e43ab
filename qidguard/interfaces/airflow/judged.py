"""What a task of the gate found, as it may stand in XCom: names, addresses and sentences, never a table."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qidguard.core.report import AuditReport

PASSED = "passed"
BY_EXCEPTION = "passed_by_exception"
BLOCKED = "blocked"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What a task found.

    Args:
        data_set: The data set.
        outcome: ``passed``, ``passed_by_exception`` or ``blocked``.
        policy: The policy's path; None where the task had none.
        audit_id: The entry of the ledger that holds the whole record; None where nothing was recorded.
        release_id: The release's own name; None where it is about no release.
        address: Where the result is; None where nothing was written.
        sentences: Why it is blocked, one sentence each.
        missed_metrics: Names of the metrics whose thresholds block, sorted.
        is_coverable: Whether an exception by an approver of the policy could let it pass.
        is_curable: Whether thresholds alone block, and the policy names a remedy.
        is_fault: Whether it is blocked because a plugin or qidguard itself failed.
        notes: Sentences worth reading that do not block.
        source: What was judged, without secrets.
        report: The audit that decided; it stays in this process.
    """

    data_set: str
    outcome: str
    policy: str | None
    audit_id: str | None = None
    release_id: str | None = None
    address: str | None = None
    sentences: tuple[str, ...] = ()
    missed_metrics: tuple[str, ...] = ()
    is_coverable: bool = False
    is_curable: bool = False
    is_fault: bool = False
    notes: tuple[str, ...] = ()
    source: str | None = None
    report: "AuditReport | None" = field(default=None, repr=False)

    @property
    def is_passed(self) -> bool:
        """Whether nothing blocks."""
        return self.outcome != BLOCKED

    @property
    def headline(self) -> str:
        """One sentence: how it ended, and the first reason."""
        if self.is_passed:
            return f"{self.data_set} passed{' by exception' if self.outcome == BY_EXCEPTION else ''}."
        first = self.sentences[0] if self.sentences else "no reason is given, which is a fault."
        more = len(self.sentences) - 1
        return f"{self.data_set} is blocked: {first}" + (f" (and {more:,} more)" if more > 0 else "")

    def xcom(self) -> dict[str, Any]:
        """Return what other tasks are told, as values that JSON knows.

        Returns:
            Names, addresses and sentences.

        Example:
            >>> Judged(data_set="ward", outcome="passed", policy="ward.yaml").xcom()["outcome"]
            'passed'
        """
        return {
            "data_set": self.data_set,
            "audit_id": self.audit_id,
            "release_id": self.release_id,
            "outcome": self.outcome,
            "address": self.address,
            "sentences": list(self.sentences),
            "policy": self.policy,
            "missed_metrics": list(self.missed_metrics),
            "is_coverable": self.is_coverable,
            "is_curable": self.is_curable,
        }
