"""The values of columns as small integers, in the order of the records."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qidguard.engines.duckdb.snapshot.opened import Opened


def codes(opened: Opened, names: Sequence[str]) -> NDArray[np.int32]:
    """Return codes, shape (records, columns): 1, 2, … in the natural order of each column, NULL 0.

    Values that a GROUP BY takes as one have one code.
    """
    database = opened.connection.duckdb
    columns = opened.columns(names)
    found = np.empty((opened.copied.records, len(columns)), dtype=np.int32)
    for i, column in enumerate(columns):
        database.execute(
            "CREATE OR REPLACE TABLE dictionary AS\n"
            "SELECT value, CAST(row_number() OVER (ORDER BY value) AS INTEGER) AS code\n"
            f"FROM (SELECT DISTINCT {column.column} AS value FROM {opened.relation}) AS found\n"
            "WHERE value IS NOT NULL"
        )
        fetched = database.execute(
            f"SELECT coalesce(dictionary.code, 0) AS code\nFROM {opened.relation} AS source\n"
            f"LEFT JOIN dictionary ON source.{column.column} = dictionary.value\nORDER BY source.position"
        ).fetchnumpy()
        found[:, i] = fetched["code"]
    return found
