"""What the host's answers come to for a task: the same as names, addresses and sentences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.core.errors import ExitCode
from qidguard.interfaces.airflow.judged import BLOCKED, PASSED, Judged
from qidguard.report.printable import visible
from qidguard.report.sentence import reasons

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.core.report import AuditReport
    from qidguard.evidence.verification import Verification
    from qidguard.releasing.anonymise import Anonymisation
    from qidguard.releasing.checked import Checked
    from qidguard.releasing.result import Release


def of_release(made: "Release", rules: "Policy", policy: str, source: str) -> Judged:
    """Return what a release came to.

    Args:
        made: The release.
        rules: Its policy.
        policy: The policy's path.
        source: What was judged, without secrets.

    Returns:
        The same as names, addresses and sentences.

    Example:
        >>> import inspect
        >>> list(inspect.signature(of_release).parameters)
        ['made', 'rules', 'policy', 'source']
    """
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
        notes=made.notes,
        source=source,
        report=made.report,
    )


def of_check(found: "Checked", policy: str, source: str | None) -> Judged:
    """Return what an audit came to; an exception is made for a blocked release, not for an audit alone.

    Args:
        found: The audit.
        policy: The policy's path.
        source: What was judged, without secrets.

    Returns:
        The same as names, addresses and sentences.

    Example:
        >>> import inspect
        >>> list(inspect.signature(of_check).parameters)
        ['found', 'policy', 'source']
    """
    return Judged(
        data_set=found.data_set,
        outcome=found.outcome.value,
        policy=policy,
        audit_id=found.audit_id,
        release_id=found.release_id,
        sentences=found.sentences,
        missed_metrics=_missed(found.report),
        is_curable=found.is_curable,
        is_fault=found.exit_code is ExitCode.INTERNAL_ERROR,
        notes=found.notes,
        source=source,
        report=found.report,
    )


def of_anonymisation(made: "Anonymisation", policy: str, source: str) -> Judged:
    """Return what the policy's remedy came to.

    Args:
        made: The table that was written, or was not.
        policy: The policy's path.
        source: What was judged, without secrets.

    Returns:
        The same as names, addresses and sentences.

    Example:
        >>> import inspect
        >>> list(inspect.signature(of_anonymisation).parameters)
        ['made', 'policy', 'source']
    """
    return Judged(
        data_set=made.data_set,
        outcome=PASSED if made.is_passed else BLOCKED,
        policy=policy,
        audit_id=made.audit_id,
        address=made.address,
        sentences=() if made.is_passed else (*_reasons(made.after), *made.reasons),
        missed_metrics=_missed(made.after),
        is_fault=made.after.exit_code is ExitCode.INTERNAL_ERROR,
        source=source,
        report=made.after,
    )


def of_verification(found: "Verification", policy: str | None) -> Judged:
    """Return what checking a release came to.

    Args:
        found: The verification.
        policy: The path of the policy that it was compared with, or None.

    Returns:
        The same as names, addresses and sentences.

    Example:
        >>> from qidguard.evidence.verification import Verification
        >>> of_verification(Verification(label="/srv/ward/1", faults=("It is gone.",)), None).outcome
        'blocked'
    """
    manifest = found.manifest
    faults = found.faults or ("Its manifest or attestation cannot be read.",)
    return Judged(
        data_set=found.label if manifest is None else manifest.data_set,
        outcome=PASSED if found.is_verified else BLOCKED,
        policy=policy,
        release_id=None if manifest is None else manifest.release_id,
        address=found.label,
        sentences=() if found.is_verified else tuple(visible(fault) for fault in faults),
        notes=tuple(visible(note) for note in found.notes),
        source=found.label,
    )


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
