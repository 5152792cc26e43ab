"""Decide on a release: audit, remedy, audit again from scratch, look at earlier releases and exceptions."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from qidguard.anonymizing.receipt import Receipt
from qidguard.core.errors import UnreachableError
from qidguard.core.naming import folded
from qidguard.core.report import AuditReport
from qidguard.releasing.context import ReleaseContext
from qidguard.releasing.deciding.charge import charge, charged
from qidguard.releasing.deciding.concerned import Concerned, nobody_known, persons_concerned
from qidguard.releasing.deciding.exception import Approval, Covering, approvals_for
from qidguard.releasing.deciding.watch import (
    FoundAgain,
    found_again,
    is_unwatched,
    unwatched,
    warning_of_next,
)
from qidguard.releasing.history.comparable import incomparable, series_of, unknown_here, unrelated_line
from qidguard.releasing.history.counted_releases import CountedReleases, LedgerReleases, ledger_releases
from qidguard.releasing.history.past import Past, history
from qidguard.releasing.result import Outcome, Recorded
from qidguard.releasing.series.table import SeriesTable, series_table
from qidguard.trials.columns import ReleasedColumns
from qidguard.trials.measuring import BY_DEFAULT, Losses
from qidguard.trials.stages import AuditedCopy, Transformed, audit_copy, selected, transformed

if TYPE_CHECKING:
    from qidguard.advising.asking import TriedAdvice
    from qidguard.auditing.remedy import Remedy
    from qidguard.engines.base import Snapshot
    from qidguard.trials.measuring import MeasuredClaim


R = TypeVar("R", bound=Recorded)


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
        counted: Which releases of the ledger count, and why.
        known: The ids of all promises that the ledger held by then.
        notes: Sentences worth reading.
        series: The table with the leavers of its series, to be closed by who holds this; None without one.
        again: How many records of earlier releases are found again; None where an entity tells.
        concerned: How many persons each threshold that blocks concerns, None for the others; None where the
            policy has nobody who could let it pass.
    """

    source: AuditedCopy
    transformed: Transformed | None
    selection: ReleasedColumns | None
    outcome: Outcome
    reasons: tuple[str, ...]
    approvals: tuple[Approval, ...]
    past: Past
    counted: CountedReleases
    known: frozenset[str]
    notes: tuple[str, ...] = ()
    series: SeriesTable | None = None
    again: FoundAgain | None = None
    concerned: tuple[Concerned | None, ...] | None = None

    @property
    def judged(self) -> AuditedCopy:
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
    def claims(self) -> "tuple[MeasuredClaim, ...]":
        """What the remedy claims, beside what was measured."""
        return () if self.transformed is None else self.transformed.claims

    def told(self, made: type[R], context: ReleaseContext, advised: "TriedAdvice | None", **more: Any) -> R:
        """Return the decision as its caller hears of it; ``more`` stands over what it says by itself."""
        own = {
            "data_set": context.data_set,
            "audit_id": context.audit_id,
            "outcome": self.outcome,
            "report": self.report,
            "before": self.before,
            "receipt": self.receipt,
            "reasons": self.reasons,
            "notes": self.notes,
            "approvals": self.approvals,
            "advised": advised,
        }
        return made(**{**own, **more})

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


def with_signature(context: ReleaseContext, decided: Decided) -> Decided:
    """Return the decision, blocked where the policy demands a signature that cannot be given."""
    reason = signature_fault(context)
    if not reason:
        return decided
    return replace(decided, outcome=Outcome.BLOCKED, approvals=(), reasons=(*decided.reasons, reason))


def signature_fault(context: ReleaseContext) -> str:
    """Return why the signature that the policy demands cannot be given; empty where it can."""
    asked = context.policy.release
    if (asked.signature == "required" or asked.signers) and context.key is None:
        return "The policy demands a signature, and there is no signing key; make one with: qidguard keys new"
    if context.key is not None and asked.signers and context.key.public.text not in asked.signers:
        shown = f"{context.key.public.id[:12]}…"
        return f"The key {shown} is not among release.signers of the policy; sign with one that is."
    return ""
