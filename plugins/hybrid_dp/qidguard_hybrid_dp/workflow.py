"""The scheme from end to end: prepare, examine, partition, noise, clusters, generalization (Fig. 3)."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, Hierarchy, Original, Progress, Recoded, published_number
from qidguard_hybrid_dp.asked import Clustered
from qidguard_hybrid_dp.clusters.generalizing import generalized, is_average, published
from qidguard_hybrid_dp.clusters.intervals import NoisedNumeric, intervals
from qidguard_hybrid_dp.clusters.k_member import TooFewPersons, clustered
from qidguard_hybrid_dp.clusters.kinds import Categorical
from qidguard_hybrid_dp.noise.laplace import NoiseSource, source_of
from qidguard_hybrid_dp.noise.noised import noised
from qidguard_hybrid_dp.patterns.preparing import Checks, prepared
from qidguard_hybrid_dp.qids import Qids, numbers_of, with_ranges
from qidguard_hybrid_dp.run import OTHER, VIOLATING, HybridRun

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import PublishedValue


@dataclass(frozen=True, kw_only=True)
class Treated:
    """What the scheme makes of a table. Arrays have one row a record unless they say otherwise.

    Args:
        run: The table and what was asked of it, with its partitions and the noise that was planned.
        checks: What the five preprocessing steps found.
        labels: The cluster of each record, −1 where it is in none.
        is_together: Whether both partitions were clustered as one, since one alone is too small.
        columns: QID → what is published, numeric ones included.
        noised: Numeric QID → its noised numbers, NaN where missing.
        levels: Categorical QID → the level of each cluster, shape (clusters,).
        hierarchies: Categorical QID → its hierarchy.
        average: Shape (clusters,), whether a cluster is generalized to the average level (T_div).
        clamped: Numeric QID → values that were moved to its bounds before noise.
        qids: What becomes of each QID; ranges that are estimated are found.
        seconds: Step → its wall time, s (Fig. 18).
    """

    run: HybridRun = field(repr=False)
    checks: Checks
    labels: "NDArray[np.int64]" = field(repr=False)
    is_together: bool
    columns: Mapping[str, Recoded] = field(repr=False)
    noised: "Mapping[str, NDArray[np.float64]]" = field(repr=False)
    levels: "Mapping[str, NDArray[np.int32]]" = field(repr=False)
    hierarchies: Mapping[str, Hierarchy] = field(repr=False)
    average: "NDArray[np.bool_]" = field(repr=False)
    clamped: Mapping[str, int]
    qids: Qids
    seconds: Mapping[str, float]


def run_workflow(run: HybridRun, source: NoiseSource | None = None) -> Treated:
    """Return what the scheme makes of a table.

    Nothing but a numeric cell itself depends on its number, but for what is made of draws already: intervals
    of noised numbers, and a range that is estimated, whose ε covers that. The partition, clusters and levels
    are made of categories, persons and sensitive attributes alone.

    Args:
        run: The table, and what is asked for.
        source: Draws all noise; None takes OpenDP, or the task's seed where it is a rehearsal.

    Raises:
        DeclarationError: When a numeric QID has no bounds, or there is none.
        NotMeasurable: When too few persons can be clustered.
    """
    records, task = run.records, run.task
    seconds: dict[str, float] = {}
    with _timed(seconds, "preparing", task.progress):
        checks = prepared(records, task, {column.name: column.bounds for column in run.qids.noised})
    with _timed(seconds, "patterns", task.progress):
        _ = run.partitions
    with _timed(seconds, "clusters"):
        columns = _categorical(run)
        labels, is_together = _labels(run, columns)
    with _timed(seconds, "noise"):
        _ = run.plan  # what cannot be drawn is said before anything is
        qids = with_ranges(records, run.qids, task)
        numbers, clamped = _noised(run, qids, source)
    with _timed(seconds, "generalization"):
        average = is_average(labels, run.sensitive, run.asked.t_div)
        levels = generalized(columns, labels, average)
        done = published(columns, labels, levels, task.suppression_mark)
        numeric = _numeric(run, numbers, done)
    return Treated(
        run=run,
        checks=checks,
        labels=labels,
        is_together=is_together,
        columns={**done, **numeric},
        noised=numbers,
        levels={column.name: level for column, level in zip(columns, levels, strict=True)},
        hierarchies={column.name: column.hierarchy for column in columns},
        average=average,
        clamped=clamped,
        qids=qids,
        seconds=seconds,
    )


def _categorical(run: HybridRun) -> list[Categorical]:
    """Return categorical QIDs with the policy's hierarchies, or automatic ones that anybody can read."""
    from qidguard.sdk import readable_hierarchy  # it brings policies, which plugins load without

    columns = [run.records.column(name) for name in run.qids.categorical]
    return [
        Categorical(
            name=column.name,
            codes=column.codes,
            hierarchy=run.task.hierarchies.get(column.name) or readable_hierarchy(column),
        )
        for column in columns
    ]


