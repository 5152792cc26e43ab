"""A copy that holds none of the records of a private copy: a new table under its columns' names."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from qidguard.core.column import Original, Recoded
from qidguard.core.errors import DataError
from qidguard.core.files import PrivateFolder
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.snapshot.column_values import MOST_JOINS
from qidguard.engines.duckdb.snapshot.opened import Column, Opened
from qidguard.engines.duckdb.snapshot.private_copy import copy_staged
from qidguard.engines.duckdb.snapshot.recoding import WHOLE, published_table
from qidguard.engines.duckdb.sources.copied import Copied
from qidguard.engines.duckdb.sources.staged import Staged


def new_table(opened: Opened, columns: Mapping[str, Recoded], folder: PrivateFolder) -> Copied:
    """Return a copy that holds new columns only: first those of the source, in its order, then others."""
    columns_made = _columns(opened, columns)
    records = len(columns[columns_made[0].name].codes)
    if not records:
        raise DataError("The new table has no records, so there is nothing to be published.")
    frame: dict[str, Any] = {"place": np.arange(records)}
    for column in columns_made:
        codes = columns[column.name].codes
        if codes.shape != (records,):
            raise ValueError(f"the codes of {column.name!r} are not one for each new record")
        frame[f"v_{column.column}"] = codes.astype(np.int32)
    database = opened.connection.duckdb
    database.register("made", pd.DataFrame(frame))
    relation = "made"
    for start in range(0, len(columns_made), MOST_JOINS):
        together = columns_made[start : start + MOST_JOINS]
        tables = [published_table(opened, column, columns[column.name].values) for column in together]
        pairs = [(column.column, table) for column, table in zip(together, tables, strict=True)]
        values = ", ".join(f"{table}.value AS {name}" for name, table in pairs)
        used = ", ".join(f"v_{name}" for name, _ in pairs)
        joins = "".join(f"\nJOIN {table} ON source.v_{name} = {table}.published" for name, table in pairs)
        # one statement with a join for each of 300 columns would be planned for minutes
        database.execute(
            f"CREATE TEMP TABLE new_{start} AS\n"
            f"SELECT source.* EXCLUDE ({used}), {values}\nFROM {relation} AS source{joins}"
        )
        relation = f"new_{start}"
    staged = Staged(
        names=tuple(column.name for column in columns_made),
        relation=f"(SELECT {', '.join(c.column for c in columns_made)}, place FROM {relation})",
        is_text=opened.copied.is_text,
        notes=opened.copied.notes,
        order=opened.copied.order,
        is_new=True,
    )
    copied = copy_staged(opened.connection, staged, folder, position="place")
    database.unregister("made")
    return copied


def _columns(opened: Opened, columns: Mapping[str, Recoded]) -> list[Column]:
    """Return the columns of the new table, named inside by their own order."""
    if not columns:
        raise DataError("The new table has no columns, so there is nothing to be published.")
    every_value = (value for recoded in columns.values() for value in recoded.values)  # noqa: PD011 - no data frame
    if any(isinstance(value, Original) for value in every_value):
        raise ValueError("a new table copies no value of the source")
    kinds = dict(zip(opened.copied.names, opened.copied.kinds, strict=True))
    names = (*(n for n in opened.copied.names if n in columns), *(n for n in columns if n not in kinds))
    return [
        Column(name=name, column=naming.column(at), kind=kinds.get(name, WHOLE))
        for at, name in enumerate(names)
    ]
