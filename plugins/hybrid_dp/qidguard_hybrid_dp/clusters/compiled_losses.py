"""What it costs clusters that kinds join them, as machine code."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_hybrid_dp.clusters.categorical import WHOLE_LOSS
from qidguard_hybrid_dp.clusters.compiled import compiled
from qidguard_hybrid_dp.clusters.growth import NEVER, NULL_ALONE, NULL_BESIDE
from qidguard_hybrid_dp.clusters.kinds import KindValues

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def begin(values: KindValues, column: int, value: int, span: "NDArray[np.int64]") -> None:
    """Set what a kind spans in a column by itself."""
    if values.is_numeric[column]:
        span[0] = span[1] = values.numbers[value]
    else:
        span[0], span[1] = value, 0


@compiled
def widen(values: KindValues, column: int, value: int, span: "NDArray[np.int64]") -> None:
    """Widen what a cluster spans in a column by a value that joins."""
    if values.is_numeric[column]:
        number = values.numbers[value]
        if (number == NULL_ALONE) != (span[0] == NULL_ALONE):
            span[0] = span[1] = NULL_BESIDE
        elif span[0] >= 0:
            span[0], span[1] = min(span[0], number), max(span[1], number)
        return
    while values.groups[span[1], value] != values.groups[span[1], span[0]]:
        span[1] += 1


@compiled
def loss(values: KindValues, column: int, value: int, span: "NDArray[np.int64]") -> int:
    """Return what is lost in a column once a value has joined."""
    if values.is_numeric[column]:
        number = values.numbers[value]
        if span[0] == NULL_BESIDE or (number == NULL_ALONE) != (span[0] == NULL_ALONE):
            return WHOLE_LOSS
        width: int = max(span[1], number) - min(span[0], number)
        return width
    level = span[1]
    while values.groups[level, value] != values.groups[level, span[0]]:
        level += 1
    lost: int = values.losses[level, value]
    return lost


@compiled
def losses_with(
    values: KindValues, spans: "NDArray[np.int64]", kind: int, total: "NDArray[np.int64]"
) -> None:
    """Add what a record of each cluster loses once a kind has joined it."""
    groups = values.groups
    meets = np.empty(len(values.numbers), dtype=np.int64)
    for column in range(len(values.starts) - 1):
        value = values.codes[column, kind]
        if values.is_numeric[column]:
            for cluster in range(len(spans)):
                total[cluster] += loss(values, column, value, spans[cluster, column])
            continue
        for other in range(values.starts[column], values.starts[column + 1]):
            level = 0
            while groups[level, value] != groups[level, other]:
                level += 1
            meets[other] = level
        losses = values.losses[:, value].copy()
        for cluster in range(len(spans)):
            total[cluster] += losses[max(meets[spans[cluster, column, 0]], spans[cluster, column, 1])]


@compiled
def lower(
    values: KindValues,
    clusters: "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]",
    kinds: "NDArray[np.int64]",
    records: "NDArray[np.int64]",
    homes: "NDArray[np.int64]",
    lowest: "NDArray[np.int64]",
) -> None:
    """Lower to the least that all records lose more if a kind joins another cluster than its home."""
    spans, held, lost = clusters
    total = np.empty(len(spans), dtype=np.int64)
    for at in range(len(kinds)):
        total[:] = 0
        losses_with(values, spans, kinds[at], total)
        for cluster in range(len(spans)):
            if held[cluster] and cluster != homes[at]:
                rise = (held[cluster] + records[at]) * total[cluster] - lost[cluster]
                lowest[at] = min(lowest[at], rise)


@compiled
def homes(
    values: KindValues,
    clusters: "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]",
    kinds: "NDArray[np.int64]",
    records: "NDArray[np.int64]",
    most: int,
    to: "NDArray[np.int64]",
) -> int:
    """Let kinds join, each where least is lost by it; return how much more is lost, ``most`` at most."""
    spans, held, lost = clusters
    total, risen = np.empty(len(spans), dtype=np.int64), 0
    for at in range(len(kinds)):
        total[:] = 0
        losses_with(values, spans, kinds[at], total)
        best, least = -1, NEVER
        for cluster in range(len(spans)):
            if held[cluster]:
                rise = (held[cluster] + records[at]) * total[cluster] - lost[cluster]
                if rise < least:
                    best, least = cluster, rise
        if best < 0 or risen + least >= most:
            return most
        risen += least
        to[at] = best
        held[best] += records[at]
        lost[best] += least
        for column in range(len(values.starts) - 1):
            widen(values, column, values.codes[column, kinds[at]], spans[best, column])
    return risen
