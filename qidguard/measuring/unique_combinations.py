"""Minimal unique column combinations: the smallest sets of columns on which no two persons agree."""

from collections.abc import Iterator, Sequence

import numpy as np

from qidguard.core.view import TableView
from qidguard.engines.classes import Ints
from qidguard.measuring.lattice.levels import Level, levels_of
from qidguard.measuring.lattice.partition import Partition, refined, undivided
from qidguard.measuring.lattice.records import LatticeRecords, read_records


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
