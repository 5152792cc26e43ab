"""Run a remedy on audited records: the transformed copy, the receipt, and what was lost."""

from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.anonymizing.declared import DeclaredHierarchies, LabelHierarchies
from qidguard.anonymizing.receipt import Receipt
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.anonymizing.rehearsal import Rehearsal, Rehearsed, rehearse
from qidguard.anonymizing.run import run_on
from qidguard.core.versions import Changes
from qidguard.trials.task import task_of

if TYPE_CHECKING:
    from qidguard.anonymizing.protocol import AnonymizationTask
    from qidguard.auditing.remedy import Remedy
    from qidguard.core.report import AuditReport
    from qidguard.engines.base import Snapshot
    from qidguard.trials.context import TrialContext


def transform(
    context: "TrialContext", remedy: "Remedy", records: "SnapshotRecords", report: "AuditReport"
) -> tuple[SnapshotRecords, Receipt, Changes]:
    """Return what a remedy makes of audited records; the source stays as it is.

    Args:
        context: The policy, the seed and who hears of progress.
        remedy: The remedy; its attacks are rehearsed after it.
        records: The source's records.
        report: The audit of the source.

    Returns:
        The records of the transformed copy, whose snapshot is to be closed; the receipt; the source beside
        the copy.

    Raises:
        UnreachableError: When the remedy says that the task cannot be met, or nothing would be left.
        PluginError: When the remedy or an attack fails.
        UserError: When a declared hierarchy does not fit the table.
    """
    declared = DeclaredHierarchies.read(context.policy)
    task = task_of(context, report, declared.bound_to(records))
    context.progress.step("remedy", 0, 1)
    run = run_on(records, remedy.anonymizer, remedy.arguments, task, owner=remedy.owner)
    context.progress.step("remedy", 1, 1)
    try:
        rehearsal = _rehearsed(declared, remedy, records.snapshot, task)
    except BaseException:
        run.after.close()
        raise
    receipt = replace(
        run.receipt,
        hierarchies_sha256=declared.digests,
        attacks=rehearsal.attacks,
        notes=(*run.receipt.notes, *rehearsal.notes),
        # with its seed whoever reads the receipt could take noise away again
        seed=context.seed if remedy.cost() is None else None,
    )
    changes = Changes(
        before=records,
        after=run.records,
        kept=run.done.kept,
        hierarchies=LabelHierarchies(task.hierarchies, records, run.records, task.suppression_mark),
        suppression_mark=task.suppression_mark,
        seed=task.seed,
    )
    return run.records, receipt, changes


def _rehearsed(
    declared: DeclaredHierarchies, remedy: "Remedy", snapshot: "Snapshot", task: "AnonymizationTask"
) -> Rehearsal:
    if not remedy.attacks:
        return Rehearsal()
    if remedy.cost() is not None:
        note = "No attack was rehearsed: what draws noise would spend the privacy budget a second time."
        return Rehearsal(notes=(note,))
    rehearsed = Rehearsed(
        anonymizer=remedy.anonymizer,
        arguments=remedy.arguments,
        owner=remedy.owner,
        hierarchies=declared.bound_to,
    )
    return rehearse(remedy.attacks, snapshot, rehearsed, task)
