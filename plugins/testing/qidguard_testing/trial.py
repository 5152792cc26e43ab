"""One run of an anonymizer on one table, by the way that a release goes."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.drawing import drawn
from qidguard.anonymizing.new_table import NewTable
from qidguard.anonymizing.protocol import AnonymizationTask, Anonymized, Anonymizer, PolicyLimit, Records
from qidguard.anonymizing.receipt import Receipt
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.anonymizing.rehearsed_table import RehearsedTable
from qidguard.anonymizing.run import AnonymizerRun, UnreachableError, run_on
from qidguard.anonymizing.solutions import Solutions
from qidguard.core.errors import DeclarationError, PluginError
from qidguard.core.parameter import Arguments
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.plot.plot import Plot
from qidguard_testing.sample import Sample
from qidguard_testing.subject import Subject
from qidguard_testing.violation import Listener

if TYPE_CHECKING:
    from qidguard.engines.base import Snapshot


OWNER = "the plugin under test"


@dataclass(kw_only=True)
class KitTrial:
    """What one run came to. It holds open files until ``tried`` closes it.

    Args:
        subject: What was tested.
        sample: The table.
        task: What was asked.
        source: The source's private copy.
        listener: What it said while it worked.
        answer: What it gave back, whether the host took it or not.
        run: What the host made of it; None where nothing is published.
        refusal: Its sentence where it says that the task cannot be met.
        error: What was raised instead.
        said_by_host: The host's sentence where it refused the answer.
        plots: What it drew of its result.
        plots_fault: The host's sentence where it could not, or refused that.
    """

    subject: Subject
    sample: Sample
    task: AnonymizationTask
    source: "Snapshot" = field(repr=False)
    listener: Listener = field(default_factory=Listener)
    answer: Any = None
    run: AnonymizerRun | None = field(default=None, repr=False)
    refusal: str = ""
    error: BaseException | None = None
    said_by_host: str = ""
    plots: tuple[Plot, ...] = ()
    plots_fault: str = ""

    @cached_property
    def before(self) -> SnapshotRecords:
        """The columns of the source, read in one go."""
        records = SnapshotRecords(self.source, self.task.suppression_mark)
        records.read(records.names)
        return records

    @cached_property
    def published(self) -> SnapshotRecords:
        """The columns of what is published, read in one go."""
        assert self.run is not None  # noqa: S101 - only checks of what was published ask
        self.run.records.read(self.run.records.names)
        return self.run.records

    @property
    def after(self) -> "Snapshot | None":
        """What is published; None where nothing is."""
        return None if self.run is None else self.run.after

    @property
    def receipt(self) -> Receipt | None:
        """What the host counted."""
        return None if self.run is None else self.run.receipt

    @property
    def is_published(self) -> bool:
        """Whether there is a published table."""
        return self.run is not None

    @property
    def done(self) -> Anonymized:
        """What was taken of the answer, once the host took it."""
        assert self.run is not None  # noqa: S101 - only checks of what was published ask
        assert isinstance(self.run.done, Anonymized)  # noqa: S101 - what asks looked at new_table first
        return self.run.done

    @property
    def new_table(self) -> NewTable | None:
        """The new table that the host took; None where records of the source are published, or nothing."""
        return self.run.done if self.run is not None and isinstance(self.run.done, NewTable) else None

    @property
    def columns_written(self) -> tuple[str, ...]:
        """The columns of the source in which other values are published, sorted."""
        if self.receipt is None:
            return ()
        made = (name for name in self.receipt.columns_made if name in self.source.names)
        return tuple(sorted({*self.receipt.cells_changed, *made}))

    @property
    def answers(self) -> tuple[Anonymized | NewTable, ...]:
        """Every solution that it gave back, whether the host took it or not; none where it gave none."""
        if isinstance(self.answer, Solutions):
            given = [getattr(one, "anonymized", None) for one in self.answer.solutions]
        else:
            given = [self.answer]
        return tuple(one for one in given if isinstance(one, (Anonymized, NewTable)))


@contextmanager
def tried(
    subject: Subject,
    sample: Sample,
    *,
    listener: Listener | None = None,
    threads: int = 2,
    folder: Path | None = None,
) -> Iterator[KitTrial]:
    """Run an anonymizer on a table and give what came of it; whatever it opened is closed afterward.

    Args:
        subject: What is tested.
        sample: The table.
        listener: Hears its progress; Ctrl-C is the one thing that is raised again.
        threads: Threads of the engine.
        folder: Where all temporary files are made; None takes one of its own.

    Raises:
        KeyboardInterrupt: When the listener interrupts and the anonymizer lets it pass.
    """
    with ExitStack() as opened:
        place = folder or Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="conformance-")))
        settings = EngineSettings(threads=threads, spill_directory=str(place))
        source = opened.enter_context(ENGINE.snapshot(sample.source(place), ReadOptions(), settings))
        heard = listener or Listener()
        trial = KitTrial(
            subject=subject,
            sample=sample,
            task=_task(subject, sample, source, heard),
            source=source,
            listener=heard,
        )
        work(trial)
        if trial.after is not None:
            opened.enter_context(trial.after)
        yield trial


def work(trial: KitTrial) -> None:
    """Run the anonymizer of a trial by the host, and keep what comes of it."""
    recorder = Recorder(trial.subject.anonymizer, trial.listener)
    try:
        trial.run = run_on(trial.before, recorder, trial.subject.arguments, trial.task, owner=OWNER)
    except (UnreachableError, DeclarationError) as reason:
        trial.refusal = str(recorder.error or reason)
    except Exception as error:  # noqa: BLE001 - whatever is raised is what is tested
        trial.error = recorder.error or error
        trial.said_by_host = str(error)
    trial.answer = recorder.answer
    if trial.run is not None:
        _draw(trial)


def _draw(trial: KitTrial) -> None:
    subject = trial.subject
    done = RehearsedTable(
        before=trial.before,
        task=trial.task,
        anonymizer=subject.anonymizer.name,
        done=trial.new_table or trial.done,
        seconds=0.0,
        new_table=None if trial.receipt is None else trial.receipt.new_table,
    )
    try:
        trial.plots = drawn(subject.anonymizer, subject.arguments, done, owner=OWNER)
    except PluginError as error:
        trial.plots_fault = str(error)


def _task(subject: Subject, sample: Sample, source: "Snapshot", progress: Listener) -> AnonymizationTask:
    hierarchies = {}
    if subject.hierarchy is not None:
        columns = SnapshotRecords(source, "*")
        hierarchies = {name: subject.hierarchy(columns.column(name)) for name in sample.quasi_identifiers}
    return AnonymizationTask(
        combinations=sample.combinations,
        entity=sample.entity,
        sensitive=sample.sensitive,
        seed=subject.seed,
        direct_identifiers=sample.direct_identifiers,
        target=sample.target,
        targets=tuple(_targets(subject, sample)),
        hierarchies=hierarchies,
        progress=progress,
        is_rehearsal=subject.is_rehearsed,
    )


def _targets(subject: Subject, sample: Sample) -> Iterator[PolicyLimit]:
    for claim in subject.claims:
        beside = sample.sensitive if claim.metric.is_sensitive else (None,)
        for qids in sample.combinations:
            for sensitive in beside:
                yield PolicyLimit(
                    metric=claim.metric,
                    arguments=claim.arguments,
                    limit=claim.limit,
                    qids=qids,
                    sensitive=sensitive,
                )


class Recorder:
    """Passes every call on, and keeps the answer or the error: the host tells neither in full.

    Args:
        anonymizer: The anonymizer that works.
        listener: Takes the time of its work.
    """

    def __init__(self, anonymizer: Anonymizer, listener: Listener) -> None:
        self._anonymizer = anonymizer
        self._listener = listener
        self.answer: Any = None
        self.error: BaseException | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._anonymizer, name)

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Any:
        """Call the anonymizer."""
        self._listener.begin()
        try:
            self.answer = self._anonymizer.anonymize(records, arguments, task)
        except BaseException as error:
            self.error = error
            raise
        finally:
            self._listener.end()
        return self.answer
