"""Families: questions that one attribute's cells, or the class sizes alone, answer; measured in memory.

A column determines another when equal values in it always meet equal values in the other: a code and its
label determine one another, a postcode its town. Each set is answered by the smallest with the same classes.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qidguard.core.statistic import Number, Statistic
from qidguard.engines.base import Table
from qidguard.engines.classes import AttributeValues, Chunk, Ints, Unsupported
from qidguard.engines.duckdb.class_statistics import class_statistic, take_statistics
from qidguard.measuring.answers import Answers, computed
from qidguard.measuring.cost import Path
from qidguard.measuring.lattice.chunks import SizeChunks, cell_chunks
from qidguard.measuring.lattice.levels import tail_length, whole_level
from qidguard.measuring.lattice.partition import Partition, refined, undivided
from qidguard.measuring.lattice.records import LatticeRecords, Masks, attribute_values, moved, read_records
from qidguard.measuring.lattice.walk import Found, Walk
from qidguard.measuring.question import Question

_MOST_KEPT = 4096
"""Partitions that are kept at most: all of them are looked through for a parent."""


class RememberedPartitions:
    """Every set's partition from that of its largest part still in memory, of which there are some bytes."""

    def __init__(self, records: LatticeRecords, memory: int) -> None:
        self.tail = 0
        self._records = records
        self._memory = memory
        self._kept: OrderedDict[int, Partition] = OrderedDict()
        self._bytes = 0
        self._root = undivided(whole_level(records))

    def of(self, masks: Sequence[int]) -> Found:
        """Yield the partitions of sets."""
        if self._records.rows:
            for row, mask in enumerate(masks):
                yield self._partition(mask), [(0, row)]

    def _partition(self, mask: int) -> Partition:
        found = max((m for m in self._kept if m & ~mask == 0), key=int.bit_count, default=0)
        partition = self._root
        if found:
            self._kept.move_to_end(found)
            partition = self._kept[found]
        left = mask & ~found
        while left:
            bit = left & -left
            left ^= bit
            partition = refined(self._records, partition, bit.bit_length() - 1)
            found |= bit
            self._keep(found, partition)
        return partition

    def _keep(self, mask: int, partition: Partition) -> None:
        self._kept[mask] = partition
        self._bytes += _bytes(partition)
        while len(self._kept) > 1 and (self._bytes > self._memory or len(self._kept) > _MOST_KEPT):
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= _bytes(oldest)


def _bytes(partition: Partition) -> int:
    weights = 0 if partition.weights is None else partition.weights.nbytes
    dropped = partition.dropped
    listed = sum(piece.nbytes for piece in (*dropped.listed, *dropped.entities))
    return partition.rows.nbytes + partition.group.nbytes + weights + dropped.counted.nbytes + listed


