"""Run an anonymiser on a snapshot: check what it gives back, count what it changed, claim nothing for it."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.anonymize.answer import fault_of
from qidguard.anonymize.cells import cells_changed, without_mark
from qidguard.anonymize.guard import guarded
from qidguard.anonymize.memory import PeakMemory
from qidguard.anonymize.protocol import Anonymised, Anonymiser, Task
from qidguard.anonymize.receipt import Receipt
from qidguard.anonymize.records import SnapshotRecords
from qidguard.core.errors import NotMeasurable, PluginError, UserError
from qidguard.core.parameter import Arguments

if TYPE_CHECKING:
    from qidguard.engines.base import Snapshot

__all__ = ["AnonymiserRun", "UnreachableError", "guarded", "run_anonymiser", "run_on"]


class UnreachableError(UserError):
    """The anonymiser cannot make the policy hold; nothing is published."""


@dataclass(frozen=True, kw_only=True)
class AnonymiserRun:
    """What one run of an anonymiser came to.

    Args:
        after: The transformed snapshot, to be closed by who holds this.
        records: Its records, in which some columns are read already.
        receipt: What was done.
        done: What the anonymiser answered.
    """

    after: "Snapshot"
    records: SnapshotRecords
    receipt: Receipt
    done: Anonymised


def run_anonymiser(
    anonymiser: Anonymiser, snapshot: "Snapshot", arguments: Arguments, task: Task, *, owner: str
) -> "tuple[Snapshot, Receipt, Anonymised]":
    """Return the transformed snapshot, to be closed by the caller, the receipt, and what was answered.

    Args:
        anonymiser: The anonymiser.
        snapshot: The source; it stays as it is.
        arguments: Checked arguments.
        task: What is to be reached.
        owner: The plugin that offers it, for errors.

    Raises:
        PluginError: When it fails, or gives back what the protocol does not allow.
        UnreachableError: When it says that the task cannot be met, or nothing would be left.
    """
    records = SnapshotRecords(snapshot, task.suppression_mark)
    run = run_on(records, anonymiser, arguments, task, owner=owner)
    return run.after, run.receipt, run.done


def run_on(
    records: SnapshotRecords, anonymiser: Anonymiser, arguments: Arguments, task: Task, *, owner: str
) -> AnonymiserRun:
    """Return what a run comes to on records whose columns may be read already; as ``run_anonymiser``."""
    snapshot = records.snapshot
    started = time.perf_counter()
    with PeakMemory() as memory:
        try:
            done: Any = guarded(
                owner, anonymiser.name, lambda: anonymiser.anonymize(records, arguments, task)
            )
        except NotMeasurable as reason:
            raise UnreachableError(
                f"The remedy {anonymiser.name} cannot make the policy hold: {reason}"
            ) from None
    seconds = time.perf_counter() - started
    fault = fault_of(anonymiser, done, records, task)
    if fault:
        raise PluginError(f"{owner}: anonymiser {anonymiser.name!r} {fault}; mend the plugin")
    if not done.kept.any():
        raise UnreachableError(
            f"The remedy {anonymiser.name} would suppress every record; coarsen the quasi-identifiers."
        )
    after = _recoded(records, done, task.suppression_mark, f"{owner}: anonymiser {anonymiser.name!r}")
    published = SnapshotRecords(after, task.suppression_mark)
    try:
        changed = cells_changed(records, published, done.kept, done.columns)
    except BaseException:
        after.close()
        raise
    receipt = Receipt(
        anonymiser=anonymiser.name,
        title=str(getattr(anonymiser, "title", "")),
        owner=owner,
        arguments=arguments,
        seed=task.seed,
        records_before=snapshot.records,
        records_after=after.records,
        suppressed_by={str(k): int(v) for k, v in done.suppressed_by.items()},
        cells_changed=changed,
        guarantees=tuple(done.guarantees),
        notes=tuple(done.notes),
        seconds=seconds,
        peak_bytes=memory.bytes,
    )
    return AnonymiserRun(after=after, records=published, receipt=receipt, done=done)


def _recoded(records: SnapshotRecords, done: Anonymised, mark: str, whose: str) -> "Snapshot":
    snapshot = records.snapshot
    if not done.columns:
        return snapshot.keep(done.kept)
    columns = without_mark(snapshot, records, done.columns, mark)
    try:
        return snapshot.recode(columns, done.kept)
    except (ValueError, TypeError, OverflowError):
        raise PluginError(f"{whose} publishes values that no table can hold; mend the plugin") from None
