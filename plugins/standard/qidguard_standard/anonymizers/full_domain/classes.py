"""The classes of a table at a level vector, numbered, and which values and entities occur in each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.sdk import Cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST_KEY = 2**62
_DENSE, _DENSE_FREE = 8, 1 << 14
"""Keys a row up to which rows are counted in an array; beyond, sorting them costs less."""
_BITS = 63


def numbered(
    columns: "Sequence[tuple[NDArray[np.integer[Any]], int]]", rows: int
) -> "tuple[NDArray[np.int64], int]":
    """Number the classes of equal rows, in the order of the columns' numbers."""
    key, span = np.zeros(rows, dtype=np.int64), 1
    for numbers, width in columns:
        if span * width > _LARGEST_KEY:
            key, span = _dense(key, span)
        key = key * width + numbers
        span *= width
    return _dense(key, span)


def _dense(key: "NDArray[np.int64]", span: int) -> "tuple[NDArray[np.int64], int]":
    if span <= _DENSE * len(key) + _DENSE_FREE:
        place = np.cumsum(np.bincount(key, minlength=1) > 0)
        return place.take(key) - 1, int(place[-1]) if len(key) else 0
    bits = len(key).bit_length()
    if span.bit_length() + bits > _BITS:
        known, group = np.unique(key, return_inverse=True)
        return group.astype(np.int64), len(known)
    # a key and its row in one number: sorting those costs less than sorting rows by their keys
    both = (key << bits) | np.arange(len(key))
    both.sort()
    ranked = both >> bits
    is_new = np.ones(len(key), dtype=np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=is_new[1:])
    group = np.empty(len(key), dtype=np.int64)
    group[both & ((1 << bits) - 1)] = np.cumsum(is_new) - 1
    return group, int(is_new.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Occurrences:
    """Which attribute values occur in which class, and how often.

    Args:
        owner: The class of each row.
        value: The attribute's code in each row; all 0 where only persons are counted.
        times: How many records a row stands for.
        pair: The entity and value of each row, numbered together, or None where persons are records.
        values: Number of codes.
        entity_of: The entity of each pair; empty where persons are records.
        whole: Persons with each code in all classes together, where that is known.
    """

    owner: "NDArray[np.int64]"
    value: "NDArray[np.int64]"
    times: "NDArray[np.int64]"
    pair: "NDArray[np.int64] | None"
    values: int
    entity_of: "NDArray[np.int64]"
    whole: "NDArray[np.int64] | None" = None

    @property
    def entity(self) -> "NDArray[np.int64] | None":
        """The entity of each row, or None where persons are records."""
        return None if self.pair is None else self.entity_of.take(self.pair)

    def merged(self, group: "NDArray[np.int64]", groups: int) -> "Occurrences":
        """Return the occurrences in coarser classes, given for each class; those of class −1 are left out."""
        among = self.among(group)
        of = (among.value, self.values) if among.pair is None else (among.pair, len(self.entity_of))
        row, rows = numbered([(among.owner, max(1, groups)), of], len(among.owner))
        first = np.empty(rows, dtype=np.int64)
        first[row] = np.arange(len(row))
        return replace(
            among,
            owner=among.owner.take(first),
            value=among.value.take(first),
            times=np.bincount(row, weights=among.times, minlength=rows).astype(np.int64),
            pair=None if among.pair is None else among.pair.take(first),
        )

    def among(self, group: "NDArray[np.int64]") -> "Occurrences":
        """Return the occurrences in classes that are numbered anew, without those of class −1."""
        owner = group.take(self.owner)
        if not len(group) or int(group.min()) >= 0:
            return replace(self, owner=owner)
        is_in = owner >= 0
        return replace(
            self,
            owner=owner.compress(is_in),
            value=self.value.compress(is_in),
            times=self.times.compress(is_in),
            pair=None if self.pair is None else self.pair.compress(is_in),
            whole=None,
        )

    @cached_property
    def table_n(self) -> "NDArray[np.int64]":
        """Persons with each code in all classes together."""
        if self.whole is not None:
            return self.whole
        if self.pair is None:
            return np.bincount(self.value, weights=self.times, minlength=self.values).astype(np.int64)
        value = np.full(len(self.entity_of), -1, dtype=np.int64)
        value[self.pair] = self.value
        return np.bincount(value[value >= 0], minlength=self.values)


class Merged(Mapping[str, Occurrences]):
    """The attributes of classes, each merged when it is first looked at: most nodes fail without.

    Args:
        finer: The occurrences in some finer classes.
        group: For each of those its class, −1 where it is left out.
        groups: How many classes there are.
        is_apart: Whether no two of the finer classes become one, so that nothing has to be merged.
    """

    def __init__(
        self,
        finer: Mapping[str, Occurrences],
        group: "NDArray[np.int64]",
        groups: int,
        *,
        is_apart: bool = False,
    ) -> None:
        self.unread: dict[str, tuple[Occurrences, NDArray[np.int64]]] = {}
        self._found: dict[str, Occurrences] = {}
        self._groups = groups
        self._is_apart = is_apart
        for name in finer:
            if isinstance(finer, Merged) and name in finer.unread and not is_apart:
                source, within = finer.unread[name]
                # −1 stays −1
                self.unread[name] = (source, np.append(group, -1).take(within))
            else:
                self.unread[name] = (finer[name], group)
        self._names = tuple(finer)

    def __getitem__(self, name: str) -> Occurrences:
        """Return the occurrences of an attribute."""
        if name not in self._found:
            source, group = self.unread.pop(name)
            self._found[name] = source.among(group) if self._is_apart else source.merged(group, self._groups)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        """Return the attributes' names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return their number."""
        return len(self._names)


_PERSONS = ""
"""The name under which persons are kept, which no column has."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SortedClasses:
    """Classes of records, sorted by their representatives' numbers.

    Args:
        codes: For each QID the exact code of one record of each class.
        records: Records in each class.
        has_entities: Whether persons are entities and not records.
        attributes: Sensitive attribute → its values in the classes, and under no name who is in them.
    """

    codes: "tuple[NDArray[np.int32], ...]"
    records: "NDArray[np.int64]"
    has_entities: bool
    attributes: Mapping[str, Occurrences]

    @property
    def count(self) -> int:
        """Number of classes."""
        return len(self.records)

    @property
    def persons(self) -> Occurrences | None:
        """The entities in each class, or None where persons are records."""
        return self.attributes[_PERSONS] if self.has_entities else None

    @cached_property
    def size(self) -> "NDArray[np.int64]":
        """Persons in each class."""
        if self.persons is None:
            return self.records
        return np.bincount(self.persons.owner, minlength=self.count)

    def merged(self, group: "NDArray[np.int64]", groups: int) -> "SortedClasses":
        """Return coarser classes, given for each class; classes of group −1 are left out."""
        first = np.zeros(groups, dtype=np.int64)
        is_in = group >= 0
        # assigned from behind, so that the first class of each group stays
        first[group[is_in][::-1]] = np.flatnonzero(is_in)[::-1]
        records = np.bincount(group[is_in], weights=self.records[is_in], minlength=groups)
        return SortedClasses(
            codes=tuple(codes.take(first) for codes in self.codes),
            records=records.astype(np.int64),
            has_entities=self.has_entities,
            attributes=Merged(self.attributes, group, groups),
        )

    def among(self, kept: "NDArray[np.bool_]") -> "SortedClasses":
        """Return some of the classes, as they are."""
        rows = np.flatnonzero(kept)
        group = np.where(kept, np.cumsum(kept) - 1, -1)
        return SortedClasses(
            codes=tuple(codes.take(rows) for codes in self.codes),
            records=self.records.take(rows),
            has_entities=self.has_entities,
            attributes=Merged(self.attributes, group, len(rows), is_apart=True),
        )

    def records_of_cells(self, attribute: str) -> "NDArray[np.float64]":
        """Return how many records each of the cells of an attribute has, in their order."""
        occurrences = self.attributes[attribute]
        if occurrences.pair is None:
            return occurrences.times.astype(np.float64)
        cell, cells = self._cell_of(occurrences)
        return np.bincount(cell, weights=occurrences.times, minlength=cells).astype(np.float64)

    def _cell_of(self, occurrences: Occurrences) -> "tuple[NDArray[np.int64], int]":
        columns = [(occurrences.owner, max(1, self.count)), (occurrences.value, occurrences.values)]
        return numbered(columns, len(occurrences.owner))

    def cells(self, attribute: str) -> Cells:
        """Return the cells of an attribute, shares of the table taken over these classes."""
        known = self._cells
        if attribute not in known:
            known[attribute] = self._counted(self.attributes[attribute])
        return known[attribute]

    @cached_property
    def _cells(self) -> "dict[str, Cells]":
        return {}

    def _counted(self, occurrences: Occurrences) -> Cells:
        owner, value, n = occurrences.owner, occurrences.value, occurrences.times
        table_n = occurrences.table_n
        if occurrences.pair is not None:
            cell, cells = self._cell_of(occurrences)
            first = np.empty(cells, dtype=np.int64)
            first[cell] = np.arange(len(cell))
            owner, value, n = owner.take(first), value.take(first), np.bincount(cell, minlength=cells)
        occurs = table_n > 0
        rank = np.cumsum(occurs) - 1
        return Cells(
            class_id=owner,
            value=rank.take(value),
            n=n,
            size=self.size,
            table_n=table_n[occurs],
            has_missing=bool(len(occurs)) and bool(occurs[0]),
        )


def collapsed(
    columns: "Sequence[NDArray[np.int32]]",
    attributes: "dict[str, NDArray[np.int32]]",
    entity: "NDArray[np.int32] | None",
) -> "tuple[SortedClasses, NDArray[np.int64]]":
    """Collapse records that agree on all QIDs."""
    records = len(columns[0])
    of, count = numbered([(codes, _span(codes)) for codes in columns], records)
    first = np.zeros(count, dtype=np.int64)
    first[of[::-1]] = np.arange(records)[::-1]
    nothing: NDArray[Any] = np.zeros(records, dtype=np.int64)
    who = None if entity is None else entity.astype(np.int64)
    entities = 1 if who is None else _span(who)

    def occurring(value: "NDArray[Any]") -> Occurrences:
        pair, entity_of = None, np.zeros(0, dtype=np.int64)
        if who is not None:
            pair, pairs = numbered([(value, _span(value)), (who, entities)], records)
            entity_of = np.empty(pairs, dtype=np.int64)
            entity_of[pair] = who
        each = Occurrences(
            owner=np.arange(records),
            value=value,
            times=np.ones(records, dtype=np.int64),
            pair=pair,
            values=_span(value),
            entity_of=entity_of,
        )
        merged = each.merged(of, count)
        return replace(merged, whole=merged.table_n)

    return (
        SortedClasses(
            codes=tuple(codes.take(first) for codes in columns),
            records=np.bincount(of, minlength=count),
            has_entities=who is not None,
            attributes={name: occurring(codes.astype(np.int64)) for name, codes in attributes.items()}
            | ({} if who is None else {_PERSONS: occurring(nothing)}),
        ),
        of,
    )


def _span(codes: "NDArray[Any]") -> int:
    return int(codes.max(initial=0)) + 1
