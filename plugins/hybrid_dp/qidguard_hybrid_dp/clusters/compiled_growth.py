"""The growth of a cluster as machine code: what ``growth`` does in NumPy, step for step."""

from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from qidguard_hybrid_dp.clusters.growth import (
    BATCH,
    NEVER,
    NULL_ALONE,
    NULL_BESIDE,
    HeldClusters,
    PlainGrowth,
)
from qidguard_hybrid_dp.clusters.kinds import WHOLE_LOSS, CombinationKinds, KindPeople, KindValues, Lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Marks = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
    """Who and what was met, by the number of the cluster that met it; and the values that it lacks."""

Plain = TypeVar("Plain", bound=Callable[..., Any])

_COMPILED: list[bool] = []
"""Not empty once all is compiled."""


def compiled(function: Plain) -> Plain:
    """Compile for any thread to run freely; the machine code is kept for the next process where it can be."""
    from numba import njit

    try:
        return cast("Plain", njit(cache=True, nogil=True)(function))
    except RuntimeError:  # no folder can be written to
        return cast("Plain", njit(nogil=True)(function))


class CompiledGrowth(PlainGrowth):
    """Growth as machine code.

    Args:
        kinds: The kinds.
        k: Persons a cluster needs.
        l: Distinct values a cluster needs of each sensitive attribute.
    """

    def __init__(self, kinds: CombinationKinds, k: int, l: int) -> None:  # noqa: E741 - the field's name
        super().__init__(kinds, k, l)
        # who and what was met, by the number of the cluster that met it
        self._met = np.full(int(kinds.people.who.items.max(initial=-1)) + 1, -1, dtype=np.int64)
        self._seen = np.full(len(kinds.people.attribute), -1, dtype=np.int64)
        self._clusters = 0

    def farthest(self, free: "NDArray[np.int64]", last: int) -> int:
        """Return the place of the farthest kind."""
        return int(_farthest(self._kinds.values, free, last).argmax())

    def grown(self, free: "NDArray[np.int64]", first: int) -> "tuple[NDArray[np.int64], bool]":
        """Return the places of a cluster's kinds, and whether they are enough."""
        kinds, members = self._kinds, np.empty(len(free), dtype=np.int64)
        lacks = np.full(kinds.attributes, self._l, dtype=np.int64)
        marks = self._met, self._seen, lacks
        asked = self._clusters, self._k
        count, is_enough = _grown(kinds.values, kinds.people, marks, asked, free, first, members)
        self._clusters += 1
        return members[:count].copy(), bool(is_enough)

    def losses_with(self, spans: "NDArray[np.int64]", kind: int) -> "NDArray[np.int64]":
        """Return what a record of each cluster loses once a kind has joined it."""
        total = np.zeros(len(spans), dtype=np.int64)
        _losses_with(self._kinds.values, spans, kind, total)
        return total

    def lowest_rises(
        self,
        clusters: HeldClusters,
        kinds: "NDArray[np.int64]",
        homes: "NDArray[np.int64]",
        told: Callable[[int], None],
    ) -> "NDArray[np.int64]":
        """Return the lowest rise of each kind."""
        lowest, values = np.full(len(kinds), NEVER), self._kinds.values
        for first in range(0, len(kinds), BATCH):
            told(first)
            part = slice(first, first + BATCH)
            records = self._kinds.people.records[kinds[part]]
            _lower(values, clusters, kinds[part], records, homes[part], lowest[part])
        return lowest

    def homes(
        self, clusters: HeldClusters, kinds: "NDArray[np.int64]", most: int
    ) -> "tuple[NDArray[np.int64], int]":
        """Return where each kind joins, and how much more is lost by all of them."""
        records, to = self._kinds.people.records[kinds], np.full(len(kinds), -1, dtype=np.int64)
        risen = _homes(self._kinds.values, clusters, kinds, records, most, to)
        return to, int(risen)


