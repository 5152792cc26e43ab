"""The persons joined to the records of a table, as a copy of its own."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.snapshot.content_digest import exact_text
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import find_columns, opened
from qidguard.engines.duckdb.snapshot.private_copy import copy_staged, new_folder
from qidguard.engines.duckdb.sources.copied import Copied, attach
from qidguard.engines.duckdb.sources.staged import Staged

if TYPE_CHECKING:
    from numpy.typing import NDArray


def joined(
    persons: Copied,
    records: Copied,
    table: str,
    columns: Sequence[str],
    places: "NDArray[np.int64]",
    lender: Lender,
) -> Copied:
    """Return persons joined to columns of records, each person without a record once.

    Args:
        persons: The persons.
        records: The records.
        table: What they are called.
        columns: Their columns that are wanted.
        places: Shape (records,), the place of each record's person, −1 where that one is not there.
        lender: Lends the connection.
    """
    import pandas as pd

    is_text = persons.is_text or records.is_text
    with new_folder(lender.settings) as folder, opened(persons, lender, "joining tables") as source:
        other, detach = attach(source.connection, records.path)
        database = source.connection.duckdb
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
        staged = Staged(names=names, relation="joined", is_text=is_text, order=order)
        return copy_staged(source.connection, staged, folder)
