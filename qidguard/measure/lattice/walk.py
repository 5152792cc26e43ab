"""The depth-first walk over the subset lattice."""

from collections.abc import Iterator

from qidguard.measure.lattice.levels import Level
from qidguard.measure.lattice.partition import Partition, merged, refined, undivided
from qidguard.measure.lattice.records import Records
from qidguard.measure.lattice.wanted import Wanted

_WORTH_MERGING = 1000
"""Rows below which it costs more to merge equal rows than to carry them."""
_AHEAD = 3
"""Columns that must still be ahead for merging to pay."""


def walk(
    records: Records, wanted: Wanted, levels: tuple[Level, ...]
) -> Iterator[tuple[Partition, list[tuple[int, int]]]]:
    """Yield the partition of every prefix that has wanted sets, with those sets.

    Args:
        records: The records, columns in the walk's order: those that leave few rows to split come first.
        wanted: The wanted sets.
        levels: The records from column 0, 1, … on, up to the first column of the tail.

    Yields:
        A partition over a level that still has the tail's columns, and its wanted sets.
    """
    if not records.rows:
        return
    if tails := wanted.tails(0):
        yield undivided(levels[-1]), tails
    for column in wanted.children(0):
        first = refined(records, undivided(levels[column]), column)
        yield from _below(records, wanted, levels, first, 1 << column)


def _below(
    records: Records, wanted: Wanted, levels: tuple[Level, ...], partition: Partition, prefix: int
) -> Iterator[tuple[Partition, list[tuple[int, int]]]]:
    if tails := wanted.tails(prefix):
        yield partition, tails
    head = len(levels) - 1
    for column in wanted.children(prefix):
        level = levels[column]
        if (
            len(partition.rows) > _WORTH_MERGING
            and head - column >= _AHEAD
            and level.rows < partition.level.rows
        ):
            partition = merged(records, partition, level)
        child = refined(records, partition, column)
        yield from _below(records, wanted, levels, child, prefix | 1 << column)
