"""The stages of a trial: the source audited, a copy transformed, and that copy audited from scratch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.anonymizing.receipt import Receipt
from qidguard.anonymizing.run import UnreachableError
from qidguard.auditing.roles import recognition_of
from qidguard.auditing.run import run_audit
from qidguard.core.errors import PolicyError
from qidguard.core.measurement import Measurement
from qidguard.core.report import AuditReport
from qidguard.core.versions import Changes, History
from qidguard.trials.columns import Selection, select
from qidguard.trials.measuring import (
    Claim,
    claimed_columns,
    loss_columns,
    measured_by_default,
    measured_claims,
    measured_losses,
)
from qidguard.trials.task import main_combination
from qidguard.trials.transform import transform

if TYPE_CHECKING:
    from qidguard.anonymizing.records import SnapshotRecords
    from qidguard.auditing.remedy import Remedy
    from qidguard.engines.base import Snapshot
    from qidguard.policy import Policy
    from qidguard.trials.context import TrialContext

    HistoryOf = Callable[[Snapshot], History]


@dataclass(frozen=True, kw_only=True)
class Audited:
    """A private copy of a table with the audit of it; several remedies may be tried on one.

    Args:
        records: Its records; what one remedy read the next need not read again.
        report: The audit.
        figures: Further figures that were asked for.
        history: The earlier releases beside it, where they count.
    """

    records: "SnapshotRecords"
    report: AuditReport
    figures: tuple[Measurement, ...] = ()
    history: History | None = None

    @property
    def snapshot(self) -> "Snapshot":
        """The copy itself."""
        return self.records.snapshot


@dataclass(frozen=True, kw_only=True)
class Transformed:
    """What a remedy made of an audited table, audited from scratch.

    Args:
        audited: The transformed copy, to be closed by who holds this, and the audit of it.
        receipt: What was done.
        claims: What the method claims, beside what was measured.
        losses: What was lost, by every metric that tells.
    """

    audited: Audited
    receipt: Receipt
    claims: tuple[Claim, ...]
    losses: tuple[Measurement, ...] = ()

    def close(self) -> None:
        """Remove the copy."""
        self.audited.snapshot.close()


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What came of a remedy on a table.

    Args:
        source: The audited source.
        transformed: What was made of it; None where nothing was.
        selection: The columns that would be published; None where nothing was made, or there is none.
        reasons: Why it does not do, beyond what the report on the transformed table says.
    """

    source: Audited
    transformed: Transformed | None = None
    selection: Selection | None = None
    reasons: tuple[str, ...] = ()

    @property
    def is_passed(self) -> bool:
        """Whether the policy holds on what was made."""
        made = self.transformed
        return made is not None and made.audited.report.is_passed and not self.reasons


def audit_copy(
    context: "TrialContext",
    snapshot: "Snapshot",
    *,
    figures: Sequence[str] = (),
    history_of: "HistoryOf | None" = None,
) -> Audited:
    """Return a snapshot with the audit of it; it must stay open while remedies are tried.

    Args:
        context: What was asked for.
        snapshot: The private copy.
        figures: Names of metrics that are measured over the main combination beside the policy's.
        history_of: Returns the earlier releases beside a snapshot, where they count.
    """
    records = context.records(snapshot)
    history = None if history_of is None else history_of(snapshot)
    with run_audit(context, snapshot, history=history, changes=context.unchanged(records)) as audit:
        more = measured_by_default(context, audit.opened, main_combination(audit.report), figures)
        return Audited(records=records, report=audit.report, figures=more, history=history)


def try_remedy(
    context: "TrialContext",
    remedy: "Remedy",
    source: Audited,
    *,
    has_models: bool = False,
    figures: Sequence[str] = (),
) -> Tried:
    """Return what a remedy makes of a source, even where the policy holds already; nothing is written.

    Args:
        context: What was asked for.
        remedy: The remedy.
        source: The audited source; it stays as it is.
        has_models: Whether losses are measured by training models too.
        figures: Names of metrics that are measured over the main combination beside the policy's.

    Returns:
        What came of it. What blocks the source and is no threshold no method can remove: nothing is made
        then. Neither is anything where the method cannot meet its task.

    Raises:
        QidguardError: As an audit raises it, and for a fault of the remedy or an attack.
    """
    verdict = source.report.verdict
    if verdict is None or verdict.blocks:
        return Tried(source=source, reasons=irremediable(source.report))
    try:
        made = transformed(context, remedy, source, has_losses=True, has_models=has_models, figures=figures)
    except UnreachableError as error:
        return Tried(source=source, reasons=(str(error),))
    selection, reasons = selected(made.audited.report, context.policy)
    return Tried(source=source, transformed=made, selection=selection, reasons=reasons)


def transformed(
    context: "TrialContext",
    remedy: "Remedy",
    source: Audited,
    *,
    has_losses: bool,
    has_models: bool = False,
    figures: Sequence[str] = (),
    history_of: "HistoryOf | None" = None,
) -> Transformed:
    """Return what a remedy made of an audited source, audited from scratch.

    Raises:
        UnreachableError: When the remedy says that the task cannot be met, or nothing would be left.
        QidguardError: As an audit raises it, and for a fault of the remedy or an attack.
    """
    records, receipt, changes = transform(context, remedy, source.records, source.report)
    try:
        return _audited_again(
            context,
            source.report,
            (records, receipt, changes),
            has_losses=has_losses,
            has_models=has_models,
            figures=figures,
            history_of=history_of,
        )
    except BaseException:
        records.snapshot.close()
        raise


def _audited_again(
    context: "TrialContext",
    before: AuditReport,
    made: "tuple[SnapshotRecords, Receipt, Changes]",
    *,
    has_losses: bool,
    has_models: bool,
    figures: Sequence[str],
    history_of: "HistoryOf | None",
) -> Transformed:
    records, receipt, changes = made
    qids = main_combination(before)
    history = None if history_of is None else history_of(records.snapshot)
    more = loss_columns(context.policy) if has_losses else ()
    with run_audit(
        context,
        records.snapshot,
        history=history,
        changes=changes,
        recognition=recognition_of(before.columns),
        more_columns=(*claimed_columns(receipt.guarantees), *more),
    ) as audit:
        table = audit.opened
        return Transformed(
            claims=measured_claims(table, receipt.guarantees, context.host),
            losses=measured_losses(context, table, qids, has_models=has_models) if has_losses else (),
            audited=Audited(
                records=records,
                report=audit.report,
                figures=measured_by_default(context, table, qids, figures),
                history=history,
            ),
            receipt=receipt,
        )


def selected(report: AuditReport, policy: "Policy") -> tuple[Selection | None, tuple[str, ...]]:
    """Return the columns that would be published, or the sentence that says why there are none."""
    try:
        return select(report.columns, policy), ()
    except PolicyError as error:
        return None, (str(error),)


def irremediable(report: AuditReport) -> tuple[str, ...]:
    """Return why no method can make a table meet its policy: what blocks and is no threshold."""
    blocks = () if report.verdict is None else report.verdict.blocks
    return tuple(
        f"The method was not run, since no method removes this: {block.sentence}" for block in blocks
    )
