"""One run of an anonymizer on a snapshot: what it took, what it changed, and the receipt."""

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from qidguard.anonymizing.answer import fault_of
from qidguard.anonymizing.class_numbers import class_numbers
from qidguard.anonymizing.declared import changes_of
from qidguard.anonymizing.protocol import (
    AnonymizationTask,
    Anonymized,
    ChosenAnonymizer,
    NewTable,
    Records,
    Solutions,
)
from qidguard.anonymizing.receipt import Receipt, limits_taken, telling_nothing, unused_hierarchies
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.anonymizing.rehearsed_table import RehearsedTable
from qidguard.anonymizing.reproduced import Reproduced, codes_in, reproduced, translated
from qidguard.anonymizing.weighing import Metrics
from qidguard.core.column import Original, Recoded
from qidguard.core.errors import NotMeasurable, PluginError, UnreachableError, refused
from qidguard.core.guard import BudgetOverrun, PluginCode
from qidguard.core.new_table import NewTableFacts, NewTableKind
from qidguard.core.versions import Changes, ColumnSource

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.anonymizing.choosing import Chooser
    from qidguard.engines.base import Snapshot
    from qidguard.plot.plot import Plot


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
        was, now = before.column(name), after.column(name)
        expected = codes_in(now, was, by_number=types[name] != published[name])
        changed[name] = int((expected[was.codes[kept]] != now.codes).sum())
    return changed


def without_mark(
    snapshot: "Snapshot", records: "SnapshotRecords", columns: Mapping[str, Recoded], mark: str
) -> dict[str, Recoded]:
    """Return columns whose original values are told by codes in which the mark is a value like any other.

    An anonymizer sees the mark apart, so that a column of numbers with suppressed cells has numbers; the
    snapshot knows of no mark, and the order of codes may be another one.
    """
    found = dict(columns)
    for name, recoded in columns.items():
        texts = records.column(name).texts
        if mark in texts and any(isinstance(value, Original) for value in recoded.values):
            code_of = {text: code for code, text in enumerate(snapshot.column(name).texts)}
            values = (
                Original(code_of[texts[one.code]]) if isinstance(one, Original) else one
                for one in recoded.values
            )
            found[name] = Recoded(codes=recoded.codes, values=tuple(values))
    return found


@dataclass(frozen=True, kw_only=True)
class AnonymizerRun:
    """What one run of an anonymizer came to; the snapshot ``after`` is to be closed by who holds this.

    Args:
        method: What was run.
        before: The records as they were.
        task: What it was asked to reach.
        done: What it answered; of several solutions the one that was taken.
        records: The transformed records, in which some columns are read already.
        changes: The records as they were beside these.
        receipt: What was done.
        plots: What it drew of several solutions, or of a new table.
        class_sizes: The class sizes before and after, drawn where that was asked for.
    """

    method: ChosenAnonymizer
    before: SnapshotRecords
    task: AnonymizationTask
    done: Anonymized | NewTable
    records: SnapshotRecords
    changes: Changes
    receipt: Receipt
    plots: "tuple[Plot, ...]" = ()
    class_sizes: "Plot | None" = None

    @property
    def after(self) -> "Snapshot":
        """The transformed snapshot."""
        return self.records.snapshot

    def drawn(self, metrics: Metrics | None = None) -> "tuple[Plot, ...]":
        """Return what the anonymizer draws of the table; none of one that does not draw."""
        receipt = self.receipt
        done = RehearsedTable(
            before=self.before,
            task=self.task,
            anonymizer=self.method.name,
            done=self.done,
            seconds=receipt.seconds,
            metrics=metrics,
            new_table=receipt.new_table,
        )
        return drawn(self.method, done)


MOST_PLOTS = 50
"""How many plots an anonymizer may draw of one table."""


def drawn(method: ChosenAnonymizer, done: RehearsedTable) -> "tuple[Plot, ...]":
    """Return the plots of an anonymizer that draws; none of one that does not.

    Raises:
        PluginError: When it fails at that, whatever it raises, or what it draws are no plots.

    Example:
        >>> from qidguard.anonymizing.example import rehearsed_example
        >>> from qidguard.host import load_host
        >>> method = load_host().anonymizer("small_class_suppression")
        >>> drawn(ChosenAnonymizer(anonymizer=method, arguments={}, owner="ours"), rehearsed_example())
        ()
    """
    from qidguard.plot.plot import Plot

    ask: Any = getattr(method.anonymizer, "plots", None)
    if ask is None:
        return ()
    # nothing to draw is an empty answer, so no error of it is an answer
    with PluginCode(method.owner, f"plots of anonymizer {method.name!r}", passes=(MemoryError,)):
        given = ask(done, method.arguments)
        plots = tuple(given) if isinstance(given, Iterable) else (given,)
    for plot in plots:
        if type(plot) is not Plot:
            raise PluginError(f"{method.whose} drew {type(plot).__name__}, not Plot; mend the plugin")
    if len(plots) > MOST_PLOTS:
        raise PluginError(
            f"{method.whose} drew {len(plots):,} plots, more than {MOST_PLOTS}; mend the plugin"
        )
    return plots


