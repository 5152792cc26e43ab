"""The public facts of columns whose distinct values are counted, and a draw of the values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from duckdb import DuckDBPyConnection

from qidguard.core.column import ColumnFacts, ValueDraw, ValueType
from qidguard.core.content import MISSING_WORDS, Look
from qidguard.core.identifier_forms import looks_of
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import COLUMNS_A_STATEMENT, Shape, confirm_type
from qidguard.engines.sql.identifier import quote_text
from qidguard.engines.sql.steps import rows_of

MOST_DRAWN = 2_000
"""Distinct values of a column that are drawn by their hash."""

MOST_FREQUENT = 500
"""Distinct values of a column that are taken because most records hold them."""

MOST_KEPT = 50_000
"""Distinct values of a described column that stay, so that they need not be grouped again."""

_LONGEST = 1_000
"""Characters of a value that are looked at."""


@dataclass(frozen=True, kw_only=True)
class Counted:
    """A column whose distinct values and their records stand in a table.

    Args:
        table: The table: value, records.
        name: The column's own name.
        value_type: What the values are.
        own_type: What the source itself calls them.
        mark: The text of a suppressed value, or None.
    """

    table: str
    name: str
    value_type: ValueType
    own_type: ValueType
    mark: str | None


@dataclass(frozen=True, kw_only=True)
class Described:
    """What is known of a column.

    Args:
        facts: The public facts.
        draw: Some of its values; none may reach a report.
    """

    facts: ColumnFacts
    draw: ValueDraw = field(repr=False)


def describe(
    connection: DuckDBPyConnection, columns: Sequence[Counted], *, is_drawn: bool = True
) -> list[Described]:
    """Return the facts and the draw of each column, some columns a statement.

    Without a draw nothing is drawn, and nobody looks what the values have the form of.
    """
    found: list[Described] = []
    for start in range(0, len(columns), COLUMNS_A_STATEMENT):
        some = columns[start : start + COLUMNS_A_STATEMENT]
        counts = _counts(connection, some)
        draws = _draws(connection, some, counts) if is_drawn else [[] for _ in some]
        found += [_described(*each) for each in zip(some, counts, draws, strict=True)]
    return found


@dataclass(frozen=True)
class _Counts:
    distinct: int
    is_consecutive: bool
    records: int
    missing: int
    not_a_number: int
    undeclared_missing: int
    suppressed: int


def _counts(connection: DuckDBPyConnection, columns: Sequence[Counted]) -> list[_Counts]:
    every = "\nUNION ALL ".join(_counts_sql(place, column) for place, column in enumerate(columns))
    rows = connection.execute(every).fetchall()
    return [
        _Counts(int(distinct), bool(is_consecutive), *map(int, sums))
        for _, distinct, is_consecutive, *sums in sorted(rows)
    ]


def _counts_sql(place: int, column: Counted) -> str:
    own = column.own_type
    counted = (
        "true",
        "value IS NULL",
        "isnan(value)" if own is ValueType.NUMBER else "false",
        _is_missing_word("value") if own is ValueType.TEXT else "false",
        "false" if column.mark is None else f"CAST(value AS VARCHAR) = {quote_text(column.mark)}",
    )
    sums = ", ".join(f"coalesce(sum(CASE WHEN {is_so} THEN records END), 0)" for is_so in counted)
    gapless = "max(TRY_CAST(value AS DOUBLE)) - min(TRY_CAST(value AS DOUBLE)) + 1 = count(value)"
    is_gapless = f"coalesce({gapless}, false)" if column.value_type is ValueType.INTEGER else "false"
    return f"SELECT {place}, count(value), {is_gapless}, {sums} FROM {column.table}"


def _is_missing_word(text: str) -> str:
    return f"lower(trim({text})) IN ({', '.join(quote_text(word) for word in MISSING_WORDS)})"


@dataclass(frozen=True)
class _Drawn:
    """A value that was drawn: by its ``hash``, or None where it is a frequent one."""

    text: str = field(repr=False)
    records: int
    hash: int | None
    is_missing_word: bool


def _draws(
    connection: DuckDBPyConnection, columns: Sequence[Counted], counts: Sequence[_Counts]
) -> list[list[_Drawn]]:
    """Return some distinct values: those with the least hash, the same on every run, and frequent ones.

    Where each value is unique, the frequent ones would be those with the least hash once more.
    """
    text = f"left(CAST(value AS VARCHAR), {_LONGEST})"
    parts = []
    for place, (column, counted) in enumerate(zip(columns, counts, strict=True)):
        values = f"FROM {column.table} WHERE value IS NOT NULL"
        parts.append(
            f"SELECT {place} AS place, {text} AS text, records, hash(value) AS hash\n"
            f"{values} ORDER BY hash LIMIT {MOST_DRAWN}"
        )
        is_unique = counted.distinct == counted.records - counted.missing
        if counted.distinct > MOST_DRAWN and not is_unique:
            parts.append(
                f"SELECT {place}, {text}, records, NULL\n"
                f"{values} ORDER BY records DESC, hash(value) LIMIT {MOST_FREQUENT}"
            )
    every = "\nUNION ALL ".join(f"({part})" for part in parts)
    rows = connection.execute(
        f"SELECT place, text, CAST(records AS BIGINT), hash, {_is_missing_word('text')} FROM ({every})"
    ).fetchall()
    found: list[list[_Drawn]] = [[] for _ in columns]
    for place, *drawn in rows:
        found[place].append(_Drawn(*drawn))
    return [sorted(drawn, key=_order) for drawn in found]


def _order(drawn: _Drawn) -> tuple[bool, int, int, str]:
    return drawn.hash is None, drawn.hash or 0, -drawn.records, drawn.text


def _described(column: Counted, counts: _Counts, drawn: Sequence[_Drawn]) -> Described:
    facts = ColumnFacts(
        name=column.name,
        value_type=column.value_type if counts.distinct else ValueType.EMPTY,
        records=counts.records,
        distinct=counts.distinct,
        identifiers=_identifiers(drawn, column.own_type),
        missing=counts.missing,
        not_a_number=counts.not_a_number,
        undeclared_missing=counts.undeclared_missing,
        suppressed=counts.suppressed,
        is_consecutive=counts.is_consecutive,
    )
    return Described(facts=facts, draw=_value_draw(one for one in drawn if not one.is_missing_word))


def _value_draw(drawn: Iterable[_Drawn]) -> ValueDraw:
    """Return what was drawn of a column's values, none twice."""
    known: dict[str, int] = {}
    fair = 0
    for one in drawn:
        known.setdefault(one.text, one.records)
        fair = len(known) if one.hash is not None else fair
    return ValueDraw(texts=tuple(known), records=tuple(known.values()), drawn=fair)


def _identifiers(drawn: Iterable[_Drawn], own_type: ValueType) -> tuple[Look, ...]:
    """Return what kinds of direct identifiers the distinct values have the form of."""
    if own_type not in {ValueType.TEXT, ValueType.INTEGER}:
        return ()
    return looks_of(one.text for one in drawn if one.hash is not None)


def describe_column(connection: DuckDBPyConnection, shape: Shape, index: int, mark: str | None) -> Described:
    """Return what is known of a column that no grouping names, by one group-by, which spills where it must.

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
    counted = Counted(table=values, name=shape.names[index], value_type=kind, own_type=own, mark=mark)
    [found] = describe(connection, [counted])
    if found.facts.distinct > MOST_KEPT:
        published = "" if mark is None else f"CAST(value AS VARCHAR) IS DISTINCT FROM {quote_text(mark)}"
        connection.execute(
            f"CREATE OR REPLACE TABLE {naming.sizes(index)} AS\n"
            f"SELECT records AS size, count(*) AS classes {rows_of(values, published)} GROUP BY 1"
        )
        connection.execute(f"DROP TABLE {values}")
    return found
