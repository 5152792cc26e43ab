"""The depth-first walk over the subset lattice, and the tree of wanted sets that it follows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qidguard.measuring.lattice.levels import Level
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


@dataclass(frozen=True)
class Walk:
    """The partition of every prefix that has wanted sets.

    Args:
        records: The records, columns in the walk's order: those that leave few rows to split come first.
        wanted: The wanted sets.
        levels: The records from column 0, 1, … on, up to the first column of the tail.
    """

    records: LatticeRecords
    wanted: WantedSets
    levels: tuple[Level, ...]

    def partitions(self) -> Found:
        """Yield partitions with their wanted sets, each over a level that still has the tail's columns."""
        if not self.records.rows:
            return
        if tails := self.wanted.tails(0):
            yield undivided(self.levels[-1]), tails
        for column in self.wanted.children(0):
            first = refined(self.records, undivided(self.levels[column]), column)
            yield from self._below(first, 1 << column)

    def _below(self, partition: Partition, prefix: int) -> Found:
        if tails := self.wanted.tails(prefix):
            yield partition, tails
        for child, longer in self._children(partition, prefix):
            yield from self._below(child, longer)

    def _children(self, partition: Partition, prefix: int) -> Iterator[tuple[Partition, int]]:
        head = len(self.levels) - 1
        for column in self.wanted.children(prefix):
            level = self.levels[column]
            if (
                len(partition.rows) > _WORTH_MERGING
                and head - column >= _AHEAD
                and level.rows < partition.level.rows
            ):
                partition = merged(self.records, partition, level)
            yield refined(self.records, partition, column), prefix | 1 << column
