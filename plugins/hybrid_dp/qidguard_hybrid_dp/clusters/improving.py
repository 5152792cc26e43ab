"""Clusters made better: kinds that found none join, kinds move, and clusters dissolve where it pays."""

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from qidguard_hybrid_dp.clusters.growth import HeldClusters, PlainGrowth, begun, widened
from qidguard_hybrid_dp.clusters.kinds import CombinationKinds

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_ROUNDS = 2
"""Rounds of moving and dissolving; later ones find next to nothing."""

_WORTH_A_ROUND = 0.1
"""Share of the loss that a round has to save for another one to follow."""

_PROMISING = 1.25
"""A cluster is tried whose kinds lose at most this many times as much elsewhere, each by itself."""

_EVERY = 64
"""Kinds between two words of progress."""


class KindClusters:
    """Clusters of kinds, changed kind by kind.

    Args:
        kinds: The kinds.
        growth: What tells the losses.
        labels: Shape (kinds,), the cluster of each kind, −1 for none.
        count: Number of clusters, ≥ 1.
    """

    def __init__(
        self, kinds: CombinationKinds, growth: PlainGrowth, labels: "NDArray[np.int64]", count: int
    ) -> None:
        self.kinds, self._growth = kinds, growth
        self.labels = labels.copy()
        order = np.argsort(labels, kind="stable")
        ends = np.searchsorted(labels[order], np.arange(count + 1)).tolist()
        self.members = [order[low:high].tolist() for low, high in pairwise(ends)]
        self._spans = np.zeros((count, len(kinds.values.is_numeric), 2), dtype=np.int64)
        # a cluster without members spans something too, which nobody looks at
        self._spans[:, :, 0] = np.where(kinds.values.is_numeric, 0, kinds.values.starts[:-1])
        self._records, self.lost = np.zeros((2, count), dtype=np.int64)
        self._held = HeldClusters(self._spans, self._records, self.lost)
        for cluster in range(count):
            self._look(cluster)

    def rises(self, kind: int) -> "NDArray[np.int64]":
        """Return how much more all records lose if a kind joins each of the clusters."""
        return self._growth.rises(self._held, kind)

    def lowest_rises(self, kinds: "NDArray[np.int64]", told: Callable[[int], None]) -> "NDArray[np.int64]":
        """Return for each kind how much more all records lose at least if it joins another cluster."""
        return self._growth.lowest_rises(self._held, kinds, self.labels[kinds], told)

    def most_saved(self) -> "NDArray[np.int64]":
        """Return for each kind how much less is lost at most if it leaves its cluster.

        All of it where the others agree on a lower level without it, else its own part.
        """
        values, labels = self.kinds.values, self.labels
        mean = self.lost // np.maximum(self._records, 1)
        most = mean[labels] * self.kinds.people.records
        for column, codes in enumerate(values.codes):
            level = self._spans[labels, column, 1]
            group = values.groups[np.maximum(level - 1, 0), codes]
            keys, place, times = np.unique(
                labels * (int(values.groups.max()) + 1) + group, return_inverse=True, return_counts=True
            )
            owner = keys // (int(values.groups.max()) + 1)
            parts = np.bincount(owner, minlength=len(self.lost))[labels]
            decides = (level > 0) & (parts == 2) & (times[place.reshape(-1)] == 1)  # noqa: PLR2004 - it and the rest
            most[decides] = self.lost[labels[decides]]
        return most

    def put(self, kind: int, cluster: int, rise: int) -> None:
        """Let a kind of no cluster join one, in which that much more is lost by it."""
        self.labels[kind] = cluster
        self.members[cluster].append(kind)
        self._records[cluster] += self.kinds.people.records[kind]
        self._spans[cluster] = widened(self.kinds.values, self._spans[cluster], kind)
        self.lost[cluster] += rise

    def take(self, kinds: list[int]) -> int:
        """Take kinds of one cluster out, and return how much less is lost by it."""
        cluster = int(self.labels[kinds[0]])
        before, gone = int(self.lost[cluster]), set(kinds)
        self.labels[kinds] = -1
        self.members[cluster] = [kind for kind in self.members[cluster] if kind not in gone]
        self._look(cluster)
        return before - int(self.lost[cluster])

    def dispersed(self, home: int) -> bool:
        """Let the kinds of a cluster join others if less is lost by that; else it stays as it is."""
        kinds = self.members[home].copy()
        before = [one.copy() for one in self._held]
        saved = self.take(kinds)
        to, risen = self._growth.homes(self._held, np.array(kinds, dtype=np.int64), saved)
        if risen >= saved:
            for now, then in zip(self._held, before, strict=True):
                now[:] = then
            self.members[home] = kinds
            self.labels[kinds] = home
            return False
        self.labels[kinds] = to
        for kind, cluster in zip(kinds, to.tolist(), strict=True):
            self.members[cluster].append(kind)
        return True

    def without(self, kind: int) -> "NDArray[np.int64]":
        """Return the kinds that share a kind's cluster."""
        return np.array([one for one in self.members[self.labels[kind]] if one != kind], dtype=np.int64)

    def _look(self, cluster: int) -> None:
        """See anew what a cluster spans and loses."""
        members = np.array(self.members[cluster], dtype=np.int64)
        self._records[cluster] = self.kinds.people.records[members].sum()
        self.lost[cluster] = 0
        if len(members):
            self._spans[cluster] = span_of(self.kinds, members)
            if len(members) > 1:
                one = self._growth.losses_with(self._spans[cluster : cluster + 1], int(members[0]))
                self.lost[cluster] = one[0] * self._records[cluster]


