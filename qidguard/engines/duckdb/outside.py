"""What is published outside the QIDs, one hash a value: enough to count who is alone."""

from collections.abc import Iterable, Sequence

import numpy as np

from qidguard.core.outside import Alone, Drawn
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.connection import Connection
from qidguard.engines.duckdb.lockdown import run_arrays, run_select
from qidguard.engines.sql.identifier import quote_text
from qidguard.engines.sql.statement import rows_of

_MOST_KEYS = 4
"""More columns than this are grouped by one hash of theirs, which is quicker."""


KEPT = "rest"
"""The table that holds what is kept of columns whose values are not."""


def rest_of(relation: str, indexes: Iterable[int], entity: int | None, mark: str | None) -> str:
    """Return a SELECT of the hash of each value, NULL for NULL, of the entity, and ``records``.

    A suppressed value has a hash of its own.
    """
    hashed = [f"{_hash(naming.column(i), mark)} AS {naming.column(i)}" for i in indexes]
    if entity is not None:
        hashed.append(f"{_hash(naming.column(entity))} AS entity")
    return f"SELECT {', '.join([*hashed, 'records'])} FROM {relation}"


def alone(
    connection: Connection,
    rest: str,
    indexes: Sequence[int],
    *,
    has_entities: bool,
    is_present: bool,
    has_mark: bool,
) -> Alone:
    """Return who is alone on some columns of ``rest``, a table or a SELECT in brackets."""
    names = ", ".join(naming.column(i) for i in indexes)
    names = names if len(indexes) <= _MOST_KEYS else f"hash({names})"
    present = " AND ".join(f"{naming.column(i)} IS NOT NULL" for i in indexes) if is_present else ""
    some = (f"{naming.column(i)} IS DISTINCT FROM {_SUPPRESSED}" for i in indexes)
    published = " OR ".join(some) if has_mark else ""
    if has_mark and not run_select(connection, f"SELECT 1 {rows_of(rest, published)} LIMIT 1"):
        published = ""  # where all are suppressed, they are one class
    rows = rows_of(rest, present, f"({published})" if published else "")
    if has_entities:
        one = f"SELECT min(entity) AS person {rows} GROUP BY {names} HAVING min(entity) = max(entity)"
        sql = f"SELECT (SELECT count(DISTINCT person) FROM ({one})), (SELECT count(DISTINCT entity) {rows})"
    else:
        sizes = f"SELECT sum(records) AS size {rows} GROUP BY {names}"
        sql = f"SELECT count(CASE WHEN size = 1 THEN 1 END), coalesce(sum(size), 0) FROM ({sizes})"
    found, persons = run_select(connection, sql)[0]
    return Alone(alone=int(found), persons=int(persons))


def drawn(
    connection: Connection, rest: str, indexes: Sequence[int], most: int, *, has_entities: bool
) -> Drawn:
    """Return about ``most`` records, drawn by a hash of what they hold: the same on every run."""
    names = [naming.column(i) for i in indexes]
    unit = "entity" if has_entities else ", ".join(names)
    records = int(run_select(connection, f"SELECT coalesce(sum(records), 0) FROM {rest}")[0][0])
    parts = max(1, -(-records // most))
    wanted = ", ".join([*(f"coalesce({name}, 0) AS {name}" for name in names), *_entity(has_entities)])
    fetched = list(
        run_arrays(
            connection, f"SELECT {wanted}, records FROM {rest} WHERE hash({unit}, 7) % {parts} = 0"
        ).values()
    )
    *values, counts = fetched
    numbered = [np.unique(np.asarray(v), return_inverse=True)[1].astype(np.int64) for v in values]
    numbered = numbered if has_entities else [n.repeat(np.asarray(counts).astype(np.int64)) for n in numbered]
    entity = numbered.pop() if has_entities else None
    return Drawn(codes=np.column_stack(numbered), entity=entity)


_SUPPRESSED = 1


def _hash(column: str, mark: str | None = None) -> str:
    marked = (
        f"WHEN CAST({column} AS VARCHAR) = {quote_text(mark)} THEN {_SUPPRESSED} " if mark is not None else ""
    )
    return f"CASE {marked}WHEN {column} IS NOT NULL THEN hash({column}) END"


def _entity(has_entities: bool) -> tuple[str, ...]:  # noqa: FBT001 - it is called with its own name
    return ("coalesce(entity, 0) AS entity",) if has_entities else ()