def compile_all(told: Callable[[], None]) -> None:
    """Compile in a thread of its own, once a process, while ``told`` is called each half second."""
    if _COMPILED:
        return
    thread = Thread(target=_rehearse, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.5)
        told()


def _rehearse() -> None:
    """Run everything once on two combinations; machine code is made for types, not for tables."""
    nobody = np.zeros(0, dtype=np.int64)
    none = Lists(starts=np.zeros(3, dtype=np.int64), items=nobody)
    kinds = CombinationKinds(
        values=KindValues(
            codes=np.array([[0, 1], [2, 3]], dtype=np.int32),
            starts=np.array([0, 2, 4]),
            groups=np.array([[0, 1, 0, 1], [0, 0, 0, 0]], dtype=np.int32),
            losses=np.array([[0, 0, 0, 0], [WHOLE_LOSS] * 4]),
            numbers=np.zeros(4, dtype=np.int64),
            is_numeric=np.zeros(2, dtype=np.bool_),
        ),
        people=KindPeople(
            records=np.ones(2, dtype=np.int64),
            persons=np.ones(2, dtype=np.int64),
            who=none,
            sensitive=none,
            attribute=nobody,
        ),
    )
    growth, free = CompiledGrowth(kinds, 2, 1), np.arange(2)
    growth.grown(free, growth.farthest(free, 0))
    spans = np.zeros((1, 2, 2), dtype=np.int64)
    one = np.ones(1, dtype=np.int64)
    growth.lowest_rises(HeldClusters(spans, one, one), free, np.zeros(2, dtype=np.int64), lambda _: None)
    growth.losses_with(spans, 0)
    growth.homes(HeldClusters(spans, one, one.copy()), free, 1)
    _COMPILED.append(True)


@compiled
def _begin(values: KindValues, column: int, value: int, span: "NDArray[np.int64]") -> None:
    """Set what a kind spans in a column by itself."""
    if values.is_numeric[column]:
        span[0] = span[1] = values.numbers[value]
    else:
        span[0], span[1] = value, 0


