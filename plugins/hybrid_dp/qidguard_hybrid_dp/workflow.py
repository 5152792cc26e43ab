"""The scheme from end to end: prepare, examine, partition, noise, clusters, generalization (Fig. 3)."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import AnonymizationTask, Hierarchy, Recoded, Records
from qidguard_hybrid_dp.asked import Clustered, RunRequest
from qidguard_hybrid_dp.clusters.generalizing import generalized, published
from qidguard_hybrid_dp.clusters.intervals import NoisedNumeric, intervals
from qidguard_hybrid_dp.clusters.k_member import TooFewPersons, clustered
from qidguard_hybrid_dp.clusters.kinds import Categorical
from qidguard_hybrid_dp.diversity import is_average
from qidguard_hybrid_dp.noise.laplace import NoiseSource
from qidguard_hybrid_dp.noising import noised_numbers, published_numbers
from qidguard_hybrid_dp.partitions import OTHER, VIOLATING, Partitions, PlannedNoise, partitions_of, planned
from qidguard_hybrid_dp.patterns.friendly import Examined
from qidguard_hybrid_dp.patterns.memory import ForestMemory
from qidguard_hybrid_dp.patterns.preparing import Checks, prepared
from qidguard_hybrid_dp.qids import Qids, qids_of, with_ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OTHER", "VIOLATING", "PlannedNoise", "Treated", "run_workflow"]


@dataclass(frozen=True, kw_only=True)
class Treated:
    """What the scheme makes of a table. Arrays have one row a record unless they say otherwise.

    Args:
        checks: What the five preprocessing steps found.
        partitions: Which records violate, and why.
        labels: The cluster of each record, −1 where it is in none.
        is_together: Whether both partitions were clustered as one, since one alone is too small.
        columns: QID → what is published, numeric ones included.
        noised: Numeric QID → its noised numbers, NaN where missing.
        plan: The noise of each numeric QID and partition.
        levels: Categorical QID → the level of each cluster, shape (clusters,).
        hierarchies: Categorical QID → its hierarchy.
        average: Shape (clusters,), whether a cluster is generalized to the average level (T_div).
        clamped: Numeric QID → values that were moved to its bounds before noise.
        qids: What becomes of each QID.
        seconds: Step → its wall time, s (Fig. 18).
    """

    checks: Checks
    partitions: Partitions
    labels: "NDArray[np.int64]" = field(repr=False)
    is_together: bool
    columns: Mapping[str, Recoded] = field(repr=False)
    noised: "Mapping[str, NDArray[np.float64]]" = field(repr=False)
    plan: tuple[PlannedNoise, ...]
    levels: "Mapping[str, NDArray[np.int32]]" = field(repr=False)
    hierarchies: Mapping[str, Hierarchy] = field(repr=False)
    average: "NDArray[np.bool_]" = field(repr=False)
    clamped: Mapping[str, int]
    qids: Qids
    seconds: Mapping[str, float]

    @property
    def examined(self) -> tuple[Examined, ...]:
        """Each categorical QID, and whether it is pattern-friendly."""
        return self.partitions.examined

    @property
    def friendly(self) -> tuple[str, ...]:
        """The pattern-friendly QIDs; where there is none every record violates."""
        return self.partitions.friendly

    @property
    def violating(self) -> "NDArray[np.bool_]":
        """Whether a record violates."""
        return self.partitions.violating


def run_workflow(
    records: Records,
    asked: RunRequest,
    task: AnonymizationTask,
    source: NoiseSource | None = None,
    memory: ForestMemory | None = None,
) -> Treated:
    """Return what the scheme makes of a table.

    Nothing but a numeric cell itself depends on its number, but for what is made of draws already: intervals
    of noised numbers, and a range that is estimated, whose ε covers that. The partition, clusters and levels
    are made of categories, persons and sensitive attributes alone.

    Args:
        records: The table.
        asked: What is asked for.
        task: Names the QIDs, the sensitive attributes and the entity.
        source: Draws all noise; None takes OpenDP, or the task's seed where it is a rehearsal.
        memory: What forests said before; None asks anew.

    Raises:
        DeclarationError: When a numeric QID has no bounds, or there is none.
        NotMeasurable: When too few persons can be clustered.
    """
    seconds: dict[str, float] = {}
    with _timed(seconds, "preparing"):
        task.progress.step("preparing", 0, 1)
        qids = qids_of(records, asked, task)
        checks = prepared(records, task, {column.name: column.bounds for column in qids.noised})
        task.progress.step("preparing", 1, 1)
    with _timed(seconds, "patterns"):
        task.progress.step("patterns", 0, 1)
        partitions = partitions_of(records, qids, asked, task, memory)
        task.progress.step("patterns", 1, 1)
    with _timed(seconds, "clusters"):
        columns = _categorical(records, qids.categorical, task)
        labels, is_together = _labels(records, columns, partitions, asked, task)
    with _timed(seconds, "noise"):
        plan = planned(qids, partitions, asked)
        qids = with_ranges(records, qids, task)
        numbers = noised_numbers(records, qids, partitions, asked, task, source)
    with _timed(seconds, "generalization"):
        sensitive = {name: records.column(name).codes for name in task.sensitive}
        average = is_average(labels, sensitive, asked.t_div)
        levels = generalized(columns, labels, average)
        done = published(columns, labels, levels, task.suppression_mark)
        numeric = _numeric(records, numbers.numbers, done, asked, task)
    return Treated(
        checks=checks,
        partitions=partitions,
        labels=labels,
        is_together=is_together,
        columns={**done, **numeric},
        noised=numbers.numbers,
        plan=plan,
        levels={column.name: level for column, level in zip(columns, levels, strict=True)},
        hierarchies={column.name: column.hierarchy for column in columns},
        average=average,
        clamped=numbers.clamped,
        qids=qids,
        seconds=seconds,
    )


def _categorical(records: Records, names: tuple[str, ...], task: AnonymizationTask) -> list[Categorical]:
    """Return categorical QIDs with the policy's hierarchies, or automatic ones that anybody can read."""
    from qidguard.sdk import readable_hierarchy  # it brings policies, which plugins load without

    columns = [records.column(name) for name in names]
    return [
        Categorical(
            name=column.name,
            codes=column.codes,
            hierarchy=task.hierarchies.get(column.name) or readable_hierarchy(column),
        )
        for column in columns
    ]


