"""An audit that publishes nothing, recorded in the ledger."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from qidguard.ledger import LedgerError
from qidguard.releasing.checked import Checked
from qidguard.releasing.decide import decide
from qidguard.releasing.decision import Decision
from qidguard.releasing.failure import attempt_of, record_failure
from qidguard.releasing.findings import findings_of, record_check
from qidguard.releasing.job import Job
from qidguard.releasing.prepare import Wishes, prepared

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.policy import Policy

__all__ = ["Checked", "check"]


def check(
    source: Any = None,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    wishes: Wishes | None = None,
    now: datetime | None = None,
) -> Checked:
    """Judge a table as a release would, and record the verdict in the ledger; nothing is published.

    Earlier releases and exceptions of the data set count as they would for a release; the policy's remedy is
    not used, and no signature is asked for.

    Args:
        source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
        policy: A policy, its path, or a mapping with the same fields.
        wishes: Names, ledger, reading options and all else that has a default; ``key`` is not used.
        now: The moment of the audit; None takes the clock's.

    Returns:
        The audit with its name in the ledger. A blocked table is a result, no error.

    Units:
        Figures in the report carry their own unit.

    Raises:
        QidguardError: As ``qidguard.audit`` raises it; that it failed is recorded too.
        LedgerError: When the ledger cannot be written.

    NULL in a quasi-identifier is a group of its own. A source without a record is a DataError. A table of a
    single class is judged like any other.

    Example:
        >>> import pandas as pd, tempfile
        >>> table = pd.DataFrame({"sex": ["f", "f", "m"]})
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["sex"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        ... }
        >>> with tempfile.TemporaryDirectory() as home:
        ...     checked = check(table, policy=policy, wishes=Wishes(home=home, data_set="people"))
        ...     checked.is_passed, checked.sentences
        (False, ('k-anonymity is 1 record, must be at least 2 (1 short), over sex.',))
    """
    with prepared(source, policy, None, wishes or Wishes(), now, is_published=False) as job:
        try:
            return _checked(job)
        except LedgerError:
            raise
        except Exception as error:
            record_failure(job.ledger, attempt_of(job, release_id=None), error, job.clock())
            raise


def _checked(job: Job) -> Checked:
    with job.engine.snapshot(job.source, job.options, job.settings) as snapshot:
        decision = decide(job, snapshot, has_remedy=False)
    findings = findings_of(
        decision.report, reasons=decision.reasons, approvals=decision.approvals, audit_id=job.audit_id
    )
    record_check(job.ledger, findings, data_set=job.data_set, at=job.clock(), origin=job.origin)
    return Checked(
        data_set=job.data_set,
        audit_id=job.audit_id,
        outcome=decision.outcome,
        report=decision.report,
        reasons=decision.reasons,
        notes=decision.notes,
        approvals=decision.approvals,
        is_curable=_is_curable(job, decision),
    )


def _is_curable(job: Job, decision: Decision) -> bool:
    verdict = decision.report.verdict
    is_missed = verdict is not None and not verdict.blocks and not verdict.is_passed
    return job.remedy is not None and is_missed and not decision.reasons and not decision.approvals
