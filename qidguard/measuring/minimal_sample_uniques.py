"""Find the minimal sample uniques: the smallest column sets on which a record is alone.

A record is unique on a set of columns when no other person has its values there; the set is a minimal sample
unique of the record when the record is unique on no smaller part of it (Elliot, Manning & Ford 2002; Manning,
Haglin & Keane 2008, "A recursive search algorithm for statistical disclosure assessment", Data Mining and
Knowledge Discovery 16, 165–196). The search is exact and walks the subset lattice depth first: only records
that share their class with another person are refined further, because one that is unique on a set is minimal
on no superset and no one's company there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.errors import NotMeasurable
from qidguard.core.view import Codes, TableView
from qidguard.engines.classes import Ints
from qidguard.measuring.lattice.levels import Level, joined, levels_of
from qidguard.measuring.lattice.partition import Partition, refined, undivided
from qidguard.measuring.lattice.records import LatticeRecords, read_records

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_SUBSETS = 2_000_000
"""Largest number of column subsets that is searched."""
MOST_BYTES = 2**30
"""Largest memory that the search may need to remember who is unique where."""


@dataclass(frozen=True, kw_only=True)
class MinimalSampleUniques:
    """The records for which one set of columns is a minimal sample unique.

    Args:
        columns: Positions of the columns among the QIDs, ascending, at least one.
        rows: Positions of the records' rows in ``Codes``, at least one, ascending.
    """

    columns: tuple[int, ...]
    rows: "NDArray[np.int64]"


def sample_unique_rows(codes: Codes) -> "NDArray[np.int64]":
    """Find the rows that are unique on all columns together.

    Args:
        codes: The QID columns, of records that stand in a class; NULL is a value like any other.

    Returns:
        Positions of the rows that no other person equals, ascending; none for an empty table.

    Units:
        Positions count rows.

    Raises:
        ValueError: when the codes have not two dimensions.

    Example:
        >>> table = np.array([[1, 1], [1, 2]], dtype=np.int32)
        >>> two = Codes(codes=table, records=np.array([1, 2]), entity=None, suppressed=(-1, -1))
        >>> sample_unique_rows(two).tolist()
        [0]
    """
    if codes.entity is None:
        # rows differ from one another, so a row that stands for one record is a class of one
        return np.flatnonzero(codes.records == 1)
    key, span = np.zeros(len(codes.records), dtype=np.int64), 1
    for column in codes.codes.T:
        key, span = joined(key, span, column.astype(np.int64))
    return np.flatnonzero(~_is_shared(key, codes.entity)[key])


def find_minimal_sample_uniques(
    view: TableView, codes: Codes, max_size: int
) -> Iterator[MinimalSampleUniques]:
    """Find all minimal sample uniques of up to ``max_size`` columns.

    Args:
        view: The table, asked now and then whether to stop.
        codes: Its QID columns; in a table with entities a record is unique when its class holds one entity. A
            record is not on columns that are all suppressed in it.
        max_size: Largest number of columns in a set, ≥ 1; above the number of columns it means all.

    Returns:
        An iterator over the sets that are minimal sample uniques of some record, each once.

    Units:
        Sizes count columns.

    Raises:
        NotMeasurable: when the subsets are too many; the message says which ``max_size`` works.
        KeyboardInterrupt: when the caller asked to stop.

    Example:
        >>> class Calm:
        ...     is_interrupted = False
        >>> table = np.array([[1, 1], [1, 2], [2, 1]], dtype=np.int32)
        >>> three = Codes(codes=table, records=np.ones(3, dtype=np.int64), entity=None, suppressed=(-1, -1))
        >>> [(m.columns, m.rows.tolist()) for m in find_minimal_sample_uniques(Calm(), three, 2)]
        [((0,), [2]), ((1,), [1]), ((0, 1), [0])]
    """
    targets = sample_unique_rows(codes)
    columns = codes.codes.shape[1]
    size = min(max_size, columns)
    _check_effort(columns, size, len(targets))
    if len(targets):
        yield from _MinimalSearch(view, _with_company(codes), targets, size).walk()


def minimal_sample_uniques(
    view: TableView, columns: Sequence[str], *, max_size: int
) -> tuple[MinimalSampleUniques, ...]:
    """Find all minimal sample uniques of a table.

    Args:
        view: An opened table.
        columns: The columns that sets may hold, none twice.
        max_size: Largest number of columns in a set, ≥ 1; above the number of columns it means all.

    Returns:
        One for each set that is a minimal sample unique of some record, by size and then by position; its
        rows are those of ``view.codes(columns)``. NULL is a value like any other; a table without records has
        none.

    Units:
        Sizes count columns.

    Raises:
        NotMeasurable: when the subsets are too many; the message says which ``max_size`` works.
        KeyboardInterrupt: when the caller asked to stop.

    Example:
        >>> class Table:
        ...     is_interrupted = False
        ...
        ...     def codes(self, qids):
        ...         codes = np.array([[1, 1], [1, 2], [2, 1]], dtype=np.int32)
        ...         return Codes(codes=codes, records=np.ones(3, int), entity=None, suppressed=(-1, -1))
        >>> [m.columns for m in minimal_sample_uniques(Table(), ("a", "b"), max_size=2)]
        [(0,), (1,), (0, 1)]
    """
    found = find_minimal_sample_uniques(view, view.codes(tuple(columns)), max_size)
    return tuple(sorted(found, key=lambda one: (len(one.columns), one.columns)))


def _with_company(codes: Codes) -> Codes:
    """Return the rows and one of nobody with the mark in every column, so that no mark makes a row unique."""
    marks = np.array(codes.suppressed)
    if (marks < 0).all() or (codes.codes == marks).all():
        return codes
    other = codes.codes.max(axis=0) + 1  # where the mark does not occur, nobody's value
    nobody = np.where(marks < 0, other, marks)
    person = np.arange(len(codes.records)) if codes.entity is None else codes.entity
    return Codes(
        codes=np.vstack([codes.codes, nobody]).astype(np.int32),
        records=np.append(codes.records, 1),
        entity=np.append(person, person.max() + 1),
        suppressed=codes.suppressed,
    )


def _check_effort(columns: int, max_size: int, uniques: int) -> None:
    """Raise NotMeasurable where the subsets would take too long or too much memory."""
    bytes_each = max(1, uniques // 8)
    subsets = 0
    for size in range(1, max_size + 1):
        # who is unique where is remembered for all sizes but the last
        needed = subsets * bytes_each
        subsets += comb(columns, size)
        if subsets > MOST_SUBSETS or needed > MOST_BYTES:
            raise NotMeasurable(
                f"Minimal sample uniques of up to {max_size} of {columns} QIDs are too many to search; "
                f"set max_size to {max(1, size - 1)} or name fewer QIDs."
            )


def _is_shared(key: "NDArray[np.int64]", person: "NDArray[np.int64]") -> "NDArray[np.bool_]":
    """Return for each class number whether the class holds more than one person."""
    span = int(key.max()) + 1 if len(key) else 0
    anyone = np.empty(span, dtype=person.dtype)
    anyone[key] = person  # whoever comes last; all that counts is whether someone differs
    is_shared = np.zeros(span, dtype=np.bool_)
    is_shared[key[anyone[key] != person]] = True
    return is_shared


class _MinimalSearch:
    """The walk over the lattice, a set of columns being a bit mask.

    A set's child adds one column below its lowest. Then sets come in the order of their masks, so that every
    part of a set has been seen before the set itself.
    """

    def __init__(self, view: TableView, codes: Codes, targets: "NDArray[np.int64]", max_size: int) -> None:
        self.view, self.targets, self.max_size = view, targets, max_size
        rows, columns = codes.codes.shape
        # columns with many values take high bits: near the root they soon leave few rows to refine
        values = codes.codes.max(axis=0).astype(np.int64) + 1
        self.order = np.argsort(values, kind="stable")
        self.values = values[self.order]
        self.codes = [np.ascontiguousarray(codes.codes[:, c], dtype=np.int64) for c in self.order]
        self.person = np.arange(rows) if codes.entity is None else codes.entity
        self.target_of = np.full(rows, -1)
        self.target_of[targets] = np.arange(len(targets))
        # mask → which targets are not unique there; where the mask is missing all are unique
        self.shared: dict[int, NDArray[np.uint8]] = {}
        self.columns = columns

    def walk(self) -> Iterator[MinimalSampleUniques]:
        everyone = np.arange(len(self.person))
        self.shared[0] = np.packbits(np.ones(len(self.targets), dtype=np.bool_))
        yield from self._children(0, (), everyone, np.zeros(len(everyone), dtype=np.int64), 1)

    def _children(
        self, mask: int, bits: tuple[int, ...], rows: "NDArray[np.int64]", key: "NDArray[np.int64]", span: int
    ) -> Iterator[MinimalSampleUniques]:
        for bit in range(bits[-1] if bits else self.columns):
            if self.view.is_interrupted:
                raise KeyboardInterrupt
            child, child_bits = mask | 1 << bit, (*bits, bit)
            # minimal are those unique here and shared on every set with one column less
            candidates = self._shared_on_all_parts(child, child_bits)
            if candidates is None:
                continue  # all are unique on some part, so they are on everything above
            left, left_key, left_span = self._refine(rows, key, span, bit)
            shared = np.zeros(len(self.targets), dtype=np.bool_)
            target = self.target_of[left]
            shared[target[target >= 0]] = True
            packed = np.packbits(shared)
            minimal = np.unpackbits(candidates & ~packed, count=len(self.targets)).astype(np.bool_)
            if minimal.any():
                columns = tuple(sorted(int(self.order[b]) for b in child_bits))
                yield MinimalSampleUniques(columns=columns, rows=self.targets[minimal])
            if shared.any() and len(child_bits) < self.max_size:
                self.shared[child] = packed
                yield from self._children(child, child_bits, left, left_key, left_span)

    def _shared_on_all_parts(self, mask: int, bits: tuple[int, ...]) -> "NDArray[np.uint8] | None":
        """Return the targets that are unique on no set with one column less; None where there are none."""
        found: NDArray[np.uint8] | None = None
        for bit in bits:
            part = self.shared.get(mask ^ 1 << bit)
            if part is None:
                return None
            found = part if found is None else found & part
        return found if found is not None and found.any() else None

    def _refine(
        self, rows: "NDArray[np.int64]", key: "NDArray[np.int64]", span: int, bit: int
    ) -> "tuple[NDArray[np.int64], NDArray[np.int64], int]":
        """Split the classes by one more column; drop those of one person and number the others anew."""
        values = int(self.values[bit])
        fine = key * values + self.codes[bit][rows]
        if span * values > 4 * len(rows) + 2**16:
            fine = np.unique(fine, return_inverse=True)[1]
        is_shared = _is_shared(fine, self.person[rows])
        is_kept = is_shared[fine]
        number = np.cumsum(is_shared) - 1
        left = rows[is_kept]
        return left, number[fine[is_kept]], int(number[-1]) + 1 if len(number) else 0


def minimal_unique_combinations(
    view: TableView, columns: Sequence[str], *, max_size: int | None = None, is_deduplicated: bool = False
) -> tuple[frozenset[str], ...]:
    """Find the minimal unique column combinations of a table: its minimal keys.

    A set of columns is unique when every class of it holds one person, and minimal when no smaller part of it
    is unique (Heise, Quiané-Ruiz, Abedjan, Jentzsch & Naumann 2013, "Scalable discovery of unique column
    combinations", PVLDB 7, 301–312). The search is exact: depth first, parts before wholes, so that nothing
    above a unique set is looked at, nor anything below a set that all columns ahead leave non-unique.

    Args:
        view: An opened table. NULL is a value like any other, so two records that lack a value agree on it;
            so is the suppression mark, since a key tells every record apart.
            With an entity column a class is unique when it holds one entity, however many records.
        columns: The columns that sets may hold, at least one, none twice.
        max_size: Largest number of columns in a set, ≥ 1; None means all.
        is_deduplicated: Whether equal records count as one. Otherwise a table with two equal records has no
            unique combination. With entities it changes nothing.

    Returns:
        The sets, by size and then by the order of ``columns``; none where even all columns are not unique. In
        a table without records, or with one person, each single column is a minimal unique combination.

    Units:
        Sizes count columns.

    Raises:
        ValueError: When there is no column, one is named twice, or ``max_size`` is below 1.
        KeyboardInterrupt: When the caller asked to stop.

    Example:
        >>> from qidguard.sdk import Codes
        >>> class Table:
        ...     is_interrupted = False
        ...
        ...     def codes(self, qids, beside):
        ...         codes = np.array([[1, 1, 1], [1, 2, 1], [2, 1, 1]], dtype=np.int32)
        ...         return Codes(codes=codes, records=np.ones(3, int), entity=None, suppressed=(-1, -1, -1))
        >>> [sorted(found) for found in minimal_unique_combinations(Table(), ("a", "b", "c"))]
        [['a', 'b']]
    """
    if not columns or len(set(columns)) != len(columns):
        raise ValueError("unique combinations are of at least one column, none named twice")
    if max_size is not None and max_size < 1:
        raise ValueError(f"a combination holds at least 1 column, not {max_size}; raise max_size")
    read = read_records(view, tuple(columns), None)
    if read.weights is not None and not is_deduplicated:
        return ()
    order = sorted(range(len(columns)), key=lambda i: -read.cardinalities[i])
    search = _Search(view, _once(read.reordered(order)), min(max_size or len(columns), len(columns)))
    found = [tuple(sorted(order[c] for c in some)) for some in search.found()]
    return tuple(frozenset(columns[i] for i in some) for some in sorted(found, key=lambda s: (len(s), s)))


def _once(records: LatticeRecords) -> LatticeRecords:
    """Return the records with every row standing for one."""
    return LatticeRecords(
        columns=records.columns,
        cardinalities=records.cardinalities,
        weights=None,
        attribute=None,
        attribute_codes=records.attribute_codes,
        entity=records.entity,
        entities=records.entities,
    )


class _Search:
    """The walk; a set is a bit mask over the columns, those with many values first.

    A set's children add a column behind its last one, the last first: then every part of a set comes before
    the set itself.
    """

    def __init__(self, view: TableView, records: LatticeRecords, max_size: int) -> None:
        self._view = view
        self._records = records
        self._width = len(records.columns)
        self._max_size = max_size
        self._levels = levels_of(records, self._width)
        self._unique: list[int] = []

    def found(self) -> Iterator[tuple[int, ...]]:
        """Yield the minimal unique sets, each as the positions of its columns."""
        self._children(0, -1, None, 0)
        for mask in self._unique:
            yield tuple(c for c in range(self._width) if mask >> c & 1)

    def _children(self, mask: int, last: int, partition: Partition | None, size: int) -> None:
        for column in range(self._width - 1, last, -1):
            if self._view.is_interrupted:
                raise KeyboardInterrupt
            child = mask | 1 << column
            if any(known & ~child == 0 for known in self._unique):
                continue
            parent = undivided(self._levels[0]) if partition is None else partition
            split = refined(self._records, parent, column)
            if self._is_unique(split.group, split):
                self._unique.append(child)
            elif size + 1 < self._max_size and self._can_be_unique(split, self._levels[column + 1]):
                self._children(child, column, split, size + 1)

    def _can_be_unique(self, partition: Partition, ahead: Level) -> bool:
        """Whether all the columns ahead together leave no two persons in one class."""
        number = ahead.number.take(partition.level.first.take(partition.rows))
        return self._is_unique(partition.group * max(1, ahead.rows) + number, partition)

    def _is_unique(self, key: Ints, partition: Partition) -> bool:
        """Whether rows with equal keys are one person's."""
        if partition.level.entity is None:
            ranked = np.sort(key)
            return not (ranked[1:] == ranked[:-1]).any()
        order = np.argsort(key)
        ranked, who = key.take(order), partition.level.entity.take(partition.rows).take(order)
        return not ((ranked[1:] == ranked[:-1]) & (who[1:] != who[:-1])).any()
