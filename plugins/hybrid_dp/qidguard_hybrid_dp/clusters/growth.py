"""The growth of a cluster in NumPy: each kind that joins adds least to what the cluster loses."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qidguard.sdk import UserError
from qidguard_hybrid_dp.clusters.kinds import WHOLE_LOSS, CombinationKinds, KindValues

if TYPE_CHECKING:
    from numpy.typing import NDArray

NULL_ALONE, NULL_BESIDE = -1, -2
"""The low and high end of a cluster whose only number is missing, and of one with others beside it."""
NEVER = np.iinfo(np.int64).max
"""What it costs to take a kind that may not join."""
BATCH = 512
"""Kinds between two words of progress."""
VARIABLE = "QIDGUARD_KERNEL"
"""The environment variable that names a kernel, ``numpy`` or ``numba``; without it numba, if it is there."""
FEWEST_KINDS = 2048
"""Combinations from which on machine code is worth the seconds that a first user waits for it."""


class HeldClusters(NamedTuple):
    """Clusters while kinds leave and join them; one without records is none."""

    spans: "NDArray[np.int64]"  # (clusters, columns, 2): a value and the level where all agree, or two ends
    records: "NDArray[np.int64]"  # (clusters,)
    lost: "NDArray[np.int64]"  # (clusters,), what all of their records lose


def uses_numba(kinds: int) -> bool:
    """Whether clusters of so many distinct combinations grow as machine code."""
    asked = os.environ.get(VARIABLE, "")
    if asked not in {"", "numpy", "numba"}:
        raise UserError(f"{VARIABLE} is numpy or numba, not {asked!r}; set one of these or none")
    if find_spec("numba") is None:
        return False
    return asked == "numba" or (not asked and kinds >= FEWEST_KINDS)


def growth_of(kinds: CombinationKinds, k: int, l: int, told: Callable[[], None]) -> "PlainGrowth":  # noqa: E741 - the field's name
    """Return the fastest way there is; ``told`` hears while it is compiled."""
    if not uses_numba(kinds.count):
        return PlainGrowth(kinds, k, l)
    from qidguard_hybrid_dp.clusters.compiled_growth import CompiledGrowth, compile_all

    compile_all(told)
    return CompiledGrowth(kinds, k, l)


def begun(values: KindValues, kind: int) -> "NDArray[np.int64]":
    """Return what a kind spans by itself, shape (columns, 2)."""
    value = values.codes[:, kind].astype(np.int64)
    number = values.numbers[value]
    first = np.where(values.is_numeric, number, value)
    return np.stack([first, np.where(values.is_numeric, number, 0)], axis=1)


def widened(values: KindValues, span: "NDArray[np.int64]", kind: int) -> "NDArray[np.int64]":
    """Return what a cluster spans once a kind has joined it."""
    low, high = span[:, 0], span[:, 1]
    value = values.codes[:, kind]
    if not values.is_numeric.any():
        meets = np.argmax(values.groups[:, value] == values.groups[:, low], axis=0)
        wide = span.copy()
        np.maximum(meets, high, out=wide[:, 1])
        return wide
    wide = span.copy()
    for column, number in enumerate(values.numbers[value].tolist()):
        if not values.is_numeric[column]:
            first = values.groups[:, low[column]]
            wide[column, 1] = max(high[column], np.argmax(values.groups[:, value[column]] == first))
        elif (number == NULL_ALONE) != (low[column] == NULL_ALONE):
            wide[column] = NULL_BESIDE
        elif low[column] >= 0:
            wide[column] = min(low[column], number), max(high[column], number)
    return wide


def losses_by_value(values: KindValues, column: int, span: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return what a cluster loses in a column once each of the column's values has joined it."""
    start, stop = values.starts[column : column + 2].tolist()
    low, high = span.tolist()
    if not values.is_numeric[column]:
        return _losses_at(values, values.groups[:, start:stop], low, high)
    numbers = values.numbers[start:stop]
    if low == NULL_ALONE:
        return np.where(numbers == NULL_ALONE, 0, WHOLE_LOSS)
    if low == NULL_BESIDE:
        return np.full(len(numbers), WHOLE_LOSS, dtype=np.int64)
    return np.where(numbers < 0, WHOLE_LOSS, np.maximum(numbers, high) - np.minimum(numbers, low))


