"""Columns of a loaded source: their types, what is guessed from texts, and the order of their values."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from duckdb import DuckDBPyConnection

from qidguard.core.codebook import Codebook
from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.order import OrderedBy, Strays, ValueOrder, order_by_type, order_of_texts, why_no_numbers
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
    probed, left = f"(SELECT * FROM {relation} LIMIT {_PROBED_RECORDS})", list(indexes)
    guessed: dict[int, ValueType] = {}
    for kind, _ in TRY_TYPES:
        if not left:
            break
        names = [naming.column(index) for index in left]
        tests = (f"count({name}), count({tried(name, kind)})" for name in names)
        row = connection.execute(f"SELECT {', '.join(tests)} FROM {probed}").fetchall()[0]
        fits = {i: row[2 * at + 1] == row[2 * at] for at, i in enumerate(left)}
        # where nothing is present, everything fits, and the first type is as good as any
        guessed |= {i: kind for i in left if fits[i]}
        left = [i for i in left if not fits[i]]
    return guessed | dict.fromkeys(left, ValueType.TEXT)


def confirm_types(
    connection: DuckDBPyConnection, guesses: Mapping[str, ValueType], mark: str | None
) -> dict[str, ValueType]:
    """Return table of values → its guess, or the weaker type that fits every one but the suppression mark."""
    order = [kind for kind, _ in TRY_TYPES]
    left, found = dict(guesses), dict[str, ValueType]()
    while left:
        parts = [
            f"SELECT {place}, count(*), count({tried('value', kind)}) FROM {values}"
            " WHERE value IS NOT NULL AND value IS DISTINCT FROM $1"
            for place, (values, kind) in enumerate(left.items())
        ]
        rows = connection.execute("\nUNION ALL ".join(parts), [mark]).fetchall()
        for (values, kind), (_, present, fits) in zip(list(left.items()), sorted(rows), strict=True):
            weaker = order[order.index(kind) + 1 :]
            if present and fits != present and weaker:
                left[values] = weaker[0]
                continue
            del left[values]
            found[values] = ValueType.EMPTY if not present else kind if fits == present else ValueType.TEXT
    return found


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


Select = Callable[[str], Sequence[tuple[Any, ...]]]
"""Runs one SELECT and returns its rows."""


def place_of(text: str, declared: Sequence[str]) -> str:
    """Return SQL for the place of a text in a declared order, NULL where it has none.

    Example:
        >>> place_of("value", ("low", "high"))
        "list_position(['low', 'high'], value)"
    """
    return f"list_position([{', '.join(map(quote_text, declared))}], {text})"


def column_order(
    select: Select, dictionary: str, facts: ColumnFacts, mark: str | None, declared: tuple[str, ...]
) -> ValueOrder:
    """Return the order of a column of which the table ``dictionary`` holds value and code.

    Texts that are normalized to one value have one code: its place is that of any of them.
    """
    by = order_by_type(facts.value_type)
    if by is not None:
        return ValueOrder(by=by)
    values, strays = _texts(select, dictionary, mark, declared)
    return order_of_texts(facts.name, values, strays, declared)


def lacks_numbers(select: Select, dictionary: str, facts: ColumnFacts, mark: str | None) -> str:
    """Return why a column has no numbers; empty where it has."""
    if facts.value_type is not ValueType.TEXT:
        return ""
    return why_no_numbers(facts.name, *_texts(select, dictionary, mark, ()))


def _texts(
    select: Select, dictionary: str, mark: str | None, declared: Sequence[str]
) -> tuple[int, Callable[[OrderedBy], Strays]]:
    is_mark = "" if mark is None else f" AND value <> {quote_text(mark)}"
    counted = f"SELECT count(DISTINCT code), min(value) FROM {dictionary} WHERE code > 0{is_mark}"
    placed = f"SELECT code FROM {dictionary} WHERE value IN ({', '.join(map(quote_text, declared))})"
    moment = f"coalesce({tried('value', ValueType.DATE)}, {tried('value', ValueType.TIMESTAMP)})"
    tests = {
        OrderedBy.NUMBERS: f"{tried('value', ValueType.NUMBER)} IS NULL",
        OrderedBy.DATES: f"{moment} IS NULL",
        OrderedBy.DECLARATION: f"code NOT IN ({placed})",
    }

    def strays(by: OrderedBy) -> Strays:
        [[values, one]] = select(f"{counted} AND {tests[by]}")
        return Strays(values=int(values), one=one)

    return int(select(counted)[0][0]), strays
