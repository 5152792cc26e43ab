"""A private copy, attached for one piece of work: its columns, values as texts, and the digest of these."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from duckdb import DuckDBPyConnection

from qidguard.core.errors import DataError
from qidguard.engines.duckdb.connection import Connection, working
from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.sources.copied import Copied, attach


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a private copy.

    Args:
        name: Its real name.
        column: Its name inside: c0, c1, ….
        kind: DuckDB's type.
    """

    name: str
    column: str
    kind: str

    @property
    def exact(self) -> str:
        """SQL for the text of its values."""
        return exact_text(self.column)

    @property
    def grouped(self) -> str:
        """SQL for the text of its values, the same for values that are one class."""
        return grouped_text(self.column, self.kind)


@dataclass(frozen=True, kw_only=True)
class Opened:
    """An attached private copy.

    Args:
        connection: A private connection that keeps order.
        relation: The table, with ``position``.
        copied: What is known of it.
    """

    connection: Connection
    relation: str
    copied: Copied

    def columns(self, names: Sequence[str]) -> tuple[Column, ...]:
        """Return columns by their real names."""
        return find_columns(self.copied, names)


@contextmanager
def opened(copied: Copied, lender: Lender, doing: str, *, target: Path | None = None) -> Iterator[Opened]:
    """Give a private copy attached to a lent connection; whatever fails is said in one sentence."""
    with lender.lent() as connection:
        table, detach = attach(connection, copied.path)
        with working(connection, doing, target=target):
            yield Opened(connection=connection, relation=table, copied=copied)
            detach()


def find_columns(copied: Copied, names: Sequence[str]) -> tuple[Column, ...]:
    """Return columns by their real names."""
    if len(set(names)) < len(names):
        raise ValueError("a column is named twice")
    places = {name: i for i, name in enumerate(copied.names)}
    for name in names:
        if name not in places:
            raise DataError(f"the table has no column {name!r}")
    return tuple(
        Column(name=name, column=copied.columns[places[name]], kind=copied.kinds[places[name]])
        for name in names
    )


_FLOATING = frozenset({"FLOAT", "DOUBLE"})
NULL = "-"
"""What stands for NULL; the encoding of a text begins with a digit."""


def exact_text(column: str) -> str:
    """Return SQL for the text of a value: floating-point numbers print the fewest digits that give them back.

    Example:
        >>> exact_text("c0")
        'CAST(c0 AS VARCHAR)'
    """
    return f"CAST({column} AS VARCHAR)"


def grouped_text(column: str, kind: str) -> str:
    """Return SQL for a text that is the same for values which a GROUP BY takes as one: 0.0 and -0.0, all NaN.

    Example:
        >>> grouped_text("c0", "DOUBLE")
        "CASE WHEN isnan(c0) THEN 'nan' WHEN c0 = 0 THEN '0.0' ELSE CAST(c0 AS VARCHAR) END"
    """
    text = exact_text(column)
    return (
        f"CASE WHEN isnan({column}) THEN 'nan' WHEN {column} = 0 THEN '0.0' ELSE {text} END"
        if (kind in _FLOATING)
        else text
    )


def encoded(texts: Sequence[str]) -> str:
    """Return SQL for several texts as one: of each its bytes, ``:`` and itself, or ``-`` for NULL.

    No two lists of texts give the same one, since it can be read from left to right without a doubt.

    Example:
        >>> import duckdb
        >>> duckdb.sql("SELECT " + encoded(["'né'", "NULL", "''"])).fetchall()
        [('3:né-0:',)]
    """
    parts = [f"coalesce(strlen({text}) || ':' || {text}, '{NULL}')" for text in texts]
    return f"concat({', '.join(parts)})" if parts else "''"


_WORDS = ((1, 16), (17, 32), (33, 48), (49, 64))
"""Where the four words of 64 bits stand in a hash of 64 hexadecimal digits."""


def content_digest(
    database: DuckDBPyConnection, relation: str, columns: Sequence[str], names: Sequence[str]
) -> str:
    """Return a digest of all records as texts, 64 hexadecimal digits.

    Each record is hashed (SHA-256 of its encoded texts), and the hashes are added up word by word as whole
    numbers, so order does not matter and duplicates count (a multiset hash by addition: Clarke et al. 2003,
    ASIACRYPT, section 5). The sums, the number of records and the names are hashed once more.

    Example:
        >>> import duckdb
        >>> numbers = content_digest(duckdb.connect(), "(VALUES (1), (2)) AS t(c0)", ["c0"], ["n"])
        >>> texts = content_digest(duckdb.connect(), "(VALUES ('2'), ('1')) AS t(c0)", ["c0"], ["n"])
        >>> numbers == texts
        True
    """
    record = encoded([exact_text(column) for column in columns])
    sums = ", ".join(f"sum(CAST(CAST('0x' || h[{a}:{b}] AS UBIGINT) AS HUGEINT))" for a, b in _WORDS)
    totals = database.execute(
        f"SELECT count(*), {sums}\nFROM (SELECT sha256({record}) AS h FROM {relation}) AS hashed"
    ).fetchall()[0]
    parts = ["qidguard content 1", list(names), *(int(number or 0) for number in totals)]
    return sha256(json.dumps(parts).encode()).hexdigest()
