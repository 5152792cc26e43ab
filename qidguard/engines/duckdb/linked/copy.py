"""A private copy of several tables: one of persons, which is audited, and the records beside it."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.column import ColumnValues
from qidguard.core.errors import DataError
from qidguard.engines.base import EngineSettings, Snapshot
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.connection import Connection, working
from qidguard.engines.duckdb.linked.dates import DateColumn
from qidguard.engines.duckdb.linked.making import PERSON
from qidguard.engines.duckdb.linked.persons import (
    Pseudonyms,
    all_dates,
    check_keys,
    copied_of,
    days_of,
    joined_copies,
    joined_records,
    records_of,
    republished,
    some_records,
)
from qidguard.engines.duckdb.linked.reading import ReadTable, parent_column, persons_staged, read_tables
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import Opened, exact_text, find_columns, opened
from qidguard.engines.duckdb.snapshot.private_copy import AS_READ, copy_staged, new_folder, remade, remove
from qidguard.engines.duckdb.snapshot.snapshot import DuckdbSnapshot
from qidguard.engines.duckdb.sources.copied import Copied, attach
from qidguard.engines.duckdb.sources.staged import Staged
from qidguard.engines.linked import LinkedRecords, LinkedTables, PublishedTable, digest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class DuckdbLinkedSnapshot(DuckdbSnapshot):
    """A snapshot of persons that keeps the tables beside them.

    Args:
        copied: The persons' file.
        lender: Lends the connections of whatever is done with it.
        linked: The tables beside it; closed with it.
    """

    def __init__(self, copied: Copied, lender: Lender, linked: "DuckdbLinkedCopy") -> None:
        super().__init__(copied, lender)
        self.linked = linked

    def with_records(self, other: DuckdbSnapshot) -> "DuckdbLinkedSnapshot":
        """Return a snapshot of these persons and then those of another, with the records of both."""
        mine, theirs = self.linked, getattr(other, "linked", None)
        if not isinstance(theirs, DuckdbLinkedCopy):
            raise DataError("it has no records of the other tables")
        lender, shift_days = self._lender, mine.source.shift_days
        with ExitStack() as made:
            children = joined_records(mine.children, theirs.children, self.records, lender)
            for child in children:
                made.callback(child.records.close)
            persons = joined_copies(self.copied, other.copied, lender)
            made.callback(remove, persons)
            check_keys(persons, mine.source.persons, lender)
            linked = DuckdbLinkedCopy(
                source=mine.source,
                children=children,
                doubts=tuple(dict.fromkeys((*mine.doubts, *theirs.doubts))),
                persons=persons,
                dates=all_dates(persons, mine.source.persons, children, shift_days, lender),
                lender=lender,
            )
            made.pop_all()  # they are closed with the whole
        return DuckdbLinkedSnapshot(persons, lender, linked)

    def close(self) -> None:
        """Remove the copies; a second call does nothing."""
        super().close()
        for child in self.linked.children:
            child.records.close()


@dataclass(frozen=True, kw_only=True)
class DuckdbLinkedCopy:
    """The tables beside that of the persons, and the keys by which they are published.

    Args:
        source: What was read.
        children: The tables, in order.
        doubts: Why they may not be published as they are.
        persons: The persons' copy, with what is made of records.
        dates: Table → column → how its dates are read.
        lender: Lends the connections of whatever is done with them.
        key: Makes the pseudonyms and the days of this copy; it is drawn for it and written nowhere.
    """

    source: LinkedTables
    children: tuple[LinkedRecords, ...]
    doubts: tuple[str, ...]
    persons: Copied = field(repr=False)
    dates: Mapping[str, Mapping[str, DateColumn]] = field(repr=False)
    lender: Lender = field(repr=False)
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    _read: dict[str, Mapping[str, ColumnValues]] = field(default_factory=dict, repr=False)
    _moved: dict[str, Mapping[str, ColumnValues]] = field(default_factory=dict, repr=False)

    @property
    def _entity(self) -> str:
        key = self.source.persons.key
        assert key is not None  # noqa: S101 - the policy has looked
        return key

    @cached_property
    def _days(self) -> "NDArray[np.int32]":
        """Shape (persons,), by how many days the dates of each are moved."""
        with opened(self.persons, self.lender, "drawing days") as source:
            return days_of(source, self._entity, self.key, self.source.shift_days)

    def values(self, table: str) -> Mapping[str, ColumnValues]:
        """Return the columns of a table beside the persons' that are published, without its keys."""
        if table not in self._read:
            child = next(one for one in self.children if one.table.name == table)
            names = child.values
            self._read[table] = dict(zip(names, child.records.columns(names), strict=True)) if names else {}
        return self._read[table]

    def moved(self, table: str) -> Mapping[str, ColumnValues]:
        """Return the columns of dates of a table as they would be published."""
        if table not in self._moved:
            names = tuple(self.dates[table])
            self._moved[table] = {}
            if names:
                with self._republished(table, is_renamed=False) as copy:
                    self._moved[table] = dict(zip(names, copy.columns(names), strict=True))
        return self._moved[table]

    @contextmanager
    def joined(self, persons: Snapshot, table: str, columns: Sequence[str]) -> Iterator[Snapshot]:
        """Give the persons joined to columns of a table."""
        child = next(one for one in self.children if one.table.name == table)
        places = np.full(self.persons.records, -1, dtype=np.int64)
        kept = self._places(persons)
        places[kept] = np.arange(len(kept))
        of_records = places[child.persons]
        records = copied_of(child.records)
        copied = remade(
            copied_of(persons),
            self.lender,
            "joining tables",
            lambda source: joined(source, records, table, columns, of_records),
            position=AS_READ,
        )
        with DuckdbSnapshot(copied, self.lender) as copy:
            yield copy

    @contextmanager
    def of_persons(self, kept: "NDArray[np.bool_]") -> Iterator[DuckdbLinkedSnapshot]:
        """Give some of the persons with their records of all tables."""
        children = records_of(self.children, kept, self.lender)
        persons = some_records(self.persons, np.flatnonzero(kept), self.lender)
        linked = replace(self, children=children, persons=persons, _read={}, _moved={})
        with DuckdbLinkedSnapshot(persons, self.lender, linked) as copy:
            yield copy

    @contextmanager
    def published(self, persons: Snapshot, columns: Sequence[str]) -> Iterator[tuple[PublishedTable, ...]]:
        """Give every table as it is published, the persons' first."""
        entity, made = self._entity, set(self.source.made)
        places = self._places(persons)
        with ExitStack() as stack:
            days = self._days[places]
            own = Pseudonyms(key=self.key, tables={entity: self.source.persons.name})
            first = stack.enter_context(
                _snapshot(copied_of(persons), self.lender, own, self.dates[self.source.persons.name], days)
            )
            written = [name for name in columns if name not in made and name != entity]
            tables = [
                PublishedTable(
                    name=self.source.persons.name,
                    records=first,
                    columns=(entity, *written),
                    key=entity,
                    references={},
                    moved=tuple(name for name in self.source.persons.dates if name in written),
                )
            ]
            is_kept = np.zeros(self.persons.records, dtype=np.bool_)
            is_kept[places] = True
            tables += [stack.enter_context(self._child(child, is_kept)) for child in self.children]
            yield tuple(tables)

    @contextmanager
    def _child(self, child: LinkedRecords, is_kept: "NDArray[np.bool_]") -> Iterator[PublishedTable]:
        table = child.table
        keys = () if table.key is None else (table.key,)
        with self._republished(table.name, is_renamed=True) as copy:
            mask = is_kept[child.persons]
            if not mask.any():
                raise DataError(
                    f"Table {table.name!r} has no record of a person who is kept, so nothing of it can be"
                    " published; leave the table out."
                )
            kept = copy if mask.all() else copy.keep(mask)
            try:
                yield PublishedTable(
                    name=table.name,
                    records=kept,
                    columns=child.published,
                    key=keys[0] if keys else None,
                    references=table.references,
                    moved=tuple(name for name in table.dates if name in child.published),
                )
            finally:
                kept.close()

    @contextmanager
    def _republished(self, name: str, *, is_renamed: bool) -> Iterator[DuckdbSnapshot]:
        """Give the records of a table with moved dates, and pseudonyms in the place of keys."""
        if name == self.source.persons.name:
            copied, days, keys = self.persons, self._days, {self._entity: name}
        else:
            child = next(one for one in self.children if one.table.name == name)
            copied, days = copied_of(child.records), self._days[child.persons]
            keys = {**({} if child.table.key is None else {child.table.key: name})}
            # a key that is a reference too is that of the other table
            keys |= dict(child.table.references)
        pseudonyms = Pseudonyms(key=self.key, tables=keys if is_renamed else {})
        with _snapshot(copied, self.lender, pseudonyms, self.dates[name], days) as made:
            yield made

    def _places(self, persons: Snapshot) -> "NDArray[np.int64]":
        """Return the place in the whole table of each person that is kept."""
        everybody = {text: place for place, text in enumerate(self._entities(self.persons))}
        kept = [everybody[text] for text in self._entities(copied_of(persons))]
        return np.array(kept, dtype=np.int64)

    def _entities(self, copied: Copied) -> list[str]:
        """Return the texts of a copy's persons, in order."""
        with opened(copied, self.lender, "finding persons") as source:
            (key,) = source.columns([self._entity])
            found = source.connection.duckdb.execute(
                f"SELECT {key.exact} AS text FROM {source.relation} ORDER BY position"
            ).fetchnumpy()
        texts: list[str] = found["text"].tolist()
        return texts


