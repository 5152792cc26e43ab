"""The classes of a table at a level vector, numbered, and what occurs in each."""

from collections.abc import Sequence
from dataclasses import dataclass
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
        times: How many records a row stands for; 1 where it is one entity.
        entity: The entity of each row, or None where persons are records.
        values: Number of codes.
        entities: Number of entities, 1 where persons are records.
    """

    owner: "NDArray[np.int64]"
    value: "NDArray[np.int64]"
    times: "NDArray[np.int64]"
    entity: "NDArray[np.int64] | None"
    values: int
    entities: int

    def merged(self, group: "NDArray[np.int64]", groups: int) -> "Occurrences":
        """Return the occurrences in coarser classes, given for each class; those of class −1 are left out."""
        owner, value, times, entity = group.take(self.owner), self.value, self.times, self.entity
        if len(group) and int(group.min()) < 0:
            is_in = owner >= 0
            owner, value, times = owner.compress(is_in), value.compress(is_in), times.compress(is_in)
            entity = None if entity is None else entity.compress(is_in)
        columns: list[tuple[NDArray[np.int64], int]] = [(owner, max(1, groups)), (value, self.values)]
        if entity is not None:
            columns.append((entity, self.entities))
        row, rows = numbered(columns, len(owner))
        first = np.empty(rows, dtype=np.int64)
        first[row] = np.arange(len(row))
        if entity is None:
            times = np.bincount(row, weights=times, minlength=rows).astype(np.int64)
        else:
            times = np.ones(rows, dtype=np.int64)
            entity = entity.take(first)
        return Occurrences(
            owner=owner.take(first),
            value=value.take(first),
            times=times,
            entity=entity,
            values=self.values,
            entities=self.entities,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Classes:
    """Classes of records, sorted by their representatives' numbers.

    Args:
        codes: For each QID the exact code of one record of each class.
        records: Records in each class.
        persons: The entities in each class, or None where persons are records.
        attributes: Sensitive attribute → its values in the classes.
    """

    codes: "tuple[NDArray[np.int32], ...]"
    records: "NDArray[np.int64]"
    persons: Occurrences | None
    attributes: "dict[str, Occurrences]"

    @property
    def count(self) -> int:
        """Number of classes."""
        return len(self.records)

    @cached_property
    def size(self) -> "NDArray[np.int64]":
        """Persons in each class."""
        if self.persons is None:
            return self.records
        return np.bincount(self.persons.owner, minlength=self.count)

    def merged(self, group: "NDArray[np.int64]", groups: int) -> "Classes":
        """Return coarser classes, given for each class; classes of group −1 are left out."""
        first = np.zeros(groups, dtype=np.int64)
        is_in = group >= 0
        # assigned from behind, so that the first class of each group stays
        first[group[is_in][::-1]] = np.flatnonzero(is_in)[::-1]
        records = np.bincount(group[is_in], weights=self.records[is_in], minlength=groups)
        return Classes(
            codes=tuple(codes.take(first) for codes in self.codes),
            records=records.astype(np.int64),
            persons=None if self.persons is None else self.persons.merged(group, groups),
            attributes={
                name: occurrences.merged(group, groups) for name, occurrences in self.attributes.items()
            },
        )

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
        if occurrences.entity is None:
            table_n = np.bincount(value, weights=n, minlength=occurrences.values).astype(np.int64)
        else:
            cell, cells = numbered([(owner, max(1, self.count)), (value, occurrences.values)], len(owner))
            first = np.empty(cells, dtype=np.int64)
            first[cell] = np.arange(len(cell))
            pair, pairs = numbered(
                [(value, occurrences.values), (occurrences.entity, occurrences.entities)], len(owner)
            )
            one = np.empty(pairs, dtype=np.int64)
            one[pair] = value
            table_n = np.bincount(one, minlength=occurrences.values)
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
) -> "tuple[Classes, NDArray[np.int64]]":
    """Collapse records that agree on all QIDs."""
    records = len(columns[0])
    of, count = numbered([(codes, _span(codes)) for codes in columns], records)
    first = np.zeros(count, dtype=np.int64)
    first[of[::-1]] = np.arange(records)[::-1]
    nothing: NDArray[Any] = np.zeros(records, dtype=np.int64)
    who = None if entity is None else entity.astype(np.int64)
    entities = 1 if who is None else _span(who)

    def occurring(value: "NDArray[Any]") -> Occurrences:
        each = Occurrences(
            owner=np.arange(records),
            value=value,
            times=np.ones(records, dtype=np.int64),
            entity=who,
            values=_span(value),
            entities=entities,
        )
        return each.merged(of, count)

    return (
        Classes(
            codes=tuple(codes.take(first) for codes in columns),
            records=np.bincount(of, minlength=count),
            persons=None if who is None else occurring(nothing),
            attributes={name: occurring(codes.astype(np.int64)) for name, codes in attributes.items()},
        ),
        of,
    )


def _span(codes: "NDArray[Any]") -> int:
    return int(codes.max(initial=0)) + 1
