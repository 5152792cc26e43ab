"""The public facts of columns whose distinct values are counted: a draw of them, and forms of identifiers."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from duckdb import DuckDBPyConnection

from qidguard.core.column import ColumnFacts, ValueDraw, ValueType
from qidguard.core.content import MISSING_WORDS, Look
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import COLUMNS_A_STATEMENT, Shape, confirm_types
from qidguard.engines.sql.identifier import quote_text
from qidguard.engines.sql.statement import rows_of

MOST_DRAWN = 2_000
"""Distinct values of a column that are drawn by their hash."""

MOST_FREQUENT = 500
"""Distinct values of a column that are taken because most records hold them."""

MOST_KEPT = 50_000
"""Distinct values of a described column that stay, so that they need not be grouped again."""

MOST_AT_ONCE = 2_000_000
"""Cells of the columns that are described at once: the distinct values of all of them lie there together."""

_LONGEST = 1_000
"""Characters of a value that are looked at."""


@dataclass(frozen=True, kw_only=True)
class CountedColumn:
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
    connection: DuckDBPyConnection, columns: Sequence[CountedColumn], *, is_drawn: bool = True
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


def _counts(connection: DuckDBPyConnection, columns: Sequence[CountedColumn]) -> list[ColumnFacts]:
    """Return the facts of columns that are counts."""
    every = "\nUNION ALL ".join(_counts_sql(place, column) for place, column in enumerate(columns))
    rows = connection.execute(every).fetchall()
    found = []
    for column, (_, distinct, is_consecutive, *sums) in zip(columns, sorted(rows), strict=True):
        records, missing, not_a_number, undeclared_missing, suppressed = map(int, sums)
        found.append(
            ColumnFacts(
                name=column.name,
                value_type=column.value_type if distinct else ValueType.EMPTY,
                records=records,
                distinct=int(distinct),
                missing=missing,
                not_a_number=not_a_number,
                undeclared_missing=undeclared_missing,
                suppressed=suppressed,
                is_consecutive=bool(is_consecutive),
            )
        )
    return found


def _counts_sql(place: int, column: CountedColumn) -> str:
    own = column.own_type
    counted = (
        "true",
        "value IS NULL",
        "isnan(value)" if own is ValueType.NUMBER else "false",
        _is_missing_word("value") if own is ValueType.TEXT else "false",
        "false" if column.mark is None else f"CAST(value AS VARCHAR) = {quote_text(column.mark)}",
    )
    sums = ", ".join(_sum(is_so) for is_so in counted)
    gapless = "max(TRY_CAST(value AS DOUBLE)) - min(TRY_CAST(value AS DOUBLE)) + 1 = count(value)"
    is_gapless = f"coalesce({gapless}, false)" if column.value_type is ValueType.INTEGER else "false"
    return f"SELECT {place}, count(value), {is_gapless}, {sums} FROM {column.table}"


def _sum(condition: str) -> str:
    """Return the SQL of how many records meet a condition; one that is known before costs no time."""
    case = {"true": "records", "false": ""}.get(condition, f"CASE WHEN {condition} THEN records END")
    return f"coalesce(sum({case}), 0)" if case else "0"


def _is_missing_word(text: str) -> str:
    return f"lower(trim({text})) IN ({', '.join(quote_text(word) for word in MISSING_WORDS)})"


_Drawn = tuple[bool, int, int, str, bool]
"""A value that was drawn, as it sorts: whether it is frequent, its hash (0 where it is), how many records
hold it, negative, its text, and whether that is a word for a missing value."""


def _draws(
    connection: DuckDBPyConnection, columns: Sequence[CountedColumn], counts: Sequence[ColumnFacts]
) -> list[list[_Drawn]]:
    """Return some distinct values: those with the least hash, the same on every run, and frequent ones.

    Where each value is unique, the frequent ones would be those with the least hash once more.
    """
    parts = []
    for place, (column, counted) in enumerate(zip(columns, counts, strict=True)):
        values = f"FROM {column.table} WHERE value IS NOT NULL"
        least = f" ORDER BY hash LIMIT {MOST_DRAWN}" if counted.distinct > MOST_DRAWN else ""
        drawn = [f"SELECT false AS is_frequent, hash(value) AS hash, records, value {values}{least}"]
        is_unique = counted.distinct == counted.records - counted.missing
        if counted.distinct > MOST_DRAWN and not is_unique:
            order = f"ORDER BY records DESC, hash(value) LIMIT {MOST_FREQUENT}"
            drawn.append(f"SELECT true AS is_frequent, 0 AS hash, records, value {values} {order}")
        # what is not drawn need not become a text
        text = f"left(CAST(value AS VARCHAR), {_LONGEST}) AS text"
        parts += [
            f"SELECT {place} AS place, is_frequent, hash, records, {text} FROM ({one})" for one in drawn
        ]
    every = "\nUNION ALL ".join(parts)
    rows = connection.execute(
        f"SELECT place, is_frequent, hash, CAST(-records AS BIGINT), text, {_is_missing_word('text')}\n"
        f"FROM ({every})"
    ).fetchall()
    found: list[list[_Drawn]] = [[] for _ in columns]
    for place, *drawn in sorted(rows):
        found[place].append(tuple(drawn))
    return found


def _described(column: CountedColumn, counts: ColumnFacts, drawn: Sequence[_Drawn]) -> Described:
    facts = replace(counts, identifiers=_identifiers(drawn, column.own_type))
    return Described(facts=facts, draw=_value_draw(drawn))


def _value_draw(drawn: Iterable[_Drawn]) -> ValueDraw:
    """Return what was drawn of a column's values, none twice, and no word for a missing one."""
    known: dict[str, int] = {}
    fair = 0
    for is_frequent, _, records, text, is_missing_word in drawn:
        if not is_missing_word:
            known.setdefault(text, -records)
            fair = fair if is_frequent else len(known)
    return ValueDraw(texts=tuple(known), records=tuple(known.values()), drawn=fair)


