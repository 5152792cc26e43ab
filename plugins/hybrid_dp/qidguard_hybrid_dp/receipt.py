"""What the scheme guarantees, and what its receipt says: counts and figures, no value of the table."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import AnonymizationTask, NotMeasurable, PrivacyGuarantee, ProtectedUnit, Records
from qidguard_hybrid_dp.asked import RunRequest
from qidguard_hybrid_dp.clusters.declared_grid import unusable_levels
from qidguard_hybrid_dp.diversity import level_bias
from qidguard_hybrid_dp.noise.column import NoiseScale
from qidguard_hybrid_dp.noise.guarantee import noised_part
from qidguard_hybrid_dp.noise.receipt import BY_DISTANCE, NOT_COVERED, describe
from qidguard_hybrid_dp.partitions import Partitions, partitions_of, planned
from qidguard_hybrid_dp.patterns.categories import CATEGORIES
from qidguard_hybrid_dp.patterns.friendly import Examined, percent
from qidguard_hybrid_dp.patterns.memory import ForestMemory
from qidguard_hybrid_dp.qids import Qids, qids_of
from qidguard_hybrid_dp.workflow import Treated

if TYPE_CHECKING:
    from numpy.typing import NDArray


def guarantee_of(
    records: Records, asked: RunRequest, task: AnonymizationTask, memory: ForestMemory | None = None
) -> PrivacyGuarantee:
    """Return what a run guarantees, before anything is drawn.

    Raises:
        NotMeasurable: When there is nothing to draw, a numeric QID has no bounds, or a person has more
            records than ``contributions`` says.
    """
    qids = qids_of(records, asked, task)
    partitions = partitions_of(records, qids, asked, task, memory)
    return guarantee_by(records, qids, partitions, asked, task)


def guarantee_by(
    records: Records, qids: Qids, partitions: Partitions, asked: RunRequest, task: AnonymizationTask
) -> PrivacyGuarantee:
    """Return the same where the partitions are known."""
    return PrivacyGuarantee(
        parts=tuple(one.part for one in planned(qids, partitions, asked)),
        unit=ProtectedUnit.RECORD if task.entity is None else ProtectedUnit.PERSON,
        contributions=_contributions(records, asked, task),
        are_partitions_public=partitions.is_public,
        not_covered=tuple(_not_covered(qids, partitions, asked, task)),
    )


def _contributions(records: Records, asked: RunRequest, task: AnonymizationTask) -> int:
    if task.entity is None:
        return 1
    most = int(np.bincount(records.codes((task.entity,))[:, 0]).max(initial=0))
    if asked.contributions and most > asked.contributions:
        raise NotMeasurable(
            f"contributions = {asked.contributions:,} is the most records of a person, and one has {most:,};"
            " declare as many, or leave out records of this person before"
        )
    return asked.contributions or most


def _not_covered(qids: Qids, partitions: Partitions, asked: RunRequest, task: AnonymizationTask) -> list[str]:
    found = list(NOT_COVERED)
    if asked.scale is NoiseScale.UNIT:
        found.append(BY_DISTANCE)
    without = (*qids.categorical, *qids.unchanged)
    if without:
        found.append(
            f"No noise is drawn for {_listed(without)}; where k records agree in them, or are in no cluster,"
            " they are published as they are."
        )
    if partitions.friendly and not partitions.is_public:
        found.append(
            f"Which partition a record is in depends on its values of {_listed(partitions.friendly)} and on"
            " how frequent these are; it can be read off the published table."
        )
    if task.entity is not None and not asked.contributions:
        found.append("How many records the person with the most has is counted in the table without noise.")
    return found


def notes_on(records: Records, done: Treated, asked: RunRequest, task: AnonymizationTask) -> tuple[str, ...]:
    """Return the sentences of the receipt.

    Args:
        records: The table.
        done: What the scheme made of it.
        asked: What was asked for.
        task: Says whether this is a rehearsal.
    """
    given = guarantee_by(records, qids_of(records, asked, task), done.partitions, asked, task)
    return (
        _partition(done),
        _composition(given, done),
        *_clusters(records, done, asked, task),
        *_bias(records, done, asked, task),
        *_noise(done, asked, task),
        _OTHER_SCALE[asked.scale],
        _clamped(done.clamped),
        *(_examined(one) for one in done.examined),
        *done.checks.sentences,
    )


_OTHER_SCALE = {
    NoiseScale.RANGE: (
        "The noise has the scale (upper − lower) / ε, which protects a value wherever it lies; the scale"
        " 1 / ε would be smaller and protect differences of one unit only."
    ),
    NoiseScale.UNIT: (
        "The noise has the scale 1 / ε, which protects differences of one unit only; the scale"
        " (upper − lower) / ε would be larger and protect a value wherever it lies."
    ),
}


def _noise(done: Treated, asked: RunRequest, task: AnonymizationTask) -> Iterator[str]:
    """Yield what is drawn, with the ranges that were estimated."""
    for column in done.qids.noised:
        estimate = done.qids.estimates.get(column.name)
        if estimate is not None:
            yield estimate.words
        for name, epsilon, _ in done.partitions.parts(asked):
            part = noised_part(column, epsilon=epsilon, scale=asked.scale, partition=name)
            yield describe(part, column, is_rehearsal=task.is_rehearsal)


def _examined(one: Examined) -> str:
    counts = Counter(one.ranks)
    kinds = ", ".join(f"{counts[rank]} {CATEGORIES[rank]}" for rank in sorted(counts))
    verdict = "pattern-friendly" if one.is_friendly else "not pattern-friendly"
    return f"{one.name!r} is {verdict}: {one.reason} (values: {kinds})."


def _partition(done: Treated) -> str:
    records, violating = len(done.violating), int(done.violating.sum())
    if not done.friendly:
        return (
            "No quasi-identifier is pattern-friendly, so nothing tells which records are safe: all"
            f" {records:,} are one partition, which violates."
        )
    by = "values that the policy declares" if done.partitions.is_public else "values that are not super major"
    return (
        f"{violating:,} of {records:,} records violate, by {by} of {_listed(done.friendly)}"
        f" ({percent(violating / max(1, records))})."
    )


def _clamped(clamped: Mapping[str, int]) -> str:
    moved = ", ".join(f"{count:,} of {name!r}" for name, count in clamped.items() if count)
    return f"Moved to the bounds before noise: {moved or 'no value'}."


def _composition(given: PrivacyGuarantee, done: Treated) -> str:
    way = "its values of all columns add up"
    if len(given.partitions) > 1:
        way += (
            ", and of the partitions the dearest counts, since public values decide on membership"
            if done.partitions.is_public
            else ", and so do the partitions, since values that are not public decide on membership"
        )
    whose = "a record"
    if given.unit is ProtectedUnit.PERSON:
        whose = f"a person with at most {given.contributions:,} records"
    return f"In all {given.cost.text} for {whose}: {way}."


def _clusters(records: Records, done: Treated, asked: RunRequest, task: AnonymizationTask) -> list[str]:
    inside = done.labels >= 0
    if not inside.any():
        return ["No record is in a cluster: no categorical quasi-identifier may be changed."]
    sizes = persons_of(done.labels[inside], None if task.entity is None else _persons(records, task)[inside])
    outside = int((~inside).sum())
    sentence = (
        f"{len(sizes):,} clusters of {int(sizes.min()):,} to {int(sizes.max()):,} persons (k = {asked.k});"
        f" {outside:,} records are in none and keep their categories."
    )
    found = [sentence]
    if done.is_together:
        found.append(
            "One partition alone has too few persons for a cluster, so both were clustered as one table."
        )
    found.append(_holds(asked, is_everybody=outside == 0))
    found += _left_out(done, asked, task)
    return found


def _holds(asked: RunRequest, *, is_everybody: bool) -> str:
    if asked.is_strict:
        return "k holds over all quasi-identifiers: numeric ones are intervals of noised numbers."
    if is_everybody:
        return "k holds over categorical quasi-identifiers only: noised numbers tell records apart."
    return (
        "k holds over categorical quasi-identifiers among clustered records only: the others keep theirs,"
        " even where they are alone with them."
    )


def _left_out(done: Treated, asked: RunRequest, task: AnonymizationTask) -> list[str]:
    """Return the levels of numeric hierarchies that ``strict`` does without."""
    found = []
    for name in done.qids.numeric if asked.is_strict else ():
        hierarchy = task.hierarchies.get(name)
        if hierarchy is not None and (levels := unusable_levels(hierarchy)):
            found.append(
                f"Of the hierarchy of {name!r} {', '.join(f'level {level}' for level in levels)} is not used,"
                " since its intervals are not of equal width."
            )
    return found


def _bias(records: Records, done: Treated, asked: RunRequest, task: AnonymizationTask) -> list[str]:
    if not asked.t_div:
        return []
    average = int(done.average.sum())
    sensitive = {name: records.column(name).codes for name in task.sensitive}
    sentence = (
        f"{average:,} of {len(done.average):,} clusters are less diverse than t_div = {asked.t_div:g} nats"
        " and generalized to the average level."
    )
    found = [sentence]
    found += [
        f"The level tells of {name!r}: a value of it is held by {percent(first)} of the records at the"
        f" average level and by {percent(other)} of those at the least."
        for name, (first, other) in level_bias(done.labels, sensitive, done.average).items()
    ]
    return found


def persons_of(labels: "NDArray[np.int64]", persons: "NDArray[np.integer] | None") -> "NDArray[np.int64]":
    """Return the persons of each class, the classes numbered from 0 on; records where each is a person.

    Example:
        >>> persons_of(np.array([0, 0, 1]), np.array([7, 7, 8])).tolist()
        [1, 1]
    """
    if persons is None:
        return np.bincount(labels)
    pairs = np.unique(np.stack([labels, persons], axis=1), axis=0)
    return np.bincount(pairs[:, 0])


def _persons(records: Records, task: AnonymizationTask) -> "NDArray[np.int32]":
    assert task.entity is not None  # noqa: S101 - asked only where there is one
    return records.codes((task.entity,))[:, 0]


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names))
