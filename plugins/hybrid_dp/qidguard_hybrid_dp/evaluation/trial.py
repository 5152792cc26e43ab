"""One method tried on a table in memory: what it publishes, and what of its mechanism is public."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import (
    Anonymized,
    Changes,
    ColumnValues,
    Hierarchy,
    NotMeasurable,
    Progress,
    Recoded,
    RehearsedTable,
)
from qidguard_hybrid_dp.evaluation.attacked import (
    AttackedNoisyTable,
    PublishedCategory,
    PublishedNumber,
    ViolatingRecords,
)
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.originality import coverage_of
from qidguard_hybrid_dp.noise.column import NoisedColumn

HYBRID, PLAIN = "hybrid", "plain k-anonymity"
RKA, SVD = "stand-in for RKA", "stand-in for SVD3DR"
"""What the methods are called. Both stand-ins are ours: the paper cites what it does not define."""

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_CLOSED = re.compile(rf"[\[(]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[\])]")
_BELOW = re.compile(rf"<=?\s*({_NUMBER})")
_ABOVE = re.compile(rf">=?\s*({_NUMBER})")
_EVERYTHING = float("-inf"), float("inf")

Step = TypeVar("Step")


@dataclass(frozen=True, kw_only=True)
class CellNoise:
    """The noise of one numeric column, as everybody may know it.

    Args:
        scale: Shape (records,), the scale by which each cell was drawn, in the column's unit.
        step: The grid of the noise, in the column's unit.
        bounds: To what it is clamped.
    """

    scale: NDArray[np.float64] = field(repr=False)
    step: float
    bounds: tuple[float, float]

    @classmethod
    def of(cls, column: NoisedColumn, scale: NDArray[np.float64]) -> "CellNoise":
        """Return the noise on a column's own grid."""
        low, high = map(float, column.bounds)
        return cls(scale=scale, step=float(column.step), bounds=(low, high))


@dataclass(frozen=True, kw_only=True)
class CaseTrial:
    """What a method made of a case.

    Args:
        method: Its name.
        settings: Its settings, such as ``both, range``.
        k: The smallest class that was asked for, persons.
        done: What would be published; None where it cannot be done. It holds values of the table.
        reason: Why it cannot be done.
        noise: Numeric quasi-identifier → its noise; empty where there is none.
        violating: Shape (records,), the privacy-violating part; None where a method has no parts.
        friendly: The pattern-friendly quasi-identifiers.
        seconds: Step → its wall time, s.
        has_mechanism: Whether ``noise`` says all that an attacker could know; else its risk is not measured.
    """

    method: str
    settings: str
    k: int
    done: RehearsedTable | None = field(repr=False)
    reason: str = ""
    noise: Mapping[str, CellNoise] = field(default_factory=dict, repr=False)
    violating: NDArray[np.bool_] | None = field(default=None, repr=False)
    friendly: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    has_mechanism: bool = True

    @classmethod
    def of(
        cls,
        case: PrivacyCase,
        k: int,
        method: str,
        columns: Mapping[str, Recoded],
        seconds: Mapping[str, float],
        *,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        settings: str = "",
        **more: Any,
    ) -> "CaseTrial":
        """Return a method that publishes these columns, all records kept; ``more`` are fields."""
        task = case.task(k)
        done = RehearsedTable(
            before=case.records,
            task=task if hierarchies is None else replace(task, hierarchies=dict(hierarchies)),
            anonymizer=method,
            done=Anonymized(kept=np.ones(case.records.records, dtype=np.bool_), columns=dict(columns)),
            seconds=sum(seconds.values()),
        )
        return cls(method=method, settings=settings, k=k, done=done, seconds=dict(seconds), **more)

    @property
    def label(self) -> str:
        """The method with its settings."""
        return f"{self.method}, {self.settings}" if self.settings else self.method

    @property
    def table(self) -> RehearsedTable:
        """What would be published; NotMeasurable with the reason where it cannot be done."""
        if self.done is None:
            raise NotMeasurable(self.reason)
        return self.done

    @property
    def changes(self) -> Changes:
        """The original beside that; NotMeasurable where it cannot be done."""
        return self.table.changes

    @property
    def total(self) -> float:
        """Wall time of all steps, s."""
        return sum(self.seconds.values())


