"""Decide on a release: audit, remedy, audit again from scratch, look at earlier releases and exceptions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.anonymizing.receipt import Receipt
from qidguard.anonymizing.run import UnreachableError
from qidguard.core.report import AuditReport
from qidguard.evidence.keys import parse_public_key
from qidguard.releasing.context import ReleaseContext
from qidguard.releasing.deciding.charge import charge, charged
from qidguard.releasing.deciding.concerned import Concerned, nobody_known, persons_concerned
from qidguard.releasing.deciding.exception import Approval, Covering, Missed, covering, valid_approvals
from qidguard.releasing.deciding.signature import signature_fault
from qidguard.releasing.deciding.watch import is_unwatched, unwatched, warning_of_next
from qidguard.releasing.history.past import Past, history, incomparable, read_past
from qidguard.releasing.history.series import data_sets_of
from qidguard.releasing.history.unrelated import hold_against_ledger
from qidguard.releasing.result import Outcome
from qidguard.releasing.series.table import SeriesTable, series_table
from qidguard.trials.columns import Selection
from qidguard.trials.measuring import BY_DEFAULT, Losses
from qidguard.trials.stages import Audited, Transformed, audit_copy, selected, transformed

if TYPE_CHECKING:
    from qidguard.auditing.remedy import Remedy
    from qidguard.engines.base import Snapshot
    from qidguard.trials.measuring import Claim


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What was decided on which grounds.

    Args:
        source: The audited source.
        transformed: What the remedy made of it, to be closed by who holds this; None where it was not used.
        selection: The columns that would be published.
        outcome: Passed, passed by exception, or blocked.
        reasons: Why it is blocked, beyond the report.
        approvals: The exceptions that let it through.
        past: The earlier releases it was judged against.
        known: The ids of all promises that the ledger held by then.
        notes: Sentences worth reading.
        series: The table with the leavers of its series, to be closed by who holds this; None without one.
        concerned: How many persons each threshold that blocks concerns, None for the others; None where the
            policy has nobody who could let it pass.
    """

    source: Audited
    transformed: Transformed | None
    selection: Selection | None
    outcome: Outcome
    reasons: tuple[str, ...]
    approvals: tuple[Approval, ...]
    past: Past
    known: frozenset[str]
    notes: tuple[str, ...] = ()
    series: SeriesTable | None = None
    concerned: tuple[Concerned | None, ...] | None = None

    @property
    def judged(self) -> Audited:
        """What would be published, with the audit that decides."""
        return self.source if self.transformed is None else self.transformed.audited

    @property
    def report(self) -> AuditReport:
        """The audit of exactly the records that would be published."""
        return self.judged.report

    @property
    def before(self) -> AuditReport | None:
        """The audit before the remedy; None where none was used."""
        return None if self.transformed is None else self.source.report

    @property
    def receipt(self) -> Receipt | None:
        """What the remedy did; None where none was used."""
        return None if self.transformed is None else self.transformed.receipt

    @property
    def claims(self) -> "tuple[Claim, ...]":
        """What the remedy claims, beside what was measured."""
        return () if self.transformed is None else self.transformed.claims

    def close(self) -> None:
        """Remove what the remedy made, and the copy with the leavers."""
        if self.transformed is not None:
            self.transformed.close()
        if self.series is not None:
            self.series.close()


def decide(
    context: ReleaseContext,
    snapshot: "Snapshot",
    *,
    source_sha256: str | None = None,
    has_remedy: bool = True,
    is_trial: bool = False,
    losses: Losses = BY_DEFAULT,
    is_signed: bool = False,
) -> Decided:
    """Return the decision on a snapshot; whatever the remedy made is closed again where this fails.

    Args:
        context: What was asked for.
        snapshot: The private copy of the source.
        source_sha256: The digest of the source, as the copy has it; None asks the copy.
        has_remedy: Whether the policy's remedy is used; else the records are judged as they are.
        is_trial: Whether the remedy is run where the policy holds already, too, and losses are measured.
        losses: Which losses are measured.
        is_signed: Whether the result is to be signed: where it cannot be, no noise is charged and drawn.
    """
    source_sha256 = snapshot.source_digest if source_sha256 is None else source_sha256
    # the place before the ledger, in which promises come first
    here = () if context.destination is None else context.destination.release_ids(context.data_set)
    reader = context.ledger.verified()
    own = data_sets_of(reader, context, source_sha256)
    past = read_past(reader, *own)
    reasons = tuple(incomparable(context, snapshot, past, here))
    if reasons:
        past = Past(begun=(), confirmed=past.confirmed)

    remedy = context.remedy if has_remedy else None
    series = None
    if not reasons and remedy is not None and remedy.needs_last_values and context.policy.series is not None:
        series = series_table(context, snapshot, past)
    grounds = _Grounds(past=past, source_sha256=source_sha256, series=series)
    try:
        if series is not None:
            snapshot, reasons = series.snapshot, series.faults
        source = audit_copy(context, snapshot, history_of=lambda copy: history(context, copy, past))
        verdict = source.report.verdict
        if remedy is None or verdict is None or verdict.blocks or reasons:
            return _decided(context, grounds, source, None, reasons)
        if verdict.is_passed and not is_trial and not remedy.is_always:
            return _decided(context, grounds, source, None, reasons)
        if remedy.draws_noise and (_lacks_watch(context, source) or (is_signed and signature_fault(context))):
            return _decided(context, grounds, source, None, reasons)  # blocked, whatever is drawn
        return _remedied(context, grounds, source, remedy, losses=losses if is_trial else None)
    except BaseException:
        if series is not None:
            series.close()
        raise


