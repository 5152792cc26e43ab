"""The classes of a table at a level vector, numbered, and what occurs in each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.sdk import Cells
from qidguard_standard.anonymizers.full_domain.occurrences import Merged, Occurrences, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
