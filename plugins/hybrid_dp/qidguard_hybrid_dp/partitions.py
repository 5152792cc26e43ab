"""The two partitions of a table, and the noise that is planned for each (Fig. 3, 6)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import AnonymizationTask, NoisedPart, Records
from qidguard_hybrid_dp.asked import RunRequest
from qidguard_hybrid_dp.noise.guarantee import noised_part
from qidguard_hybrid_dp.patterns.forest import Forest, labels_of
from qidguard_hybrid_dp.patterns.friendly import Examined, FriendlyRule, Pattern, declared, examine
from qidguard_hybrid_dp.patterns.memory import ForestMemory
from qidguard_hybrid_dp.patterns.partition import by_categories, by_membership
from qidguard_hybrid_dp.qids import Qids

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
        epsilon: What the policy asks for.
        part: What the mechanism guarantees: scale, reach and bounds.
    """

    column: str
    partition: str
    epsilon: Fraction
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

    def parts(self, asked: RunRequest) -> "tuple[tuple[str, Fraction, NDArray[np.bool_]], ...]":
        """Return name, ε and records of each partition that has a record."""
        both = (
            (VIOLATING, asked.epsilon_violating, self.violating),
            (OTHER, asked.epsilon_other, ~self.violating),
        )
        return tuple(part for part in both if part[2].any())


def partitions_of(
    records: Records,
    qids: Qids,
    asked: RunRequest,
    task: AnonymizationTask,
    memory: ForestMemory | None = None,
) -> Partitions:
    """Return the partitions of a table; no number of a noised QID decides anything here.

    Args:
        records: The table.
        qids: What becomes of each QID.
        asked: What is asked for.
        task: Names the sensitive attributes, and the seed.
        memory: What forests said before; None asks anew.

    Raises:
        NotMeasurable: When ``public_membership`` names values that no record has.
    """
    names = qids.categorical
    patterns = [
        Pattern(name=name, codes=codes) for name, codes in zip(names, records.codes(names).T, strict=True)
    ]
    examined = _examined(records, patterns, qids, asked, task, memory)
    friendly = tuple(one.name for one in examined if one.is_friendly)
    if asked.membership:
        violating = by_membership(records, asked.membership)
    elif friendly:
        codes = [pattern.codes for pattern in patterns if pattern.name in friendly]
        violating = by_categories(codes, asked.limits, is_major_other=asked.is_major_other)
    else:
        violating = np.ones(records.records, dtype=np.bool_)
    return Partitions(
        examined=examined, friendly=friendly, violating=violating, is_public=bool(asked.membership)
    )


def _examined(
    records: Records,
    patterns: Sequence[Pattern],
    qids: Qids,
    asked: RunRequest,
    task: AnonymizationTask,
    memory: ForestMemory | None,
) -> tuple[Examined, ...]:
    if asked.friendly is not None:
        return declared(patterns, asked.friendly, asked.limits)
    return examine(
        patterns,
        labels_of(records, task, qids.numeric),
        rule=FriendlyRule(),
        limits=asked.limits,
        forest=Forest(seed=task.seed),
        ask=memory,
    )


def planned(qids: Qids, partitions: Partitions, asked: RunRequest) -> tuple[PlannedNoise, ...]:
    """Return the noise of each numeric QID in each partition that has a record, and of estimating its range.

    Args:
        qids: The QIDs with their declared bounds.
        partitions: Which records violate.
        asked: ε of each partition, and the scale.

    Raises:
        NotMeasurable: When an ε asks for noise that cannot be drawn.
    """
    found = []
    for column in qids.noised:
        estimate = qids.estimates.get(column.name)
        if estimate is not None:
            found.append(
                PlannedNoise(column=column.name, partition="", epsilon=estimate.epsilon, part=estimate.part())
            )
        for name, epsilon, _ in partitions.parts(asked):
            part = (
                noised_part(column, epsilon=epsilon, scale=asked.scale, partition=name)
                if estimate is None
                else estimate.noised_part(epsilon=epsilon, partition=name)
            )
            found.append(PlannedNoise(column=column.name, partition=name, epsilon=epsilon, part=part))
    return tuple(found)