def _identifiers(drawn: Iterable[_Drawn], own_type: ValueType) -> tuple[Look, ...]:
    """Return what kinds of direct identifiers the distinct values have the form of."""
    if own_type not in {ValueType.TEXT, ValueType.INTEGER}:
        return ()
    return looks_of(text for is_frequent, _, _, text, _ in drawn if not is_frequent)


def describe_columns(
    connection: DuckDBPyConnection, shape: Shape, indexes: Sequence[int], mark: str | None
) -> dict[int, Described]:
    """Return what is known of columns that no grouping names, by a group-by each, which spills where it must.

    Their values are kept with their records, or of more than ``MOST_KEPT`` the sizes of their classes.
    """
    if not indexes:
        return {}
    rows = int(connection.execute(f"SELECT count(*) FROM {shape.relation}").fetchall()[0][0])
    some = max(1, min(COLUMNS_A_STATEMENT, MOST_AT_ONCE // max(1, rows)))
    found: dict[int, Described] = {}
    for start in range(0, len(indexes), some):
        chunk = indexes[start : start + some]
        counted = _counted(connection, shape, chunk, mark)
        found |= zip(chunk, describe(connection, counted), strict=True)
        for index in chunk:
            _keep(connection, index, found[index].facts.distinct, mark)
    return found


def _counted(
    connection: DuckDBPyConnection, shape: Shape, indexes: Sequence[int], mark: str | None
) -> list[CountedColumn]:
    """Create the table of each column's distinct values and their records."""
    for index in indexes:
        connection.execute(
            f"CREATE OR REPLACE TABLE {naming.values(index)} AS\n"
            f"SELECT {naming.column(index)} AS value, CAST(sum(records) AS BIGINT) AS records\n"
            f"FROM {shape.relation} GROUP BY 1"
        )
    guesses = {
        naming.values(i): shape.guesses[i]
        for i in indexes
        if shape.guesses.get(i, ValueType.TEXT) is not ValueType.TEXT
    }
    kinds = confirm_types(connection, guesses, mark)
    return [
        CountedColumn(
            table=naming.values(i),
            name=shape.names[i],
            value_type=kinds.get(naming.values(i), shape.guesses.get(i, shape.own_type(i))),
            own_type=shape.own_type(i),
            mark=mark,
        )
        for i in indexes
    ]


def _keep(connection: DuckDBPyConnection, index: int, distinct: int, mark: str | None) -> None:
    """Keep of a column of many values no more than the sizes of their classes."""
    if distinct <= MOST_KEPT:
        return
    values = naming.values(index)
    published = "" if mark is None else f"CAST(value AS VARCHAR) IS DISTINCT FROM {quote_text(mark)}"
    connection.execute(
        f"CREATE OR REPLACE TABLE {naming.sizes(index)} AS\n"
        f"SELECT records AS size, count(*) AS classes {rows_of(values, published)} GROUP BY 1"
    )
    connection.execute(f"DROP TABLE {values}")


_GAPS, _DOTS = re.compile(r"[ -]"), re.compile(r"[.-]")
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_CARD = re.compile(r"(?:4|5[1-5]|2[2-7]|3[4-7]|6)[0-9]{11,18}")
_NIR = re.compile(r"[1-478][0-9]{4}(?:[0-9]{2}|2[AB])[0-9]{8}")
_ELEVEN, _DIGITS = re.compile(r"[0-9]{11}"), re.compile(r"[0-9]+")


def iban(text: str) -> bool:
    """Return whether a text is an IBAN: its check digits hold (ISO 13616, ISO 7064 MOD 97-10).

    Example:
        >>> iban("DE89 3704 0044 0532 0130 00"), iban("DE88 3704 0044 0532 0130 00")
        (True, False)
    """
    word = _GAPS.sub("", text).upper()
    if _IBAN.fullmatch(word) is None:
        return False
    return int("".join(str(int(c, 36)) for c in word[4:] + word[:4])) % 97 == 1


def payment_card(text: str) -> bool:
    """Return whether a text is the number of a payment card: 13 to 19 digits that begin as cards do (Luhn).

    Example:
        >>> payment_card("4111 1111 1111 1111"), payment_card("4111 1111 1111 1112")
        (True, False)
    """
    word = _GAPS.sub("", text)
    if _CARD.fullmatch(word) is None:
        return False
    doubled = (int(c) if at % 2 == 0 else sum(divmod(2 * int(c), 10)) for at, c in enumerate(reversed(word)))
    return sum(doubled) % 10 == 0


def nhs_number(text: str) -> bool:
    """Return whether a text is a number of the British NHS: 10 digits, the last one checks modulo 11.

    Example:
        >>> nhs_number("943 476 5919"), nhs_number("943 476 5918")
        (True, False)
    """
    return _passes_eleven(_GAPS.sub("", text), (*range(10, 1, -1), 1))


def _passes_eleven(word: str, weights: Sequence[int]) -> bool:
    """Return whether as many digits as there are weights, not all the same, add up to a multiple of 11."""
    if _DIGITS.fullmatch(word) is None or len(word) != len(weights) or len(set(word)) == 1:
        return False
    return sum(int(c) * weight for c, weight in zip(word, weights, strict=True)) % 11 == 0


def bsn(text: str) -> bool:
    """Return whether a text is a Dutch BSN: 9 digits that pass the eleven test.

    Example:
        >>> bsn("111222333"), bsn("111222334")
        (True, False)
    """
    return _passes_eleven(text, (*range(9, 1, -1), -1))


def cpf(text: str) -> bool:
    """Return whether a text is a Brazilian CPF: 11 digits, the last two check modulo 11.

    Example:
        >>> cpf("529.982.247-25"), cpf("529.982.247-26")
        (True, False)
    """
    word = _DOTS.sub("", text)
    if _ELEVEN.fullmatch(word) is None or len(set(word)) == 1:
        return False
    for length in (9, 10):
        total = sum(int(c) * (length + 1 - at) for at, c in enumerate(word[:length]))
        if total * 10 % 11 % 10 != int(word[length]):
            return False
    return True


def nir(text: str) -> bool:
    """Return whether a text is a French NIR: 13 characters and the key that checks them modulo 97.

    Example:
        >>> nir("1 84 12 76 451 089 46"), nir("1 84 12 76 451 089 47")
        (True, False)
    """
    word = text.replace(" ", "").upper()
    if _NIR.fullmatch(word) is None:
        return False
    digits = word.replace("2A", "19").replace("2B", "18")
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


def _form(pattern: str) -> Callable[[str], bool]:
    found = re.compile(pattern, re.IGNORECASE)
    return lambda text: found.fullmatch(text) is not None


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """A kind of identifier; from which share, and how many, of the distinct values a column holds it.

    What ``has_digits`` has at least eight of them.
    """

    name: str
    holds: Callable[[str], bool]
    least: float
    fewest: int = 1
    has_digits: bool = True


_RARE = 0.1
"""What nothing else looks like: a tenth of the values is no chance."""
_COMMON = 0.8
"""One number in ten or eleven passes such a check by chance."""
_FEW = 3
"""Of fewer values, all may pass by chance."""

_SHORTEST = 6
"""Characters that a text of any kind has at least: a@b.ch; an IBAN may be written with ligatures of three."""
_EIGHT_DIGITS = re.compile(r"(?:[^0-9]*[0-9]){8}")
"""What most kinds begin with, if it begins anywhere: other texts need not be held against their forms."""

KINDS = (
    _Kind(
        name="e-mail addresses",
        holds=_form(r"[^@\s<>,;]+@[^@\s<>,;]+\.[a-z]{2,}"),
        least=_RARE,
        has_digits=False,
    ),
    _Kind(name="IBANs", holds=iban, least=_RARE, has_digits=False),
    _Kind(
        name="US Social Security numbers",
        holds=_form(r"(?!000|666|9)[0-9]{3}-[0-9]{2}-[0-9]{4}"),
        least=_RARE,
    ),
    _Kind(name="payment cards", holds=payment_card, least=_COMMON, fewest=_FEW),
    _Kind(name="NHS numbers", holds=nhs_number, least=_COMMON, fewest=_FEW),
    _Kind(name="Dutch BSNs", holds=bsn, least=_COMMON, fewest=_FEW),
    _Kind(name="Brazilian CPFs", holds=cpf, least=0.5),
    _Kind(name="French NIRs", holds=nir, least=0.5),
    _Kind(
        name="phone numbers",
        holds=_form(r"(?:\+|00)[1-9][0-9 ()./-]{6,18}[0-9]|\(?0?[0-9]{2,5}\)?[ /-][0-9]{3,4}[ -][0-9]{3,5}"),
        least=0.5,
        has_digits=False,  # +1 (……) 2 has two
    ),
)
"""Every kind that is looked for; of several that fit, the first is named."""


def looks_of(texts: Iterable[str]) -> tuple[Look, ...]:
    """Return what enough of some distinct values look like; nothing of a value is kept.

    Example:
        >>> looks_of(["a@example.org", "b@example.org", "c"])[0].kind
        'e-mail addresses'
    """
    values = [text.strip() for text in texts]
    some = [value for value in values if len(value) >= _SHORTEST]
    digits = [value for value in some if _EIGHT_DIGITS.match(value)]
    found = []
    for kind in KINDS if some else ():
        held = sum(map(kind.holds, digits if kind.has_digits else some))
        share = held / len(values)
        if share >= kind.least and held >= kind.fewest:
            found.append(Look(kind=kind.name, share=share))
    return tuple(found)