def _losses_at(
    values: KindValues, groups: "NDArray[np.int32]", first: int, level: int
) -> "NDArray[np.int64]":
    meets = np.argmax(groups == values.groups[:, first : first + 1], axis=0)
    losses: NDArray[np.int64] = values.losses[np.maximum(meets, level), first]
    return losses


class PlainGrowth:
    """Grows clusters in NumPy, one after the other; as machine code (``CompiledGrowth``) it gives the same.

    All sums are of whole numbers, so that no order of adding matters.

    Args:
        kinds: The kinds.
        k: Persons a cluster needs.
        l: Distinct values a cluster needs of each sensitive attribute.
    """

    def __init__(self, kinds: CombinationKinds, k: int, l: int) -> None:  # noqa: E741 - the field's name
        self._kinds, self._k, self._l = kinds, k, l

    def farthest(self, free: "NDArray[np.int64]", last: int) -> int:
        """Return the place in ``free`` of the kind that loses most beside a kind; of equals the first."""
        values = self._kinds.values
        total = np.zeros(len(free), dtype=np.int64)
        for column, span in enumerate(begun(values, last)):
            by_value = losses_by_value(values, column, span)
            total += by_value[values.codes[column, free] - values.starts[column]]
        return int(total.argmax())

    def grown(self, free: "NDArray[np.int64]", first: int) -> "tuple[NDArray[np.int64], bool]":
        """Return the places in ``free`` of a cluster's kinds as they joined, and whether they are enough.

        The next is the one with the least loss of the cluster with it, over all of its records or k, if
        they are fewer. A cluster of k persons that lacks sensitive values takes kinds that bring one. It
        is not enough where nobody is left who could join.
        """
        values, people = self._kinds.values, self._kinds.people
        codes = values.codes[:, free] - values.starts[:-1, None]
        records, total = people.records[free], np.zeros(len(free), dtype=np.int64)
        is_taken = np.zeros(len(free), dtype=np.bool_)
        by_value: list[NDArray[np.int64]] = []
        span, place, needs = begun(values, int(free[first])), first, _Needs(self._kinds, self._k, self._l)
        members: list[int] = []
        weight = 0
        while True:
            kind = int(free[place])
            members.append(place)
            is_taken[place] = True
            weight += int(people.records[kind])
            needs.met(kind)
            if needs.is_enough or len(members) == len(free):
                return np.array(members), needs.is_enough
            if not by_value:
                by_value = [losses_by_value(values, column, one) for column, one in enumerate(span)]
                for column, losses in enumerate(by_value):
                    total += losses[codes[column]]
            else:
                wide = widened(values, span, kind)
                for column in np.flatnonzero((wide != span).any(axis=1)).tolist():
                    losses = losses_by_value(values, column, wide[column])
                    total += (losses - by_value[column])[codes[column]]
                    by_value[column] = losses
                span = wide
            cost = np.maximum(records + weight, self._k) * total
            cost[is_taken] = NEVER
            if needs.has_persons:
                cost[~needs.brings(free)] = NEVER
            place = int(cost.argmin())
            if cost[place] == NEVER:
                return np.array(members), False

    def losses_with(self, spans: "NDArray[np.int64]", kind: int) -> "NDArray[np.int64]":
        """Return what a record of each cluster loses once a kind has joined it, shape (clusters,)."""
        values = self._kinds.values
        total = np.zeros(len(spans), dtype=np.int64)
        for column, value in enumerate(values.codes[:, kind].tolist()):
            low, high = spans[:, column, 0], spans[:, column, 1]
            if values.is_numeric[column]:
                number = int(values.numbers[value])
                width = np.maximum(high, number) - np.minimum(low, number)
                is_whole = (low == NULL_BESIDE) | ((low == NULL_ALONE) != (number == NULL_ALONE))
                total += np.where(is_whole, WHOLE_LOSS, width)
                continue
            start, stop = values.starts[column : column + 2].tolist()
            meets = np.argmax(values.groups[:, start:stop] == values.groups[:, value : value + 1], axis=0)
            total += values.losses[np.maximum(meets[low - start], high), value]
        return total

    def rises(self, clusters: HeldClusters, kind: int) -> "NDArray[np.int64]":
        """Return how much more all records lose if a kind joins each of the clusters."""
        spans, records, lost = clusters
        rises: NDArray[np.int64]
        rises = (records + self._kinds.people.records[kind]) * self.losses_with(spans, kind) - lost
        rises[records == 0] = NEVER
        return rises

    def lowest_rises(
        self,
        clusters: HeldClusters,
        kinds: "NDArray[np.int64]",
        homes: "NDArray[np.int64]",
        told: Callable[[int], None],
    ) -> "NDArray[np.int64]":
        """Return how much more all records lose at least if a kind joins another cluster than its home.

        Shape (kinds,), as ``kinds`` and ``homes``.
        """
        lowest = np.full(len(kinds), NEVER)
        for at, (kind, home) in enumerate(zip(kinds.tolist(), homes.tolist(), strict=True)):
            if at % BATCH == 0:
                told(at)
            rises = self.rises(clusters, kind)
            rises[home] = NEVER
            lowest[at] = rises.min()
        return lowest

    def homes(
        self, clusters: HeldClusters, kinds: "NDArray[np.int64]", most: int
    ) -> "tuple[NDArray[np.int64], int]":
        """Let kinds of no cluster join, one after the other, the one where least is lost by it.

        The clusters are changed. Returned are those of the kinds, and how much more is lost by all; that is
        ``most``, and the rest meaningless, where it comes to that.
        """
        spans, records, lost = clusters
        to, risen = np.full(len(kinds), -1, dtype=np.int64), 0
        for at, kind in enumerate(kinds.tolist()):
            rises = self.rises(clusters, kind)
            best = int(rises.argmin())
            if rises[best] == NEVER or risen + int(rises[best]) >= most:
                return to, most
            risen += int(rises[best])
            to[at] = best
            records[best] += self._kinds.people.records[kind]
            lost[best] += rises[best]
            spans[best] = widened(self._kinds.values, spans[best], kind)
        return to, risen


