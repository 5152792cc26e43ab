"""Infer the type of text from its values, without ever changing the text."""

from collections.abc import Sequence

from duckdb import DuckDBPyConnection

from qidguard.core.column import ValueType
from qidguard.engines.duckdb import naming

TRY_TYPES = (
    (ValueType.INTEGER, "HUGEINT"),
    (ValueType.NUMBER, "DOUBLE"),
    (ValueType.DATE, "DATE"),
    (ValueType.TIMESTAMP, "TIMESTAMP"),
)
"""Types that text is tried as; the first that fits every value wins."""

SQL_TYPE = dict(TRY_TYPES)
_PROBED_RECORDS = 1000


def guess_types(
    connection: DuckDBPyConnection, relation: str, indexes: Sequence[int]
) -> dict[int, ValueType]:
    """Return for each text column the type that its first values suggest; the whole column decides later."""
    parts = []
    for index in indexes:
        name = naming.column(index)
        tries = ", ".join(f"count({_tried(name, kind)})" for kind, _ in TRY_TYPES)
        parts.append(f"[count({name}), {tries}]")
    row = connection.execute(
        f"SELECT {', '.join(parts)} FROM (SELECT * FROM {relation} LIMIT {_PROBED_RECORDS})"
    ).fetchone()
    guessed = {}
    for index, (present, *fits) in zip(indexes, row or (), strict=True):
        types = (kind for (kind, _), n in zip(TRY_TYPES, fits, strict=True) if n == present)
        guessed[index] = next(types, ValueType.TEXT) if present else ValueType.INTEGER
    return guessed


def confirm_type(
    connection: DuckDBPyConnection, values: str, guess: ValueType, mark: str | None
) -> ValueType:
    """Return ``guess`` or the weaker type that fits every distinct value but the suppression mark."""
    order = [kind for kind, _ in TRY_TYPES]
    for kind in order[order.index(guess) :]:
        present, fits = connection.execute(
            f"SELECT count(*), count({_tried('value', kind)}) FROM {values}"
            " WHERE value IS NOT NULL AND value IS DISTINCT FROM ?",
            [mark],
        ).fetchall()[0]
        if not present:
            return ValueType.EMPTY
        if fits == present:
            return kind
    return ValueType.TEXT


def _tried(text: str, kind: ValueType) -> str:
    """Return an SQL expression that is NULL where ``text`` is not of the kind."""
    cast = f"TRY_CAST({text} AS {SQL_TYPE[kind]})"
    # the cast would round 9.75 and 10.25 to one whole number, and order them as texts
    return (
        f"CASE WHEN NOT regexp_matches({text}, '[.eE]') THEN {cast} END"
        if kind is ValueType.INTEGER
        else cast
    )