@contextmanager
def _snapshot(
    copied: Copied,
    lender: Lender,
    pseudonyms: Pseudonyms,
    dates: Mapping[str, DateColumn],
    days: "NDArray[np.int32]",
) -> Iterator[DuckdbSnapshot]:
    made = remade(
        copied, lender, "making pseudonyms", lambda source: republished(source, pseudonyms, dates, days)
    )
    with DuckdbSnapshot(made, lender) as copy:
        yield copy


def joined(
    source: Opened, records: Copied, table: str, columns: Sequence[str], places: "NDArray[np.int64]"
) -> Staged:
    """Return persons joined to columns of records, staged, each person without a record once.

    Args:
        source: The persons.
        records: The records.
        table: What they are called.
        columns: Their columns that are wanted.
        places: Shape (records,), the place of each record's person, −1 where that one is not there.
    """
    import pandas as pd

    persons, database = source.copied, source.connection.duckdb
    is_text = persons.is_text or records.is_text
    other, detach = attach(source.connection, records.path)
    database.register("of_records", pd.DataFrame({"position": np.arange(len(places)), "person": places}))
    wanted = [f"persons.{name}" for name in persons.columns]
    wanted += [f"records.{column.column}" for column in find_columns(records, columns)]
    selected = ", ".join(
        f"{exact_text(name) if is_text else name} AS {naming.column(i)}" for i, name in enumerate(wanted)
    )
    database.execute(
        f"CREATE TABLE joined AS SELECT {selected}\nFROM {source.relation} AS persons LEFT JOIN (\n"
        f"SELECT person, found.* FROM {other} AS found JOIN of_records USING (position)) AS records\n"
        "ON records.person = persons.position"
    )
    database.unregister("of_records")
    detach()
    names = (*persons.names, *(f"{table}.{column}" for column in columns))
    order = {**persons.order, **{f"{table}.{name}": values for name, values in records.order.items()}}
    return Staged(names=names, relation="joined", is_text=is_text, order=order)