def run_on(
    records: SnapshotRecords,
    method: ChosenAnonymizer,
    task: AnonymizationTask,
    *,
    chooser: "Chooser | None" = None,
) -> AnonymizerRun:
    """Return what a run comes to on records whose columns may be read already.

    With a ``chooser`` several solutions are asked for, and it says which is taken.
    """
    asked = task if chooser is None else replace(task, wants_several=True)
    with PeakMemory() as memory:
        try:
            answer = answer_of(method, records, asked)
        except NotMeasurable as reason:
            raise refused(method.name, reason) from None
    weighed = None
    if chooser is not None and isinstance(answer.given, Solutions):
        weighed = chooser.weigh(records, asked, method.name, answer.given)
    done = answer.taken if weighed is None else answer.one(weighed.chosen)
    if isinstance(done, Anonymized) and not done.kept.any():
        raise UnreachableError(
            f"The remedy {method.name} would suppress every record; coarsen the quasi-identifiers."
        )
    after = _made(records, done, task.suppression_mark, method.whose)
    published = SnapshotRecords(after, task.suppression_mark)
    changed: dict[str, int] = {}
    again: tuple[Reproduced, ...] = ()
    warnings: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    try:
        if isinstance(done, Anonymized):
            changed = cells_changed(records, published, done.kept, done.columns)
            coarse = [name for name, cells in changed.items() if cells]
            warnings = telling_nothing(records, published, coarse, task.suppression_mark)
            unused = unused_hierarchies(method.name, published, coarse, task.hierarchies)
        elif done.kind is NewTableKind.SYNTHETIC_RECORDS:
            again = reproduced(records, published, task.quasi_identifiers)
            check_copies(method.name, records, published)
    except BaseException:
        after.close()
        raise
    new_table = facts_of(method, done)
    receipt = Receipt(
        anonymizer=method.name,
        title=str(getattr(method.anonymizer, "title", "")),
        owner=method.owner,
        arguments=method.arguments,
        seed=task.seed,
        records_before=records.records,
        records_after=after.records,
        suppressed_by=_suppressed_by(done),
        cells_changed=changed,
        guarantees=tuple(done.guarantees),
        notes=(*done.notes, *_date_notes(records, done, task), *unused),
        warnings=warnings,
        limits_taken=limits_taken(method.anonymizer.parameters, method.arguments, task.targets),
        seconds=answer.seconds,
        peak_bytes=memory.bytes,
        choice=weighed,
        new_table=new_table,
        reproduced=again,
        columns_made=after.names if isinstance(done, NewTable) else (),
    )
    changes = changes_of(task, records, published, done, new_table)
    return AnonymizerRun(
        method=method,
        before=records,
        task=task,
        done=done,
        records=published,
        changes=changes,
        receipt=receipt,
        plots=answer.plots,
    )


def facts_of(method: ChosenAnonymizer, done: Anonymized | NewTable) -> NewTableFacts | None:
    """Return what may be said of a new table; None where records of the source are published."""
    if isinstance(done, Anonymized):
        return None
    return NewTableFacts(kind=done.kind, counts=done.counts, is_guaranteed=method.draws_noise)


def _date_notes(
    records: SnapshotRecords, done: Anonymized | NewTable, task: AnonymizationTask
) -> tuple[str, ...]:
    """Return how dates in text were read, for the columns that were changed by it."""
    if isinstance(done, NewTable):
        return ()
    from qidguard.anonymizing.hierarchy.dates import date_notes

    return date_notes(map(records.column, done.columns), task.hierarchies)


def _suppressed_by(done: Anonymized | NewTable) -> dict[str, int]:
    if isinstance(done, NewTable):
        return {}
    return {str(name): int(count) for name, count in done.suppressed_by.items()}