class _Needs:
    """What a growing cluster still lacks."""

    def __init__(self, kinds: CombinationKinds, k: int, l: int) -> None:  # noqa: E741 - the field's name
        self._people, self._persons = kinds.people, k
        self._lacks = np.full(kinds.attributes, l)
        self._seen = np.zeros(len(kinds.people.attribute), dtype=np.bool_)
        self._met: set[int] = set()

    @property
    def has_persons(self) -> bool:
        """Whether there are k of them."""
        return self._persons <= 0

    @property
    def is_enough(self) -> bool:
        """Whether nothing is lacking."""
        return self.has_persons and not (self._lacks > 0).any()

    def met(self, kind: int) -> None:
        """Let a kind join."""
        people = self._people
        if len(people.who.items):
            who = people.who.of(kind).tolist()
            self._persons -= len(set(who) - self._met)
            self._met.update(who)
        else:
            self._persons -= int(people.records[kind])
        found = people.sensitive.of(kind)
        found = found[~self._seen[found]]
        self._seen[found] = True
        np.subtract.at(self._lacks, people.attribute[found], 1)

    def brings(self, free: "NDArray[np.int64]") -> "NDArray[np.bool_]":
        """Return which kinds have a sensitive value that is lacking."""
        people = self._people
        is_new = ~self._seen & (self._lacks > 0)[people.attribute]
        starts, items = people.sensitive
        before = np.concatenate([[0], np.cumsum(is_new[items])])
        return before[starts[free + 1]] > before[starts[free]]
