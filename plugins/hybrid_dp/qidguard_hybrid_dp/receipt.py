"""What the scheme guarantees, and what its receipt says: counts and figures, no value of the table."""

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from qidguard.sdk import NotMeasurable, PrivacyGuarantee, ProtectedUnit
from qidguard_hybrid_dp.asked import RunRequest
from qidguard_hybrid_dp.clusters.generalizing import level_bias
from qidguard_hybrid_dp.clusters.intervals import unusable_levels
from qidguard_hybrid_dp.clusters.kinds import persons_of
from qidguard_hybrid_dp.noise.column import NoiseScale
from qidguard_hybrid_dp.noise.guarantee import noised_part
from qidguard_hybrid_dp.noise.receipt import BY_DISTANCE, NOT_COVERED, describe
from qidguard_hybrid_dp.patterns.categories import CATEGORIES
from qidguard_hybrid_dp.patterns.friendly import Examined, percent
from qidguard_hybrid_dp.run import HybridRun, Partitions
from qidguard_hybrid_dp.workflow import Treated


def guarantee_of(run: HybridRun) -> PrivacyGuarantee:
    """Return what a run guarantees, before anything is drawn.

    Raises:
        NotMeasurable: When there is nothing to draw, a numeric QID has no bounds, or a person has more
            records than ``contributions`` says.
    """
    return PrivacyGuarantee(
        parts=tuple(one.part for one in run.plan),
        unit=ProtectedUnit.RECORD if run.persons is None else ProtectedUnit.PERSON,
        contributions=_contributions(run),
        are_partitions_public=run.partitions.is_public,
        not_covered=tuple(_not_covered(run)),
    )


def _contributions(run: HybridRun) -> int:
    if run.persons is None:
        return 1
    asked, most = run.asked, int(np.bincount(run.persons).max(initial=0))
    if asked.contributions and most > asked.contributions:
        raise NotMeasurable(
            f"contributions = {asked.contributions:,} is the most records of a person, and one has {most:,};"
            " declare as many, or leave out records of this person before"
        )
    return asked.contributions or most


def _not_covered(run: HybridRun) -> list[str]:
    found, qids, partitions = list(NOT_COVERED), run.qids, run.partitions
    if run.asked.scale is NoiseScale.UNIT:
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
    if run.persons is not None and not run.asked.contributions:
        found.append("How many records the person with the most has is counted in the table without noise.")
    return found


def notes_on(done: Treated) -> tuple[str, ...]:
    """Return the sentences of the receipt, of what the scheme made of a table."""
    run = done.run
    return (
        _partition(run.partitions),
        _composition(guarantee_of(run), is_public=run.partitions.is_public),
        *_clusters(done),
        *_bias(done),
        *_noise(done),
        _OTHER_SCALE[run.asked.scale],
        _clamped(done.clamped),
        *(_examined(one) for one in run.partitions.examined),
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


def _noise(done: Treated) -> Iterator[str]:
    """Yield what is drawn, with the ranges that were estimated."""
    for column in done.qids.noised:
        estimate = done.qids.estimates.get(column.name)
        if estimate is not None:
            yield estimate.words
        for name, epsilon, _ in done.run.parts:
            part = noised_part(column, epsilon=epsilon, scale=done.run.asked.scale, partition=name)
            yield describe(part, column, is_rehearsal=done.run.task.is_rehearsal)


def _examined(one: Examined) -> str:
    counts = Counter(one.ranks)
    kinds = ", ".join(f"{counts[rank]} {CATEGORIES[rank]}" for rank in sorted(counts))
    verdict = "pattern-friendly" if one.is_friendly else "not pattern-friendly"
    return f"{one.name!r} is {verdict}: {one.reason} (values: {kinds})."


def _partition(partitions: Partitions) -> str:
    records, violating = len(partitions.violating), int(partitions.violating.sum())
    if not partitions.friendly:
        return (
            "No quasi-identifier is pattern-friendly, so nothing tells which records are safe: all"
            f" {records:,} are one partition, which violates."
        )
    by = "values that the policy declares" if partitions.is_public else "values that are not super major"
    return (
        f"{violating:,} of {records:,} records violate, by {by} of {_listed(partitions.friendly)}"
        f" ({percent(violating / max(1, records))})."
    )


def _clamped(clamped: Mapping[str, int]) -> str:
    moved = ", ".join(f"{count:,} of {name!r}" for name, count in clamped.items() if count)
    return f"Moved to the bounds before noise: {moved or 'no value'}."


def _composition(given: PrivacyGuarantee, *, is_public: bool) -> str:
    way = "its values of all columns add up"
    if len(given.partitions) > 1:
        way += (
            ", and of the partitions the dearest counts, since public values decide on membership"
            if is_public
            else ", and so do the partitions, since values that are not public decide on membership"
        )
    whose = "a record"
    if given.unit is ProtectedUnit.PERSON:
        whose = f"a person with at most {given.contributions:,} records"
    return f"In all {given.cost.text} for {whose}: {way}."


def _clusters(done: Treated) -> list[str]:
    run, inside = done.run, done.labels >= 0
    if not inside.any():
        return ["No record is in a cluster: no categorical quasi-identifier may be changed."]
    sizes = persons_of(done.labels[inside], None if run.persons is None else run.persons[inside])
    outside = int((~inside).sum())
    sentence = (
        f"{len(sizes):,} clusters of {int(sizes.min()):,} to {int(sizes.max()):,} persons"
        f" (k = {run.asked.k}); {outside:,} records are in none and keep their categories."
    )
    found = [sentence]
    if done.is_together:
        found.append(
            "One partition alone has too few persons for a cluster, so both were clustered as one table."
        )
    found.append(_holds(run.asked, is_everybody=outside == 0))
    found += _left_out(done)
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


def _left_out(done: Treated) -> list[str]:
    """Return the levels of numeric hierarchies that ``strict`` does without."""
    found = []
    for name in done.qids.numeric if done.run.asked.is_strict else ():
        hierarchy = done.run.task.hierarchies.get(name)
        if hierarchy is not None and (levels := unusable_levels(hierarchy)):
            found.append(
                f"Of the hierarchy of {name!r} {', '.join(f'level {level}' for level in levels)} is not used,"
                " since its intervals are not of equal width."
            )
    return found


def _bias(done: Treated) -> list[str]:
    t_div = done.run.asked.t_div
    if not t_div:
        return []
    average = int(done.average.sum())
    sentence = (
        f"{average:,} of {len(done.average):,} clusters are less diverse than t_div = {t_div:g} nats"
        " and generalized to the average level."
    )
    found = [sentence]
    found += [
        f"The level tells of {name!r}: a value of it is held by {percent(first)} of the records at the"
        f" average level and by {percent(other)} of those at the least."
        for name, (first, other) in level_bias(done.labels, done.run.sensitive, done.average).items()
    ]
    return found


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names))
