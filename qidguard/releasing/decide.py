"""Decide on a release: audit, remedy, audit again from scratch, look at earlier releases and exceptions."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.anonymize.receipt import Receipt
from qidguard.anonymize.run import UnreachableError
from qidguard.auditing.original import mark_of
from qidguard.auditing.roles import recognition_of
from qidguard.core.changes import Changes
from qidguard.core.errors import PolicyError
from qidguard.core.report import AuditReport
from qidguard.releasing.bench import unchanged
from qidguard.releasing.charge import charge
from qidguard.releasing.claims import Claim, claimed_columns, measured_claims
from qidguard.releasing.columns import select
from qidguard.releasing.decision import Decision
from qidguard.releasing.exception import Approval, covering, valid_approvals
from qidguard.releasing.job import Job
from qidguard.releasing.past import Past, history, incomparable, read_past
from qidguard.releasing.result import Outcome
from qidguard.releasing.transform import Transformed, transform
from qidguard.releasing.utility import utility_columns
from qidguard.releasing.watch import foresight, unwatched

if TYPE_CHECKING:
    from collections.abc import Callable

    from qidguard.anonymize.records import SnapshotRecords
    from qidguard.auditing.result import Audit
    from qidguard.engines.base import Snapshot
    from qidguard.releasing.earlier import KeyedHistory

    Look = Callable[[Audit, AuditReport], None]


def decide(
    job: Job, snapshot: "Snapshot", *, has_remedy: bool = True, look: "Look | None" = None
) -> Decision:
    """Return the decision on a snapshot; whatever the remedy made is closed again where this fails.

    Without ``has_remedy`` the records are judged as they are. Who wants a ``look`` at the audit of what the
    remedy made has it run where the policy holds already, too.
    """
    here = job.destination.release_ids(job.data_set)  # before the ledger, in which promises come first
    past = read_past(job.ledger, job.data_set)
    reasons = list(incomparable(job, snapshot, past, here))
    if reasons:
        past = Past(begun=(), confirmed=past.confirmed)
    records = job.bench.records(snapshot)
    nothing_lost = unchanged(records, mark_of(job.policy), job.seed)
    first = _audited(job, snapshot, past, nothing_lost)
    verdict = first.report.verdict
    is_curable = verdict is not None and not verdict.blocks and (look is not None or not verdict.is_passed)
    if job.remedy is None or not has_remedy or not is_curable or reasons:
        return _decision(job, past, first, None, reasons)
    try:
        made = _cured(job, records, first.report)
    except UnreachableError as error:
        return _decision(job, past, first, None, [str(error)])
    try:
        again = _audited(job, made.snapshot, past, made.changes, cured=(first.report, made.receipt, look))
        return _decision(job, past, again, (first.report, made.receipt), reasons)
    except BaseException:
        made.snapshot.close()
        raise


@dataclass(frozen=True, kw_only=True)
class _Audited:
    """A snapshot with the audit of it."""

    snapshot: "Snapshot"
    report: AuditReport
    history: "KeyedHistory"
    claims: tuple[Claim, ...] = ()


def _cured(job: Job, records: "SnapshotRecords", report: AuditReport) -> Transformed:
    assert job.remedy is not None  # noqa: S101 - the caller looked
    cost = job.remedy.cost()
    if cost is not None:
        charge(job, cost)
    made = transform(job.bench, job.remedy, records, report)
    # with its seed whoever reads the record could take noise away again
    return made if cost is None else replace(made, receipt=replace(made.receipt, seed=None))


def _audited(
    job: Job,
    snapshot: "Snapshot",
    past: Past,
    changes: Changes,
    cured: "tuple[AuditReport, Receipt, Look | None] | None" = None,
) -> _Audited:
    looked = history(job, snapshot, past)
    if cured is None:
        with job.bench.audit(snapshot, changes, history=looked) as found:
            return _Audited(snapshot=snapshot, report=found.report, history=looked)
    before, receipt, look = cured
    more = () if look is None else utility_columns(job.policy)
    with job.bench.audit(
        snapshot,
        changes,
        history=looked,
        recognition=recognition_of(before.columns),
        more_columns=(*claimed_columns(receipt.guarantees), *more),
    ) as found:
        claims = measured_claims(found.opened, receipt.guarantees, job.host)
        if look is not None:
            look(found, before)
        return _Audited(snapshot=snapshot, report=found.report, history=looked, claims=claims)


def _decision(
    job: Job,
    past: Past,
    audited: _Audited,
    cured: tuple[AuditReport, Receipt] | None,
    more: list[str],
) -> Decision:
    report = audited.report
    reasons = [*more, *unwatched(job, audited.report, audited.history)]
    selection = None
    try:
        selection = select(report.columns, job.policy)
    except PolicyError as error:
        reasons.append(str(error))
    approvals = () if reasons else approvals_for(job, report)
    outcome = Outcome.PASSED if report.is_passed else Outcome.BLOCKED
    if approvals:
        outcome = Outcome.PASSED_BY_EXCEPTION
    return Decision(
        snapshot=audited.snapshot,
        is_transformed=cured is not None,
        report=report,
        before=cured[0] if cured else None,
        receipt=cured[1] if cured else None,
        selection=selection,
        outcome=Outcome.BLOCKED if reasons else outcome,
        reasons=tuple(reasons),
        approvals=approvals,
        past=past,
        notes=foresight(job, report, audited.history),
        claims=audited.claims,
    )


def approvals_for(job: Job, report: AuditReport) -> tuple[Approval, ...]:
    """Return the exceptions that cover everything that is missed; none where something else blocks."""
    verdict = report.verdict
    if verdict is None or verdict.is_passed or verdict.blocks:
        return ()
    missed = [t for t in verdict.thresholds if t.is_blocking]
    return covering(missed, approvals_of(job)) or ()


def approvals_of(job: Job) -> list[Approval]:
    """Return the exceptions that hold today for this data set under exactly this policy."""
    entries = list(job.ledger.entries(data_set=job.data_set, kinds={"exception", "revoked"}))
    return valid_approvals(entries, job.policy, job.data_set, job.today)