@compiled
def _widen(values: KindValues, column: int, value: int, span: "NDArray[np.int64]") -> None:
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
def _loss(values: KindValues, column: int, value: int, span: "NDArray[np.int64]") -> int:
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
def _losses_with(
    values: KindValues, spans: "NDArray[np.int64]", kind: int, total: "NDArray[np.int64]"
) -> None:
    """Add what a record of each cluster loses once a kind has joined it."""
    groups = values.groups
    meets = np.empty(len(values.numbers), dtype=np.int64)
    for column in range(len(values.starts) - 1):
        value = values.codes[column, kind]
        if values.is_numeric[column]:
            for cluster in range(len(spans)):
                total[cluster] += _loss(values, column, value, spans[cluster, column])
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
def _lower(
    values: KindValues,
    clusters: HeldClusters,
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
        _losses_with(values, spans, kinds[at], total)
        for cluster in range(len(spans)):
            if held[cluster] and cluster != homes[at]:
                rise = (held[cluster] + records[at]) * total[cluster] - lost[cluster]
                lowest[at] = min(lowest[at], rise)


@compiled
def _homes(
    values: KindValues,
    clusters: HeldClusters,
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
        _losses_with(values, spans, kinds[at], total)
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
            _widen(values, column, values.codes[column, kinds[at]], spans[best, column])
    return risen


@compiled
def _farthest(values: KindValues, free: "NDArray[np.int64]", last: int) -> "NDArray[np.int64]":
    by_value = np.empty(len(values.numbers), dtype=np.int64)
    span = np.empty(2, dtype=np.int64)
    total = np.zeros(len(free), dtype=np.int64)
    for column in range(len(values.starts) - 1):
        _begin(values, column, values.codes[column, last], span)
        for value in range(values.starts[column], values.starts[column + 1]):
            by_value[value] = _loss(values, column, value, span)
        row = values.codes[column]
        for place in range(len(free)):
            total[place] += by_value[row[free[place]]]
    return total


@compiled
def _meet(
    people: KindPeople,
    marks: "Marks",
    mark: int,
    kind: int,
) -> int:
    """Let a kind join, and return how many persons are new."""
    met, seen, lacks = marks
    gained = 0
    if len(met):
        for at in range(people.who.starts[kind], people.who.starts[kind + 1]):
            if met[people.who.items[at]] != mark:
                met[people.who.items[at]] = mark
                gained += 1
    else:
        gained = people.records[kind]
    for at in range(people.sensitive.starts[kind], people.sensitive.starts[kind + 1]):
        item = people.sensitive.items[at]
        if seen[item] != mark:
            seen[item] = mark
            lacks[people.attribute[item]] -= 1
    return gained


@compiled
def _brings(
    people: KindPeople,
    marks: "Marks",
    mark: int,
    kind: int,
) -> bool:
    """Whether a kind has a sensitive value that is lacking."""
    seen, lacks = marks[1], marks[2]
    for at in range(people.sensitive.starts[kind], people.sensitive.starts[kind + 1]):
        item = people.sensitive.items[at]
        if seen[item] != mark and lacks[people.attribute[item]] > 0:
            return True
    return False


@compiled
def _spread(
    values: KindValues,
    spans: "NDArray[np.int64]",
    kind: int,
    is_first: bool,  # noqa: FBT001 - machine code takes no keywords
    by_value: "NDArray[np.int64]",
    codes: "NDArray[np.int32]",
    total: "NDArray[np.int64]",
) -> None:
    """Widen what a cluster spans, and add to each free kind what its joining costs more by that."""
    change = np.empty(len(by_value), dtype=np.int64)
    for column in range(len(values.starts) - 1):
        start, stop = values.starts[column], values.starts[column + 1]
        span = spans[column]
        if is_first:
            _begin(values, column, values.codes[column, kind], span)
        else:
            low, high = span[0], span[1]
            _widen(values, column, values.codes[column, kind], span)
            if low == span[0] and high == span[1]:
                continue
        for value in range(start, stop):
            one = _loss(values, column, value, span)
            change[value] = one - by_value[value]
            by_value[value] = one
        row = codes[column]
        for place in range(len(total)):
            total[place] += change[row[place]]


@compiled
def _grown(
    values: KindValues,
    people: KindPeople,
    marks: "Marks",
    asked: tuple[int, int],
    free: "NDArray[np.int64]",
    first: int,
    members: "NDArray[np.int64]",
) -> tuple[int, bool]:
    mark, k = asked
    count, columns = len(free), len(values.starts) - 1
    codes = np.empty((columns, count), dtype=np.int32)
    for column in range(columns):
        for at in range(count):
            codes[column, at] = values.codes[column, free[at]]
    records = people.records[free]
    by_value = np.zeros(len(values.numbers), dtype=np.int64)
    spans = np.empty((columns, 2), dtype=np.int64)
    total = np.zeros(count, dtype=np.int64)
    is_taken = np.zeros(count, dtype=np.bool_)
    joined, persons, weight, place = 0, 0, 0, first
    while True:
        kind = free[place]
        members[joined] = place
        joined += 1
        is_taken[place] = True
        weight += people.records[kind]
        persons += _meet(people, marks, mark, kind)
        is_lacking = False
        for one in marks[2]:
            is_lacking = is_lacking or one > 0
        if persons >= k and not is_lacking:
            return joined, True
        if joined == count:
            return joined, False
        _spread(values, spans, kind, joined == 1, by_value, codes, total)
        best, place = NEVER, -1
        for at in range(count):
            cost = max(weight + records[at], k) * total[at]
            if cost < best and not is_taken[at] and (persons < k or _brings(people, marks, mark, free[at])):
                best, place = cost, at
        if place < 0:
            return joined, False
