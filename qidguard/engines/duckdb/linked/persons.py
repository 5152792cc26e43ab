"""Persons with their records of all tables: some of them, and those of two copies as one."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.errors import DataError, InternalError
from qidguard.engines.base import Snapshot
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.linked.dates import DateColumn, date_column
from qidguard.engines.duckdb.snapshot.joining import joined, records_at
from qidguard.engines.duckdb.snapshot.keyed_classes import keyed_hash
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import Opened, encoded, exact_text, opened
from qidguard.engines.duckdb.snapshot.private_copy import remade
from qidguard.engines.duckdb.snapshot.snapshot import DuckdbSnapshot
from qidguard.engines.duckdb.sources.copied import Copied
from qidguard.engines.duckdb.sources.staged import Staged
from qidguard.engines.linked import LinkedRecords, OpenedTable
from qidguard.engines.sql.identifier import quote_text

if TYPE_CHECKING:
    from numpy.typing import NDArray


def copied_of(snapshot: Snapshot) -> Copied:
    """Return the file of a snapshot that was made of this copy, be it guarded or not."""
    copied: Copied = snapshot.copied  # type: ignore[attr-defined]  # of this engine's snapshots alone
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
            copied = some_records(copied_of(child.records), rows, lender)
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


def some_records(copied: Copied, rows: "NDArray[np.int64]", lender: Lender) -> Copied:
    """Return a copy of some records, whose texts are written as texts: 20241231 is to come back as it was."""
    made = remade(copied, lender, "keeping records", lambda source: records_at(source, rows))
    return replace(made, is_text=False)


def _numbered(kept: "NDArray[np.bool_]") -> "NDArray[np.int64]":
    """Return the new place of each record, −1 of who is not kept."""
    return np.where(kept, np.cumsum(kept) - 1, -1)


def _moved(places: "NDArray[np.int64]", new: "NDArray[np.int64]") -> "NDArray[np.int64]":
    return np.where(places < 0, -1, new[places])


def joined_copies(one: Copied, other: Copied, lender: Lender) -> Copied:
    """Return the records of two copies as one, in the columns and types of the first; DataError else."""
    return remade(one, lender, "joining records", lambda source: joined(source, other))


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
                copied = joined_copies(copied_of(child.records), copied_of(other.records), lender)
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


def check_keys(copied: Copied, table: OpenedTable, lender: Lender) -> None:
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


def dates_of(copied: Copied, table: OpenedTable, shift_days: int, lender: Lender) -> dict[str, DateColumn]:
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
    table: OpenedTable,
    children: Sequence[LinkedRecords],
    shift_days: int,
    lender: Lender,
) -> Mapping[str, Mapping[str, DateColumn]]:
    """Return table → column → how its dates are read, of the persons' table and the others."""
    return {
        table.name: dates_of(persons, table, shift_days, lender),
        **{
            child.table.name: dates_of(copied_of(child.records), child.table, shift_days, lender)
            for child in children
        },
    }


@dataclass(frozen=True, kw_only=True)
class Pseudonyms:
    """Which columns hold keys, and the secret that makes pseudonyms of them.

    Args:
        key: The secret.
        tables: Column → the table whose key it holds.
    """

    key: bytes = field(repr=False)
    tables: Mapping[str, str]


def days_of(opened: Opened, entity: str, key: bytes, most: int) -> "NDArray[np.int32]":
    """Return by how many days the dates of each person are moved, −most..most and never 0, in their order.

    The days of a person are HMAC(key, ``days:`` + the encoded entity) modulo 2·most; of numbers of 128 bits
    the remainders are even to one in 10³⁴.
    """
    (column,) = opened.columns([entity])
    hashed = keyed_hash(key)
    number = hashed.number(f"'days:' || {encoded([column.exact])}")
    fetched = opened.connection.duckdb.execute(
        f"SELECT CAST({number} % {2 * most} AS INTEGER) AS days FROM {opened.relation} ORDER BY position",
        hashed.parameters,
    ).fetchnumpy()
    days = np.asarray(fetched["days"]).astype(np.int32) - most
    return np.where(days >= 0, days + 1, days).astype(np.int32)


def republished(
    opened: Opened, pseudonyms: Pseudonyms, dates: Mapping[str, DateColumn], days: "NDArray[np.int32]"
) -> Staged:
    """Return the records, staged: pseudonyms in the place of keys, dates moved by ``days``, shape (records,).

    A pseudonym is the first 16 bytes of HMAC(key, ``pseudonym:`` + the encoded table and key) in hexadecimal
    digits: a key of a table has the same one in all files, and nobody without the secret can tell which.
    """
    import pandas as pd

    copied, database = opened.copied, opened.connection.duckdb
    hashed = keyed_hash(pseudonyms.key)
    columns = []
    for place, name in enumerate(copied.names):
        column = naming.column(place)
        if name in pseudonyms.tables:
            message = encoded([quote_text(pseudonyms.tables[name]), exact_text(column)])
            number = hashed.number(f"'pseudonym:' || {message}")
            digits = f"lower(lpad(hex({number}), 32, '0'))"
            columns.append(f"CASE WHEN {column} IS NOT NULL THEN {digits} END AS {column}")
        elif name in dates:
            columns.append(f"{dates[name].moved('days')} AS {column}")
        else:
            columns.append(column)
    # parameters are for no CREATE TABLE of a subquery that is described first, so it is made at once
    database.register("moving", pd.DataFrame({"position": np.arange(len(days)), "days": days}))
    database.execute(
        f"CREATE TABLE republished AS SELECT {', '.join(columns)}, position AS place\n"
        f"FROM {opened.relation} JOIN moving USING (position)",
        hashed.parameters if pseudonyms.tables else {},
    )
    database.unregister("moving")
    _check_unique(opened, pseudonyms)
    return copied.staged("republished")


def _check_unique(opened: Opened, pseudonyms: Pseudonyms) -> None:
    """Two keys with one pseudonym are as good as impossible, and would join what does not belong together."""
    database = opened.connection.duckdb
    for column in opened.columns(tuple(pseudonyms.tables)):
        keys = database.execute(f"SELECT count(DISTINCT {column.exact}) FROM {opened.relation}").fetchall()
        made = database.execute(f"SELECT count(DISTINCT {column.column}) FROM republished").fetchall()
        if keys != made:
            raise InternalError("Two keys were given one pseudonym; please report it.")
