"""Records as they are published: keyed pseudonyms in the place of keys, and moved dates."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.errors import InternalError
from qidguard.core.private_folder import PrivateFolder
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.linked.dates import DateColumn
from qidguard.engines.duckdb.snapshot.content_digest import encoded, exact_text
from qidguard.engines.duckdb.snapshot.keyed_classes import keyed_hash
from qidguard.engines.duckdb.snapshot.opened import Opened
from qidguard.engines.duckdb.snapshot.private_copy import copy_staged
from qidguard.engines.duckdb.sources.copied import Copied
from qidguard.engines.duckdb.sources.staged import Staged
from qidguard.engines.sql.identifier import quote_text

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    opened: Opened,
    folder: PrivateFolder,
    pseudonyms: Pseudonyms,
    dates: Mapping[str, DateColumn],
    days: "NDArray[np.int32]",
) -> Copied:
    """Return a copy with pseudonyms in the place of keys, and dates moved by ``days``, shape (records,).

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
        f"CREATE TABLE republished AS SELECT {', '.join(columns)}, position\n"
        f"FROM {opened.relation} JOIN moving USING (position)",
        hashed.parameters if pseudonyms.tables else {},
    )
    database.unregister("moving")
    _check_unique(opened, pseudonyms)
    staged = Staged(
        names=copied.names,
        relation="republished",
        is_text=copied.is_text,
        notes=copied.notes,
        order=copied.order,
    )
    return copy_staged(opened.connection, staged, folder, position="position")


def _check_unique(opened: Opened, pseudonyms: Pseudonyms) -> None:
    """Two keys with one pseudonym are as good as impossible, and would join what does not belong together."""
    database = opened.connection.duckdb
    for column in opened.columns(tuple(pseudonyms.tables)):
        keys = database.execute(f"SELECT count(DISTINCT {column.exact}) FROM {opened.relation}").fetchall()
        made = database.execute(f"SELECT count(DISTINCT {column.column}) FROM republished").fetchall()
        if keys != made:
            raise InternalError("Two keys were given one pseudonym; please report it.")
