"""One run of an anonymizer on a snapshot: what it took, what it changed, and the receipt."""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from qidguard.anonymizing.answer import fault_of
from qidguard.anonymizing.protocol import AnonymizationTask, Anonymized, Anonymizer, Records
from qidguard.anonymizing.receipt import Receipt
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.core.column import ColumnValues, Original, Recoded
from qidguard.core.errors import NotMeasurable, PluginError, UserError
from qidguard.core.guard import BudgetOverrun, PluginCode
from qidguard.core.parameter import Arguments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.engines.base import Snapshot


_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class PeakMemory:
    """The peak of resident memory over what was there before, ``bytes``; None where nobody tells."""

    def __init__(self) -> None:
        self.bytes: int | None = None
        self._before: int | None = None

    def __enter__(self) -> Self:
        with suppress(OSError):
            _RESET.write_text("5")  # begins the high-water mark anew
            self._before = _read("VmRSS")
        return self

    def __exit__(self, *_: object) -> None:
        peak = _read("VmHWM")
        if peak is not None and self._before is not None:
            self.bytes = max(0, peak - self._before)


def _read(name: str) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return None


def is_same(
    before: ColumnValues, after: ColumnValues, kept: "NDArray[np.bool_]", *, by_number: bool = False
) -> "NDArray[np.bool_]":
    """Return for each kept record whether its cell is the source's.

    Shape (kept records,). NULL is the same as NULL and as nothing else.
    """
    import numpy as np

    places = {text: code for code, text in enumerate(after.texts)}
    expected = np.array([places.get(text, -1) for text in before.texts])
    if by_number and before.numbers is not None and after.numbers is not None:
        numbers = {number: code for code, number in enumerate(after.numbers.tolist())}  # NaN equals nothing
        for code, number in enumerate(before.numbers.tolist()):
            if expected[code] < 0:
                expected[code] = numbers.get(number, -1)
    same: NDArray[np.bool_] = expected[before.codes[kept]] == after.codes
    return same


def cells_changed(
    before: "SnapshotRecords",
    after: "SnapshotRecords",
    kept: "NDArray[np.bool_]",
    columns: Mapping[str, Recoded],
) -> dict[str, int]:
    """Return for each column the kept records whose cell is not the source's."""
    changed = {}
    before.read(columns)
    after.read(columns)
    types, published = before.snapshot.types(), after.snapshot.types()
    for name in sorted(columns):
        by_number = types[name] != published[name]
        same = is_same(before.column(name), after.column(name), kept, by_number=by_number)
        changed[name] = int((~same).sum())
    return changed


def without_mark(
    snapshot: "Snapshot", records: "SnapshotRecords", columns: Mapping[str, Recoded], mark: str
) -> dict[str, Recoded]:
    """Return columns whose original values are told by codes in which the mark is a value like any other.

    An anonymizer sees the mark apart, so that a column of numbers with suppressed cells has numbers; the
    snapshot knows of no mark, and the order of codes may be another one.
    """
    return {name: _plain(snapshot, records.column(name), recoded, mark) for name, recoded in columns.items()}


def _plain(snapshot: "Snapshot", marked: ColumnValues, recoded: Recoded, mark: str) -> Recoded:
    if mark not in marked.texts or not any(isinstance(value, Original) for value in recoded.values):
        return recoded
    code_of = {text: code for code, text in enumerate(snapshot.column(marked.name).texts)}
    values = [
        Original(code_of[marked.texts[v.code]]) if isinstance(v, Original) else v for v in recoded.values
    ]
    return Recoded(codes=recoded.codes, values=tuple(values))


__all__ = ["AnonymizerRun", "UnreachableError", "answer_of", "run_anonymizer", "run_on"]


class UnreachableError(UserError):
    """The anonymizer cannot make the policy hold; nothing is published."""


@dataclass(frozen=True, kw_only=True)
class AnonymizerRun:
    """What one run of an anonymizer came to.

    Args:
        after: The transformed snapshot, to be closed by who holds this.
        records: Its records, in which some columns are read already.
        receipt: What was done.
        done: What the anonymizer answered.
    """

    after: "Snapshot"
    records: SnapshotRecords
    receipt: Receipt
    done: Anonymized


def run_anonymizer(
    anonymizer: Anonymizer, snapshot: "Snapshot", arguments: Arguments, task: AnonymizationTask, *, owner: str
) -> "tuple[Snapshot, Receipt, Anonymized]":
    """Return the transformed snapshot, to be closed by the caller, the receipt, and what was answered."""
    records = SnapshotRecords(snapshot, task.suppression_mark, task.normalized)
    run = run_on(records, anonymizer, arguments, task, owner=owner)
    return run.after, run.receipt, run.done


def run_on(
    records: SnapshotRecords,
    anonymizer: Anonymizer,
    arguments: Arguments,
    task: AnonymizationTask,
    *,
    owner: str,
) -> AnonymizerRun:
    """Return what a run comes to on records whose columns may be read already; as ``run_anonymizer``."""
    snapshot = records.snapshot
    with PeakMemory() as memory:
        try:
            done, seconds = answer_of(anonymizer, records, arguments, task, owner=owner)
        except NotMeasurable as reason:
            raise UnreachableError(
                f"The remedy {anonymizer.name} cannot make the policy hold: {reason}"
            ) from None
    if not done.kept.any():
        raise UnreachableError(
            f"The remedy {anonymizer.name} would suppress every record; coarsen the quasi-identifiers."
        )
    after = _recoded(records, done, task.suppression_mark, f"{owner}: anonymizer {anonymizer.name!r}")
    published = SnapshotRecords(after, task.suppression_mark)
    try:
        changed = cells_changed(records, published, done.kept, done.columns)
    except BaseException:
        after.close()
        raise
    receipt = Receipt(
        anonymizer=anonymizer.name,
        title=str(getattr(anonymizer, "title", "")),
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
    return AnonymizerRun(after=after, records=published, receipt=receipt, done=done)


def answer_of(
    anonymizer: Anonymizer,
    records: Records,
    arguments: Arguments,
    task: AnonymizationTask,
    *,
    owner: str,
    budget_seconds: float | None = None,
) -> tuple[Anonymized, float]:
    """Return what an anonymizer answers, checked, and the seconds that it took.

    Raises:
        NotMeasurable: When it says that it cannot be done, or was interrupted past its budget.
        PluginError: When it fails, or its answer is none.
    """
    started = time.perf_counter()
    try:
        with PluginCode(owner, f"anonymizer {anonymizer.name!r}", budget_seconds=budget_seconds):
            done: Any = anonymizer.anonymize(records, arguments, task)
    except BudgetOverrun:
        raise NotMeasurable(f"it did not end within {budget_seconds:.3g} seconds") from None
    seconds = time.perf_counter() - started
    fault = fault_of(anonymizer, done, records, task)
    if fault:
        raise PluginError(f"{owner}: anonymizer {anonymizer.name!r} {fault}; mend the plugin")
    checked: Anonymized = done
    return checked, seconds


def _recoded(records: SnapshotRecords, done: Anonymized, mark: str, whose: str) -> "Snapshot":
    snapshot = records.snapshot
    if not done.columns:
        return snapshot.keep(done.kept)
    columns = without_mark(snapshot, records, done.columns, mark)
    try:
        return snapshot.recode(columns, done.kept)
    except (ValueError, TypeError, OverflowError):
        raise PluginError(f"{whose} publishes values that no table can hold; mend the plugin") from None
