"""A table on which methods are tried in memory, and what came of one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from qidguard.sdk import (
    Cell,
    EngineSettings,
    MemoryRecords,
    NotMeasurable,
    Progress,
    ReadOptions,
    RehearsedTable,
    ResultTable,
    UserError,
    k_anonymity_task,
    records_of,
    rehearse,
    rehearse_several,
)
from qidguard_learning import LearningDesign, ModelUtility, compare_models
from qidguard_mo_obam.evaluation.figures import PublishedFigures, figures_of, measure_published
from qidguard_mo_obam.watch import Watch

if TYPE_CHECKING:
    import pandas as pd

    from qidguard.sdk import AnonymizationTask

BASELINE = "baseline"
"""What the table as it is is called."""

_Asked = TypeVar("_Asked")
_Done = TypeVar("_Done")


@dataclass(frozen=True, kw_only=True)
class MethodTrial:
    """One method with its settings, tried on a table in memory.

    Args:
        method: The anonymizer's name, or ``baseline``.
        settings: Its settings, such as ``k=5, n_c=30``.
        k: The smallest class that was asked for, persons; None for the baseline.
        figures: What it comes to; None where it cannot be done.
        seconds: How long the anonymizer took, s.
        reason: Why there are no figures.
        done: What would be published; it holds values of the table.
    """

    method: str
    settings: str
    k: int | None
    figures: PublishedFigures | None
    seconds: float = 0.0
    reason: str = ""
    done: RehearsedTable | None = field(default=None, repr=False, compare=False)

    @property
    def label(self) -> str:
        """The method with its settings in brackets."""
        return f"{self.method}[{self.settings}]" if self.settings else self.method

    def cells(self, columns: Sequence[str]) -> tuple[Cell, ...]:
        """Return the figures under ``figure_columns``; empty cells where there are none."""
        found = self.figures
        if found is None:
            return (None,) * len(columns)
        sizes = found.clusters, found.smallest
        losses = found.information_loss, found.standardized_loss
        return *sizes, *losses, *found.at_risk, found.homogeneous, found.entropy


def figure_columns(trials: Iterable[MethodTrial]) -> tuple[str, ...]:
    """Return the headings of figures, a τ each as the trials have them."""
    thresholds = next((one.figures.thresholds for one in trials if one.figures is not None), ())
    at_risk = (f"τ={f'{one:g}'.removeprefix('0')}" for one in thresholds)
    return "clusters", "smallest", "IL", "IL std", *at_risk, "HA", "entropy"


def frame_of(table: ResultTable) -> "pd.DataFrame":
    """Return a table as a frame."""
    import pandas as pd

    return pd.DataFrame(list(table.rows), columns=list(table.columns))


@dataclass(frozen=True, kw_only=True)
class StudyCase:
    """A table with the roles of its columns, on which methods are tried.

    Args:
        records: The records; they stay as they are.
        qids: The quasi-identifiers.
        sensitive: The sensitive attributes.
        target: The column that users predict; None where nobody named one.
        seed: Seeds the methods, ≥ 0.
    """

    records: MemoryRecords = field(repr=False)
    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    target: str | None = None
    seed: int = 0

    @classmethod
    def of(  # noqa: PLR0913 - each argument is one decision about what is tried
        cls,
        source: Any,
        qids: Sequence[str],
        sensitive: Sequence[str],
        *,
        target: str | None = None,
        entity: str | None = None,
        seed: int = 0,
        whole: bool = False,
        read: ReadOptions | None = None,
        settings: EngineSettings | None = None,
    ) -> "StudyCase":
        """Return the case of a table: a path, a frame, or whatever else an engine opens.

        Args:
            source: The table; it is never changed.
            qids: The quasi-identifiers, at least one.
            sensitive: The sensitive attributes, at least one, none of them a quasi-identifier.
            target: The column that users predict, neither of these.
            entity: The column whose values are the persons; None where each record is one.
            seed: Seeds the methods.
            whole: Whether all columns are held, as models need them.
            read: How the source is read.
            settings: Memory limit and threads.

        Raises:
            DataError: When the source cannot be read without guessing, has no records, or no such column.
            UserError: When no quasi-identifier or sensitive attribute is named, or a column has two roles.
        """
        wanted, beside = tuple(dict.fromkeys(qids)), tuple(dict.fromkeys(sensitive))
        if not wanted:
            raise UserError("an evaluation needs at least one quasi-identifier; name one")
        if not beside:
            raise UserError("an evaluation needs at least one sensitive attribute; name one")
        roles = [*wanted, *beside, *(one for one in (target, entity) if one is not None)]
        for name in roles:
            if roles.count(name) > 1:
                raise UserError(f"column {name!r} has two roles here; give it one")
        columns = None if whole else tuple(one for one in roles if one != entity)
        held = records_of(source, columns, entity=entity, read=read, settings=settings)
        for name in roles:
            held.column(name)  # says which columns are missing
        return cls(
            records=held,
            qids=wanted,
            sensitive=beside,
            target=target,
            seed=seed,
        )

    def task(self, k: int) -> "AnonymizationTask":
        """Return what an anonymizer is asked: k persons in each class."""
        return k_anonymity_task(
            k,
            self.qids,
            entity=self.records.entity,
            sensitive=self.sensitive,
            seed=self.seed,
        )

    def baseline(self) -> MethodTrial:
        """Return the figures of the table as it is."""
        import numpy as np

        found = measure_published(
            self.records,
            self.records,
            np.ones(self.records.records, dtype=np.bool_),
            self.qids,
            self.sensitive,
            entity=self.records.entity,
        )
        return MethodTrial(method=BASELINE, settings="", k=None, figures=found)

    def tried(self, method: str, k: int, settings: str = "") -> MethodTrial:
        """Return what a method comes to with a k; where it cannot be done, the reason.

        Args:
            method: An installed anonymizer by name.
            k: Persons in the smallest class.
            settings: Its further parameters as they stand in brackets.

        Raises:
            UserError: When there is no such anonymizer, or a parameter is wrong.
            PluginError: When it fails.
        """
        return self._tried(method, k, settings, lambda *asked: (rehearse(*asked),))[0]

    def front(self, method: str, k: int, settings: str = "") -> tuple[MethodTrial, ...]:
        """Return a trial for each solution of a method that has several; all else as ``tried``."""
        return self._tried(method, k, settings, lambda *asked: rehearse_several(*asked).values())

    def _tried(
        self,
        method: str,
        k: int,
        settings: str,
        rehearsed: "Callable[[MemoryRecords, str, AnonymizationTask], Iterable[RehearsedTable]]",
    ) -> tuple[MethodTrial, ...]:
        told = ", ".join(one for one in (f"k={k}", settings) if one)
        try:
            return tuple(
                MethodTrial(
                    method=method,
                    settings=told,
                    k=k,
                    figures=figures_of(done),
                    seconds=done.seconds,
                    done=done,
                )
                for done in rehearsed(self.records, f"{method}[{told}]", self.task(k))
            )
        except NotMeasurable as reason:
            return (MethodTrial(method=method, settings=told, k=k, figures=None, reason=str(reason)),)

    def scores(
        self,
        trials: Iterable[MethodTrial],
        models: Sequence[str],
        design: LearningDesign,
        left_out: Sequence[str],
        progress: Progress | None = None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> Mapping[str, ModelUtility]:
        """Return how models do that learn from what trials publish, by the trial's label; on the same splits.

        Empty where no trial could be done, and where nobody named a target.
        """
        made = {one.label: one.done.changes for one in trials if one.done is not None}
        if not made or self.target is None:
            return {}
        apart = {self.target, self.records.entity, *left_out}
        return compare_models(
            made,
            self.target,
            tuple(one for one in self.records.names if one not in apart),
            models=tuple(models),
            design=design,
            seed=self.seed,
            progress=progress,
            is_interrupted=is_stopped,
        )


def in_turn(
    plan: Sequence[_Asked],
    do: Callable[[_Asked], _Done],
    title: str,
    progress: Progress | None,
    is_stopped: Callable[[], bool],
) -> list[_Done]:
    """Return what comes of each, of fewer where it is stopped; Ctrl-C does so once something is done."""
    watch, done = Watch(progress), list[_Done]()
    try:
        for one in plan:
            watch.step(title, len(done), len(plan))
            if is_stopped():
                break
            done.append(do(one))
    except KeyboardInterrupt:
        if not done:
            raise
    watch.step(title, len(plan), len(plan))
    return done
