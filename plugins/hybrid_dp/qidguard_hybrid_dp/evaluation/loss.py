"""Information loss by levels, equation (4), and of numbers, in each partition (Fig. 11, 12, 17)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Changes, Coverage, Hierarchy, NotMeasurable
from qidguard_hybrid_dp.evaluation.originality import coverage_of, same_cells


@dataclass(frozen=True, kw_only=True)
class PartitionLoss:
    """What one part of a table lost.

    Args:
        partition: Its name.
        records: Its published records.
        distortion: DM of (4) over its categorical cells, Σ l/l′·w with w = 1.
        categorical: DM a cell, 0..1; None without categorical columns.
        changed: Share of numeric cells that are not as they were, 0..1 (the paper's IL); None without.
        distance: Mean |published − true| a numeric cell as a share of the column's span; an interval counts
            by its middle, a cell without a number as the whole span; None without.
    """

    partition: str
    records: int
    distortion: float
    categorical: float | None
    changed: float | None
    distance: float | None


def partition_loss(
    changes: Changes, qids: Sequence[str], partition: str, inside: NDArray[np.bool_] | None = None
) -> PartitionLoss:
    """Return what a part of a table lost: DM of equation (4) on categories, the paper's IL on numbers.

    l is the level of the cell in the column's hierarchy, l′ the number of levels above the exact one, so that
    a suppressed cell costs 1. A cell that is of no level, such as a wrong value, costs 1.

    Args:
        changes: The original beside what is published; its ``hierarchies`` name those of categories.
        qids: The quasi-identifiers. One without a hierarchy that holds numbers counts as numeric.
        partition: What the part is called.
        inside: Shape (records of the original,), which are in the part; None takes all.

    Returns:
        The losses.

    Units:
        DM in levels over levels, summed over cells; the others are shares 0..1.

    Raises:
        NotMeasurable: When nobody knows which record became which, or a category has no hierarchy.

    Example:
        Of six people two have their race at the top level of one:

        >>> from qidguard_hybrid_dp.evaluation.example import six_people
        >>> found = partition_loss(six_people(), ["age", "race"], "all")
        >>> found.distortion, found.categorical, round(found.changed, 3)
        (3.0, 0.5, 0.333)
    """
    kept = changes.kept
    if kept is None:
        raise NotMeasurable("a loss needs each published record beside its own original")
    part = np.ones(len(kept), dtype=np.bool_) if inside is None else inside
    rows = part[kept]
    levels: list[NDArray[np.float64]] = []
    changed: list[NDArray[np.bool_]] = []
    distance: list[NDArray[np.float64]] = []
    for name in qids:
        before, after = changes.before.column(name), changes.after.column(name)
        coverage = coverage_of(changes, name)
        if before.is_numeric:
            changed.append(~same_cells(before, after, kept)[rows])
            distance.append(_distances(changes, name, coverage)[rows])
            continue
        if name not in changes.hierarchies:
            raise NotMeasurable(f"the loss of {name!r} needs its hierarchy; declare one")
        cost = _level_shares(coverage, changes.hierarchies[name], after.texts)
        levels.append(cost[after.codes][rows])
    return PartitionLoss(
        partition=partition,
        records=int(rows.sum()),
        distortion=float(sum(one.sum() for one in levels)),
        categorical=_mean(levels),
        changed=_mean(changed),
        distance=_mean(distance),
    )


def _mean(cells: Sequence[NDArray[np.float64]] | Sequence[NDArray[np.bool_]]) -> float | None:
    return float(np.mean([one.mean() for one in cells])) if cells and len(cells[0]) else None


def _level_shares(
    coverage: Coverage, hierarchy: Hierarchy, texts: Sequence[str | None]
) -> NDArray[np.float64]:
    """Return l/l′ of each published code: the lowest level with a group of exactly the covered values."""
    top = hierarchy.levels - 1
    found = np.ones(len(texts))
    for code in range(len(texts)):
        members = coverage.covered(code)
        if not len(members) or members.max() >= hierarchy.groups.shape[1]:
            continue
        for level in range(top):
            groups = hierarchy.groups[level]
            group = groups[members[0]]
            if (groups[members] == group).all() and int((groups == group).sum()) == len(members):
                found[code] = level / top
                break
    return found


def _distances(changes: Changes, name: str, coverage: Coverage) -> NDArray[np.float64]:
    before, after = changes.before.column(name), changes.after.column(name)
    if before.numbers is None or changes.kept is None:  # for the type checker: it is numeric
        raise NotMeasurable(f"{name!r} holds no numbers")
    true = before.numbers[before.codes][changes.kept]
    span = float(np.nanmax(before.numbers) - np.nanmin(before.numbers)) or 1.0
    away = np.minimum(np.abs(coverage.centers[after.codes] - true) / span, 1.0)
    is_same = np.isnan(true) & (after.codes == 0)
    found: NDArray[np.float64] = np.where(is_same, 0.0, np.where(np.isnan(away), 1.0, away))
    return found