_DOING = "linking the tables"


def copy_linked(source: LinkedTables, settings: EngineSettings) -> DuckdbLinkedSnapshot:
    """Copy several tables into private files: the persons with what is made of records, and the records.

    Raises:
        DataError: When a table cannot be read or linked.
    """
    lender = Lender(settings)
    with ExitStack() as made, lender.lent() as connection, working(connection, _DOING, source="a table"):
        read = read_tables(connection, source)
        children = []
        for one in read.tables[1:]:
            with new_folder(settings) as folder:
                copied = copy_staged(connection, one.staged, folder, position="position")
            records = made.enter_context(DuckdbSnapshot(copied, lender))
            children.append(
                LinkedRecords(
                    table=one.table,
                    records=records,
                    persons=_places_of(connection, one, PERSON),
                    parents={
                        other: _places_of(connection, one, parent_column(place))
                        for place, other in enumerate(one.table.references.values())
                    },
                    orphans=one.orphans,
                )
            )
        with new_folder(settings) as folder:
            persons = copy_staged(
                connection, persons_staged(connection.duckdb, read), folder, position="position"
            )
        digests = {one.table.name: one.digest for one in read.tables}
        persons = replace(persons, source_digest=digest_of(digests))
        made.pop_all()  # they are closed with the whole
    linked = DuckdbLinkedCopy(
        source=source,
        children=tuple(children),
        doubts=tuple(read.doubts),
        persons=persons,
        dates={one.table.name: one.dates for one in read.tables},
        lender=lender,
    )
    return DuckdbLinkedSnapshot(persons, lender, linked)


def _places_of(connection: Connection, one: ReadTable, column: str) -> "NDArray[np.int64]":
    fetched = connection.duckdb.execute(f"SELECT {column} FROM {one.relation} ORDER BY position").fetchnumpy()
    return np.asarray(fetched[column]).astype(np.int64)