def span_of(kinds: CombinationKinds, members: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return what some kinds span together, shape (columns, 2), as ``HeldClusters`` has it."""
    values = kinds.values
    if values.is_numeric.any():
        span = begun(values, int(members[0]))
        for kind in members[1:].tolist():
            span = widened(values, span, kind)
        return span
    codes = values.codes[:, members]
    groups = values.groups[:, codes]
    level = np.argmax((groups == groups[:, :, :1]).all(axis=2), axis=0)
    return np.stack([codes[:, 0].astype(np.int64), level], axis=1)


def joined(clusters: KindClusters, step: Callable[[int], None]) -> None:
    """Let each kind without a cluster join the one where least is lost by it, one after the other."""
    for done, kind in enumerate(np.flatnonzero(clusters.labels < 0).tolist()):
        rises = clusters.rises(kind)
        best = int(rises.argmin())
        clusters.put(kind, best, int(rises[best]))
        if done % _EVERY == 0:
            step(done)


def improved(clusters: KindClusters, k: int, l: int, step: Callable[[int], None]) -> None:  # noqa: E741 - the field's name
    """Dissolve clusters and move kinds as long as less is lost by it, some rounds at most.

    A cluster dissolves, the one that loses most first, if its kinds lose less in others. A kind moves to
    the cluster where least is lost by it, if its own stays large and diverse enough. ``step`` hears how
    much of the work is done, in kinds.
    """
    count = clusters.kinds.count
    for turn in range(_MOST_ROUNDS):
        before = int(clusters.lost.sum())

        def told(done: int, turn: int = turn) -> None:
            step((turn * 4 * count + done) // (4 * _MOST_ROUNDS))

        _dissolve(clusters, told)
        _move(clusters, k, l, told)
        if before - clusters.lost.sum() <= _WORTH_A_ROUND * before:
            break


def _dissolve(clusters: KindClusters, told: Callable[[int], None]) -> None:
    lowest = clusters.lowest_rises(np.arange(clusters.kinds.count), told)
    done, standing = clusters.kinds.count, sum(1 for members in clusters.members if members)
    for home in np.argsort(-clusters.lost, kind="stable").tolist():
        moved = clusters.members[home]
        done += len(moved)
        # who joins late often loses less than who joins first
        if standing == 1 or lowest[moved].sum() >= _PROMISING * int(clusters.lost[home]):
            continue
        told(done)
        standing -= clusters.dispersed(home)


def _move(clusters: KindClusters, k: int, l: int, told: Callable[[int], None]) -> None:  # noqa: E741 - the field's name
    kinds, begun_at = clusters.kinds, 2 * clusters.kinds.count
    is_simple = not len(kinds.people.who.items) and not kinds.attributes
    # with several records a person these are more than there are
    persons = np.bincount(clusters.labels, weights=kinds.people.persons, minlength=len(clusters.lost))
    free = np.flatnonzero(
        (persons[clusters.labels] - kinds.people.persons >= k) & (clusters.lost[clusters.labels] > 0)
    )
    lowest = clusters.lowest_rises(free, lambda done: told(begun_at + done))
    for done, kind in enumerate(free[lowest < clusters.most_saved()[free]].tolist()):
        if done % _EVERY == 0:
            told(begun_at + kinds.count + kind)
        home, own = int(clusters.labels[kind]), int(kinds.people.persons[kind])
        if persons[home] - own < k:
            continue
        if not is_simple and not kinds.is_enough(clusters.without(kind), k, l):
            continue
        saved = clusters.take([kind])
        rises = clusters.rises(kind)
        best = int(rises.argmin())
        if rises[best] >= saved:
            best = home
        clusters.put(kind, best, int(rises[best]))
        persons[home] -= own
        persons[best] += own
