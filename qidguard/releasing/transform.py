"""Run a remedy on a snapshot: the transformed copy, the receipt, and what was lost."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.anonymize.declared import LabelHierarchies, declared_hierarchies
from qidguard.anonymize.receipt import Receipt
from qidguard.anonymize.rehearsal import Rehearsal, Rehearsed, rehearse
from qidguard.anonymize.run import run_on
from qidguard.core.changes import Changes
from qidguard.releasing.bench import Bench
from qidguard.releasing.task import task_of

if TYPE_CHECKING:
    from qidguard.anonymize.protocol import Task
    from qidguard.anonymize.records import SnapshotRecords
    from qidguard.core.report import AuditReport
    from qidguard.engines.base import Snapshot
    from qidguard.releasing.remedy import Remedy


@dataclass(frozen=True, kw_only=True)
class Transformed:
    """What a remedy made.

    Args:
        snapshot: The transformed copy, to be closed by who holds this.
        receipt: What was done.
        changes: The source beside the copy.
    """

    snapshot: "Snapshot"
    receipt: Receipt
    changes: Changes


def transform(
    bench: Bench, remedy: "Remedy", records: "SnapshotRecords", report: "AuditReport"
) -> Transformed:
    """Return what a remedy makes of audited records; the source stays as it is.

    Args:
        bench: The policy, the seed and who hears of progress.
        remedy: The remedy; its attacks are rehearsed after it.
        records: The source's records.
        report: The audit of the source.

    Raises:
        UnreachableError: When the remedy says that the task cannot be met, or nothing would be left.
        PluginError: When the remedy or an attack fails.
        UserError: When a declared hierarchy does not fit the table.
    """
    task = task_of(bench, report, declared_hierarchies(bench.policy, records))
    bench.progress.step("remedy", 0, 1)
    run = run_on(records, remedy.anonymiser, remedy.arguments, task, owner=remedy.owner)
    bench.progress.step("remedy", 1, 1)
    try:
        rehearsal = _rehearsed(bench, remedy, records.snapshot, task)
    except BaseException:
        run.after.close()
        raise
    receipt = replace(run.receipt, attacks=rehearsal.attacks, notes=(*run.receipt.notes, *rehearsal.notes))
    changes = Changes(
        before=records,
        after=run.records,
        kept=run.done.kept,
        hierarchies=LabelHierarchies(task.hierarchies, records, run.records, task.suppression_mark),
        suppression_mark=task.suppression_mark,
        seed=task.seed,
    )
    return Transformed(snapshot=run.after, receipt=receipt, changes=changes)


def _rehearsed(bench: Bench, remedy: "Remedy", snapshot: "Snapshot", task: "Task") -> Rehearsal:
    if not remedy.attacks:
        return Rehearsal()
    if remedy.cost() is not None:
        note = "No attack was rehearsed: what draws noise would spend the privacy budget a second time."
        return Rehearsal(notes=(note,))
    rehearsed = Rehearsed(
        anonymiser=remedy.anonymiser,
        arguments=remedy.arguments,
        owner=remedy.owner,
        hierarchies=lambda records: declared_hierarchies(bench.policy, records),
    )
    return rehearse(remedy.attacks, snapshot, rehearsed, task)