@dataclass(frozen=True, kw_only=True)
class _Grounds:
    """What a decision rests on beside the table."""

    past: Past
    source_sha256: str
    series: SeriesTable | None


def _remedied(
    context: ReleaseContext, grounds: _Grounds, source: Audited, remedy: "Remedy", *, losses: Losses | None
) -> Decided:
    """Return the decision on what the remedy makes; losses are measured where some are named."""
    series, past = grounds.series, grounds.past
    if series is not None:
        source = replace(source, earlier=series.earlier_persons(context, source.report))
    try:
        made = transformed(
            context,
            remedy,
            source,
            has_losses=losses is not None,
            losses=losses or BY_DEFAULT,
            history_of=lambda copy: history(context, copy, past),
            spend=lambda privacy: charge(context, privacy, grounds.source_sha256),
        )
    except UnreachableError as error:
        return _decided(context, grounds, source, None, (str(error),))
    try:
        if series is not None:
            told = replace(made.receipt, notes=(*made.receipt.notes, *series.notes))
            made = replace(made, receipt=told)
        return _decided(context, grounds, source, made, ())
    except BaseException:
        made.close()
        raise


def _lacks_watch(context: ReleaseContext, source: Audited) -> bool:
    """Whether earlier releases are known that no threshold watches, which only a new table may lack."""
    written = context.policy.remedy
    is_of_persons = written is None or written.output == "records"
    return (
        is_of_persons and source.history is not None and is_unwatched(context, source.report, source.history)
    )


def _decided(
    context: ReleaseContext,
    grounds: _Grounds,
    source: Audited,
    made: Transformed | None,
    reasons: tuple[str, ...],
) -> Decided:
    source_sha256 = grounds.source_sha256
    judged = source if made is None else made.audited
    report, past_releases = judged.report, judged.history
    assert past_releases is not None  # noqa: S101 - of a release it is always looked at
    is_of_persons = report.new_table is None
    by_remedy = () if made is None else made.receipt.columns_dropped
    selection, why_none = selected(report, context.policy, source.report, by_remedy)
    held = hold_against_ledger(context, judged.snapshot, source_sha256, is_of_persons=is_of_persons)
    over_time = unwatched(context, report, past_releases) if is_of_persons else []
    reasons = (*reasons, *held.reasons, *over_time, *why_none)
    concerned: tuple[Concerned | None, ...] | None = None
    if context.policy.exceptions.approvers:
        entity = context.policy.roles.entity
        concerned = (
            persons_concerned(context, judged.snapshot, report, entity=entity)
            if is_of_persons
            else nobody_known(report)
        )
    covered = Covering() if reasons else approvals_for(context, report, concerned or (), source_sha256)
    approvals = covered.approvals
    outcome = Outcome.PASSED if report.is_passed else Outcome.BLOCKED
    if approvals:
        outcome = Outcome.PASSED_BY_EXCEPTION
    return Decided(
        source=source,
        transformed=made,
        selection=selection,
        outcome=Outcome.BLOCKED if reasons else outcome,
        reasons=reasons,
        approvals=approvals,
        past=grounds.past,
        series=grounds.series,
        known=held.known,
        notes=(
            *held.notes,
            *(warning_of_next(context, report, past_releases) if is_of_persons else ()),
            *covered.doubts,
            *charged(None if made is None else made.receipt),
            *(() if made is None or grounds.series is None else made.receipt.notes),
        ),
        concerned=concerned,
    )


def approvals_for(
    context: ReleaseContext,
    report: AuditReport,
    concerned: Sequence[Concerned | None],
    source_sha256: str,
    *,
    signed_by: str | None = None,
) -> Covering:
    """Return the exceptions that cover everything that is missed; none where something else blocks.

    Args:
        context: What was asked for.
        report: The audit.
        concerned: Whom each threshold concerns; None where nobody knows, which no exception covers.
        source_sha256: The digest of the source that was judged.
        signed_by: The id of the key that signed what is published already.
    """
    verdict = report.verdict
    if verdict is None or verdict.is_passed or verdict.blocks:
        return Covering()
    approvals = approvals_of(context)
    if not approvals:
        return Covering()
    missed = [(t, n) for t, n in zip(verdict.thresholds, concerned, strict=True) if t.is_blocking]
    signers = (parse_public_key(text).id for text in context.policy.release.signers)
    own = (None if context.key is None else context.key.public.id, signed_by)
    return covering(
        Missed(
            thresholds=tuple(t for t, _ in missed),
            persons=tuple(None if n is None else n.persons for _, n in missed),
            source_sha256=source_sha256,
            release_keys=frozenset({*signers, *(key for key in own if key is not None)}),
        ),
        approvals,
    )


def approvals_of(context: ReleaseContext) -> list[Approval]:
    """Return the exceptions that hold today for this data set under exactly this policy."""
    entries = list(context.ledger.entries(data_set=context.data_set, kinds={"exception", "revoked"}))
    return valid_approvals(entries, context.policy, context.data_set, context.today)
