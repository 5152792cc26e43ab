"""Columns of a loaded source: their types, what is guessed from texts, and their public facts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from duckdb import DuckDBPyConnection

from qidguard.core.codebook import Codebook
from qidguard.core.column import ColumnFacts, ValueDraw, ValueType
from qidguard.core.content import Look
from qidguard.core.identifier_forms import looks_of
from qidguard.engines.duckdb import naming
from qidguard.engines.sql.identifier import quote_text

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


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Columns of a relation that has ``c0`` … ``cn`` and ``records``.

    Args:
        relation: A table, view or subquery to stand after FROM.
        names: The columns' own names.
        types: DuckDB's type of each column.
        guesses: For text that is to be typed: index → the type its first values suggest.
        codebook: What the columns are called in words.
    """

    relation: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    guesses: dict[int, ValueType]
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
    connection: DuckDBPyConnection, relation: str, names: tuple[str, ...], *, is_text: bool
) -> Shape:
    """Return the shape of ``relation``; with ``is_text`` the types of its columns are guessed."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    kinds = {row[0]: str(row[1]) for row in described}
    types = tuple(kinds.get(naming.column(i), "VARCHAR") for i in range(len(names)))
    present = [i for i in range(len(names)) if naming.column(i) in kinds]
    guesses = guess_types(connection, relation, present) if is_text else {}
    return Shape(relation=relation, names=names, types=types, guesses=guesses)


MISSING_WORDS = ("?", "na", "n/a", "#n/a", "null", "nan", "-", "--", ".", "")
"""Texts, in lower case, that often stand for a missing value."""


MOST_DRAWN = 2_000
"""Distinct values of a column that are drawn by their hash."""

MOST_FREQUENT = 500
"""Distinct values of a column that are taken because most records hold them."""

_LONGEST = 1_000
"""Characters of a value that are looked at."""


def summarize(
    connection: DuckDBPyConnection,
    values: str,
    name: str,
    value_type: ValueType,
    own_type: ValueType,
    draw: str,
) -> ColumnFacts:
    """Return the facts of a column whose distinct values and their records stand in the table ``values``.

    ``value_type`` is what the values are, ``own_type`` what the source itself calls them; some of them are
    kept in the table ``draw``.
    """
    words = ", ".join(quote_text(word) for word in MISSING_WORDS)
    counts = {
        "records": "true",
        "missing": "value IS NULL",
        "not_a_number": "isnan(value)" if own_type is ValueType.NUMBER else "false",
        "undeclared_missing": f"lower(trim(value)) IN ({words})" if own_type is ValueType.TEXT else "false",
    }
    sums = ", ".join(f"coalesce(sum(CASE WHEN {is_so} THEN records END), 0)" for is_so in counts.values())
    gapless = "max(TRY_CAST(value AS DOUBLE)) - min(TRY_CAST(value AS DOUBLE)) + 1 = count(value)"
    is_gapless = f"coalesce({gapless}, false)" if value_type is ValueType.INTEGER else "false"
    distinct, is_consecutive, *counted = connection.execute(
        f"SELECT count(value), {is_gapless}, {sums} FROM {values}"
    ).fetchall()[0]
    numbers = {count: int(n) for count, n in zip(counts, counted, strict=True)}
    is_unique = int(distinct) == numbers["records"] - numbers["missing"]
    _draw(connection, values, draw, int(distinct), is_unique=is_unique)
    return ColumnFacts(
        name=name,
        value_type=value_type if distinct else ValueType.EMPTY,
        records=numbers["records"],
        distinct=int(distinct),
        identifiers=_identifiers(connection, draw, own_type),
        missing=numbers["missing"],
        not_a_number=numbers["not_a_number"],
        undeclared_missing=numbers["undeclared_missing"],
        is_consecutive=bool(is_consecutive),
    )


def _draw(connection: DuckDBPyConnection, values: str, draw: str, distinct: int, *, is_unique: bool) -> None:
    """Keep some distinct values: those with the least hash, the same on every run, and frequent ones.

    Where each value is unique, the frequent ones would be those with the least hash once more.
    """
    text = f"left(CAST(value AS VARCHAR), {_LONGEST}) AS text"
    connection.execute(
        f"CREATE OR REPLACE TABLE {draw} AS\n"
        f"SELECT {text}, records, hash(value) AS place FROM {values} WHERE value IS NOT NULL\n"
        f"ORDER BY place LIMIT {MOST_DRAWN}"
    )
    if distinct > MOST_DRAWN and not is_unique:
        connection.execute(
            f"INSERT INTO {draw} SELECT {text}, records, NULL FROM {values} WHERE value IS NOT NULL\n"
            f"ORDER BY records DESC, hash(value) LIMIT {MOST_FREQUENT}"
        )


def value_draw(connection: DuckDBPyConnection, draw: str) -> ValueDraw:
    """Return what was kept of a column's values, none twice."""
    words = ", ".join(quote_text(word) for word in MISSING_WORDS)
    rows = connection.execute(
        f"SELECT text, CAST(records AS BIGINT), place IS NOT NULL FROM {draw}\n"
        f"WHERE lower(trim(text)) NOT IN ({words}) ORDER BY place NULLS LAST, records DESC, text"
    ).fetchall()
    known: dict[str, int] = {}
    for text, records, _ in rows:
        known.setdefault(text, int(records))
    fair = len({text for text, _, is_drawn in rows if is_drawn})
    return ValueDraw(texts=tuple(known), records=tuple(known.values()), drawn=fair)


def _identifiers(connection: DuckDBPyConnection, draw: str, own_type: ValueType) -> tuple[Look, ...]:
    """Return what kinds of direct identifiers the distinct values have the form of."""
    if own_type not in {ValueType.TEXT, ValueType.INTEGER}:
        return ()
    rows = connection.execute(f"SELECT text FROM {draw} WHERE place IS NOT NULL").fetchall()
    return looks_of(str(text) for (text,) in rows)


MOST_KEPT = 50_000
"""Distinct values of a described column that stay, so that they need not be grouped again."""


def column_facts(connection: DuckDBPyConnection, shape: Shape, index: int, mark: str | None) -> ColumnFacts:
    """Return the facts of a column that no grouping names, by one group-by, which spills where it must.

    Its values are kept with their records, or of more than ``MOST_KEPT`` the sizes of their classes.
    """
    values = naming.values(index)
    connection.execute(
        f"CREATE OR REPLACE TABLE {values} AS\n"
        f"SELECT {naming.column(index)} AS value, CAST(sum(records) AS BIGINT) AS records\n"
        f"FROM {shape.relation} GROUP BY 1"
    )
    own = shape.own_type(index)
    guess = shape.guesses.get(index, own)
    kind = guess
    if index in shape.guesses and guess is not ValueType.TEXT:
        kind = confirm_type(connection, values, guess, mark)
    facts = summarize(connection, values, shape.names[index], kind, own, naming.draw(index))
    if facts.distinct > MOST_KEPT:
        connection.execute(
            f"CREATE OR REPLACE TABLE {naming.sizes(index)} AS\n"
            f"SELECT records AS size, count(*) AS classes FROM {values} GROUP BY 1"
        )
        connection.execute(f"DROP TABLE {values}")
    return facts
