r"""SQL that writes texts in one way, and counts of those that are not written so.

Keys are made of distinct values, never of rows. A cheap look at a text comes before what rewrites it, since
replacing by a regular expression costs a microsecond a value.
"""

import math
from collections.abc import Collection, Mapping, Sequence

from duckdb import DuckDBPyConnection

from qidguard.core.column import ValueType
from qidguard.core.content import MISSING_WORDS
from qidguard.core.spelling import Spelling, Variants
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.columns import COLUMNS_A_STATEMENT, Shape
from qidguard.engines.sql.identifier import quote_text

_NO_WIDTH = (
    r"[\x{AD}\x{34F}\x{61C}\x{180E}\x{200B}-\x{200F}\x{202A}-\x{202E}\x{2060}-\x{2064}\x{2066}-\x{2069}"
    r"\x{FE00}-\x{FE0F}\x{FEFF}]+"
)
_BLANKS = (
    r"[\t\n\v\f\r \x{1C}-\x{1F}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}"
    r"\x{3000}]+"
)
_PLAIN_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)"
_POWER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"
_EXACT = "9e15"
_DIGITS = 15
_LEAST = "0.001"


def _unicode(text: str) -> str:
    no_width = quote_text(_NO_WIDTH)
    clean = f"nfc_normalize(regexp_replace({text}, {no_width}, '', 'g'))"
    return (
        f"CASE WHEN strlen({text}) = length({text}) THEN {text}\n"
        f"WHEN regexp_matches({text}, {no_width}) THEN {clean} ELSE nfc_normalize({text}) END"
    )


def _blanks(text: str) -> str:
    """One blank for each run of white space, none at the edges."""
    clean = f"trim(regexp_replace({text}, {quote_text(_BLANKS)}, ' ', 'g'))"
    others = quote_text(_BLANKS.replace(r"\r ", r"\r"))
    is_plain = (
        f"NOT contains({text}, '  ') AND NOT starts_with({text}, ' ') AND NOT ends_with({text}, ' ')"
        f" AND NOT CASE WHEN strlen({text}) = length({text}) THEN regexp_matches({text}, '[\\x01-\\x1F]')"
        f" ELSE regexp_matches({text}, {others}) END"
    )
    return f"CASE WHEN {is_plain} THEN {text} ELSE {clean} END"


def _case(text: str) -> str:
    """Lower case of upper case: the two small sigmas of Greek have one upper case."""
    return f"lower(upper({text}))"


def _numbers(text: str) -> str:
    """A number without a plus, and without zeros in front or behind its point; powers through DOUBLE.

    So are short numbers, since a DOUBLE holds 15 digits and is written without a power where it is no less
    than ``_LEAST``: that is quicker than to take the zeros from the text.
    """
    sign = f"CASE WHEN starts_with({text}, '-') THEN '-' ELSE '' END"
    whole = f"ltrim(split_part(ltrim({text}, '+-'), '.', 1), '0')"
    part = f"rtrim(split_part({text}, '.', 2), '0')"
    digits = (
        f"CASE WHEN {whole} = '' AND {part} = '' THEN '0' ELSE {sign} || CASE WHEN {whole} = '' THEN '0'"
        f" ELSE {whole} END || CASE WHEN {part} = '' THEN '' ELSE '.' || {part} END END"
    )
    power = f"TRY_CAST({text} AS DOUBLE)"
    written = (
        f"CASE WHEN {power} = trunc({power}) AND abs({power}) < {_EXACT}"
        f" THEN CAST(CAST({power} AS BIGINT) AS VARCHAR)"
        f" WHEN isfinite({power}) THEN CAST({power} AS VARCHAR) ELSE {text} END"
    )
    is_short = f"strlen({text}) <= {_DIGITS} AND ({power} = 0 OR abs({power}) >= {_LEAST})"
    plain = f"CASE WHEN {is_short} THEN {written} ELSE {digits} END"
    return (
        f"CASE WHEN ascii({text}) NOT BETWEEN 43 AND 57 THEN {text}\n"
        f"WHEN regexp_full_match({text}, {quote_text(_PLAIN_NUMBER)}) THEN {plain}\n"
        f"WHEN regexp_full_match({text}, {quote_text(_POWER)}) THEN {written} ELSE {text} END"
    )


def _missing(text: str) -> str:
    words = ", ".join(quote_text(word) for word in MISSING_WORDS)
    longest = max(map(len, MISSING_WORDS))
    is_longer = f"strlen({text}) > {longest} AND NOT starts_with({text}, ' ') AND NOT ends_with({text}, ' ')"
    is_missing = f"lower(trim({text}, ' ')) IN ({words})"
    return f"CASE WHEN {is_longer} THEN {text}\nWHEN {is_missing} THEN NULL ELSE {text} END"


_STEPS = {
    Spelling.UNICODE: _unicode,
    Spelling.BLANKS: _blanks,
    Spelling.CASE: _case,
    Spelling.NUMBERS: _numbers,
    Spelling.MISSING: _missing,
}
"""In the order in which they are taken, whatever the order in which they are written."""


_FEWER = "coalesce(count(*) - count(DISTINCT key) - max(CASE WHEN key IS NULL THEN 1 ELSE 0 END), 0)"
"""By how many distinct values there are fewer keys; NULL is a value here."""

_FEW_VALUES = 1_000
"""Distinct values of a column that are compared here: planning the SQL for them takes longer."""

_ONE_WRITING = frozenset({ValueType.INTEGER, ValueType.DATE, ValueType.TIMESTAMP, ValueType.BOOLEAN})
"""Types whose distinct values are always written differently."""


