"""Noise on every numeric QID, partition by partition (Algorithm 1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import AnonymizationTask, ColumnValues, Original, Recoded, Records, published_number
from qidguard_hybrid_dp.asked import RunRequest
from qidguard_hybrid_dp.noise.laplace import NoiseSource, source_of
from qidguard_hybrid_dp.noise.noised import noised
from qidguard_hybrid_dp.partitions import Partitions
from qidguard_hybrid_dp.qids import Qids, numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import PublishedValue

_TITLE = "noise"


@dataclass(frozen=True, kw_only=True)
class NoisedNumbers:
    """Every numeric QID with noise.

    Args:
        numbers: QID → shape (records,), NaN where there is no number.
        clamped: QID → values that were moved to the bounds before noise.
    """

    numbers: "Mapping[str, NDArray[np.float64]]" = field(repr=False)
    clamped: Mapping[str, int]


def noised_numbers(
    records: Records,
    qids: Qids,
    partitions: Partitions,
    asked: RunRequest,
    task: AnonymizationTask,
    source: NoiseSource | None,
) -> NoisedNumbers:
    """Return every numeric QID with noise of its own in each partition.

    Args:
        records: The table.
        qids: Its QIDs.
        partitions: Which records violate.
        asked: ε of each partition, and the scale.
        task: Decides by ``is_rehearsal`` where noise comes from.
        source: Draws all noise in its place.
    """
    found: dict[str, NDArray[np.float64]] = {}
    clamped: dict[str, int] = {}
    parts = partitions.parts(asked)
    total = len(qids.noised) * records.records
    done = 0
    task.progress.step(_TITLE, 0, total)
    for column in qids.noised:
        own = records.column(column.name)
        numbers = np.full(records.records, np.nan)
        for name, epsilon, members in parts:

            def tell(drawn: int, _: int, before: int = done) -> None:
                task.progress.step(_TITLE, before + drawn, total)

            part = noised(
                numbers_of(own)[members],
                column,
                epsilon=epsilon,
                scale=asked.scale,
                source=source or source_of(task, column.name, name),
                tell=tell,
            )
            numbers[members] = part.numbers
            clamped[column.name] = clamped.get(column.name, 0) + part.clamped
            done += int(members.sum())
        found[column.name] = numbers
    task.progress.step(_TITLE, total, total)
    return NoisedNumbers(numbers=found, clamped=clamped)


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
