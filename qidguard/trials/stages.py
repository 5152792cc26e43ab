"""The stages of a trial: the source audited, a copy transformed, and that copy audited from scratch."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.anonymizing.receipt import Receipt
from qidguard.auditing.demands import demands
from qidguard.auditing.new_table import gap_of, policy_of_new_table
from qidguard.auditing.proposed import recognized_sensitive
from qidguard.auditing.recognizing import recognition_of
from qidguard.auditing.run import run_audit
from qidguard.core.errors import PolicyError, UnreachableError
from qidguard.core.measurement import Measurement
from qidguard.core.new_table import NewTableFacts
from qidguard.core.report import AuditReport
from qidguard.core.versions import History
from qidguard.trials.columns import ReleasedColumns, select
from qidguard.trials.measuring import (
    BY_DEFAULT,
    Losses,
    MeasuredClaim,
    claimed_columns,
    loss_columns,
    measured_by_default,
    measured_claims,
)
from qidguard.trials.task import main_combination
from qidguard.trials.transform import rehearsed, transform

if TYPE_CHECKING:
    from qidguard.anonymizing.protocol import EarlierPersons
    from qidguard.anonymizing.records import SnapshotRecords
    from qidguard.anonymizing.run import AnonymizerRun
    from qidguard.auditing.remedy import Remedy
    from qidguard.engines.base import Snapshot
    from qidguard.plot.plot import Plot
    from qidguard.policy import Policy
    from qidguard.trials.context import TrialContext
    from qidguard.trials.transform import Spend

    HistoryOf = Callable[[Snapshot], History]


@dataclass(frozen=True, kw_only=True)
class AuditedCopy:
    """A private copy of a table with the audit of it; several remedies may be tried on one.

    Args:
        records: Its records; what one remedy read the next need not read again.
        report: The audit.
        figures: Further figures that were asked for.
        history: The earlier releases beside it, where they count.
        earlier: What earlier releases showed of its persons, where a remedy has to know.
    """

    records: "SnapshotRecords"
    report: AuditReport
    figures: tuple[Measurement, ...] = ()
    history: History | None = None
    earlier: "EarlierPersons | None" = None

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
        plots: What the method drew, where that was asked for.
        class_sizes: The class sizes before and after, drawn where that was asked for.
    """

    audited: AuditedCopy
    receipt: Receipt
    claims: tuple[MeasuredClaim, ...]
    losses: tuple[Measurement, ...] = ()
    plots: "tuple[Plot, ...]" = ()
    class_sizes: "Plot | None" = None

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

    source: AuditedCopy
    transformed: Transformed | None = None
    selection: ReleasedColumns | None = None
    reasons: tuple[str, ...] = ()

    def close(self) -> None:
        """Remove what was made, if anything was; the source stays."""
        if self.transformed is not None:
            self.transformed.close()

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
) -> AuditedCopy:
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
        records.tell_kinds(audit.report.sure_kinds)
        more = measured_by_default(context, audit.opened, main_combination(audit.report), figures)
        return AuditedCopy(records=records, report=audit.report, figures=more, history=history)


def try_remedy(
    context: "TrialContext",
    remedy: "Remedy",
    source: AuditedCopy,
    *,
    losses: Losses = BY_DEFAULT,
    figures: Sequence[str] = (),
) -> Tried:
    """Return what a remedy makes of a source, even where the policy holds already; nothing is written.

    What draws noise is rehearsed: it draws by the seed, charges nothing, and may not be published.

    Args:
        context: What was asked for.
        remedy: The remedy.
        source: The audited source; it stays as it is.
        losses: Which losses are measured.
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
        if remedy.needs_last_values:
            from qidguard.trials.stay import first_of_series

            source = first_of_series(context, source)
        made = transformed(context, remedy, source, losses=losses, figures=figures, spend=rehearsed)
    except UnreachableError as error:
        return Tried(source=source, reasons=(str(error),))
    selection, reasons = selected(
        made.audited.report, context.policy, source.report, made.receipt.columns_dropped
    )
    return Tried(source=source, transformed=made, selection=selection, reasons=reasons)


def transformed(
    context: "TrialContext",
    remedy: "Remedy",
    source: AuditedCopy,
    *,
    losses: Losses | None,
    figures: Sequence[str] = (),
    history_of: "HistoryOf | None" = None,
    spend: "Spend | None" = None,
) -> Transformed:
    """Return what a remedy made of an audited source, audited from scratch.

    ``spend`` charges what noise costs, before it is drawn; nobody draws any without. Without ``losses``
    nothing of what was lost is measured.

    Raises:
        UnreachableError: When the remedy says that the task cannot be met, or nothing would be left.
        QidguardError: As an audit raises it, and for a fault of the remedy or an attack.
    """
    made = transform(context, remedy, source.records, source.report, spend=spend, earlier=source.earlier)
    before, records, receipt = source.report, made.records, made.receipt
    with ExitStack() as failed:
        failed.callback(made.after.close)
        qids = main_combination(before)
        if receipt.new_table is not None:
            context = _of_new_table(context, before, made, receipt.new_table)
            qids = tuple(qid for qid in qids if qid in records.names)
        history = None if history_of is None else history_of(made.after)
        lost = () if losses is None else losses.of(context.host)
        more = () if losses is None else loss_columns(context.policy)
        with run_audit(
            context,
            made.after,
            history=history,
            changes=made.changes,
            recognition=recognition_of(before.columns),
            more_columns=(*claimed_columns(receipt.guarantees), *more),
            # what it covers all of a new table by is no noise on some of its columns
            noise=None if receipt.new_table is not None else receipt.privacy,
        ) as audit:
            table = audit.opened
            found = Transformed(
                claims=measured_claims(table, receipt.guarantees, context.host),
                losses=measured_by_default(context, table, qids, lost),
                audited=AuditedCopy(
                    records=records,
                    report=audit.report,
                    figures=measured_by_default(context, table, qids, figures),
                    history=history,
                ),
                receipt=receipt,
                plots=made.plots,
                class_sizes=made.class_sizes,
            )
        failed.pop_all()
    return found


def _of_new_table(
    context: "TrialContext", before: AuditReport, made: "AnonymizerRun", told: NewTableFacts
) -> "TrialContext":
    """Return what the audit of a new table is asked: the policy, as far as it speaks of its columns."""
    policy, qids, names = context.policy, main_combination(before), made.records.names
    recognized = recognized_sensitive(column.assignment for column in before.columns)
    gap = gap_of(demands(policy, qids, context.host, recognized), qids, names)
    if gap:
        raise UnreachableError(
            f"The new table of {made.receipt.anonymizer} cannot be judged by the policy: {gap}; have it"
            " publish that, or write another policy for it."
        )
    return replace(context, policy=policy_of_new_table(policy, told, names))


def selected(
    report: AuditReport, policy: "Policy", source: AuditReport, by_remedy: Sequence[str] = ()
) -> tuple[ReleasedColumns | None, tuple[str, ...]]:
    """Return the columns that would be published, or the sentence that says why there are none."""
    try:
        return select(report.columns, policy, source.columns, by_remedy), ()
    except PolicyError as error:
        return None, (str(error),)


def irremediable(report: AuditReport) -> tuple[str, ...]:
    """Return why no method can make a table meet its policy: what blocks and is no threshold."""
    blocks = () if report.verdict is None else report.verdict.blocks
    return tuple(
        f"The method was not run, since no method removes this: {block.sentence}" for block in blocks
    )
