"""The digest of a table's content: the same for the same records, in whatever order they stand."""

import json
from collections.abc import Sequence
from hashlib import sha256

from duckdb import DuckDBPyConnection

from qidguard.engines.duckdb.snapshot.encoding import encoded, exact_text

_WORDS = ((1, 16), (17, 32), (33, 48), (49, 64))
"""Where the four words of 64 bits stand in a hash of 64 hexadecimal digits."""


def content_digest(
    database: DuckDBPyConnection, relation: str, columns: Sequence[str], names: Sequence[str]
) -> str:
    """Return a digest of all records as texts, 64 hexadecimal digits.

    Each record is hashed (SHA-256 of its encoded texts), and the hashes are added up word by word as whole
    numbers, so order does not matter and duplicates count (a multiset hash by addition: Clarke et al. 2003,
    ASIACRYPT, section 5). The sums, the number of records and the names are hashed once more.

    Args:
        database: The connection.
        relation: What the records are read from.
        columns: Its columns, in the order that the digest is of.
        names: Their real names.

    Returns:
        The digest. A typed column and a column of the texts of its values give the same one.

    Example:
        >>> import duckdb
        >>> numbers = content_digest(duckdb.connect(), "(VALUES (1), (2)) AS t(c0)", ["c0"], ["n"])
        >>> texts = content_digest(duckdb.connect(), "(VALUES ('2'), ('1')) AS t(c0)", ["c0"], ["n"])
        >>> numbers == texts
        True
    """
    record = encoded([exact_text(column) for column in columns])
    sums = ", ".join(f"sum(CAST(CAST('0x' || h[{a}:{b}] AS UBIGINT) AS HUGEINT))" for a, b in _WORDS)
    found = database.execute(
        f"SELECT count(*), {sums}\nFROM (SELECT sha256({record}) AS h FROM {relation}) AS hashed"
    ).fetchall()[0]
    said = ["qidguard content 1", list(names), *(int(number or 0) for number in found)]
    return sha256(json.dumps(said).encode()).hexdigest()
