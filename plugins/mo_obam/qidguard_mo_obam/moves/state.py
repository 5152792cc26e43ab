"""Clusters of units as sufficient statistics, changed unit by unit; what follows from them is exact."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qidguard_mo_obam.moves.compiled import compiled_within

if TYPE_CHECKING:
    from numpy.typing import NDArray

COMBINATION, RECORDS, PERSONS = 0, 1, 2
"""What ``Given.units`` holds of a unit."""
WEIGHT, NULL_COST, IS_INTEGRAL, MEAN = 0, 1, 2, 3
"""What ``Given.numeric`` holds of a numeric column: a NULL under a number loses
the column's variance, a number under NULL its squared distance from the mean."""
DISTINCT, ENTROPY, DISTANCE, ORDERED, LARGEST = 0, 1, 2, 3, 4
"""What ``Given.limits`` asks of an SA in each cluster.

At least so many distinct values and bits; at most so far from the table's shares, by half the sum of |p − q|
and by the mean of |Σ p − q| along the values; at most such a share of one value.
"""
CLUSTER, NEXT, PREVIOUS = 0, 1, 2
"""What ``State.links`` holds of a unit."""
UNITS, FIRST = 0, 3
"""What ``State.sizes`` holds of a cluster, beside ``RECORDS`` and ``PERSONS``."""
KNOWN, SUM, SQUARES = 0, 1, 2
"""What ``State.numeric`` holds of a numeric column in a cluster."""
LOSS, LACK, BITS = 0, 1, 2
"""What ``State.worth`` holds of a cluster: its loss, how far it misses the limits, then its entropies."""

TINY = 1e-12
"""A limit that is met to the last digit of a sum is met."""


class Given(NamedTuple):
    """What stays: units, each a combination of QIDs or a part of one, and what their clusters have to keep.

    They are few arrays, as compiling takes its time for each.
    """

    k: int
    units: "NDArray[np.int64]"  # (units, 3)
    numbers: "NDArray[np.float64]"  # (m, numeric), less a number near the column's mean; NaN for NULL
    numeric: "NDArray[np.float64]"  # (numeric, 4)
    codes: "NDArray[np.int64]"  # (m, categorical), places in all categories side by side
    code_weight: "NDArray[np.float64]"  # (categorical,)
    code_start: "NDArray[np.int64]"  # (categorical + 1,)
    start: "NDArray[np.int64]"  # (units + 1,), where a unit's sensitive values start in ``held``
    held: "NDArray[np.int64]"  # (…, 2), places in the values of all SAs side by side, and the unit's records
    value_start: "NDArray[np.int64]"  # (SAs + 1,)
    limits: "NDArray[np.float64]"  # (SAs, 5)
    share: "NDArray[np.float64]"  # (values,), of the table
    bits: "NDArray[np.float64]"  # (records + 1,), n·log2 n
    near: "NDArray[np.int64]"  # (m, neighbors), −1 where there are no more
    unit_start: "NDArray[np.int64]"  # (m + 1,), where a combination's units start in ``unit_of``
    unit_of: "NDArray[np.int64]"  # (units,)


class State(NamedTuple):
    """What changes: the cluster of each unit, in lists, and the statistics of each cluster."""

    links: "NDArray[np.int64]"  # (units, 3)
    sizes: "NDArray[np.int64]"  # (clusters, 4)
    numeric: "NDArray[np.float64]"  # (clusters, numeric, 3)
    codes: "NDArray[np.int64]"  # (clusters, categories + categorical), last the records with each mode
    values: "NDArray[np.int64]"  # (clusters, values)
    worth: "NDArray[np.float64]"  # (clusters, 2 + SAs)

    @property
    def cluster(self) -> "NDArray[np.int64]":
        """The cluster of each unit, shape (units,)."""
        return self.links[:, CLUSTER]

    @property
    def loss(self) -> float:
        """The sum of losses."""
        return float(self.worth[:, LOSS].sum())

    @property
    def lack(self) -> float:
        """How far the clusters miss the limits; 0 where all keep them."""
        return float(self.worth[:, LACK].sum())


def opened(given: Given, clusters: int) -> State:
    """Return a state of no units yet, with room for this many clusters."""
    state = State(
        links=np.full((len(given.units), 3), -1, dtype=np.int64),
        sizes=np.zeros((clusters, 4), dtype=np.int64),
        numeric=np.zeros((clusters, len(given.numeric), 3)),
        codes=np.zeros((clusters, int(given.code_start[-1]) + len(given.code_weight)), dtype=np.int64),
        values=np.zeros((clusters, int(given.value_start[-1])), dtype=np.int64),
        worth=np.zeros((clusters, BITS + len(given.limits))),
    )
    state.sizes[:, FIRST] = -1
    return state


@compiled_within
def _number_loss(
    rule: "NDArray[np.float64]", records: float, known: float, total: float, square: float
) -> float:
    """Return the loss of a numeric column: the mean is published, or NULL where there is one."""
    if known == 0.0:
        return 0.0
    if known < records:
        as_null = max(0.0, square - rule[MEAN] * (2.0 * total - known * rule[MEAN]))
        return float(rule[WEIGHT] * as_null)
    center = total / known
    if rule[IS_INTEGRAL] != 0.0:
        center = np.rint(center)
    shown = max(0.0, square - center * (2.0 * total - known * center))
    return float(rule[WEIGHT] * shown)


