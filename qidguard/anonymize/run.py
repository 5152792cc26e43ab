"""Run an anonymiser on a snapshot: check what it gives back, count what it changed, claim nothing for it."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from qidguard.anonymize.memory import PeakMemory
from qidguard.anonymize.protocol import Anonymised, Anonymiser, Guarantee, Task
from qidguard.anonymize.receipt import Receipt
from qidguard.anonymize.records import SnapshotRecords
from qidguard.core.column_values import ColumnValues, Recoded
from qidguard.core.errors import NotMeasurable, PluginError, QidguardError, UserError
from qidguard.core.parameter import Arguments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.engines.base import Snapshot


class UnreachableError(UserError):
    """The anonymiser cannot make the policy hold; nothing is published."""


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
    fault = _fault(anonymiser, done, records, task)
    if fault:
        raise PluginError(f"{owner}: anonymiser {anonymiser.name!r} {fault}; mend the plugin")
    if not done.kept.any():
        raise UnreachableError(
            f"The remedy {anonymiser.name} would suppress every record; coarsen the quasi-identifiers."
        )
    after = snapshot.recode(done.columns, done.kept) if done.columns else snapshot.keep(done.kept)
    try:
        changed = _cells_changed(records, after, done, task.suppression_mark)
    except BaseException:
        after.close()
        raise
    receipt = Receipt(
        anonymiser=anonymiser.name,
        owner=owner,
        arguments=arguments,
        seed=task.seed,
        records_before=snapshot.records,
        records_after=after.records,
        suppressed_by={str(k): int(v) for k, v in done.suppressed_by.items()},
        cells_changed=changed,
        guarantees=done.guarantees,
        notes=tuple(str(note) for note in done.notes),
        seconds=seconds,
        peak_bytes=memory.bytes,
    )
    return after, receipt, done


def guarded(owner: str, name: str, call: Callable[[], Any]) -> Any:
    """Return what an anonymiser's method returns; PluginError, without a value, when it fails."""
    try:
        return call()
    except (NotMeasurable, QidguardError, MemoryError):
        raise
    except (Exception, SystemExit, GeneratorExit) as error:  # noqa: BLE001 - a plugin may raise anything
        raise PluginError(
            f"{owner}: anonymiser {name!r} failed with {type(error).__name__}; mend the plugin"
        ) from None


def _fault(anonymiser: Anonymiser, done: Any, records: SnapshotRecords, task: Task) -> str:
    """Return what is wrong with an answer; empty where nothing is."""
    import numpy as np

    kept: Any = getattr(done, "kept", None)
    is_mask = isinstance(kept, np.ndarray) and kept.dtype == np.bool_ and kept.shape == (records.records,)
    if not isinstance(done, Anonymised) or not is_mask:
        return f"returned no mask over the {records.records:,} records"
    if not all(isinstance(claim, Guarantee) for claim in done.guarantees):
        return "claims what is no Guarantee"
    may_change = set(task.quasi_identifiers) - {task.entity}
    if getattr(anonymiser, "changes_sensitive", False):
        may_change |= {*task.sensitive, *([task.target] if task.target else [])} - {task.entity}
    recoded: Any
    for name, recoded in done.columns.items():
        if name not in records.names:
            return f"publishes the column {name!r}, which the table does not have"
        if name not in may_change:
            return f"changes the column {name!r}, which is no quasi-identifier, without declaring it"
        if not isinstance(recoded, Recoded) or recoded.codes.shape != (records.records,):
            return f"recodes the column {name!r} by something other than one value a record"
    return ""


def _cells_changed(
    records: SnapshotRecords, after: "Snapshot", done: Anonymised, mark: str
) -> dict[str, int]:
    return {
        name: int(
            (~_is_same(records.column(name), after.column(name, suppression_mark=mark), done.kept)).sum()
        )
        for name in sorted(done.columns)
    }


def _is_same(before: ColumnValues, after: ColumnValues, kept: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
    """Return for each kept record whether its cell is the source's."""
    import numpy as np

    places = {text: code for code, text in enumerate(after.texts)}
    expected = np.array([places.get(text, -1) for text in before.texts])
    same: NDArray[np.bool_] = expected[before.codes[kept]] == after.codes
    return same
