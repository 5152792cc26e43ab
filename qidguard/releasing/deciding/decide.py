"""Decide on a release: audit, remedy, audit again from scratch, look at earlier releases and exceptions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.core.errors import UnreachableError
from qidguard.core.naming import folded
from qidguard.core.report import AuditReport
from qidguard.evidence.keys import parse_public_key
from qidguard.releasing.context import ReleaseContext
from qidguard.releasing.deciding.charge import charge, charged
from qidguard.releasing.deciding.concerned import Concerned, nobody_known, persons_concerned
from qidguard.releasing.deciding.decided import Decided
from qidguard.releasing.deciding.exception import Approval, Covering, Missed, covering, valid_approvals
from qidguard.releasing.deciding.failure import signature_fault
from qidguard.releasing.deciding.watch import found_again, is_unwatched, unwatched, warning_of_next
from qidguard.releasing.history.comparable import incomparable, series_of, unknown_here, unrelated_line
from qidguard.releasing.history.counted_releases import CountedReleases, LedgerReleases, ledger_releases
from qidguard.releasing.history.past import Past, history
from qidguard.releasing.result import Outcome
from qidguard.releasing.series.table import SeriesTable, series_table
from qidguard.trials.measuring import BY_DEFAULT, Losses
from qidguard.trials.stages import AuditedCopy, Transformed, audit_copy, selected, transformed

if TYPE_CHECKING:
    from qidguard.auditing.remedy import Remedy
    from qidguard.engines.base import Snapshot


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
    ledger = ledger_releases(context, context.ledger.verified(), source_sha256)
    remedy = context.remedy if has_remedy else None
    # of a table that may become a new one nobody is looked for before it is known that it does not
    is_first = remedy is None or _is_of_records(context)
    grounds = _Grounds(
        ledger=ledger,
        counted=ledger.beside(context, snapshot if is_first else None),
        searched=snapshot if is_first else None,
        source_sha256=source_sha256,
        unknown=tuple(unknown_here(context.data_set, ledger.every, here)),
    )
    trial = _Trial(remedy=remedy, losses=losses if is_trial else None, is_signed=is_signed)
    while True:
        decided = _on(context, snapshot, grounds, trial)
        try:
            further = _further(context, grounds, decided)
            if further is None:
                return decided
            if further.past.begun == grounds.counted.past.begun and not further.reasons:
                said = decided.notes[len(grounds.counted.notes) :]
                return replace(decided, counted=further, notes=(*further.notes, *said))
            if decided.receipt is not None and decided.receipt.privacy is not None:
                return _blocked_after_noise(decided, further)
        except BaseException:
            decided.close()
            raise
        decided.close()
        grounds = replace(grounds, counted=further)


@dataclass(frozen=True, kw_only=True)
class _Grounds:
    """What a decision rests on beside the table.

    Args:
        ledger: The releases of the ledger, as they were at first.
        counted: Those that count as earlier ones.
        searched: The records whose persons were looked for in others; None where nobody was.
        source_sha256: The digest of the source.
        unknown: Why it is blocked by what stands at the destination.
        series: The table with the leavers of its series; None without one.
    """

    ledger: LedgerReleases
    counted: CountedReleases
    searched: "Snapshot | None"
    source_sha256: str
    unknown: tuple[str, ...]
    series: SeriesTable | None = None


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """How a remedy is used: none, or with losses where it is only tried."""

    remedy: "Remedy | None"
    losses: Losses | None
    is_signed: bool


def _is_of_records(context: ReleaseContext) -> bool:
    """Whether what would be published are records of the source, whatever the remedy makes."""
    written = context.policy.remedy
    return written is None or written.output == "records"


def _on(context: ReleaseContext, snapshot: "Snapshot", grounds: _Grounds, trial: _Trial) -> Decided:
    """Return the decision on given grounds."""
    counted, remedy = grounds.counted, trial.remedy
    reasons = (*grounds.unknown, *counted.reasons, *incomparable(context, snapshot, counted.past))
    if reasons:
        none = Past(begun=(), confirmed=counted.past.confirmed)
        grounds = replace(grounds, counted=replace(counted, past=none))
    past = grounds.counted.past
    series = None
    if not reasons and remedy is not None and remedy.needs_last_values and context.policy.series is not None:
        series = series_table(context, snapshot, past)
    grounds = replace(grounds, series=series)
    try:
        if series is not None:
            snapshot, reasons = series.snapshot, series.faults
        source = audit_copy(context, snapshot, history_of=lambda copy: history(context, copy, past))
        verdict = source.report.verdict
        if remedy is None or verdict is None or verdict.blocks or reasons:
            return _decided(context, grounds, source, None, reasons)
        if verdict.is_passed and trial.losses is None and not remedy.is_always:
            return _decided(context, grounds, source, None, reasons)
        is_unsigned = trial.is_signed and signature_fault(context)
        if remedy.draws_noise and (_lacks_watch(context, grounds, source) or is_unsigned):
            return _decided(context, grounds, source, None, reasons)  # blocked, whatever is drawn
        return _remedied(context, grounds, source, remedy, losses=trial.losses)
    except BaseException:
        if series is not None:
            series.close()
        raise


def _further(context: ReleaseContext, grounds: _Grounds, decided: Decided) -> CountedReleases | None:
    """Return what counts where persons of what would be published are in more releases than were known."""
    judged = decided.judged.snapshot
    if decided.outcome is Outcome.BLOCKED or decided.report.new_table is not None:
        return None
    if judged is grounds.searched:
        return None
    found = grounds.counted.found
    further = grounds.ledger.beside(context, judged, found)
    return None if further.found == found else further


def _blocked_after_noise(decided: Decided, further: CountedReleases) -> Decided:
    """Return the decision blocked: what draws noise is not drawn again."""
    others = [entry for entry in further.past.begun if folded(entry.data_set) in further.past.others]
    sentence = (
        "Persons of what the remedy made are also in releases that were not known before noise was drawn"
        f" ({series_of(others)}), so they were not held against it; give both the same roles.entity, or"
        f" {unrelated_line(others)}."
    )
    reasons = (*decided.reasons, *(further.reasons or (sentence,)))
    return replace(decided, outcome=Outcome.BLOCKED, reasons=reasons, approvals=(), counted=further)


def _remedied(
    context: ReleaseContext,
    grounds: _Grounds,
    source: AuditedCopy,
    remedy: "Remedy",
    *,
    losses: Losses | None,
) -> Decided:
    """Return the decision on what the remedy makes; losses are measured where some are named."""
    series, past = grounds.series, grounds.counted.past
    if series is not None:
        source = replace(source, earlier=series.earlier_persons(context, source.report))
    try:
        made = transformed(
            context,
            remedy,
            source,
            losses=losses,
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


def _lacks_watch(context: ReleaseContext, grounds: _Grounds, source: AuditedCopy) -> bool:
    """Whether earlier releases are known that no threshold watches, which only a new table may lack."""
    past = grounds.counted.past
    is_known = _is_of_records(context) and source.history is not None
    return is_known and is_unwatched(context, source.report, past)


def _decided(
    context: ReleaseContext,
    grounds: _Grounds,
    source: AuditedCopy,
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
    past = grounds.counted.past
    over_time = unwatched(context, report, past_releases, past) if is_of_persons else []
    is_first = is_of_persons and not reasons
    again = found_again(context, report, past_releases) if is_of_persons else None
    reasons = (*reasons, *over_time, *why_none)
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
        past=past,
        counted=grounds.counted,
        series=grounds.series,
        known=grounds.ledger.known,
        notes=(
            *(grounds.counted.notes if is_of_persons else ()),
            *(() if again is None else (again.sentence,)),
            *(warning_of_next(context, report, past) if is_first else ()),
            *covered.doubts,
            *charged(None if made is None else made.receipt),
            *(() if made is None or grounds.series is None else made.receipt.notes),
        ),
        again=again,
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
