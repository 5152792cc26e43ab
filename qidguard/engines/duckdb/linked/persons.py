"""Persons with their records of all tables: some of them, and those of two copies as one."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.errors import DataError
from qidguard.engines.duckdb.linked.dates import DateColumn, date_column
from qidguard.engines.duckdb.snapshot.joining import joined
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import opened
from qidguard.engines.duckdb.snapshot.places import records_at
from qidguard.engines.duckdb.snapshot.private_copy import new_folder
from qidguard.engines.duckdb.snapshot.snapshot import DuckdbSnapshot
from qidguard.engines.duckdb.sources.copied import Copied
from qidguard.engines.linked import LinkedRecords, LinkedTable

if TYPE_CHECKING:
    from numpy.typing import NDArray


def copied_of(records: LinkedRecords) -> Copied:
    """Return the file of a table's records, which a snapshot of this engine keeps."""
    copied: Copied = records.records.copied  # type: ignore[attr-defined]  # of this engine's snapshots alone
    return copied


def records_of(
    children: Sequence[LinkedRecords], kept: "NDArray[np.bool_]", lender: Lender
) -> tuple[LinkedRecords, ...]:
    """Return the records of some persons only, who are numbered anew; a table may have none of them.

    Args:
        children: The tables, in order.
        kept: Shape (persons,), who is kept.
        lender: Lends the connections.
    """
    place = {child.table.name: _numbered(kept[child.persons]) for child in children}
    person = _numbered(kept)
    found = []
    with ExitStack() as made:
        for child in children:
            rows = np.flatnonzero(kept[child.persons])
            copied = texts_as_texts(records_at(copied_of(child), rows, lender))
            found.append(
                replace(
                    child,
                    records=made.enter_context(DuckdbSnapshot(copied, lender)),
                    persons=person[child.persons[rows]],
                    parents={
                        other: _moved(places[rows], place.get(other, person))
                        for other, places in child.parents.items()
                    },
                )
            )
        made.pop_all()  # they are closed with the whole
    return tuple(found)


def texts_as_texts(copied: Copied) -> Copied:
    """Return a copy of texts that is written as texts: a date such as 20241231 is to come back as it was."""
    return replace(copied, is_text=False)


def _numbered(kept: "NDArray[np.bool_]") -> "NDArray[np.int64]":
    """Return the new place of each record, −1 of who is not kept."""
    return np.where(kept, np.cumsum(kept) - 1, -1)


def _moved(places: "NDArray[np.int64]", new: "NDArray[np.int64]") -> "NDArray[np.int64]":
    return np.where(places < 0, -1, new[places])


def joined_copies(one: Copied, other: Copied, lender: Lender) -> Copied:
    """Return the records of two copies as one, in the columns and types of the first; DataError else."""
    with new_folder(lender.settings) as folder, opened(one, lender, "joining records") as source:
        return joined(source, other, folder)


def joined_records(
    mine: Sequence[LinkedRecords], theirs: Sequence[LinkedRecords], persons: int, lender: Lender
) -> tuple[LinkedRecords, ...]:
    """Return the records of two copies as one, those of the second after the others in each table.

    Args:
        mine: The tables of the first copy.
        theirs: Those of the second, whose persons are other ones.
        persons: How many persons the first copy has.
        lender: Lends the connections.

    Raises:
        DataError: When the tables or their columns differ, or a record of both has one key.
    """
    more = {child.table.name: child for child in theirs}
    if lacking := sorted(more.keys() ^ {child.table.name for child in mine}):
        raise DataError(f"only one of the two has the table {lacking[0]!r}")
    first = {child.table.name: child.records.records for child in mine}
    found = []
    with ExitStack() as made:
        for child in mine:
            other = more[child.table.name]
            try:
                copied = joined_copies(copied_of(child), copied_of(other), lender)
            except DataError as error:
                raise DataError(f"table {child.table.name!r}: {error}") from None
            check_keys(copied, child.table, lender)
            found.append(
                replace(
                    child,
                    records=made.enter_context(DuckdbSnapshot(copied, lender)),
                    persons=np.concatenate([child.persons, other.persons + persons]),
                    parents={
                        name: np.concatenate([places, _after(other.parents[name], first.get(name, persons))])
                        for name, places in child.parents.items()
                    },
                )
            )
        made.pop_all()  # they are closed with the whole
    return tuple(found)


def _after(places: "NDArray[np.int64]", count: int) -> "NDArray[np.int64]":
    return np.where(places < 0, -1, places + count)


def check_keys(copied: Copied, table: LinkedTable, lender: Lender) -> None:
    """Raise DataError where two records have one key: they would be given one pseudonym."""
    if table.key is None:
        return
    with opened(copied, lender, "comparing keys") as source:
        (key,) = source.columns([table.key])
        several = source.connection.duckdb.execute(
            f"SELECT count({key.exact}) - count(DISTINCT {key.exact}) FROM {source.relation}"
        ).fetchall()[0][0]
    if several:
        raise DataError(
            f"table {table.name!r} has {several:,} records of present persons with the {table.key!r} of a"
            " record of who left; give each record a key of its own, now and in all releases"
        )


def dates_of(copied: Copied, table: LinkedTable, shift_days: int, lender: Lender) -> dict[str, DateColumn]:
    """Return how the dates of a table are read; DataError where they are not written in one way."""
    if not table.dates:
        return {}
    with opened(copied, lender, "reading dates") as source:
        return {
            column.name: date_column(
                source.connection.duckdb,
                source.relation,
                column.column,
                column.kind,
                named=f"Column {column.name!r} of table {table.name!r}",
                shift_days=shift_days,
            )
            for column in source.columns(table.dates)
        }


def all_dates(
    persons: Copied,
    table: LinkedTable,
    children: Sequence[LinkedRecords],
    shift_days: int,
    lender: Lender,
) -> Mapping[str, Mapping[str, DateColumn]]:
    """Return table → column → how its dates are read, of the persons' table and the others."""
    return {
        table.name: dates_of(persons, table, shift_days, lender),
        **{
            child.table.name: dates_of(copied_of(child), child.table, shift_days, lender)
            for child in children
        },
    }
