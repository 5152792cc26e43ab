"""One run of an anonymizer on one table, by the way that a release goes, and a digest of what it came to."""

import hashlib
import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Anonymizer,
    Arguments,
    DeclarationError,
    NewTable,
    NotMeasurable,
    Plot,
    PluginError,
    PolicyLimit,
    Receipt,
    Records,
    Snapshot,
    Solutions,
    TrialRun,
    TrialTable,
)
from qidguard_testing.sample import Sample
from qidguard_testing.subject import Subject
from qidguard_testing.violation import Listener

OWNER = "the plugin under test"


@dataclass(kw_only=True)
class KitTrial:
    """What one run came to. It holds open files until ``tried`` closes it.

    Args:
        subject: What was tested.
        sample: The table.
        task: What was asked.
        table: The private copy of the table.
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
    table: TrialTable = field(repr=False)
    listener: Listener = field(default_factory=Listener)
    answer: Any = None
    run: TrialRun | None = field(default=None, repr=False)
    refusal: str = ""
    error: BaseException | None = None
    said_by_host: str = ""
    plots: tuple[Plot, ...] = ()
    plots_fault: str = ""

    @property
    def source(self) -> Snapshot:
        """The source's private copy."""
        return self.table.snapshot

    @property
    def before(self) -> Records:
        """The columns of the source."""
        return self.table.records

    @property
    def published(self) -> Records:
        """The columns of what is published."""
        assert self.run is not None  # noqa: S101 - only checks of what was published ask
        return self.run.records

    @property
    def after(self) -> Snapshot | None:
        """What is published; None where nothing is."""
        return None if self.run is None else self.run.made.after

    @property
    def receipt(self) -> Receipt | None:
        """What the host counted."""
        return None if self.run is None else self.run.made.receipt

    @property
    def is_published(self) -> bool:
        """Whether there is a published table."""
        return self.run is not None

    @property
    def done(self) -> Anonymized:
        """What was taken of the answer, once the host took it."""
        assert self.run is not None  # noqa: S101 - only checks of what was published ask
        assert isinstance(self.run.made.done, Anonymized)  # noqa: S101 - what asks looked at new_table first
        return self.run.made.done

    @property
    def new_table(self) -> NewTable | None:
        """The new table that the host took; None where records of the source are published, or nothing."""
        done = None if self.run is None else self.run.made.done
        return done if isinstance(done, NewTable) else None

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
        table = opened.enter_context(TrialTable(sample.source(place), threads=threads, folder=place))
        heard = listener or Listener()
        trial = KitTrial(
            subject=subject,
            sample=sample,
            task=_task(subject, sample, table, heard),
            table=table,
            listener=heard,
        )
        work(trial)
        if trial.run is not None:
            opened.enter_context(closing(trial.run))
        yield trial


def work(trial: KitTrial) -> None:
    """Run the anonymizer of a trial by the host, and keep what comes of it."""
    recorder = Recorder(trial.subject.anonymizer, trial.listener)
    try:
        trial.run = trial.table.run(recorder, trial.subject.arguments, trial.task, owner=OWNER)
    except (NotMeasurable, DeclarationError) as reason:
        trial.refusal = str(recorder.error or reason)
    except Exception as error:  # noqa: BLE001 - whatever is raised is what is tested
        trial.error = recorder.error or error
        trial.said_by_host = str(error)
    trial.answer = recorder.answer
    if trial.run is None:
        return
    try:
        trial.plots = trial.run.plots()
    except PluginError as error:
        trial.plots_fault = str(error)


def _task(subject: Subject, sample: Sample, table: TrialTable, progress: Listener) -> AnonymizationTask:
    hierarchies = {}
    if subject.hierarchy is not None:
        columns = table.records
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
        for qids in sample.combinations:
            for sensitive in sample.sensitive if claim.metric.is_sensitive else (None,):
                yield replace(claim, qids=qids, sensitive=sensitive)


def fingerprint(trial: KitTrial) -> str:
    """Return a digest of what was published, suppressed, claimed and said, hex.

    Args:
        trial: A run whose files are still open.

    Returns:
        64 hexadecimal digits; equal for runs that came to the same, cell by cell in the order of records.

    Raises:
        QidguardError: When the engine cannot read what was published.
    """
    digest = hashlib.sha256()
    said = [trial.refusal, type(trial.error).__name__]
    if trial.is_published:
        done = trial.new_table or trial.done
        said += [*map(str, done.notes), repr(done.guarantees)]
        if isinstance(done, Anonymized):
            said.append(str(sorted(dict(done.suppressed_by).items())))
            digest.update(done.kept.tobytes())
        for name in trial.published.names:
            column = trial.published.column(name)
            digest.update(json.dumps([name, column.value_type, column.texts]).encode())
            digest.update(column.codes.tobytes())
    digest.update(json.dumps(said).encode())
    return digest.hexdigest()


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