def until_stopped(
    title: str, steps: Sequence[Callable[[], Step]], progress: Progress | None, is_stopped: Callable[[], bool]
) -> list[Step]:
    """Return what steps come to, one after the other: what was done, where it was stopped or by Ctrl-C.

    Args:
        title: What progress calls the work.
        steps: Each is done when its turn comes.
        progress: Hears of finished steps.
        is_stopped: Asked before each whether to stop; Ctrl-C does the same once something is done.
    """
    found: list[Step] = []
    try:
        for at, step in enumerate(steps):
            if progress is not None:
                progress.step(title, at, len(steps))
            if is_stopped():
                break
            found.append(step())
    except KeyboardInterrupt:
        if not found:
            raise
    if progress is not None:
        progress.step(title, len(steps), len(steps))
    return found


def attacked_table(trial: CaseTrial, case: PrivacyCase) -> AttackedNoisyTable:
    """Return what a trial publishes as an attacker sees it who knows the mechanism.

    Categories are read from their published text alone. A number is itself, an interval its ends.

    Args:
        trial: One that could be done and whose mechanism is known.
        case: The table on which it was tried.

    Raises:
        ValueError: When it could not be done, or nobody knows its mechanism.
    """
    if trial.done is None or not trial.has_mechanism:
        raise ValueError(f"{trial.label}: no table, or no mechanism, to attack")
    changes, kept = trial.done.changes, trial.done.kept
    row = np.where(kept, np.cumsum(kept) - 1, -1)
    categories, numbers = [], []
    for name in case.categorical:
        before, after = changes.before.column(name), changes.after.column(name)
        coverage = coverage_of(changes, name)
        covers = coverage.covers(np.arange(len(after.texts))[:, None], np.arange(len(before.texts))[None, :])
        if not (before.codes == 0).any():
            # where NULL never occurs it is as unseen as any other value
            covers[:, 0] = covers[:, 1:].all(axis=1)
        categories.append(PublishedCategory(name=name, published=after.codes.astype(np.int64), covers=covers))
    for name in case.numeric:
        noise = trial.noise.get(name)
        low, high = ends_of(changes.after.column(name))
        numbers.append(
            PublishedNumber(
                name=name,
                low=low,
                high=high,
                scale=np.zeros(len(low)) if noise is None else noise.scale[kept],
                step=1.0 if noise is None else noise.step,
                bounds=None if noise is None else noise.bounds,
            )
        )
    return AttackedNoisyTable(
        categories=tuple(categories),
        numbers=tuple(numbers),
        sensitive=changes.before.column(case.sensitive[0]).codes[kept].astype(np.int64),
        partition=_partition(trial, case),
        row=row,
    )


def ends_of(column: ColumnValues) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both ends of what each record publishes in a column of numbers; NaN for a missing cell."""
    ends = [(np.nan, np.nan) if text is None else interval_of(text) for text in column.texts]
    if column.numbers is not None:
        ends = [
            end if np.isnan(number) else (float(number), float(number))
            for end, number in zip(ends, column.numbers, strict=True)
        ]
    found = np.array(ends)
    return found[column.codes, 0], found[column.codes, 1]


def interval_of(text: str) -> tuple[float, float]:
    """Return the ends of a published number or interval, in the column's unit; other text may be anything.

    An open end counts as a closed one: who attacks with it holds a little more possible.

    Example:
        >>> interval_of("39"), interval_of("[30, 39]"), interval_of(">= 80")
        ((39.0, 39.0), (30.0, 39.0), (80.0, inf))
        >>> interval_of("< 20"), interval_of("*")
        ((-inf, 20.0), (-inf, inf))
    """
    if re.fullmatch(_NUMBER, text):
        return float(text), float(text)
    if found := _CLOSED.fullmatch(text):
        return float(found[1]), float(found[2])
    if found := _BELOW.fullmatch(text):
        return _EVERYTHING[0], float(found[1])
    if found := _ABOVE.fullmatch(text):
        return float(found[1]), _EVERYTHING[1]
    return _EVERYTHING


def _partition(trial: CaseTrial, case: PrivacyCase) -> ViolatingRecords | None:
    if trial.violating is None or trial.done is None or not trial.friendly:
        return None
    rule = {}
    for name in trial.friendly:
        column = case.records.column(name)
        free = np.bincount(column.codes[~trial.violating], minlength=len(column.texts))
        rule[name] = free == 0
    return ViolatingRecords(violating=trial.violating[trial.done.kept], rule=rule)
