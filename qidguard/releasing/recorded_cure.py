"""A remedy on trial as a release would judge it, with the verdict in the ledger."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from qidguard.auditing.result import Audit
from qidguard.core.measurement import Measurement
from qidguard.core.report import AuditReport
from qidguard.ledger import LedgerError
from qidguard.releasing.cure import Cure, incurable, losses
from qidguard.releasing.decide import decide
from qidguard.releasing.decision import Decision
from qidguard.releasing.failure import attempt_of, record_failure
from qidguard.releasing.findings import findings_of, record_check
from qidguard.releasing.job import Job
from qidguard.releasing.prepare import Wishes, prepared
from qidguard.releasing.receipt_document import receipt_document

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.engines.base import Snapshot
    from qidguard.releasing.remedy import Remedy


@dataclass(frozen=True, kw_only=True)
class RecordedCure:
    """What came of it.

    Args:
        cure: What the remedy came to.
        source: What was read.
        seed: The seed.
        scratch: Where spilled data goes, or None.
        audit_id: The entry of the ledger.
    """

    cure: Cure
    source: Any
    seed: int
    scratch: str | None
    audit_id: str


def recorded_cure(
    source: Any, policy: "Policy", remedy: "Remedy", wishes: Wishes, *, has_models: bool
) -> RecordedCure:
    """Return what a remedy comes to where earlier releases count, and record the verdict.

    An exception lets a release through; what is transformed has to keep the policy itself.

    Raises:
        QidguardError: As an audit raises it; that it failed is recorded too.
        LedgerError: When the ledger cannot be written.
    """
    with prepared(source, policy, None, wishes, None, is_published=False) as ready:
        job = replace(ready, remedy=remedy)
        try:
            with job.engine.snapshot(job.source, job.options, job.settings) as snapshot:
                return _recorded(job, snapshot, has_models=has_models)
        except LedgerError:
            raise
        except Exception as error:
            record_failure(job.ledger, attempt_of(job, release_id=None), error, job.clock())
            raise


def _recorded(job: Job, snapshot: "Snapshot", *, has_models: bool) -> RecordedCure:
    utility: list[Measurement] = []

    def look(found: Audit, before: AuditReport) -> None:
        utility.extend(losses(job.bench, found.opened, before, has_models=has_models))

    decision = decide(job, snapshot, look=look)
    try:
        receipt = decision.receipt
        findings = findings_of(
            decision.report,
            reasons=decision.reasons,
            audit_id=job.audit_id,
            more={"suppression": None if receipt is None else receipt_document(receipt, decision.claims)},
        )
        record_check(job.ledger, findings, data_set=job.data_set, at=job.clock(), origin=job.origin)
    except BaseException:
        if decision.is_transformed:
            decision.snapshot.close()
        raise
    return RecordedCure(
        cure=_cure(decision, tuple(utility)),
        source=job.source,
        seed=job.seed,
        scratch=job.settings.spill_directory,
        audit_id=job.audit_id,
    )


def _cure(decision: Decision, utility: tuple[Measurement, ...]) -> Cure:
    if decision.before is None:
        reasons = (*incurable(decision.report), *decision.reasons)
        return Cure(before=decision.report, reasons=reasons)
    return Cure(
        before=decision.before,
        after=decision.report,
        snapshot=decision.snapshot,
        receipt=decision.receipt,
        claims=decision.claims,
        utility=utility,
        selection=decision.selection,
        reasons=decision.reasons,
    )