@dataclass(frozen=True, kw_only=True)
class CheckedAnswer:
    """What an anonymizer answered, checked.

    Args:
        given: One solution, or several.
        seconds: How long it took, s.
    """

    given: Anonymized | NewTable | Solutions
    seconds: float

    @property
    def taken(self) -> Anonymized | NewTable:
        """The one solution; of several the one that the anonymizer would take."""
        return self.one(self.given.chosen) if isinstance(self.given, Solutions) else self.given

    def one(self, position: int) -> Anonymized | NewTable:
        """One of several solutions; where there is one only, that."""
        given = self.given
        return given.solutions[position].anonymized if isinstance(given, Solutions) else given

    @property
    def plots(self) -> "tuple[Plot, ...]":
        """What was drawn of several solutions, or of a new table."""
        return () if isinstance(self.given, Anonymized) else self.given.plots


def answer_of(
    method: ChosenAnonymizer,
    records: Records,
    task: AnonymizationTask,
    *,
    budget_seconds: float | None = None,
) -> CheckedAnswer:
    """Return what an anonymizer answers, checked.

    Raises:
        NotMeasurable: When it says that it cannot be done, or was interrupted past its budget.
        PluginError: When it fails, or its answer is none.
    """
    started = time.perf_counter()
    try:
        with PluginCode(method.owner, f"anonymizer {method.name!r}", budget_seconds=budget_seconds):
            done: Any = method.anonymizer.anonymize(records, method.arguments, task)
    except BudgetOverrun:
        raise NotMeasurable(f"it did not end within {budget_seconds:.3g} seconds") from None
    seconds = time.perf_counter() - started
    if fault := fault_of(method.anonymizer, done, records, task):
        raise PluginError(f"{method.whose} {fault}; mend the plugin")
    return CheckedAnswer(given=done, seconds=seconds)


def _made(records: SnapshotRecords, done: Anonymized | NewTable, mark: str, whose: str) -> "Snapshot":
    snapshot = records.snapshot
    try:
        if isinstance(done, NewTable):
            return snapshot.new_table(done.columns)
        if not done.columns:
            return snapshot.keep(done.kept)
        columns = without_mark(snapshot, records, done.columns, mark)
        return snapshot.recode(columns, done.kept)
    except (ValueError, TypeError, OverflowError):
        raise PluginError(f"{whose} publishes values that no table can hold; mend the plugin") from None


_FEWEST = 20
"""Of fewer records that are alone nothing is said."""
_MOST = 0.9
"""Share of those that are alone that may come back whatever chance gives."""
_TIMES = 2
"""So many times as often as a near neighbor comes back is no chance."""
_SEED = 7


def check_copies(anonymizer: str, before: ColumnSource, after: ColumnSource) -> None:
    """Raise UnreachableError where a new table copies its source."""
    if copies := copying(before, after):
        raise UnreachableError(
            f"The remedy {anonymizer} copied the source and called it a new table: {copies}; take a method"
            " that draws its records, or one that publishes those of the source as such."
        )


def copying(before: ColumnSource, after: ColumnSource) -> str:
    """Return how much a new table copies of its source, as counts; empty where it may be chance.

    Looked at are the source's records that are alone in all columns that both tables have. A near neighbor
    is such a record with one cell from another record, of which the source has none: a mechanism that draws
    makes it about as easily, and one that copies never does. It copies where more than 90 % of those that
    are alone came back, and twice as large a share of them as of their neighbors. A table of fewer than 20
    such records, or of records without such a neighbor, tells nothing.

    Args:
        before: The source.
        after: The new table; columns that only one of the two has are not looked at.
    """
    import numpy as np

    shared = [name for name in before.names if name in after.names]
    if not shared:
        return ""
    was = np.stack([before.column(name).codes for name in shared], axis=1)
    now = np.stack([translated(before.column(name), after.column(name)) for name in shared], axis=1)
    now = now[(now >= 0).all(axis=1)]
    classes = class_numbers(was)
    alone = was[np.bincount(classes)[classes] == 1]
    if len(alone) < _FEWEST:
        return ""
    random = np.random.default_rng(_SEED)
    near, column = alone.copy(), random.integers(0, len(shared), len(alone))
    near[np.arange(len(near)), column] = was[random.integers(0, len(was), len(near)), column]
    every = class_numbers(np.concatenate([was, now, alone, near]))
    in_source, in_new, ours, theirs = np.split(every, np.cumsum([len(was), len(now), len(alone)]))
    theirs = theirs[~np.isin(theirs, in_source)]
    back, chance = np.isin(ours, in_new), np.isin(theirs, in_new)
    if not len(theirs) or back.mean() <= max(_MOST, _TIMES * chance.mean()):
        return ""
    return (
        f"{int(back.sum()):,} of the {len(ours):,} records that are alone in the source came back, and of"
        f" their near neighbors {int(chance.sum()):,} of {len(theirs):,}"
    )


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
