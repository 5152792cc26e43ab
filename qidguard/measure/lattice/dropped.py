"""Classes that no further column can split: they are counted and left behind."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qidguard.measure.lattice.records import Ints

_LARGEST_COUNTED = 1 << 16
"""Keys below are counted in an array, the few above are listed."""


@dataclass(frozen=True)
class Dropped:
    """A multiset of one-row classes, each known by ``size · values + attribute code``.

    Args:
        counted: How often each small key occurs.
        listed: The other keys, one by one.
        entities: The entities of the rows that were left behind, in pieces, where there are entities.
    """

    counted: Ints
    listed: tuple[Ints, ...] = ()
    entities: tuple[Ints, ...] = ()

    def plus_ones(self, rows: int) -> "Dropped":
        """Return these and that many classes of one person, in a table without attribute and entities."""
        counted = self.counted.copy() if len(self.counted) > 1 else np.zeros(2, dtype=np.int64)
        counted[1] += rows
        return Dropped(counted, self.listed)

    def plus(self, keys: Ints, entities: Ints | None) -> "Dropped":
        """Return these and the classes with these keys."""
        small = keys
        listed = self.listed
        if len(keys) and int(keys.max()) >= _LARGEST_COUNTED:
            is_small = keys < _LARGEST_COUNTED
            small, listed = keys[is_small], (*listed, keys[~is_small])
        counted = np.bincount(small, minlength=len(self.counted))
        counted[: len(self.counted)] += self.counted
        return Dropped(counted, listed, self.entities if entities is None else (*self.entities, entities))

    def from_size(self, least: int) -> tuple[Ints, Ints]:
        """Return the keys from some number on and how often each occurs; a key may come more than once."""
        if len(self.counted) <= least and not self.listed:
            return self.counted[:0], self.counted[:0]
        keys, times = self.pairs
        is_meant = keys >= least
        return keys.compress(is_meant), times.compress(is_meant)

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """The keys and how often each occurs; a key may come more than once."""
        keys = np.flatnonzero(self.counted)
        times = self.counted.take(keys)
        if not self.listed:
            return keys, times
        listed = np.concatenate(self.listed)
        return np.concatenate((keys, listed)), np.concatenate((times, np.ones(len(listed), dtype=np.int64)))


NOTHING = Dropped(np.zeros(0, dtype=np.int64))
"""No class left behind yet."""
