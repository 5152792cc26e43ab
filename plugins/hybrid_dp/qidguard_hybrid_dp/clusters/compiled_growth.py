"""The growth of a cluster as machine code: what ``growth`` does in NumPy, step for step."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from qidguard_hybrid_dp.clusters.compiled import compiled
from qidguard_hybrid_dp.clusters.compiled_losses import begin, homes, loss, losses_with, lower, widen
from qidguard_hybrid_dp.clusters.growth import BATCH, NEVER
from qidguard_hybrid_dp.clusters.kinds import CombinationKinds, KindPeople, KindValues

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CompiledGrowth:
    """Growth as machine code.

    Args:
        kinds: The kinds.
        k: Persons a cluster needs.
        l: Distinct values a cluster needs of each sensitive attribute.
    """

    def __init__(self, kinds: CombinationKinds, k: int, l: int) -> None:  # noqa: E741 - the field's name
        self._kinds, self._k, self._l = kinds, k, l
        # who and what was met, by the number of the cluster that met it
        self._met = np.full(int(kinds.people.who.max(initial=-1)) + 1, -1, dtype=np.int64)
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
        losses_with(self._kinds.values, spans, kind, total)
        return total

    def lowest_rises(
        self,
        clusters: "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]",
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
            lower(values, clusters, kinds[part], records, homes[part], lowest[part])
        return lowest

    def homes(
        self,
        clusters: "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]",
        kinds: "NDArray[np.int64]",
        most: int,
    ) -> "tuple[NDArray[np.int64], int]":
        """Return where each kind joins, and how much more is lost by all of them."""
        records, to = self._kinds.people.records[kinds], np.full(len(kinds), -1, dtype=np.int64)
        risen = homes(self._kinds.values, clusters, kinds, records, most, to)
        return to, int(risen)


@compiled
def _farthest(values: KindValues, free: "NDArray[np.int64]", last: int) -> "NDArray[np.int64]":
    by_value = np.empty(len(values.numbers), dtype=np.int64)
    span = np.empty(2, dtype=np.int64)
    total = np.zeros(len(free), dtype=np.int64)
    for column in range(len(values.starts) - 1):
        begin(values, column, values.codes[column, last], span)
        for value in range(values.starts[column], values.starts[column + 1]):
            by_value[value] = loss(values, column, value, span)
        row = values.codes[column]
        for place in range(len(free)):
            total[place] += by_value[row[free[place]]]
    return total


@compiled
def _meet(
    people: KindPeople,
    marks: "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]",
    mark: int,
    kind: int,
) -> int:
    """Let a kind join, and return how many persons are new."""
    met, seen, lacks = marks
    gained = 0
    if len(met):
        for at in range(people.who_starts[kind], people.who_starts[kind + 1]):
            if met[people.who[at]] != mark:
                met[people.who[at]] = mark
                gained += 1
    else:
        gained = people.records[kind]
    for at in range(people.sensitive_starts[kind], people.sensitive_starts[kind + 1]):
        item = people.sensitive[at]
        if seen[item] != mark:
            seen[item] = mark
            lacks[people.attribute[item]] -= 1
    return gained


@compiled
def _brings(
    people: KindPeople,
    marks: "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]",
    mark: int,
    kind: int,
) -> bool:
    """Whether a kind has a sensitive value that is lacking."""
    seen, lacks = marks[1], marks[2]
    for at in range(people.sensitive_starts[kind], people.sensitive_starts[kind + 1]):
        item = people.sensitive[at]
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
            begin(values, column, values.codes[column, kind], span)
        else:
            low, high = span[0], span[1]
            widen(values, column, values.codes[column, kind], span)
            if low == span[0] and high == span[1]:
                continue
        for value in range(start, stop):
            one = loss(values, column, value, span)
            change[value] = one - by_value[value]
            by_value[value] = one
        row = codes[column]
        for place in range(len(total)):
            total[place] += change[row[place]]


@compiled
def _grown(
    values: KindValues,
    people: KindPeople,
    marks: "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]",
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
