"""Load a staged source: collapse it while it is read, read it in place, or copy it, whichever is cheapest."""

from collections.abc import Collection

from duckdb import DuckDBPyConnection

from qidguard.engines.base import Needs
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import Shape, shape_of
from qidguard.engines.duckdb.described import Described, describe_columns
from qidguard.engines.duckdb.sources import Staged

_SAMPLE = 100_000
_COLLAPSE_BELOW = 0.7
"""Collapse while reading when the first records hold fewer distinct ones than this share.

The share falls as more records come, so it stands high: at 0.7 of 100,000 a table of 10M is far below.
"""

_MOST_IN_PLACE = 32
"""Columns of a small source that is read in place: each is read from it anew, which costs by its width."""


def load(connection: DuckDBPyConnection, staged: Staged, needs: Needs) -> tuple[Shape, dict[int, Described]]:
    """Return the loaded shape, and the facts of columns that are not kept because nothing asks for them."""
    kept = _kept(staged, needs)
    if kept:
        if staged.rows is not None and staged.rows < _SAMPLE and len(staged.names) <= _MOST_IN_PLACE:
            return _read_in_place(connection, staged, needs, kept)
        if _is_collapsible(connection, staged, kept):
            return _collapse(connection, staged, needs, kept)
    # where only facts are wanted, a column is read once, from a source whose columns can be read apart
    is_read_once = needs.columns == () and staged.rows is not None and not staged.is_text
    if staged.is_materialized or is_read_once:
        connection.execute(f"CREATE VIEW raw_in_place AS SELECT *, 1 AS records FROM {staged.relation}")
        return shape_of(connection, "raw_in_place", staged.names, staged.order, is_text=staged.is_text), {}
    columns = ", ".join(naming.column(i) for i in range(len(staged.names)))
    connection.execute(
        f"CREATE TABLE raw AS SELECT {columns}, CAST(1 AS UTINYINT) AS records FROM {staged.relation}"
    )
    return shape_of(connection, "raw", staged.names, staged.order, is_text=staged.is_text), {}


def describe_rest(
    connection: DuckDBPyConnection,
    shape: Shape,
    described: dict[int, Described],
    coded: Collection[int],
    needs: Needs,
) -> dict[int, Described]:
    """Return the facts of every column that is not coded, while its values are still there."""
    rest = [i for i in range(len(shape.names)) if i not in coded and i not in described]
    return described | describe_columns(connection, shape, rest, needs.suppression_mark)


def unload(connection: DuckDBPyConnection, staged: Staged) -> None:
    """Drop what the codes were made from: it can be as large as the source."""
    connection.execute("DROP VIEW IF EXISTS raw_in_place")
    connection.execute("DROP TABLE IF EXISTS raw")
    if staged.is_materialized:
        connection.execute(f"DROP TABLE IF EXISTS {staged.relation}")


def _kept(staged: Staged, needs: Needs) -> list[int] | None:
    if needs.columns is None or needs.entity is not None or staged.is_materialized:
        return None
    return sorted({staged.names.index(name) for name in needs.columns})


def _is_collapsible(connection: DuckDBPyConnection, staged: Staged, kept: list[int]) -> bool:
    columns = ", ".join(naming.column(i) for i in kept)
    rows, distinct = connection.execute(
        "SELECT coalesce(sum(n), 0), count(*) FROM (\n"
        f"SELECT count(*) AS n FROM (SELECT {columns} FROM {staged.relation} LIMIT {_SAMPLE})\n"
        f"GROUP BY {columns})"
    ).fetchall()[0]
    return bool(rows >= _SAMPLE and distinct < _COLLAPSE_BELOW * rows)


def _collapse(
    connection: DuckDBPyConnection, staged: Staged, needs: Needs, kept: list[int]
) -> tuple[Shape, dict[int, Described]]:
    """Group by every kept column in the one pass that reads the source."""
    columns = ", ".join(naming.column(i) for i in kept)
    connection.execute(
        f"CREATE TABLE raw AS SELECT {columns}, count(*) AS records FROM {staged.relation} GROUP BY {columns}"
    )
    shape = shape_of(connection, "raw", staged.names, staged.order, is_text=staged.is_text)
    return shape, _describe_others(connection, staged, needs, kept)


def _read_in_place(
    connection: DuckDBPyConnection, staged: Staged, needs: Needs, kept: list[int]
) -> tuple[Shape, dict[int, Described]]:
    """Leave a small source where it is: it is coded from there, and copying it would cost more."""
    columns = ", ".join(naming.column(i) for i in kept)
    counted = f"(SELECT {columns}, 1 AS records FROM {staged.relation})"
    shape = shape_of(connection, counted, staged.names, staged.order, is_text=staged.is_text)
    return shape, _describe_others(connection, staged, needs, kept)


def _describe_others(
    connection: DuckDBPyConnection, staged: Staged, needs: Needs, kept: list[int]
) -> dict[int, Described]:
    rest = [i for i in range(len(staged.names)) if i not in kept]
    if not rest:
        return {}
    counted = f"(SELECT *, 1 AS records FROM {staged.relation})"
    shape = shape_of(connection, counted, staged.names, staged.order, is_text=staged.is_text)
    return describe_columns(connection, shape, rest, needs.suppression_mark)
