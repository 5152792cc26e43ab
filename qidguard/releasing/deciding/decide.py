"""Decide on a release: audit, remedy, audit again from scratch, look at earlier releases and exceptions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.anonymizing.receipt import Receipt
from qidguard.anonymizing.run import UnreachableError
from qidguard.core.report import AuditReport
from qidguard.evidence.keys import parse_public_key
from qidguard.releasing.context import ReleaseContext
from qidguard.releasing.deciding.charge import charge
from qidguard.releasing.deciding.concerned import Concerned, persons_concerned
from qidguard.releasing.deciding.exception import Approval, Covering, Missed, covering, valid_approvals
from qidguard.releasing.deciding.watch import unwatched, warning_of_next
from qidguard.releasing.history.past import Past, history, incomparable, read_past
from qidguard.releasing.history.series import data_sets_of
from qidguard.releasing.history.unrelated import hold_against_ledger
from qidguard.releasing.result import Outcome
from qidguard.trials.columns import Selection
from qidguard.trials.stages import Audited, Transformed, audit_copy, selected, transformed

if TYPE_CHECKING:
    from qidguard.core.versions import History
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
        """Remove what the remedy made."""
        if self.transformed is not None:
            self.transformed.close()


def decide(
    context: ReleaseContext,
    snapshot: "Snapshot",
    *,
    source_sha256: str | None = None,
    has_remedy: bool = True,
    is_trial: bool = False,
    has_models: bool = False,
) -> Decided:
    """Return the decision on a snapshot; whatever the remedy made is closed again where this fails.

    Args:
        context: What was asked for.
        snapshot: The private copy of the source.
        source_sha256: The digest of the source, as the copy has it; None asks the copy.
        has_remedy: Whether the policy's remedy is used; else the records are judged as they are.
        is_trial: Whether the remedy is run where the policy holds already, too, and losses are measured.
        has_models: Whether losses are measured by training models, too.
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

    def history_of(copy: "Snapshot") -> "History":
        return history(context, copy, past)

    source = audit_copy(context, snapshot, history_of=history_of)
    verdict = source.report.verdict
    is_remediable = verdict is not None and not verdict.blocks and (is_trial or not verdict.is_passed)
    if context.remedy is None or not has_remedy or not is_remediable or reasons:
        return _decided(context, past, source, None, reasons, source_sha256)
    try:
        cost = context.remedy.cost()
        if cost is not None:
            charge(context, cost, source_sha256)
        made = transformed(
            context,
            context.remedy,
            source,
            has_losses=is_trial,
            has_models=has_models,
            history_of=history_of,
        )
    except UnreachableError as error:
        return _decided(context, past, source, None, (str(error),), source_sha256)
    try:
        return _decided(context, past, source, made, reasons, source_sha256)
    except BaseException:
        made.close()
        raise


def _decided(
    context: ReleaseContext,
    past: Past,
    source: Audited,
    made: Transformed | None,
    reasons: tuple[str, ...],
    source_sha256: str,
) -> Decided:
    judged = source if made is None else made.audited
    report, past_releases = judged.report, judged.history
    assert past_releases is not None  # noqa: S101 - of a release it is always looked at
    selection, why_none = selected(report, context.policy)
    held = hold_against_ledger(context, judged.snapshot, source_sha256)
    reasons = (*reasons, *held.reasons, *unwatched(context, report, past_releases), *why_none)
    concerned = None
    if context.policy.exceptions.approvers:
        entity = context.policy.roles.entity
        concerned = persons_concerned(context, judged.snapshot, report, entity=entity)
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
        known=held.known,
        notes=(*held.notes, *warning_of_next(context, report, past_releases), *covered.doubts),
        concerned=concerned,
    )


def with_signature(context: ReleaseContext, decided: Decided) -> Decided:
    """Return the decision, blocked where the policy demands a signature that cannot be given."""
    asked = context.policy.release
    if (asked.signature == "required" or asked.signers) and context.key is None:
        reason = (
            "The policy demands a signature, and there is no signing key; make one with: qidguard keys new"
        )
    elif context.key is not None and asked.signers and context.key.public.text not in asked.signers:
        shown = f"{context.key.public.id[:12]}…"
        reason = f"The key {shown} is not among release.signers of the policy; sign with one that is."
    else:
        return decided
    return replace(decided, outcome=Outcome.BLOCKED, approvals=(), reasons=(*decided.reasons, reason))


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