def _noised(
    run: HybridRun, qids: Qids, source: NoiseSource | None
) -> "tuple[dict[str, NDArray[np.float64]], dict[str, int]]":
    """Return numeric QIDs with noise of their own in each partition, and how many values were clamped.

    It is Algorithm 1. The numbers have shape (records,), and are NaN where there is none.
    """
    found: dict[str, NDArray[np.float64]] = {}
    clamped: dict[str, int] = {}
    records, step = run.records, run.task.progress.step
    total, done = len(qids.noised) * records.records, 0
    step("noise", 0, total)
    for column in qids.noised:
        true = numbers_of(records.column(column.name))
        numbers = np.full(records.records, np.nan)
        for name, epsilon, members in run.parts:

            def tell(drawn: int, _: int, before: int = done) -> None:
                step("noise", before + drawn, total)

            part = noised(
                true[members],
                column,
                epsilon=epsilon,
                scale=run.asked.scale,
                source=source or source_of(run.task, column.name, name),
                tell=tell,
            )
            numbers[members] = part.numbers
            clamped[column.name] = clamped.get(column.name, 0) + part.clamped
            done += int(members.sum())
        found[column.name] = numbers
    step("noise", total, total)
    return found, clamped


def published_numbers(column: ColumnValues, numbers: "NDArray[np.float64]", mark: str) -> Recoded:
    """Return noised numbers as they are published, in the column's type.

    A suppressed cell keeps its mark; NULL, NaN and infinities are published as NULL.

    Args:
        column: The source's column.
        numbers: Shape (records,), NaN where there is no number.
        mark: The text of a suppressed cell.
    """
    is_known = ~np.isnan(numbers)
    distinct, place = np.unique(numbers[is_known], return_inverse=True)
    values: list[PublishedValue] = [published_number(one, column.value_type) for one in distinct.tolist()]
    codes = np.full(len(numbers), len(values), dtype=np.int64)
    codes[is_known] = place.reshape(-1)
    values.append(None)
    if mark in column.texts[1:]:
        own = column.texts.index(mark)
        codes[~is_known & (column.codes == own)] = len(values)
        values.append(Original(own))
    return Recoded(codes=codes, values=tuple(values))


def _numeric(
    run: HybridRun, numbers: "Mapping[str, NDArray[np.float64]]", categorical: Mapping[str, Recoded]
) -> dict[str, Recoded]:
    """Return what is published of noised numbers: themselves, or intervals of classes of k persons."""
    columns, task = {name: run.records.column(name) for name in numbers}, run.task
    if not run.asked.is_strict:
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
        k=run.asked.k,
        mark=task.suppression_mark,
        step=task.progress.step,
        persons=run.persons,
    )


def _labels(run: HybridRun, columns: list[Categorical]) -> "tuple[NDArray[np.int64], bool]":
    """Return the cluster of each record, and whether both partitions were clustered as one."""
    everybody = np.ones(run.records.records, dtype=np.bool_)
    if not columns:
        # nothing tells records apart but numbers: all are one cluster
        return np.where(everybody, 0 if run.asked.is_strict else -1, 0), False
    names = (VIOLATING, OTHER) if run.asked.cluster is Clustered.BOTH else (VIOLATING,)
    parts = [members for name, _, members in run.parts if name in names]
    try:
        return _clusters_of(run, columns, parts), False
    except TooFewPersons:
        if len(parts) == 1:
            raise
        return _clusters_of(run, columns, [everybody]), True


def _clusters_of(
    run: HybridRun, columns: list[Categorical], parts: "list[NDArray[np.bool_]]"
) -> "NDArray[np.int64]":
    labels = np.full(run.records.records, -1, dtype=np.int64)
    count = 0
    for part in parts:
        own = clustered(
            [Categorical(name=c.name, codes=c.codes[part], hierarchy=c.hierarchy) for c in columns],
            k=run.asked.k,
            seed=run.task.seed,
            step=run.task.progress.step,
            persons=None if run.persons is None else run.persons[part],
            sensitive=[codes[part] for codes in run.sensitive.values()],
            l=run.asked.l,
        )
        labels[part] = own + count
        count += int(own.max(initial=-1)) + 1
    return labels


@contextmanager
def _timed(seconds: dict[str, float], step: str, progress: Progress | None = None) -> Iterator[None]:
    """Time a step, and tell of it where it tells nothing of itself."""
    started = time.perf_counter()
    if progress is not None:
        progress.step(step, 0, 1)
    yield
    if progress is not None:
        progress.step(step, 1, 1)
    seconds[step] = time.perf_counter() - started
