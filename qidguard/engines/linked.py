"""Several tables of the same persons: what an engine is told of them, and what it keeps of them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from qidguard.engines.base import ReadOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.column import ColumnValues
    from qidguard.engines.base import Snapshot


@dataclass(frozen=True, kw_only=True)
class MadeColumn:
    """A column of the persons that is made of the records of another table.

    Args:
        name: Its name.
        way: ``count``, ``distinct``, ``sequence``, ``distinct_sequence``, ``set``, ``first``, ``last``,
            ``intervals`` or ``span``.
        column: The column of the other table; None where records are counted.
    """

    name: str
    way: str
    column: str | None = None


@dataclass(frozen=True, kw_only=True)
class OpenedTable:
    """One table of several.

    Args:
        name: What it is called.
        source: What the engine opens.
        read: How it is read.
        key: The column that tells its records apart; None where nothing refers to it.
        references: Column → the table whose key it holds; empty for the persons' table.
        order: The column in whose order the records of a person stand.
        dates: The columns that are moved.
        decided: Every column that somebody decided on; None where others decide, as of the persons' table.
        held_back: The columns that are never published.
        drops_orphans: Whether records that refer to nobody are left out; else they are a doubt.
        made: What is made of its records for each person.
    """

    name: str
    source: Any = field(repr=False)
    read: ReadOptions = field(default_factory=ReadOptions)
    key: str | None = None
    references: Mapping[str, str] = field(default_factory=dict)
    order: str | None = None
    dates: tuple[str, ...] = ()
    decided: tuple[str, ...] | None = None
    held_back: tuple[str, ...] = ()
    drops_orphans: bool = False
    made: tuple[MadeColumn, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LinkedTables:
    """A source of several tables, read as one table of persons with what is made of their records.

    Args:
        tables: The persons' table first, each other after those that it refers to.
        shift_days: The most days by which the dates of a person are moved.
    """

    tables: tuple[OpenedTable, ...]
    shift_days: int

    @property
    def persons(self) -> OpenedTable:
        """The persons' table."""
        return self.tables[0]

    @property
    def made(self) -> tuple[str, ...]:
        """The names of the columns that are made of records."""
        return tuple(made.name for table in self.tables for made in table.made)

    @property
    def label(self) -> str:
        """What reports call the source."""
        return ", ".join(table.name for table in self.tables)


@dataclass(frozen=True, kw_only=True)
class LinkedRecords:
    """The records of one table that reach a person.

    Args:
        table: What was said of it.
        records: The copy of them, without those that reach nobody.
        persons: Shape (records,), the place of each record's person in the persons' table.
        parents: Table → shape (records,), the place of the record in it that each refers to, −1 for none.
        orphans: How many records were left out since they reach nobody.
    """

    table: OpenedTable
    records: "Snapshot" = field(repr=False)
    persons: "NDArray[np.int64]" = field(repr=False)
    parents: "Mapping[str, NDArray[np.int64]]" = field(default_factory=dict, repr=False)
    orphans: int = 0

    @property
    def published(self) -> tuple[str, ...]:
        """The columns that are published, in the table's order."""
        decided = self.records.names if self.table.decided is None else self.table.decided
        return tuple(n for n in self.records.names if n in decided and n not in self.table.held_back)

    @property
    def values(self) -> tuple[str, ...]:
        """The columns that are published and hold no key."""
        keys = {self.table.key, *self.table.references}
        return tuple(name for name in self.published if name not in keys)


@dataclass(frozen=True, kw_only=True)
class PublishedTable:
    """One table as it is published: pseudonyms for keys, moved dates, records of kept persons only.

    Args:
        name: What it is called.
        records: The copy.
        columns: The columns that are written.
        key: The column of its own key, or None.
        references: Column → the table whose key it holds.
        moved: The columns of dates that were moved.
    """

    name: str
    records: "Snapshot" = field(repr=False)
    columns: tuple[str, ...]
    key: str | None
    references: Mapping[str, str]
    moved: tuple[str, ...]


class LinkedCopy(Protocol):
    """What a snapshot of several tables keeps beside the persons."""

    @property
    def source(self) -> LinkedTables:
        """What was read."""

    @property
    def children(self) -> tuple[LinkedRecords, ...]:
        """The tables beside the persons', in order."""

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the tables may not be published as they are, one sentence each."""

    def values(self, table: str) -> "Mapping[str, ColumnValues]":
        """Return the columns of a table beside the persons' that are published, without its keys."""

    def moved(self, table: str) -> "Mapping[str, ColumnValues]":
        """Return the columns of dates of a table as they would be published, in the order of its records."""

    def joined(
        self, persons: "Snapshot", table: str, columns: Sequence[str]
    ) -> AbstractContextManager["Snapshot"]:
        """Give the persons joined to columns of a table, called ``table.column``; closed at the end.

        Whoever has no record stands there once, with NULL.
        """

    def of_persons(self, kept: "NDArray[np.bool_]") -> AbstractContextManager["Snapshot"]:
        """Give some of the persons with their records of all tables, as such a snapshot; closed at the end.

        ``kept`` has shape (persons,), in the order of the persons' table, and keeps one at least. Records and
        keys are those of the source, and what came as texts is written as texts.
        """

    def published(
        self, persons: "Snapshot", columns: Sequence[str]
    ) -> AbstractContextManager[tuple[PublishedTable, ...]]:
        """Give every table as it is published, the persons' first; closed at the end.

        ``persons`` are those that are kept, as they were audited, and ``columns`` theirs that are published.
        Pseudonyms and days are drawn with keys that are nowhere but in this copy.
        """


def sources_of(source: Any) -> tuple[Any, ...]:
    """Return what an engine opens for a source: one thing, or one for each of several tables.

    Args:
        source: What an engine opens.

    Returns:
        Paths, addresses or tables, at least one.

    Example:
        >>> sources_of("visits.csv")
        ('visits.csv',)
    """
    return tuple(table.source for table in source.tables) if isinstance(source, LinkedTables) else (source,)


def linked_copy(snapshot: "Snapshot") -> LinkedCopy | None:
    """Return what a snapshot keeps of several tables; None for one of a single table.

    Args:
        snapshot: A snapshot of any engine.

    Returns:
        The tables beside that of the persons.

    Example:
        >>> from qidguard.engines.duckdb.engine import ENGINE
        >>> import pandas as pd
        >>> from qidguard.engines.base import EngineSettings
        >>> with ENGINE.snapshot(pd.DataFrame({"a": [1]}), ReadOptions(), EngineSettings()) as copy:
        ...     linked_copy(copy) is None
        True
    """
    found: LinkedCopy | None = getattr(snapshot, "linked", None)
    return found


def digest_of(digests: Mapping[str, str]) -> str:
    """Return one digest of those of all tables, hex.

    Args:
        digests: Table → the digest of its source.

    Returns:
        The SHA-256 of names and digests as JSON, 64 hexadecimal digits.

    Example:
        >>> len(digest_of({"a": "1"}))
        64
    """
    return hashlib.sha256(json.dumps(dict(digests), sort_keys=True).encode()).hexdigest()