def keyed(relation: str, spellings: Collection[Spelling], own_type: ValueType, mark: str | None) -> str:
    """Return a SELECT of all columns and ``key``: the same for values of ``relation`` that are one value.

    Texts are written in one way. Of other types only NaN is another writing, of NULL.
    """
    if own_type is not ValueType.TEXT:
        is_nan = own_type is ValueType.NUMBER and Spelling.MISSING in spellings
        key = "CASE WHEN isnan(value) THEN NULL ELSE CAST(value AS VARCHAR) END"
        return f"SELECT *, {key if is_nan else 'CAST(value AS VARCHAR)'} AS key FROM {relation}"
    select = f"(SELECT *, CAST(value AS VARCHAR) AS key FROM {relation})"
    for spelling, step in _STEPS.items():
        if spelling in spellings:
            select = f"(SELECT * REPLACE ({step('key')} AS key) FROM {select})"
    if mark is not None:
        # a suppressed value is one of its own, whatever it looks like
        own = f"CASE WHEN CAST(value AS VARCHAR) = {quote_text(mark)} THEN {quote_text(mark)} ELSE key END"
        select = f"(SELECT * REPLACE ({own} AS key) FROM {select})"
    return f"SELECT * FROM {select}"


def find_variants(
    connection: DuckDBPyConnection,
    shape: Shape,
    indexes: Sequence[int],
    tables: Mapping[int, str],
    mark: str | None,
) -> tuple[Variants, ...]:
    """Return what differs only in writing, for each column in which something does.

    ``tables`` hold the distinct values of columns; those of others are read from the shape.
    """
    found: list[Variants | None] = []
    indexes = [index for index in indexes if shape.own_type(index) not in _ONE_WRITING]
    texts = [i for i in indexes if i in tables and shape.own_type(i) is ValueType.TEXT]
    alike = _without_variants(connection, {index: tables[index] for index in texts}, mark)
    for index in indexes:
        if index in alike:
            continue
        values = f"(SELECT value FROM {tables.get(index)})"
        if index not in tables:
            distinct = f"SELECT DISTINCT {naming.column(index)} AS value FROM {shape.relation}"
            connection.execute(f"CREATE OR REPLACE TABLE spelled AS {distinct}")
            values = "spelled"
        found.append(count_variants(connection, values, shape.names[index], shape.own_type(index), mark))
    connection.execute("DROP TABLE IF EXISTS spelled")
    return tuple(variants for variants in found if variants is not None)


def _without_variants(
    connection: DuckDBPyConnection, tables: Mapping[int, str], mark: str | None
) -> set[int]:
    """Return the columns of texts in which nothing differs only in writing, some columns a statement."""
    texts = list(tables)
    alike: set[int] = set()
    for start in range(0, len(texts), COLUMNS_A_STATEMENT):
        some = texts[start : start + COLUMNS_A_STATEMENT]
        plain = _plainly_distinct(connection, {index: tables[index] for index in some})
        alike |= plain
        some = [index for index in some if index not in plain]
        if not some:
            continue
        every = " UNION ALL ".join(f"SELECT {index} AS place, value FROM {tables[index]}" for index in some)
        select = keyed(f"({every})", tuple(Spelling), ValueType.TEXT, mark)
        rows = connection.execute(f"SELECT place, {_FEWER} FROM ({select}) GROUP BY place").fetchall()
        alike |= set(some) - {place for place, fewer in rows if fewer}
    return alike


def _plainly_distinct(connection: DuckDBPyConnection, tables: Mapping[int, str]) -> set[int]:
    """Return columns of few ASCII texts that stay distinct when more is taken as one than the SQL takes."""
    every = " UNION ALL ".join(
        f"(SELECT {index} AS place, value FROM {table} LIMIT {_FEW_VALUES + 1})"
        for index, table in tables.items()
    )
    values: dict[int, list[str | None]] = {index: [] for index in tables}
    for place, value in connection.execute(every).fetchall():
        values[place].append(value)
    return {index for index, texts in values.items() if _is_plainly_distinct(texts)}


def _is_plainly_distinct(texts: Sequence[str | None]) -> bool:
    if len(texts) > _FEW_VALUES or not all(text is None or text.isascii() for text in texts):
        return False
    return len({_coarse_key(text) for text in texts}) == len(texts)


def _coarse_key(text: str | None) -> str | float | None:
    """Return a key that is the same wherever ``keyed`` by all spellings gives ASCII texts the same."""
    key = "" if text is None else " ".join(text.split()).lower()
    if key in MISSING_WORDS:
        return None
    try:
        number = float(key)
    except ValueError:
        return key
    return key if math.isnan(number) else number


def count_variants(
    connection: DuckDBPyConnection, values: str, name: str, own_type: ValueType, mark: str | None
) -> Variants | None:
    """Return how many of the distinct ``values`` differ from another only in writing; None for none."""
    together = _fewer(connection, values, tuple(Spelling), own_type, mark)
    if not together:
        return None
    found = ((one, _fewer(connection, values, (one,), own_type, mark)) for one in Spelling)
    return Variants(column=name, values=together, by_spelling=tuple((one, n) for one, n in found if n))


def _fewer(
    connection: DuckDBPyConnection,
    values: str,
    spellings: Sequence[Spelling],
    own_type: ValueType,
    mark: str | None,
) -> int:
    """Return by how many distinct values there are fewer keys; NULL is a value here."""
    select = keyed(values, spellings, own_type, mark)
    [[fewer]] = connection.execute(f"SELECT {_FEWER} FROM ({select})").fetchall()
    return int(fewer)