def _numeric(
    records: Records,
    numbers: "Mapping[str, NDArray[np.float64]]",
    categorical: Mapping[str, Recoded],
    asked: RunRequest,
    task: AnonymizationTask,
) -> dict[str, Recoded]:
    """Return what is published of noised numbers: themselves, or intervals of classes of k persons."""
    columns = {name: records.column(name) for name in numbers}
    if not asked.is_strict:
        return {
            name: published_numbers(column, numbers[name], task.suppression_mark)
            for name, column in columns.items()
        }
    return intervals(
        [
            NoisedNumeric(
                name=name,
                numbers=numbers[name],
                value_type=column.value_type,
                hierarchy=task.hierarchies.get(name),
            )
            for name, column in columns.items()
        ],
        categorical,
        k=asked.k,
        mark=task.suppression_mark,
        step=task.progress.step,
        persons=_persons(records, task),
    )


def _persons(records: Records, task: AnonymizationTask) -> "NDArray[np.int64] | None":
    return None if task.entity is None else records.codes((task.entity,))[:, 0].astype(np.int64)


def _labels(
    records: Records,
    columns: list[Categorical],
    partitions: Partitions,
    asked: RunRequest,
    task: AnonymizationTask,
) -> "tuple[NDArray[np.int64], bool]":
    """Return the cluster of each record, and whether both partitions were clustered as one."""
    everybody = np.ones(records.records, dtype=np.bool_)
    if not columns:
        # nothing tells records apart but numbers: all are one cluster
        return np.full(records.records, 0 if asked.is_strict else -1, dtype=np.int64), False
    parts = [partitions.violating]
    if asked.cluster is Clustered.BOTH:
        parts.append(~partitions.violating)
    parts = [part for part in parts if part.any()]
    try:
        return _clusters_of(records, columns, parts, asked, task), False
    except TooFewPersons:
        if len(parts) == 1:
            raise
        return _clusters_of(records, columns, [everybody], asked, task), True


def _clusters_of(
    records: Records,
    columns: list[Categorical],
    parts: "list[NDArray[np.bool_]]",
    asked: RunRequest,
    task: AnonymizationTask,
) -> "NDArray[np.int64]":
    person = _persons(records, task)
    sensitive = [records.column(name).codes for name in task.sensitive]
    labels = np.full(records.records, -1, dtype=np.int64)
    count = 0
    for part in parts:
        own = clustered(
            [Categorical(name=c.name, codes=c.codes[part], hierarchy=c.hierarchy) for c in columns],
            k=asked.k,
            seed=task.seed,
            step=task.progress.step,
            persons=None if person is None else person[part],
            sensitive=[codes[part] for codes in sensitive],
            l=asked.l,
        )
        labels[part] = own + count
        count += int(own.max(initial=-1)) + 1
    return labels


@contextmanager
def _timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[step] = time.perf_counter() - started
