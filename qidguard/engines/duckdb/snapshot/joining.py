"""Records of private copies as a copy of their own: those at some places of one, or those of two."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from qidguard.core.errors import DataError
from qidguard.engines.duckdb.snapshot.opened import Opened
from qidguard.engines.duckdb.sources.copied import Copied, attach
from qidguard.engines.duckdb.sources.staged import Staged

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def joined(opened: Opened, other: Copied) -> Staged:
    """Return the records of one copy and then of another, staged; the digest stays that of the first.

    Raises:
        DataError: When the columns are not the same, or a value of the other cannot be held exactly.
    """
    mine = opened.copied
    lacking = [name for name in (*mine.names, *other.names) if (name in mine.names) != (name in other.names)]
    if lacking:
        raise DataError(f"only one of the two tables has the column {lacking[0]!r}")
    table, detach = attach(opened.connection, other.path)
    place = {
        name: (column, kind)
        for name, column, kind in zip(other.names, other.columns, other.kinds, strict=True)
    }
    taken = []
    for name, column, kind in zip(mine.names, mine.columns, mine.kinds, strict=True):
        theirs, their_kind = place[name]
        _check_exact(opened, table, name, theirs, their_kind, kind)
        taken.append(f"CAST({theirs} AS {kind}) AS {column}")
    own = ", ".join(mine.columns)
    both = (
        f"(SELECT {own}, position AS place FROM {opened.relation}\n"
        f"UNION ALL\nSELECT {', '.join(taken)}, position + {mine.records} AS place FROM {table})"
    )
    return replace(mine.staged(both), digest=mine.source_digest, on_release=(detach,))


def _check_exact(opened: Opened, table: str, name: str, column: str, was: str, kind: str) -> None:
    """Raise DataError where a value is another one, or none, in the type of the first copy."""
    if kind == was or opened.copied.is_text:
        return  # every value has a text, and it is the one that was read
    inexact = f"TRY_CAST(TRY_CAST({column} AS {kind}) AS {was}) IS DISTINCT FROM {column}"
    if kind == "VARCHAR":
        inexact = f"{column} IS NOT NULL"  # the text of a number may not be how this table writes it
    found = opened.connection.duckdb.execute(f"SELECT count(*) FROM {table} WHERE {inexact}").fetchall()
    if found[0][0]:
        raise DataError(f"{found[0][0]:,} values of the column {name!r} do not fit its type in the table")


def records_at(opened: Opened, places: "NDArray[np.int64]") -> Staged:
    """Return the records at some places, staged in the order of these."""
    import numpy as np
    import pandas as pd

    database = opened.connection.duckdb
    database.register("kept", pd.DataFrame({"position": places, "place": np.arange(len(places))}))
    staged = opened.copied.staged(f"{opened.relation} JOIN kept USING (position)")
    return replace(staged, on_release=(partial(database.unregister, "kept"),))
