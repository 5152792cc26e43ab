"""An anonymizer that need not be installed, tried on a table the way a release goes: for its tests."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from qidguard.anonymizing.answer import privacy_fault
from qidguard.anonymizing.protocol import (
    AnonymizationTask,
    Anonymizer,
    ChosenAnonymizer,
    NewTable,
    PolicyLimit,
)
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.anonymizing.run import AnonymizerRun, run_on
from qidguard.anonymizing.weighing import limit_question
from qidguard.core.errors import NotMeasurable, UnreachableError
from qidguard.core.hierarchy import SUPPRESSED
from qidguard.core.parameter import Arguments
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.measuring.evaluator import measure

if TYPE_CHECKING:
    from qidguard.anonymizing.coverage.coverage import Coverage
    from qidguard.core.measurement import Measurement
    from qidguard.plot.plot import Plot


class TrialTable:
    """A private copy of a table, on which an anonymizer is tried by the way of a release, for its tests.

    Nothing is audited, recorded or charged. The copy is closed at the end of a ``with``.

    Args:
        source: A path, a frame, or whatever else DuckDB opens.
        threads: Threads of the engine.
        folder: Where the engine makes temporary files; None takes a place of its own.
    """

    def __init__(self, source: Any, *, threads: int = 2, folder: Path | None = None) -> None:
        spill = None if folder is None else str(folder)
        self._threads = threads
        settings = EngineSettings(threads=threads, spill_directory=spill)
        self.snapshot = ENGINE.snapshot(source, ReadOptions(), settings)

    def __enter__(self) -> Self:
        self.snapshot.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.snapshot.__exit__(kind, error, trace)

    @cached_property
    def records(self) -> SnapshotRecords:
        """The columns of the table, read in one go."""
        records = SnapshotRecords(self.snapshot, SUPPRESSED)
        records.read(records.names)
        return records

    def run(
        self, anonymizer: Anonymizer, arguments: Arguments, task: AnonymizationTask, *, owner: str
    ) -> "TrialRun":
        """Return what the host makes of an anonymizer's answer.

        Args:
            anonymizer: The anonymizer.
            arguments: Its checked arguments, as ``bind`` returns them.
            task: What it is asked to reach.
            owner: What its faults are said to be of.

        Returns:
            What would be published, to be closed by the caller.

        Raises:
            NotMeasurable: When the anonymizer says that it cannot be done, or suppresses every record.
            PluginError: When it fails, or its answer is none.
            DeclarationError: When what was declared of a column does not fit it.

        Example:
            >>> import pandas as pd
            >>> from qidguard.anonymizing.example import Decades
            >>> task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
            >>> with TrialTable(pd.DataFrame({"age": ["31", "35", "47"]})) as table:
            ...     with closing(table.run(Decades(), {}, task, owner="mine")) as run:
            ...         run.records.column("age").texts[1:]
            ('30s', '40s')
        """
        try:
            method = ChosenAnonymizer(anonymizer=anonymizer, arguments=arguments, owner=owner)
            made = run_on(self.records, method, task)
        except UnreachableError as reason:
            raise NotMeasurable(str(reason)) from None
        return TrialRun(
            made=made,
            before=self.records,
            anonymizer=anonymizer,
            arguments=arguments,
            task=task,
            owner=owner,
            threads=self._threads,
        )

    def guarantee_fault(self, guarantee: object, task: AnonymizationTask) -> str:
        """Return what is wrong with what an anonymizer guarantees of noise; empty where nothing is.

        Args:
            guarantee: What its ``privacy_guarantee`` returned.
            task: What it was asked to reach.

        Returns:
            The end of a sentence, without a value of the table.

        Example:
            >>> import pandas as pd
            >>> task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
            >>> with TrialTable(pd.DataFrame({"age": [31]})) as table:
            ...     table.guarantee_fault(None, task)
            'returned NoneType, not PrivacyGuarantee'
        """
        return privacy_fault(guarantee, self.records, task)


@dataclass(frozen=True, kw_only=True)
class TrialRun:
    """What an anonymizer makes of a ``TrialTable``, to be closed by who holds it.

    Args:
        made: What the host made of its answer.
        before: The records of the table.
        anonymizer: The anonymizer.
        arguments: Its checked arguments.
        task: What it was asked to reach.
        owner: What its faults are said to be of.
        threads: Threads of the engine that measures.
    """

    made: AnonymizerRun = field(repr=False)
    before: SnapshotRecords = field(repr=False)
    anonymizer: Anonymizer
    arguments: Arguments
    task: AnonymizationTask
    owner: str
    threads: int = 2

    def close(self) -> None:
        """Remove what would be published."""
        self.made.after.close()

    @cached_property
    def records(self) -> SnapshotRecords:
        """The columns of what would be published, read in one go."""
        self.made.records.read(self.made.records.names)
        return self.made.records

    def coverage(self, name: str) -> "Coverage":
        """Return what the published values of a column stand for, read as a release reads them.

        Args:
            name: A column of both tables.

        Returns:
            For each published value the original ones that it covers; labels of automatic hierarchies are
            known.

        NULL covers itself alone. A suppressed cell covers every value.

        Example:
            >>> import pandas as pd
            >>> from qidguard.anonymizing.example import Decades
            >>> task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
            >>> with TrialTable(pd.DataFrame({"age": ["31", "35", "47"]})) as table:
            ...     with closing(table.run(Decades(), {}, task, owner="mine")) as run:
            ...         run.coverage("age").counts[1:].tolist()
            [2, 1]
        """
        from qidguard.anonymizing.coverage.reading import read_coverage

        before, after = self.before.column(name), self.records.column(name)
        changes = self.made.changes
        return read_coverage(before, after, changes.hierarchies.get(name), changes.suppression_mark)

    def measure(self, limits: Sequence[PolicyLimit]) -> "list[Measurement]":
        """Return the figures of some limits on what would be published, by the engine.

        Args:
            limits: The limits, such as ``policy_limit`` returns.

        Returns:
            One measurement for each, in order; persons count where the task has an entity, and the records
            of a new table are nobody's.

        Units:
            Those of the metrics.

        Example:
            >>> import pandas as pd
            >>> from qidguard.anonymizing.example import Decades
            >>> from qidguard.trials.rehearsing import policy_limit
            >>> task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
            >>> with TrialTable(pd.DataFrame({"age": ["31", "35", "47"]})) as table:
            ...     with closing(table.run(Decades(), {}, task, owner="mine")) as run:
            ...         run.measure([policy_limit("k_anonymity", 2, ["age"])])[0].value
            1
        """
        host = load_host()
        questions = [limit_question(one, host.owner("metrics", one.metric.name)) for one in limits]
        entity = None if isinstance(self.made.done, NewTable) else self.task.entity
        needs = Needs(entity=entity, suppression_mark=self.task.suppression_mark)
        settings = EngineSettings(threads=self.threads)
        with closing(ENGINE.open(self.made.after, ReadOptions(), needs, settings)) as table:
            return measure(table, questions)

    def plots(self) -> "tuple[Plot, ...]":
        """Return what the anonymizer draws of its result; none of one that does not draw.

        Returns:
            The plots, in its order.

        Raises:
            PluginError: When it fails at that, or what it draws are no plots.

        Example:
            >>> import pandas as pd
            >>> from qidguard.anonymizing.example import Decades
            >>> task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
            >>> with TrialTable(pd.DataFrame({"age": ["31", "35", "47"]})) as table:
            ...     with closing(table.run(Decades(), {}, task, owner="mine")) as run:
            ...         run.plots()
            ()
        """
        return self.made.drawn()
