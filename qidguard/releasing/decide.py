"""Decide on a release: audit, remedy, audit again from scratch, look at earlier releases and exceptions."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.anonymize.receipt import Receipt
from qidguard.anonymize.run import UnreachableError
from qidguard.auditing.run import AuditRequest, run_audit
from qidguard.core.errors import PolicyError
from qidguard.core.report import AuditReport
from qidguard.engines.base import ReadOptions
from qidguard.releasing.charge import charge
from qidguard.releasing.columns import select
from qidguard.releasing.decision import Decision
from qidguard.releasing.exception import Approval, covering, valid_approvals
from qidguard.releasing.job import Job
from qidguard.releasing.past import Past, history, incomparable, read_past
from qidguard.releasing.remedy import task_of
from qidguard.releasing.result import Outcome
from qidguard.releasing.watch import foresight, unwatched

if TYPE_CHECKING:
    from qidguard.engines.base import Snapshot
    from qidguard.releasing.earlier import KeyedHistory


def decide(job: Job, snapshot: "Snapshot", *, has_remedy: bool = True) -> Decision:
    """Return the decision on a snapshot; whatever the remedy made is closed again where this fails.

    Without ``has_remedy`` the records are judged as they are.
    """
    here = job.destination.release_ids(job.data_set)  # before the ledger, in which promises come first
    past = read_past(job.ledger, job.data_set)
    reasons = list(incomparable(job, snapshot, past, here))
    if reasons:
        past = Past(begun=(), confirmed=past.confirmed)
    first = _audited(job, snapshot, past)
    verdict = first.report.verdict
    is_curable = verdict is not None and not verdict.blocks and not verdict.is_passed
    if job.remedy is None or not has_remedy or not is_curable or reasons:
        return _decision(job, past, first, None, reasons)
    job.progress.step("remedy", 0, 1)
    try:
        transformed, receipt = _cured(job, snapshot, first.report)
    except UnreachableError as error:
        return _decision(job, past, first, None, [str(error)])
    job.progress.step("remedy", 1, 1)
    try:
        return _decision(job, past, _audited(job, transformed, past), (first.report, receipt), reasons)
    except BaseException:
        transformed.close()
        raise


@dataclass(frozen=True, kw_only=True)
class _Audited:
    """A snapshot with the audit of it."""

    snapshot: "Snapshot"
    report: AuditReport
    history: "KeyedHistory"


def _cured(job: Job, snapshot: "Snapshot", report: AuditReport) -> "tuple[Snapshot, Receipt]":
    assert job.remedy is not None  # noqa: S101 - the caller looked
    main = next((s.qids for s in report.summaries if s.combination == "default"), ())
    task = task_of(job.policy, main, job.seed)
    cost = job.remedy.cost()
    if cost is not None:
        charge(job, cost)
    transformed, receipt = job.remedy.run(snapshot, task)
    # with its seed whoever reads the record could take noise away again
    return transformed, receipt if cost is None else replace(receipt, seed=None)


def _audited(job: Job, snapshot: "Snapshot", past: Past) -> _Audited:
    looked = history(job, snapshot, past)
    request = AuditRequest(
        source=snapshot,
        policy=job.policy,
        host=job.host,
        engine=job.engine,
        options=ReadOptions(),
        settings=job.settings,
        progress=job.progress,
        today=job.today,
        label=job.label,
        history=looked,
    )
    with run_audit(request) as found:
        return _Audited(snapshot=snapshot, report=found.report, history=looked)


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
