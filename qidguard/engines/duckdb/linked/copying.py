"""Make the private copy of several tables: read, linked, and each in a file of its own."""

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.engines.base import EngineSettings
from qidguard.engines.duckdb.connection import Connection
from qidguard.engines.duckdb.linked.copy import DuckdbLinkedCopy, DuckdbLinkedSnapshot
from qidguard.engines.duckdb.linked.making import PERSON
from qidguard.engines.duckdb.linked.reading import ReadTable, parent_column, persons_staged, read_tables
from qidguard.engines.duckdb.snapshot.fault import working
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.private_copy import copy_staged, new_folder
from qidguard.engines.duckdb.snapshot.snapshot import DuckdbSnapshot
from qidguard.engines.duckdb.sources.copied import Copied
from qidguard.engines.duckdb.sources.staged import Staged
from qidguard.engines.linked import LinkedRecords, LinkedTables, digest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
            copied = _copied(connection, one, settings)
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


def _copied(connection: Connection, one: ReadTable, settings: EngineSettings) -> Copied:
    staged = Staged(
        names=one.names, relation=one.relation, is_text=one.is_text, notes=one.notes, order=one.order
    )
    with new_folder(settings) as folder:
        return copy_staged(connection, staged, folder, position="position")


def _places_of(connection: Connection, one: ReadTable, column: str) -> "NDArray[np.int64]":
    fetched = connection.duckdb.execute(f"SELECT {column} FROM {one.relation} ORDER BY position").fetchnumpy()
    return np.asarray(fetched[column]).astype(np.int64)
