"""What came of a task, a verdict or a failure, in names, addresses and sentences; known without Airflow."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from qidguard import ExitCode, QidguardError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qidguard import Policy, Verification
    from qidguard.sdk import Recorded

_FINAL = frozenset({ExitCode.BLOCKED, ExitCode.USER_ERROR})

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
        audit: The audit that decided, as a document; it stays in this process.
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
    audit: "Mapping[str, Any] | None" = field(default=None, repr=False)

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


def of_recorded(made: "Recorded", rules: "Policy", policy: str, source: str | None) -> Judged:
    """Return what a run of qidguard came to; an exception is made for a blocked release, not for an audit."""
    from qidguard import Release
    from qidguard.sdk import shown_address

    told: tuple[str, ...] = ()
    if isinstance(made, Release) and made.is_repeated:
        told = (f"{made.data_set} {made.release_id} was published already; nothing was done.",)
    shown = None if source is None else shown_address(source)
    return Judged(
        data_set=made.data_set,
        outcome=made.outcome.value,
        policy=policy,
        audit_id=made.audit_id,
        release_id=made.release_id,
        address=made.address,
        sentences=made.sentences,
        missed_metrics=made.missed_metrics,
        is_coverable=isinstance(made, Release) and made.is_coverable and bool(rules.exceptions.approvers),
        is_remediable=made.is_remediable,
        is_fault=made.exit_code is ExitCode.INTERNAL_ERROR,
        notes=(*told, *made.notes),
        advice=made.advice_lines,
        source=shown if made.report is None else made.report.source,
        audit=made.audit_document,
    )


def of_verification(verification: "Verification", policy: str | None) -> Judged:
    """Return what checking a release came to.

    Example:
        >>> from qidguard import Verification
        >>> of_verification(Verification(label="/srv/ward/1", faults=("It is gone.",)), None).outcome
        'blocked'
    """
    from qidguard.sdk import visible

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


class Stopped(KeyboardInterrupt):
    """Airflow stops this task; no ``Exception``, so that nothing on the way takes it for a failure."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why there is no verdict.

    Args:
        sentence: What happened and what to do.
        is_final: Whether another try would end the same way.
    """

    sentence: str
    is_final: bool = False


STOPPED = Failure(
    sentence="The task was stopped before its end. Its temporary copies are removed, and another try does the"
    " same again."
)


def failure_of(error: BaseException) -> Failure:
    """Return what an error says to a schedule.

    A mistake of the user is not tried again, unless the error says that it may pass by itself. The words of a
    foreign exception could carry values of the table or a password, so only its kind is said.

    Example:
        >>> failure_of(ValueError("a password")).sentence
        'internal error (ValueError), so nothing was let through'
    """
    if not isinstance(error, QidguardError):
        return Failure(sentence=f"internal error ({type(error).__name__}), so nothing was let through")
    return Failure(sentence=str(error), is_final=error.exit_code in _FINAL and not error.is_transient)
