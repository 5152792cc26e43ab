"""The depth-first walk over the subset lattice, and the tree of wanted sets that it follows."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from qidguard.measuring.lattice.levels import Level, levels_of
from qidguard.measuring.lattice.partition import Partition, merged, refined, undivided
from qidguard.measuring.lattice.records import LatticeRecords


class WantedSets:
    """The wanted sets, each a bit mask with the walk's first column in bit 0; none twice, none empty.

    The columns before ``head`` are walked; those behind are the tail, whose subsets are answered at once.
    """

    def __init__(self, masks: Sequence[int], head: int) -> None:
        inside = (1 << head) - 1
        self._tails: dict[int, list[tuple[int, int]]] = {}
        self._children: dict[int, list[int]] = {}
        seen = {0}
        for row, mask in enumerate(masks):
            prefix = mask & inside
            self._tails.setdefault(prefix, []).append((mask >> head, row))
            while prefix not in seen:
                seen.add(prefix)
                last = prefix.bit_length() - 1
                prefix ^= 1 << last
                self._children.setdefault(prefix, []).append(last)
        for children in self._children.values():
            children.sort()

    def tails(self, prefix: int) -> list[tuple[int, int]]:
        """Return the wanted sets with this prefix: the mask of the tail's columns and the answer's row."""
        return self._tails.get(prefix, [])

    def children(self, prefix: int) -> list[int]:
        """Return the columns, ascending, by which the prefix goes on."""
        return self._children.get(prefix, [])


_WORTH_MERGING = 1000
"""Rows below which it costs more to merge equal rows than to carry them."""
_AHEAD = 3
"""Columns that must still be ahead for merging to pay."""


Found = Iterator[tuple[Partition, list[tuple[int, int]]]]
"""Partitions with their wanted sets: the tail's columns and the answer's row."""


class Walk:
    """Every set's partition from its parent's, depth first: best where many sets are asked for together.

    Args:
        records: The records, columns in the walk's order: those that leave few rows to split come first.
        tail: How many columns at the end are left to be summed out.
    """

    def __init__(self, records: LatticeRecords, tail: int) -> None:
        self.tail = tail
        self._records = records
        self._head = len(records.columns) - tail

    @cached_property
    def _levels(self) -> tuple[Level, ...]:
        """The records from column 0, 1, … on, up to the first column of the tail."""
        return levels_of(self._records, self._head)

    def of(self, masks: Sequence[int]) -> Found:
        """Yield the partitions of wanted sets, each over a level that still has the tail's columns."""
        if not self._records.rows:
            return
        wanted = WantedSets(masks, self._head)
        if tails := wanted.tails(0):
            yield undivided(self._levels[-1]), tails
        for column in wanted.children(0):
            first = refined(self._records, undivided(self._levels[column]), column)
            yield from self._below(wanted, first, 1 << column)

    def _below(self, wanted: WantedSets, partition: Partition, prefix: int) -> Found:
        if tails := wanted.tails(prefix):
            yield partition, tails
        for column in wanted.children(prefix):
            level = self._levels[column]
            if (
                len(partition.rows) > _WORTH_MERGING
                and self._head - column >= _AHEAD
                and level.rows < partition.level.rows
            ):
                partition = merged(self._records, partition, level)
            child = refined(self._records, partition, column)
            yield from self._below(wanted, child, prefix | 1 << column)
