"""Records of an opened table held in memory, as anonymizers are rehearsed on them: all, or a drawn sample."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.errors import DataError, NotMeasurable, UserError
from qidguard.core.kind import ColumnKind
from qidguard.core.value_parts import SMALL_CLASS

if TYPE_CHECKING:
    from qidguard.engines.base import Table


@dataclass(frozen=True, kw_only=True)
class CodedColumn:
    """A column over the distinct rows of a table.

    Args:
        value_type: What its values are, once read.
        codes: Shape (rows,), NULL is 0.
        texts: The value of each code; None for persons, who are known by their codes alone.
        numbers: The number of each code, or of the first of them; None where there are none.
        declared: Its values in the order that is declared of them; empty where none is.
    """

    value_type: ValueType
    codes: "NDArray[np.int32]" = field(repr=False)
    texts: tuple[str | None, ...] | None = field(repr=False)
    numbers: "NDArray[np.float64] | None" = field(repr=False)
    declared: tuple[str, ...] = field(default=(), repr=False)

    def of_rows(self, name: str, place: "NDArray[np.int64]") -> ColumnValues:
        """Return the column of some rows, whose codes are those that occur."""
        codes = self.codes[place]
        occurs = np.bincount(codes, minlength=1) > 0
        occurs[0] = True  # NULL keeps its code, whether it occurs or not
        used = np.flatnonzero(occurs)
        codes = (np.cumsum(occurs) - 1).astype(np.int32)[codes]
        if self.texts is None:
            texts: tuple[str | None, ...] = (None, *map(str, used[1:].tolist()))
            numbers: NDArray[np.float64] | None = np.where(used > 0, used, np.nan)
        else:
            texts = tuple(self.texts[code] for code in used.tolist())
            numbers = None if self.numbers is None else _padded(self.numbers, int(used[-1]) + 1)[used]
        codes.flags.writeable = False
        if numbers is not None:
            numbers.flags.writeable = False
        return ColumnValues(
            name=name,
            value_type=self.value_type,
            codes=codes,
            texts=texts,
            numbers=numbers,
            declared=self.declared,
        )


def _padded(numbers: "NDArray[np.float64]", codes: int) -> "NDArray[np.float64]":
    return np.pad(numbers, (0, max(0, codes - len(numbers))), constant_values=np.nan)


_OWN_STREAM: Final = 0x5A3B1E
"""Tells this draw apart from whatever else the same seed draws."""


class MemoryRecords:
    """Records in memory, a ``qidguard.sdk.Records`` that needs no open table; ``records_of`` makes them.

    They hold the table's values: none may reach a report. In the place of an entity's value stands the
    person's number, for nobody needs to know who it is.

    Args:
        names: The columns, in the table's order.
        entity: The entity column, one of ``names``; None where each record is a person.
        kinds: Column → what its values are, for those of which somebody knows it.
    """

    def __init__(
        self,
        coded: Mapping[str, CodedColumn],
        place: "NDArray[np.int64]",
        *,
        entity: str | None = None,
        kinds: Mapping[str, ColumnKind] | None = None,
    ) -> None:
        self.names = tuple(coded)
        self.entity = entity
        self.kinds = kinds or {}
        self._coded = coded
        self._place = place
        self._columns: dict[str, ColumnValues] = {}

    @classmethod
    def of_columns(
        cls,
        columns: Iterable[ColumnValues],
        *,
        entity: str | None = None,
        kinds: Mapping[str, ColumnKind] | None = None,
    ) -> "MemoryRecords":
        """Return records that hold columns, such as those of several tables under one another.

        Args:
            columns: The columns, all of as many records.
            entity: The entity column, whose codes number the persons from 1 on; None where there is none.
            kinds: Column → what its values are.

        Example:
            >>> from qidguard.anonymizing.example import held_example
            >>> MemoryRecords.of_columns([held_example().column("age")]).column("age").texts
            (None, '30', '40')
        """
        coded = {
            one.name: CodedColumn(
                value_type=one.value_type,
                codes=one.codes,
                texts=None if one.name == entity else one.texts,
                numbers=None if one.name == entity else one.numbers,
                declared=one.declared,
            )
            for one in columns
        }
        rows = max((len(one.codes) for one in coded.values()), default=0)
        return cls(coded, np.arange(rows), entity=entity, kinds=kinds)

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self._place)

    @property
    def persons(self) -> int:
        """Number of persons: of entities where there is an entity column, else of records."""
        return self.records if self.entity is None else self.column(self.entity).distinct

    def codes(self, columns: Sequence[str]) -> "NDArray[np.int32]":
        """Return codes of the columns, shape (records, columns): equal values have equal codes, NULL is 0.

        Args:
            columns: Their names.

        Raises:
            DataError: When there is none of a name.

        Example:
            >>> from qidguard.anonymizing.example import held_example
            >>> held_example().codes(("age", "town")).tolist()
            [[1, 1], [1, 2], [2, 2], [2, 2]]
        """
        found = np.empty((self.records, len(columns)), dtype=np.int32)
        for at, name in enumerate(columns):
            found[:, at] = self.column(name).codes
        return found

    def column(self, name: str) -> ColumnValues:
        """Return one column with the values that occur, which nobody may change.

        Args:
            name: Its name.

        Raises:
            DataError: When there is none of this name.

        Example:
            >>> from qidguard.anonymizing.example import held_example
            >>> held_example().column("age").texts
            (None, '30', '40')
        """
        if name not in self._coded:
            raise DataError(f"the records have no column {name!r}; read it with them")
        if name not in self._columns:
            made = self._coded[name].of_rows(name, self._place)
            self._columns[name] = replace(made, kind=self.kinds.get(name))
        return self._columns[name]

    def sample(self, size: float | None, seed: int) -> "MemoryRecords":
        """Return some of the records, drawn by the seed without replacement; of persons all records.

        The same size and seed draw the same, whatever the order of the source's rows; a smaller size draws
        the first of what a larger one draws. Without an entity column that holds for the same columns.

        Args:
            size: A share 0..1 (a float), or a number ≥ 1 (an int): of persons where there is an entity
                column, else of records. A number beyond them takes all. None takes all as they stand.
            seed: Seeds the draw, ≥ 0.

        Returns:
            At least one record, or person, in the order in which they were drawn.

        Units:
            A share, or a number of persons.

        Raises:
            UserError: When the size is neither a share nor a number, or the seed is below 0.

        Example:
            >>> from qidguard.anonymizing.example import held_example
            >>> held_example().sample(2, 7).records, held_example().sample(0.25, 7).records
            (2, 1)
        """
        if size is None:
            return self
        drawn = _drawn(size, self.persons, seed)
        if self.entity is None:
            return self._only(drawn)
        person = self.column(self.entity).codes - 1
        turn = np.full(self.persons, len(person), dtype=np.int64)
        turn[drawn] = np.arange(len(drawn))
        rows = np.flatnonzero(turn[person] < len(person))
        return self._only(rows[np.argsort(turn[person[rows]], kind="stable")])

    def rare(self) -> frozenset[str]:
        """Return the case-folded values of small classes, which no text may hold; those of persons are none.

        Example:
            >>> from qidguard.anonymizing.example import held_example
            >>> sorted(held_example().rare())
            ['30', '40', 'a', 'b']
        """
        found: set[str] = set()
        for name in self.names:
            if name == self.entity:
                continue
            column = self.column(name)
            few = np.flatnonzero(np.bincount(column.codes, minlength=len(column.texts)) < SMALL_CLASS)
            found.update((column.texts[code] or "").strip().casefold() for code in few.tolist() if code)
        return frozenset(found)

    def _only(self, rows: "NDArray[np.int64]") -> "MemoryRecords":
        return MemoryRecords(self._coded, self._place[rows], entity=self.entity, kinds=self.kinds)

    def of_kinds(self, kinds: Mapping[str, ColumnKind]) -> "MemoryRecords":
        """Return the same records, of which somebody knows what the values of columns are.

        Args:
            kinds: Column → kind; the columns that are left out have none.

        Example:
            >>> from qidguard.anonymizing.example import held_example
            >>> held_example().of_kinds({"age": ColumnKind.COUNT}).column("age").kind.value
            'count'
        """
        return MemoryRecords(self._coded, self._place, entity=self.entity, kinds=kinds)

    def recoded(self, codes: Mapping[str, "NDArray[np.int32]"]) -> "MemoryRecords":
        """Return other records that hold the same values, as many as there are codes.

        Args:
            codes: For each column that they have its codes as ``column`` numbers them, shape (records,), NULL
                0; of the entity column any numbers ≥ 1.

        Example:
            >>> from qidguard.anonymizing.example import held_example
            >>> two = np.array([1, 2], dtype=np.int32)
            >>> held_example().recoded({"age": two}).column("age").texts
            (None, '30', '40')
        """
        columns = [replace(self.column(name), codes=given) for name, given in codes.items()]
        entity = self.entity if self.entity in codes else None
        return MemoryRecords.of_columns(columns, entity=entity, kinds=self.kinds)


def memory_records(table: Any, columns: Sequence[str]) -> MemoryRecords:
    """Return columns of an opened table in memory, and its entity column beside them.

    Args:
        table: The opened table; it may be closed afterward.
        columns: The columns, at least one; their order does not matter.

    Returns:
        All records, in the natural order of their values: the order of the source's rows plays no part.

    Raises:
        NotMeasurable: When the table's engine gives no values.
        DataError: When there is no such column, a record has no entity, or the table has no records.
    """
    names = _in_order(table, columns)
    texts: Callable[[str], tuple[str | None, ...]] | None = getattr(table, "texts", None)
    declared: Callable[[str], tuple[str, ...]] = getattr(table, "declared", lambda _: ())
    entity = getattr(table, "entity", None)
    if texts is None or (entity is None and table.has_entities):
        raise NotMeasurable("the table's engine gives no values, so its records cannot be held in memory")
    own = tuple(name for name in names if name != entity)
    if not own:
        raise UserError("records in memory hold at least one column beside the entity; name one")
    if not table.records:
        raise DataError("the table has no records, so none can be held in memory; give one with some")
    if table.missing_entities:
        raise DataError(
            f"{table.missing_entities:,} records have no {entity!r}, so nobody knows whose they are; complete"
            " or remove them"
        )
    found = table.codes((), own)
    types = {facts.name: facts.value_type for facts in table.columns}
    coded = {
        name: CodedColumn(
            value_type=types[name],
            codes=found.codes[:, at].copy(),
            texts=texts(name),
            numbers=_numbers(table, name, types[name]),
            declared=declared(name),
        )
        for at, name in enumerate(own)
    }
    if entity is not None:
        person = np.unique(found.entity, return_inverse=True)[1].astype(np.int32) + 1
        coded[entity] = CodedColumn(value_type=ValueType.INTEGER, codes=person, texts=None, numbers=None)
    ordered = {facts.name: coded[facts.name] for facts in table.columns if facts.name in coded}
    return MemoryRecords(ordered, np.repeat(np.arange(len(found.records)), found.records), entity=entity)


def _in_order(table: "Table", columns: Sequence[str]) -> tuple[str, ...]:
    every = [facts.name for facts in table.columns]
    for name in columns:
        if name not in every:
            raise DataError(f"the table has no column {name!r}")
    return tuple(name for name in every if name in columns)


def _numbers(table: "Table", name: str, value_type: ValueType) -> "NDArray[np.float64] | None":
    if value_type is ValueType.EMPTY:
        return None
    try:
        return table.numbers(name)
    except NotMeasurable:
        return None


def _drawn(size: object, persons: int, seed: int) -> "NDArray[np.int64]":
    """Return the numbers of those drawn, in the order of the draw."""
    if isinstance(size, bool) or not isinstance(size, Real):
        raise UserError(f"the size of a sample is a share 0..1 or a number of persons, not {size!r}")
    if seed < 0:
        raise UserError(f"the seed must be at least 0, not {seed}")
    if isinstance(size, Integral):
        if int(size) < 1:
            raise UserError(f"a sample holds at least 1 person, not {size!r}")
        few = min(int(size), persons)
    else:
        share = float(size)
        if not 0 < share <= 1:
            raise UserError(f"the share of a sample must lie above 0 and up to 1, not {size!r}")
        few = max(1, round(share * persons))
    return np.random.default_rng([seed, _OWN_STREAM]).permutation(persons)[:few]
