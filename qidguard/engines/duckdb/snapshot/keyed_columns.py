"""What is kept of each published column: its type, and its records per keyed bucket."""

import json
from collections.abc import Sequence

import numpy as np

from qidguard.core.history import BUCKETS, PublishedColumn
from qidguard.engines.duckdb.facts import column_facts
from qidguard.engines.duckdb.shape import shape_of
from qidguard.engines.duckdb.snapshot.encoding import encoded
from qidguard.engines.duckdb.snapshot.keyed_hash import KeyedHash
from qidguard.engines.duckdb.snapshot.opened import Opened
from qidguard.engines.sql.identifier import quote_text


def keyed_columns(
    opened: Opened, names: Sequence[str], hashed: KeyedHash, suppression_mark: str | None
) -> tuple[PublishedColumn, ...]:
    """Return type and buckets of each column.

    The bucket of a value is the first 8 bytes of HMAC(key, ``value:`` + the encoded column name and text)
    modulo BUCKETS, as a big-endian number; the name is encoded as JSON.
    """
    database, copied = opened.connection.duckdb, opened.copied
    counted = f"(SELECT *, 1 AS records FROM {opened.relation})"
    shape = shape_of(database, counted, copied.names, is_text=copied.is_text)
    found = []
    for column in opened.columns(names):
        message = encoded([quote_text(json.dumps(column.name)), "value"])
        number = hashed.number(f"'value:' || {message}")
        bucket_of = f"CAST({number} >> 64 AS UBIGINT) % {BUCKETS}"
        rows = database.execute(
            f"SELECT CASE WHEN value IS NOT NULL THEN {bucket_of} ELSE {BUCKETS} END AS bucket,\n"
            "CAST(sum(records) AS BIGINT)\n"
            f"FROM (SELECT {column.grouped} AS value, count(*) AS records\n"
            f"FROM {opened.relation} GROUP BY 1)\nGROUP BY 1",
            hashed.parameters,
        ).fetchall()
        buckets = np.zeros(BUCKETS + 1, dtype=np.int64)
        for bucket, records in rows:
            buckets[int(bucket)] = records
        facts = column_facts(database, shape, copied.names.index(column.name), suppression_mark)
        found.append(PublishedColumn(name=column.name, value_type=facts.value_type.value, buckets=buckets))
    return tuple(found)
