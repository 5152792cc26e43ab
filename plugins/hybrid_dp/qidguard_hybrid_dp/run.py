"""One run of the scheme on a table, and all that is decided of it before anything is drawn (Fig. 3, 6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import AnonymizationTask, DeclarationError, NoisedPart, Records
from qidguard_hybrid_dp.asked import RunRequest
from qidguard_hybrid_dp.noise.guarantee import noised_part
from qidguard_hybrid_dp.patterns.categories import CATEGORIES, Category, CategoryLimits, ranks_of
from qidguard_hybrid_dp.patterns.forest import Forest, ForestMemory, labels_of
from qidguard_hybrid_dp.patterns.friendly import Examined, Pattern, declared, examine
from qidguard_hybrid_dp.qids import Qids, qids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

VIOLATING = "violating"
OTHER = "other"
"""The names of the two partitions, in guarantees, notes and tables."""


@dataclass(frozen=True, kw_only=True)
class PlannedNoise:
    """The noise of one numeric QID in one partition.

    Args:
        column: The QID.
        partition: ``violating`` or ``other``; empty for the estimate of a range, which costs every record.
        part: What the mechanism guarantees: scale, reach and bounds.
    """

    column: str
    partition: str
    part: NoisedPart


@dataclass(frozen=True, kw_only=True)
class Partitions:
    """Which records violate, and why.

    Args:
        examined: Each categorical QID.
        friendly: The pattern-friendly ones; where there is none all records violate, since nothing tells
            which of them are safe.
        violating: Shape (records,), whether a record violates.
        is_public: Whether that rests on values that the policy declares.
    """

    examined: tuple[Examined, ...]
    friendly: tuple[str, ...]
    violating: "NDArray[np.bool_]" = field(repr=False)
    is_public: bool


@dataclass(frozen=True, kw_only=True)
class HybridRun:
    """A table and what is asked of it; what follows from both is found when it is first wanted.

    Args:
        records: The table.
        asked: What is asked for.
        task: Names the QIDs, the sensitive attributes and the entity, and seeds the forest.
        memory: What forests said before; None asks anew.
    """

    records: Records = field(repr=False)
    asked: RunRequest
    task: AnonymizationTask
    memory: ForestMemory | None = field(default=None, repr=False)

    @cached_property
    def qids(self) -> Qids:
        """What becomes of each QID; numeric ones have their declared bounds."""
        return qids_of(self.records, self.asked, self.task)

    @cached_property
    def persons(self) -> "NDArray[np.int64] | None":
        """Shape (records,), a number for the person of each record; None where each record is one."""
        entity = self.task.entity
        return None if entity is None else self.records.codes((entity,))[:, 0].astype(np.int64)

    @cached_property
    def sensitive(self) -> "dict[str, NDArray[np.int32]]":
        """Sensitive attribute → the codes of its values."""
        return {name: self.records.column(name).codes for name in self.task.sensitive}

    @cached_property
    def partitions(self) -> Partitions:
        """Which records violate; no number of a noised QID decides anything here."""
        asked, names = self.asked, self.qids.categorical
        codes = dict(zip(names, self.records.codes(names).T, strict=True))
        examined = self._examined([Pattern(name=name, codes=codes[name]) for name in names])
        friendly = tuple(one.name for one in examined if one.is_friendly)
        if asked.membership:
            violating = by_membership(self.records, asked.membership)
        elif friendly:
            own = [codes[name] for name in friendly]
            violating = by_categories(own, asked.limits, is_major_other=asked.is_major_other)
        else:
            violating = np.ones(self.records.records, dtype=np.bool_)
        return Partitions(
            examined=examined, friendly=friendly, violating=violating, is_public=bool(asked.membership)
        )

    def _examined(self, patterns: Sequence[Pattern]) -> tuple[Examined, ...]:
        if self.asked.friendly is not None:
            return declared(patterns, self.asked.friendly, self.asked.limits)
        return examine(
            patterns,
            labels_of(self.records, self.task, self.qids.numeric),
            limits=self.asked.limits,
            forest=Forest(seed=self.task.seed),
            ask=self.memory,
        )

    @cached_property
    def parts(self) -> "tuple[tuple[str, Fraction, NDArray[np.bool_]], ...]":
        """Name, ε and records of each partition that has a record."""
        violating = self.partitions.violating
        both = (
            (VIOLATING, self.asked.epsilon_violating, violating),
            (OTHER, self.asked.epsilon_other, ~violating),
        )
        return tuple(part for part in both if part[2].any())

    @cached_property
    def plan(self) -> tuple[PlannedNoise, ...]:
        """The noise of each numeric QID in each partition, and of estimating its range.

        DeclarationError where an ε asks for noise that cannot be drawn.
        """
        found = []
        for column in self.qids.noised:
            estimate = self.qids.estimates.get(column.name)
            if estimate is not None:
                found.append(PlannedNoise(column=column.name, partition="", part=estimate.part()))
            for name, epsilon, _ in self.parts:
                part = (
                    noised_part(column, epsilon=epsilon, scale=self.asked.scale, partition=name)
                    if estimate is None
                    else estimate.noised_part(epsilon=epsilon, partition=name)
                )
                found.append(PlannedNoise(column=column.name, partition=name, part=part))
        return tuple(found)


def by_categories(
    codes: "Sequence[NDArray[np.int32]]", limits: CategoryLimits, *, is_major_other: bool = False
) -> "NDArray[np.bool_]":
    """Return for each record whether it violates: whether one of its values is not super major.

    Args:
        codes: The pattern-friendly QIDs, at least one.
        limits: The limits of categories.
        is_major_other: Whether a major value does not violate either.

    Example:
        >>> race = np.array([1, 1, 1, 1, 2], dtype=np.int32)
        >>> by_categories([race], CategoryLimits()).tolist()
        [False, False, False, False, True]
    """
    last = CATEGORIES.index(Category.MAJOR if is_major_other else Category.SUPER_MAJOR)
    violating = np.zeros(len(codes[0]), dtype=np.bool_)
    for column in codes:
        violating |= ranks_of(np.bincount(column), limits)[column] > last
    return violating


def by_membership(records: Records, membership: Mapping[str, Sequence[str]]) -> "NDArray[np.bool_]":
    """Return for each record whether it violates: whether a value of it is not declared.

    Values that the policy normalizes to one are one here, too.

    Raises:
        DeclarationError: When no record has a declared value, which is a misspelling more often than not.
    """
    violating = np.zeros(records.records, dtype=np.bool_)
    for name, values in membership.items():
        column = records.column(name)
        own = np.isin(np.array([text or "" for text in column.texts]), list(values))
        own[0] = False
        codes = records.codes((name,))[:, 0]
        same = np.unique(codes[own[column.codes]])
        if not len(same):
            raise DeclarationError(
                f"public_membership of {name!r} names values that no record has; write them as the table"
                " does, with | between several"
            )
        violating |= ~np.isin(codes, same)
    return violating
