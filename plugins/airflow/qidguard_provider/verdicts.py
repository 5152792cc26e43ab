"""What came of a task: names, addresses and sentences, and the verdict in Airflow's words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import ExitCode
from qidguard.rendering.printable import visible
from qidguard.rendering.sentence import reasons

if TYPE_CHECKING:
    from qidguard.core.report import AuditReport
    from qidguard.evidence.verify import Verification
    from qidguard.policy import Policy
    from qidguard.releasing.result import Recorded, Release


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
        is_remediable: Whether thresholds alone block, and the policy names a remedy.
        is_fault: Whether it is blocked because a plugin or qidguard itself failed.
        notes: Sentences worth reading that do not block.
        advice: Lines on what would make a blocked table pass, for the task's log only.
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
    is_remediable: bool = False
    is_fault: bool = False
    notes: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
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

    @property
    def failure(self) -> str:
        """Why it is blocked, every reason once; a line each where there are several."""
        if len(self.sentences) <= 1:
            return self.headline
        reasons = "".join(f"\n- {sentence}" for sentence in self.sentences)
        return f"{self.data_set} is blocked for {len(self.sentences):,} reasons:{reasons}"

    def xcom(self) -> dict[str, Any]:
        """Return what other tasks are told, as values that JSON knows.

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
            "is_remediable": self.is_remediable,
        }


def of_release(made: "Release", rules: "Policy", policy: str, source: str) -> Judged:
    """Return what a release came to."""
    told = f"{made.data_set} {made.release_id} was published already; nothing was done."
    repeated = (told,) if made.is_repeated else ()
    return Judged(
        data_set=made.data_set,
        outcome=made.outcome.value,
        policy=policy,
        audit_id=made.audit_id,
        release_id=made.release_id,
        address=made.address,
        sentences=() if made.is_published else (*_reasons(made.report), *made.reasons),
        missed_metrics=_missed(made.report),
        is_coverable=not made.is_published and _is_coverable(made.report, made.reasons, rules),
        is_fault=made.exit_code is ExitCode.INTERNAL_ERROR,
        notes=(*repeated, *made.notes),
        advice=_advice(made),
        source=source,
        report=made.report,
    )


def of_check(recorded: "Recorded", policy: str, source: str | None) -> Judged:
    """Return what an audit came to; an exception is made for a blocked release, not for an audit alone."""
    return Judged(
        data_set=recorded.data_set,
        outcome=recorded.outcome.value,
        policy=policy,
        audit_id=recorded.audit_id,
        release_id=recorded.release_id,
        sentences=recorded.sentences,
        missed_metrics=_missed(recorded.report),
        is_remediable=recorded.is_remediable,
        is_fault=recorded.exit_code is ExitCode.INTERNAL_ERROR,
        notes=recorded.notes,
        advice=_advice(recorded),
        source=source,
        report=recorded.report,
    )


def of_anonymization(made: "Recorded", policy: str, source: str) -> Judged:
    """Return what the policy's remedy came to."""
    return Judged(
        data_set=made.data_set,
        outcome=PASSED if made.is_passed else BLOCKED,
        policy=policy,
        audit_id=made.audit_id,
        address=made.address,
        sentences=made.sentences,
        missed_metrics=_missed(made.report),
        is_fault=made.exit_code is ExitCode.INTERNAL_ERROR,
        advice=_advice(made),
        source=source,
        report=made.report,
    )


def of_verification(verification: "Verification", policy: str | None) -> Judged:
    """Return what checking a release came to.

    Example:
        >>> from qidguard.evidence.verify import Verification
        >>> of_verification(Verification(label="/srv/ward/1", faults=("It is gone.",)), None).outcome
        'blocked'
    """
    manifest = verification.manifest
    faults = verification.faults or ("Its manifest or attestation cannot be read.",)
    return Judged(
        data_set=verification.label if manifest is None else manifest.data_set,
        outcome=PASSED if verification.is_verified else BLOCKED,
        policy=policy,
        release_id=None if manifest is None else manifest.release_id,
        address=verification.label,
        sentences=() if verification.is_verified else tuple(visible(fault) for fault in faults),
        notes=tuple(visible(note) for note in verification.notes),
        source=verification.label,
    )


def _advice(made: "Recorded") -> tuple[str, ...]:
    if made.advised is None:
        return ()
    from qidguard.advising.advice_lines import PLAIN_WIDTH, tried_lines

    return tuple(tried_lines(made.advised, PLAIN_WIDTH))


def _reasons(report: "AuditReport | None") -> Sequence[str]:
    return () if report is None else reasons(report)


def _missed(report: "AuditReport | None") -> tuple[str, ...]:
    if report is None or report.verdict is None:
        return ()
    return tuple(sorted({t.measurement.metric for t in report.verdict.thresholds if t.is_blocking}))


def _is_coverable(report: "AuditReport | None", more: Sequence[str], rules: "Policy") -> bool:
    """Whether thresholds alone block, all of them were measured, and somebody may let them through."""
    if report is None or report.verdict is None or report.verdict.blocks or more:
        return False
    missed = [t for t in report.verdict.thresholds if t.is_blocking]
    is_known = all(t.measurement.value is not None and not t.measurement.is_fault for t in missed)
    return bool(missed) and is_known and bool(rules.exceptions.approvers)
