"""Columns of a loaded source: their types, and what is guessed from texts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from duckdb import DuckDBPyConnection

from qidguard.core.codebook import Codebook
from qidguard.core.column import ColumnFacts, ValueType
from qidguard.engines.duckdb import naming

_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_EXACT_DIGITS = 15
"""Decimals of at most this many digits are told apart as floating-point numbers."""


def value_type(duckdb_type: str) -> ValueType:
    """Return the value type of a DuckDB column type as its name prints."""
    name = duckdb_type.upper()
    is_decimal = name.startswith("DECIMAL")
    if name.endswith("INT") or name in {"INTEGER", "UINTEGER"} or (is_decimal and name.endswith(",0)")):
        return ValueType.INTEGER
    if is_decimal or name in {"DOUBLE", "FLOAT"}:
        return ValueType.NUMBER
    if name.startswith("TIMESTAMP"):
        return ValueType.TIMESTAMP
    return {"DATE": ValueType.DATE, "BOOLEAN": ValueType.BOOLEAN}.get(name, ValueType.TEXT)


def is_fraction(duckdb_type: str) -> bool:
    """Whether values of a DuckDB type are fractions that a floating-point number tells apart."""
    name = duckdb_type.upper()
    decimal = _DECIMAL.fullmatch(name)
    if decimal:
        return int(decimal[1]) <= _EXACT_DIGITS
    return name in {"DOUBLE", "FLOAT"}


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
        tries = ", ".join(f"count({tried(name, kind)})" for kind, _ in TRY_TYPES)
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
            f"SELECT count(*), count({tried('value', kind)}) FROM {values}"
            " WHERE value IS NOT NULL AND value IS DISTINCT FROM ?",
            [mark],
        ).fetchall()[0]
        if not present:
            return ValueType.EMPTY
        if fits == present:
            return kind
    return ValueType.TEXT


def tried(text: str, kind: ValueType) -> str:
    """Return an SQL expression that is NULL where ``text`` is not of the kind."""
    cast = f"TRY_CAST({text} AS {SQL_TYPE[kind]})"
    match kind:
        case ValueType.INTEGER:
            # the cast would round 9.75 and 10.25 to one whole number, and order them as texts
            return f"CASE WHEN NOT regexp_matches({text}, '[.eE]') THEN {cast} END"
        case ValueType.DATE | ValueType.TIMESTAMP:
            # the cast would take the day of 5-1-12 for the year 5
            return f"CASE WHEN regexp_matches({text}, '^\\s*[0-9]{{4}}|^[^0-9]*$') THEN {cast} END"
        case _:
            return cast


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Columns of a relation that has ``c0`` … ``cn`` and ``records``.

    Args:
        relation: A table, view or subquery to stand after FROM.
        names: The columns' own names.
        types: DuckDB's type of each column.
        guesses: For text that is to be typed: index → the type its first values suggest.
        order: Column → its values in the order that is declared of them.
        codebook: What the columns are called in words.
    """

    relation: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    guesses: dict[int, ValueType]
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    codebook: Codebook | None = None

    def labeled(self, facts: ColumnFacts) -> ColumnFacts:
        """Return the facts of a column with what the codebook says of it."""
        book = self.codebook
        if book is None:
            return facts
        return replace(facts, label=book.label(facts.name), has_value_labels=book.is_coded(facts.name))

    def own_type(self, index: int) -> ValueType:
        """Return the value type that the source itself gives the column."""
        return value_type(self.types[index])

    def index(self, name: str) -> int:
        """Return the position of a column by its own name."""
        return self.names.index(name)


def shape_of(
    connection: DuckDBPyConnection,
    relation: str,
    names: tuple[str, ...],
    order: Mapping[str, tuple[str, ...]],
    *,
    is_text: bool,
) -> Shape:
    """Return the shape of ``relation``; with ``is_text`` types are guessed, but for a declared order."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    kinds = {row[0]: str(row[1]) for row in described}
    types = tuple(kinds.get(naming.column(i), "VARCHAR") for i in range(len(names)))
    present = [i for i, name in enumerate(names) if naming.column(i) in kinds and name not in order]
    guesses = guess_types(connection, relation, present) if is_text and present else {}
    return Shape(relation=relation, names=names, types=types, guesses=guesses, order=order)


COLUMNS_A_STATEMENT = 16
"""To plan a statement takes longer than to run it over few values; many should not lie there at once."""