@compiled_within
def loss_with(given: Given, state: State, c: int, u: int, by: int) -> float:
    """Return the loss that a cluster would have with so many more records like a unit's, or fewer."""
    at = given.units[u, COMBINATION]
    total, records, categories = 0.0, state.sizes[c, RECORDS] + by, given.code_start[-1]
    for q in range(len(given.numeric)):
        x, here = given.numbers[at, q], float(by)
        if np.isnan(x):
            x, here = 0.0, 0.0
        total += _number_loss(
            given.numeric[q],
            records,
            state.numeric[c, q, KNOWN] + here,
            state.numeric[c, q, SUM] + here * x,
            state.numeric[c, q, SQUARES] + here * x * x,
        )
    for j in range(len(given.code_weight)):
        place = given.codes[at, j]
        was, most = state.codes[c, place], state.codes[c, categories + j]
        if was + by > most:
            most = was + by
        elif by < 0 and was == most:
            most += by
            for v in range(given.code_start[j], given.code_start[j + 1]):
                if v != place and state.codes[c, v] > most:
                    most = state.codes[c, v]
        total += given.code_weight[j] * (records - most)
    return total


@compiled_within
def put(given: Given, state: State, u: int, c: int) -> None:
    """Put a unit into a cluster, out of the one that it is in; ``weigh`` both then."""
    old, head = state.links[u, CLUSTER], state.sizes[c, FIRST]
    if old >= 0:
        before, after = state.links[u, PREVIOUS], state.links[u, NEXT]
        if before >= 0:
            state.links[before, NEXT] = after
        else:
            state.sizes[old, FIRST] = after
        if after >= 0:
            state.links[after, PREVIOUS] = before
        head = state.sizes[c, FIRST]
    state.links[u, CLUSTER], state.links[u, NEXT], state.links[u, PREVIOUS] = c, head, -1
    state.sizes[c, FIRST] = u
    if head >= 0:
        state.links[head, PREVIOUS] = u
    for e in (old, c):
        if e >= 0:
            _count(given, state, u, e, 1 - 2 * (e != c))


@compiled_within
def _count(given: Given, state: State, u: int, c: int, sign: int) -> None:
    at, by = given.units[u, COMBINATION], given.units[u, RECORDS] * sign
    categories = given.code_start[-1]
    state.sizes[c, UNITS] += sign
    state.sizes[c, RECORDS] += by
    state.sizes[c, PERSONS] += given.units[u, PERSONS] * sign
    for q in range(len(given.numeric)):
        x = given.numbers[at, q]
        if not np.isnan(x):
            state.numeric[c, q, KNOWN] += by
            state.numeric[c, q, SUM] += by * x
            state.numeric[c, q, SQUARES] += by * x * x
    for j in range(len(given.code_weight)):
        place = given.codes[at, j]
        was, most = state.codes[c, place], state.codes[c, categories + j]
        state.codes[c, place] = was + by
        if was + by > most:
            most = was + by
        elif by < 0 and was == most:
            most += by
            for v in range(given.code_start[j], given.code_start[j + 1]):
                most = max(most, state.codes[c, v])
        state.codes[c, categories + j] = most
    for i in range(given.start[u], given.start[u + 1]):
        state.values[c, given.held[i, 0]] += given.held[i, 1] * sign


@compiled_within
def weigh(given: Given, state: State, c: int) -> None:
    """Work out what follows from a cluster's statistics: loss, lack and entropies."""
    records = state.sizes[c, RECORDS]
    total, lack = 0.0, 0.0
    if records > 0:
        for q in range(len(given.numeric)):
            total += _number_loss(
                given.numeric[q],
                records,
                state.numeric[c, q, KNOWN],
                state.numeric[c, q, SUM],
                state.numeric[c, q, SQUARES],
            )
        for j in range(len(given.code_weight)):
            total += given.code_weight[j] * (records - state.codes[c, given.code_start[-1] + j])
        lack = max(0.0, 1.0 - state.sizes[c, PERSONS] / given.k)
        for s in range(len(given.limits)):
            lack += _lack_of(given, state, c, s)
    state.worth[c, LOSS], state.worth[c, LACK] = total, lack


@compiled_within
def _lack_of(given: Given, state: State, c: int, s: int) -> float:
    """Return how far a cluster misses the limits of one SA, and note its entropy."""
    records, limits = state.sizes[c, RECORDS], given.limits[s]
    distinct, bits, most, apart, along, run = 0, 0.0, 0, 0.0, 0.0, 0.0
    first, end = given.value_start[s], given.value_start[s + 1]
    for v in range(first, end):
        there = state.values[c, v]
        if there > 0:
            distinct += 1
            bits += given.bits[there]
            most = max(most, there)
        over = there / records - given.share[v]
        apart += abs(over)
        run += over
        along += abs(run)
    entropy = max(0.0, (given.bits[records] - bits) / records)
    state.worth[c, BITS + s] = entropy
    lack = max(0.0, 1.0 - distinct / limits[DISTINCT]) + max(0.0, limits[ENTROPY] - entropy - TINY)
    lack += max(0.0, apart / 2.0 - limits[DISTANCE] - TINY)
    lack += max(0.0, along / max(1, end - first - 1) - limits[ORDERED] - TINY)
    return float(lack + max(0.0, most / records - limits[LARGEST] - TINY))
