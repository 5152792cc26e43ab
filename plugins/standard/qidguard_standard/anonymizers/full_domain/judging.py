"""One node of the lattice: which classes must be suppressed, and whether all that is required holds then."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import GroupedRecords, NotMeasurable, PolicyLimit
from qidguard_standard.anonymizers.full_domain.classes import SortedClasses, numbered
from qidguard_standard.anonymizers.full_domain.criterion import Criterion, SmallestClass
from qidguard_standard.anonymizers.full_domain.domain import STARRED, Domain
from qidguard_standard.anonymizers.full_domain.requirement import Requirements, subsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Levels = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class NodeJudgment:
    """What became of a node.

    Args:
        kept: For each class over all QIDs whether it is published at its level.
        removed: For each class how many of its records every finer level suppresses at least.
        is_met: Whether all that is required holds, with no more suppressed than allowed.
        is_hopeless: Whether it is proven that no finer level holds either.
    """

    kept: "NDArray[np.bool_]"
    removed: "NDArray[np.float64]"
    is_met: bool
    is_hopeless: bool


class Judge:
    """Suppresses what has to be, class by class.

    First go the classes that break a criterion, until none does; a criterion that compares with the table is
    taken anew over what is left. While a limit on the whole table does not hold, the smallest classes go, all
    of one size together. Suppressed cells make a class of their own, which has to keep everything too: while
    it does not, the class of fewest records joins it.

    Args:
        domains: The QIDs.
        requirements: What has to hold.
        most: Records that may be suppressed.
        is_by_cells: Whether suppressed records are published with the mark in each QID, or left out.
        numbers: Sensitive attribute → its values as numbers by code, where it has them.
    """

    def __init__(
        self,
        domains: Sequence[Domain],
        requirements: Requirements,
        *,
        most: int,
        is_by_cells: bool,
        numbers: "dict[str, NDArray[np.float64] | None]",
    ) -> None:
        self._domains = tuple(domains)
        self._most = most
        self._is_by_cells = is_by_cells
        self._numbers = numbers
        place = {domain.column.name: at for at, domain in enumerate(domains)}

        def at(qids: tuple[str, ...]) -> tuple[int, ...]:
            return tuple(sorted(place[name] for name in qids))

        self._all = [(at(qids), of) for qids, of in requirements.criteria.items()]
        of_all = next((of for qids, of in self._all if len(qids) == len(self._domains)), ())
        self._fewest = max((one.k for one in of_all if isinstance(one, SmallestClass)), default=0)
        inherited = [(qids, tuple(c for c in of if c.is_inherited)) for qids, of in self._all]
        self._inherited = [(qids, of) for qids, of in inherited if of]
        self._exact = [(at(qids), target) for target in requirements.exact for qids in subsets_of(target)]

    def judge(self, levels: Levels, classes: SortedClasses) -> NodeJudgment:
        """Return what becomes of a node, given its classes over all QIDs."""
        everything = np.ones(classes.count, dtype=np.bool_)
        if classes.has_entities and not self._is_by_cells:
            # no more persons than records: these go whoever they are
            few = np.where(classes.records < self._fewest, classes.records, 0.0)
            if few.sum() > self._most:
                return NodeJudgment(kept=few == 0, removed=few, is_met=False, is_hopeless=True)
        inherited, is_held = self._settled(levels, classes, everything, self._inherited)
        removed = np.where(inherited, 0.0, classes.records)
        if not is_held:
            return NodeJudgment(kept=inherited, removed=removed, is_met=False, is_hopeless=True)
        kept, is_hopeless = inherited, False
        if self._all != self._inherited:
            removed, is_hopeless = self._removed(levels, classes, removed)
            kept, is_held = self._settled(levels, classes, inherited, self._all)
        while is_held and not is_hopeless:
            unmet = self._unmet(levels, classes, kept)
            if unmet is None:
                return NodeJudgment(kept=kept, removed=removed, is_met=True, is_hopeless=False)
            qids, target = unmet
            is_hopeless = self._most == 0 and target is not None and target.metric.is_monotone
            fewer = self._without_smallest(levels, classes, kept, qids, is_by_records=target is None)
            if fewer is None:
                break
            kept, is_held = self._settled(levels, classes, fewer, self._all)
        return NodeJudgment(kept=kept, removed=removed, is_met=False, is_hopeless=is_hopeless)

    def _removed(
        self, levels: Levels, classes: SortedClasses, removed: "NDArray[np.float64]"
    ) -> "tuple[NDArray[np.float64], bool]":
        """Return what every finer level suppresses at least, and whether it is more than allowed."""
        everything = np.ones(classes.count, dtype=np.bool_)
        lost_share = 0.0 if self._is_by_cells else self._most / max(1, int(classes.records.sum()))
        for qids, criteria in self._all:
            group, merged, starred = self._combined(levels, classes, everything, qids)
            for criterion in criteria:
                found = criterion.removed(merged, lost_share)
                if starred is not None:
                    # the class of the mark may be mended by more marks
                    found[starred] = 0.0
                if found.sum() > self._most:
                    return removed, True
                if merged.count == classes.count and len(qids) == len(self._domains):
                    removed = np.maximum(removed, found.take(group))
        return removed, bool(removed.sum() > self._most)

    def suppressed(self, classes: SortedClasses, kept: "NDArray[np.bool_]") -> int:
        """Return how many records are suppressed."""
        return int(classes.records[~kept].sum())

    def _settled(
        self,
        levels: Levels,
        classes: SortedClasses,
        kept: "NDArray[np.bool_]",
        rules: Sequence[tuple[tuple[int, ...], tuple[Criterion, ...]]],
    ) -> "tuple[NDArray[np.bool_], bool]":
        """Return what is left when no class breaks its criteria, and whether it is enough."""
        is_final = len(rules) == 1 and not any(c.is_relative for _, of in rules for c in of)
        while self.suppressed(classes, kept) <= self._most:
            out = np.zeros(classes.count, dtype=np.bool_)
            for qids, criteria in rules:
                group, merged, starred = self._combined(levels, classes, kept, qids)
                bad = np.zeros(merged.count + 1, dtype=np.bool_)
                for criterion in criteria:
                    bad[:-1] |= criterion.breaking(merged)
                if starred is not None:
                    bad[starred] = False
                out |= kept & bad[group]
            if not out.any():
                return kept, True
            kept = kept & ~out
            if is_final:
                break
        return kept, self.suppressed(classes, kept) <= self._most

    def _unmet(
        self, levels: Levels, classes: SortedClasses, kept: "NDArray[np.bool_]"
    ) -> tuple[tuple[int, ...], PolicyLimit | None] | None:
        """Return the first that does not hold yet: what the class of the mark keeps (None), or a limit."""
        if not kept.any() and not self._is_by_cells:
            return ((), None)
        if self._is_by_cells:
            for qids, criteria in self._all:
                _, merged, starred = self._combined(levels, classes, kept, qids)
                if starred is not None and any(c.breaking(merged)[starred] for c in criteria):
                    return (tuple(range(len(self._domains))), None)
        for qids, target in self._exact:
            _, merged, starred = self._combined(levels, classes, kept, qids)
            if starred is not None and merged.count > 1:  # they stand in no class
                merged = merged.among(np.arange(merged.count) != starred)
            try:
                value = measured(merged, target, self._numbers)
            except NotMeasurable:
                return (qids, target)
            if not target.limit.is_met_by(value):
                return (qids, target)
        return None

    def _without_smallest(
        self,
        levels: Levels,
        classes: SortedClasses,
        kept: "NDArray[np.bool_]",
        qids: tuple[int, ...],
        *,
        is_by_records: bool,
    ) -> "NDArray[np.bool_] | None":
        """Return what is kept when the smallest go too; None where nothing is left or too much goes."""
        if not qids:
            return None
        group, merged, starred = self._combined(levels, classes, kept, qids)
        size = (merged.records if is_by_records else merged.size).astype(np.float64)
        if starred is not None:
            size[starred] = np.inf
        present = np.zeros(merged.count, dtype=np.bool_)
        present[group[kept]] = True
        size[~present] = np.inf
        if not len(size) or not np.isfinite(size).any():
            return None
        smallest = np.zeros(merged.count + 1, dtype=np.bool_)
        if is_by_records:
            smallest[int(np.argmin(size))] = True
        else:
            smallest[:-1] = size == size.min()
        fewer = kept & ~smallest[group]
        return fewer if self.suppressed(classes, fewer) <= self._most else None

    def _combined(
        self, levels: Levels, classes: SortedClasses, kept: "NDArray[np.bool_]", qids: tuple[int, ...]
    ) -> "tuple[NDArray[np.int64], SortedClasses, int | None]":
        """Return the published classes over some QIDs, the class of each (−1: left out), and the mark's."""
        is_whole = bool(kept.all())
        if is_whole and not self._is_by_cells and len(qids) == len(self._domains):
            return np.arange(classes.count), classes, None
        if not self._is_by_cells and len(qids) == len(self._domains):
            return np.where(kept, np.cumsum(kept) - 1, -1), classes.among(kept), None
        rows = np.arange(classes.count) if self._is_by_cells else np.flatnonzero(kept)
        columns = []
        is_starred = np.ones(len(rows), dtype=np.bool_)
        for at in qids:
            domain, level = self._domains[at], levels[at]
            groups = domain.groups[level].take(classes.codes[at].take(rows))
            if self._is_by_cells and not is_whole:
                groups = np.where(kept, groups, STARRED)
            is_starred &= groups == STARRED
            columns.append((groups, len(domain.labels[level])))
        of, count = numbered(columns, len(rows))
        group = np.full(classes.count, -1, dtype=np.int64)
        group[rows] = of
        starred = None
        if self._is_by_cells and is_starred.any():
            starred = int(of[np.argmax(is_starred)])
        return group, classes.merged(group, count), starred


def measured(
    classes: SortedClasses, target: PolicyLimit, numbers: "dict[str, NDArray[np.float64] | None]"
) -> int | float:
    """Return the exact figure of a metric over some classes."""
    name = target.sensitive
    persons = classes.attributes[name] if name is not None else classes.persons
    if persons is None:
        return GroupedRecords(np.arange(classes.count), weights=classes.records).figure(
            target.metric, target.arguments
        )
    return GroupedRecords(
        persons.owner,
        weights=persons.times if persons.entity is None else None,
        attribute=None if name is None else persons.value,
        attribute_numbers=None if name is None else numbers.get(name),
        entity=persons.entity,
    ).figure(target.metric, target.arguments)
