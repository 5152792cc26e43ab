"""A table on which methods are tried in memory, and what came of one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from qidguard.sdk import (
    EngineSettings,
    MemoryRecords,
    NotMeasurable,
    ReadOptions,
    RehearsedTable,
    UserError,
    k_anonymity_task,
    records_of,
    rehearse,
    rehearse_several,
)
from qidguard_mo_obam.evaluation.figures import THRESHOLDS, PublishedFigures, figures_of, measure_published

if TYPE_CHECKING:
    from qidguard.sdk import AnonymizationTask

BASELINE = "baseline"
"""What the table as it is is called."""


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


@dataclass(frozen=True, kw_only=True)
class StudyCase:
    """A table with the roles of its columns, on which methods are tried.

    Args:
        records: The records; they stay as they are.
        qids: The quasi-identifiers.
        sensitive: The sensitive attributes.
        target: The column that users predict; None where nobody named one.
        seed: Seeds the methods, ≥ 0.
        thresholds: The τ at which people are at risk.
        host: The plugins; None takes the installed ones.
    """

    records: MemoryRecords = field(repr=False)
    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    target: str | None = None
    seed: int = 0
    thresholds: tuple[float, ...] = THRESHOLDS
    host: Any = field(default=None, repr=False)

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
        thresholds: Sequence[float] = THRESHOLDS,
        whole: bool = False,
        read: ReadOptions | None = None,
        settings: EngineSettings | None = None,
        host: Any = None,
    ) -> "StudyCase":
        """Return the case of a table: a path, a frame, or whatever else an engine opens.

        Args:
            source: The table; it is never changed.
            qids: The quasi-identifiers, at least one.
            sensitive: The sensitive attributes, at least one, none of them a quasi-identifier.
            target: The column that users predict, neither of these.
            entity: The column whose values are the persons; None where each record is one.
            seed: Seeds the methods.
            thresholds: The τ, shares above 0 and up to 1.
            whole: Whether all columns are held, as models need them.
            read: How the source is read.
            settings: Memory limit and threads.
            host: The plugins; None takes the installed ones.

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
        held = records_of(source, columns, entity=entity, read=read, settings=settings, host=host)
        for name in roles:
            held.column(name)  # says which columns are missing
        return cls(
            records=held,
            qids=wanted,
            sensitive=beside,
            target=target,
            seed=seed,
            thresholds=tuple(thresholds),
            host=host,
        )

    def task(self, k: int) -> "AnonymizationTask":
        """Return what an anonymizer is asked: k persons in each class."""
        return k_anonymity_task(
            k,
            self.qids,
            entity=self.records.entity,
            sensitive=self.sensitive,
            seed=self.seed,
            host=self.host,
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
            thresholds=self.thresholds,
        )
        return MethodTrial(method=BASELINE, settings="", k=None, figures=found)

    def tried(
        self, method: str, k: int, settings: str = "", *, budget_seconds: float | None = None
    ) -> MethodTrial:
        """Return what a method comes to with a k; where it cannot be done, the reason.

        Args:
            method: An installed anonymizer by name.
            k: Persons in the smallest class.
            settings: Its further parameters as they stand in brackets.
            budget_seconds: After how many seconds it is interrupted; None sets no limit.

        Raises:
            UserError: When there is no such anonymizer, or a parameter is wrong.
            PluginError: When it fails.
        """
        told = ", ".join(one for one in (f"k={k}", settings) if one)
        try:
            done = rehearse(
                self.records, f"{method}[{told}]", self.task(k), budget_seconds=budget_seconds, host=self.host
            )
            found = figures_of(done, self.sensitive, self.thresholds)
        except NotMeasurable as reason:
            return MethodTrial(method=method, settings=told, k=k, figures=None, reason=str(reason))
        return MethodTrial(method=method, settings=told, k=k, figures=found, seconds=done.seconds, done=done)

    def front(
        self, method: str, k: int, settings: str = "", *, budget_seconds: float | None = None
    ) -> tuple[MethodTrial, ...]:
        """Return a trial for each solution of a method that has several; all else as ``tried``."""
        told = ", ".join(one for one in (f"k={k}", settings) if one)
        try:
            found = rehearse_several(
                self.records, f"{method}[{told}]", self.task(k), budget_seconds=budget_seconds, host=self.host
            )
            return tuple(
                MethodTrial(
                    method=method,
                    settings=told,
                    k=k,
                    figures=figures_of(done, self.sensitive, self.thresholds),
                    seconds=done.seconds,
                    done=done,
                )
                for done in found.values()
            )
        except NotMeasurable as reason:
            return (MethodTrial(method=method, settings=told, k=k, figures=None, reason=str(reason)),)