_LOOK = 4096
"""Rows of the first look, which refutes nearly every pair."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """What the columns say of one another.

    Args:
        stands_for: For each column the first column with the very same classes, often itself.
        determines: Pairs (a, b) of such first columns: a determines b, but not the other way round.
    """

    stands_for: tuple[int, ...]
    determines: tuple[tuple[int, int], ...]

    def masks(self, masks: Masks) -> Masks:
        """Return the canonical set of each set."""
        found = masks
        for column, first in enumerate(self.stands_for):
            if column != first:
                # the first column comes in where it is not there yet
                held = found >> column & 1
                found = (found - (held << column)) | (held << first)
        left = found
        for one, other in self.determines:
            # judged by the whole set: what a column determines that goes itself, those that stay determine
            left = left & ~(((found >> one & 1) & (found >> other & 1)) << other)
        return left


def canonical_of(records: LatticeRecords) -> Canonical:
    """Return which columns determine which others; exact, found by counting pairs of values."""
    columns = range(len(records.columns))
    step = max(1, records.rows // _LOOK)
    look = [codes[::step] for codes in records.columns]
    seen = [len(np.unique(codes)) for codes in look]
    stands_for = list(columns)
    determined: set[tuple[int, int]] = set()
    for a in columns:
        for b in columns:
            if a == b or records.cardinalities[a] < records.cardinalities[b]:
                continue
            if _pairs(look[a], look[b], records.cardinalities[b]) > seen[a]:
                continue
            whole = _pairs(records.columns[a], records.columns[b], records.cardinalities[b])
            if whole == records.cardinalities[a]:
                determined.add((a, b))
    for a, b in sorted(determined):
        if (b, a) in determined:
            stands_for[max(a, b)] = min(stands_for[max(a, b)], a, b)
    strict = [
        (a, b)
        for a, b in sorted(determined)
        if (b, a) not in determined and stands_for[a] == a and stands_for[b] == b
    ]
    return Canonical(tuple(stands_for), tuple(strict))


def _pairs(left: Ints, right: Ints, cardinality: int) -> int:
    """Return the number of distinct pairs."""
    ranked = np.sort(left * cardinality + right)
    return int((ranked[1:] != ranked[:-1]).sum()) + 1 if len(ranked) else 0


MEMORY = 192 * 2**20
"""Bytes that REFINEMENT keeps between sets."""


class QuestionFamily:
    """Questions over one attribute, or over class sizes only, each beside its position among all."""

    def __init__(
        self,
        table: Table,
        columns: Sequence[str],
        attribute: str | None,
        questions: Sequence[tuple[int, Question]],
    ) -> None:
        self.attribute = attribute
        self.questions = tuple(questions)
        self._table = table
        self._columns = tuple(columns)
        self._statistics = {
            s: class_statistic(s, has_attribute=attribute is not None, has_entities=table.has_entities)
            for _, question in questions
            for s in question.statistics()
        }

    @property
    def has_cells(self) -> bool:
        """Whether classes are looked at with the cells of an attribute, or with entities."""
        return self.attribute is not None or self._table.has_entities

    @property
    def needs_numbers(self) -> bool:
        """Whether a figure does arithmetic with the attribute's values."""
        return any(statistic.needs_numbers for statistic in self._statistics.values())

    def measure(self, masks: Masks, answers: Answers, path: Path, report: Callable[[int], None]) -> list[int]:
        """Fill the figures of sets, bit i being column i, and return the rows that are left to SQL.

        ``report`` is called from time to time with how many of the sets are done.
        """
        free = [i for i, name in enumerate(self._columns) if name != self.attribute]
        rows = np.arange(len(masks))
        # over columns that are all marked, each set has records of its own that stand in no class
        is_empty = not self._records.rows or (self.attribute is not None and not self._records.suppressed)
        published = sum(1 << i for i in free if not self._table.is_marked(self._columns[i]))
        rows = np.flatnonzero((masks & published) != 0)
        if len(free) < len(self._columns):
            own = self._columns.index(self.attribute or "")
            rows = rows[(masks[rows] >> own & 1) == 0]
        if is_empty or not len(rows):
            return [int(row) for row in range(len(masks))]
        places = {column: place for place, column in enumerate(self._order)}
        ordered = moved(masks[rows], [places.get(i) for i in range(len(self._columns))])
        sets, at = np.unique(self._canonical.masks(ordered), return_inverse=True)
        found = self._refining if path is Path.REFINEMENT else self._walking
        columns, refused = self._taken(
            self._chunks(found, sets.tolist()),
            len(sets),
            lambda done: report(done * len(masks) // len(sets)),
        )
        for j, question in self.questions:
            needed = question.statistics()
            values, reasons = computed(
                question, [s.name for s in needed], [columns[s] for s in needed], refused
            )
            answers.values[rows, j] = values[at]
            if reasons:
                why = {(int(row), j): reasons.get(i, "") for row, i in zip(rows, at.tolist(), strict=True)}
                answers.reasons.update({key: reason for key, reason in why.items() if reason})
        beside = set(range(len(masks))).difference(rows.tolist())
        left = (
            {int(row) for row, i in zip(rows, at.tolist(), strict=True) if i in refused} if refused else set()
        )
        return sorted(beside | left)

    def _taken(
        self, chunks: Iterator[Chunk], sets: int, report: Callable[[int], None]
    ) -> tuple[dict[Statistic, list[Number | None]], set[int]]:
        """Return the statistics of canonical sets, and the sets whose statistics only the table can say."""
        columns: dict[Statistic, list[Number | None]] = {s: [None] * sets for s in self._statistics}
        refused: set[int] = set()
        done = 0
        for chunk in chunks:
            if self._table.is_interrupted:
                raise KeyboardInterrupt
            rows = chunk.sets.tolist()
            try:
                found = take_statistics(tuple(self._statistics.values()), (chunk, self._values))
            except Unsupported:
                refused.update(rows)
            else:
                for statistic, taken in zip(self._statistics, found, strict=True):
                    column = columns[statistic]
                    for row, value in zip(rows, taken, strict=True):
                        column[row] = value
            done += len(rows)
            report(done)
        return columns, refused

    def _chunks(self, partitions: Walk | RememberedPartitions, sets: list[int]) -> Iterator[Chunk]:
        found = partitions.of(sets)
        if self.has_cells:
            return cell_chunks(self._records, found)
        return SizeChunks(self._records, partitions.tail).of(found)

    @cached_property
    def _read(self) -> tuple[LatticeRecords, list[int]]:
        """The records, columns with many values first (they soon leave few rows to split), and that order."""
        free = [i for i, name in enumerate(self._columns) if name != self.attribute]
        read = read_records(self._table, tuple(self._columns[i] for i in free), self.attribute)
        order = sorted(range(len(free)), key=lambda i: -read.cardinalities[i])
        return read.reordered(order), [free[i] for i in order]

    @property
    def _records(self) -> LatticeRecords:
        return self._read[0]

    @property
    def _order(self) -> list[int]:
        return self._read[1]

    @cached_property
    def _canonical(self) -> Canonical:
        return canonical_of(self._records)

    @cached_property
    def _walking(self) -> Walk:
        return Walk(self._records, 0 if self.has_cells else tail_length(self._records.cardinalities))

    @cached_property
    def _refining(self) -> RememberedPartitions:
        return RememberedPartitions(self._records, MEMORY)

    @cached_property
    def _values(self) -> AttributeValues | None:
        if self.attribute is None:
            return None
        numbers = self._table.numbers(self.attribute) if self.needs_numbers else None
        return attribute_values(self._records, numbers)
