"""A source inside the connection, ready to be loaded, and the check of its column names."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from qidguard.core.errors import DataError, EmptyRecordsError
from qidguard.core.number_format import NumberFormat
from qidguard.engines.base import ReadOptions
from qidguard.engines.sql.identifier import quote_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


WHITE_SPACE = (
    " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + ("\u2028\u2029\u202f\u205f\u3000")
)
"""What counts as white space: the characters that Python's ``str.strip`` drops."""


def is_encodable(text: str) -> bool:
    """Whether a text is one in Unicode; Python's may hold halves of characters, which nothing can store."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_names(names: Sequence[object], source: str, remedy: str = "rename them") -> tuple[str, ...]:
    """Return the names as a tuple of texts.

    Example:
        >>> check_names(["a", "A"], "the table")
        ('a', 'A')
    """
    if not names:
        raise DataError(f"A table needs at least one column, and {source} has none.")
    checked: list[str] = []
    for position, name in enumerate(names, start=1):
        if not isinstance(name, str):
            raise DataError(
                f"Column names must be texts, and column {position} of {source} is named by a"
                f" {type(name).__name__}; rename it."
            )
        if not name or "\0" in name:
            raise DataError(f"Column {position} of {source} has no readable name; name it.")
        if not is_encodable(name):
            raise DataError(
                f"The name of column {position} of {source} is no text: it holds half of a character (a lone"
                " surrogate); rename it."
            )
        checked.append(name)
    name, count = Counter(checked).most_common(1)[0]
    if count > 1:
        # a first line of data that was taken for a header is not repeated
        places = [str(place) for place, other in enumerate(checked, start=1) if other == name]
        raise DataError(
            f"Column names must be unique, and columns {', '.join(places[:-1])} and {places[-1]} of {source}"
            f" have the same name; {remedy}."
        )
    return tuple(checked)


@dataclass(frozen=True, kw_only=True)
class Staged:
    """What stands after FROM once a source was opened.

    Args:
        names: The real column names, in the source's order; none twice.
        relation: SQL text that can stand after FROM and gives the columns c0, c1, … in that order.
        is_text: Whether all columns are texts of a CSV, whose types are still to be inferred.
        rows: Number of records, or None where it is not known before loading.
        is_materialized: Whether ``relation`` is a table of the connection, which stays after release.
        file_bytes: Size of the source file in bytes, or None.
        notes: Sentences on how the source was read, for the report.
        digest: The digest of the bytes that it was read from, where they were copied and hashed.
        order: Column → its values in the order that is declared of them; it holds texts then.
        is_new: Whether its records are new ones and nobody's, of which one may hold no value.
        checks: What raises ChangedError where a file that is read in place is another one by now.
        on_release: What gives back the things that only loading needs.
    """

    names: tuple[str, ...]
    relation: str
    is_text: bool
    rows: int | None = None
    is_materialized: bool = False
    file_bytes: int | None = None
    notes: tuple[str, ...] = ()
    digest: str | None = None
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    is_new: bool = False
    checks: tuple[Callable[[], None], ...] = field(default=(), repr=False)
    on_release: tuple[Callable[[], object], ...] = field(default=(), repr=False)

    def release(self) -> None:
        """Unregister, detach or remove what only loading needs; a second call does no harm."""
        for give_back in self.on_release:
            give_back()


def _is_no_value(column: str, kind: str) -> str:
    match kind:
        case "VARCHAR":
            # what begins with a visible character of ASCII is told from white space at no cost
            is_open = f"({column} < '!' OR {column} > '~')"
            return f"({column} IS NULL OR ({is_open} AND trim({column}, {quote_text(WHITE_SPACE)}) = ''))"
        case "DOUBLE" | "FLOAT":
            return f"({column} IS NULL OR isnan({column}))"
        case _:
            return f"{column} IS NULL"


def with_values(database: "DuckDBPyConnection", staged: Staged, label: str, *, is_skipped: bool) -> Staged:
    """Return a source without records that hold no value: they are nobody's, and would dilute every share.

    NULL, NaN and white space alone are no values. In a table of one column NULL is a missing value as in any
    other: a CSV writes it as "", and a blank line is refused there.

    Raises:
        DataError: When there are some and nobody said that they are skipped, or when there are no others.
    """
    if len(staged.names) == 1 or staged.is_new:
        return staged
    kinds = database.execute(f"DESCRIBE SELECT * FROM {staged.relation}").fetchall()
    columns = [f"c{i}" for i in range(len(staged.names))]
    is_empty = " AND ".join(_is_no_value(name, str(kind)) for name, kind, *_ in kinds if name in columns)
    counted = f"SELECT count(*) FROM {staged.relation} WHERE {is_empty}"
    empty = int(database.execute(counted).fetchall()[0][0])
    if not empty:
        return staged
    [[records]] = database.execute(f"SELECT count(*) FROM {staged.relation}").fetchall()
    if empty == records:
        raise DataError(f"No record of {label} holds any value; nothing can be measured.")
    if not is_skipped:
        raise EmptyRecordsError(
            f"{empty:,} of the {records:,} records of {label} hold no value at all, and a row without any"
            " value is no record; set `skip_empty_records: true`, or remove them."
        )
    relation = f"(SELECT * FROM {staged.relation} WHERE NOT ({is_empty}))"
    if staged.is_materialized:
        database.execute(f"DELETE FROM {staged.relation} WHERE {is_empty}")
        relation = staged.relation
    note = f"{empty:,} records without any value were left out"
    return replace(staged, relation=relation, rows=records - empty, notes=(*staged.notes, note))


@contextmanager
def loading(staged: Staged) -> Iterator[None]:
    """Release a source when it was loaded; ChangedError, before any other, where it changed meanwhile."""

    def check() -> None:
        for changed in staged.checks:
            changed()

    try:
        yield
        check()
    except DataError:
        check()
        raise
    finally:
        staged.release()


_EXACT_DIGITS = 15
"""Fractions of at most this many digits are told apart as floating-point numbers."""
_WHOLE_DIGITS = 18
"""Whole numbers of at most this many digits fit a BIGINT."""


@dataclass(frozen=True, kw_only=True)
class _Form:
    """A form in which texts may be written.

    Args:
        words: What it is called.
        fits: Column → SQL of whether its text has the form.
        plain: Column → SQL of such a text as it is written everywhere.
        kind: DuckDB's type of its values; None for numbers, which are whole or not.
    """

    words: str
    fits: Callable[[str], str]
    plain: Callable[[str], str]
    kind: str | None = None


def with_plain_values(database: "DuckDBPyConnection", staged: Staged, options: ReadOptions) -> Staged:
    """Return a source in which numbers and dates of a declared form are written as everywhere.

    A column is read so where each of its texts that holds a digit has the form. Texts without a digit, such
    as a mark of suppression, stay what they are; a column with texts of another form stays as it is, whole,
    and so does one whose order is declared by its texts.
    """
    every = [f"c{i}" for i in range(len(staged.names))]
    open_ = [column for column, name in zip(every, staged.names, strict=True) if name not in staged.order]
    changed: dict[str, str] = {}
    notes: list[str] = []
    for form in _forms(options):
        described = database.execute(f"DESCRIBE SELECT * FROM {staged.relation}").fetchall()
        texts = [c for c, kind, *_ in described if c in open_ and c not in changed and str(kind) == "VARCHAR"]
        read = _read_in(database, staged, form, texts)
        changed |= read
        if read:
            named = ", ".join(repr(staged.names[every.index(column)]) for column in read)
            notes.append(f"{named}: read as {form.words}")
    if not changed:
        return staged
    relation = staged.relation
    if staged.is_materialized:
        settings = ", ".join(f"{column} = {sql}" for column, sql in changed.items())
        database.execute(f"UPDATE {relation} SET {settings}")
    else:
        replaced = ", ".join(f"{sql} AS {column}" for column, sql in changed.items())
        relation = f"(SELECT * REPLACE ({replaced}) FROM {relation})"
    return replace(staged, relation=relation, notes=(*staged.notes, *notes))


def _read_in(
    database: "DuckDBPyConnection", staged: Staged, form: _Form, columns: Sequence[str]
) -> dict[str, str]:
    """Return each column that has the form, and SQL for its values."""
    found: dict[str, str] = {}
    for column in columns:
        written = (
            f"SELECT text, fits, CASE WHEN fits THEN {form.plain('text')} END AS plain\n"
            f"FROM (SELECT text, {form.fits('text')} AS fits FROM (SELECT DISTINCT {column} AS text\n"
            f"FROM {staged.relation} WHERE {column} IS NOT NULL))"
        )
        row = database.execute(
            "SELECT count(*) FILTER (WHERE fits), count(*) FILTER (WHERE plain <> text),\n"
            "count(*) FILTER (WHERE NOT fits AND regexp_matches(text, '[0-9]')),\n"
            "count(*) FILTER (WHERE regexp_matches(plain, '[.eE]')),\n"
            "count(*) FILTER (WHERE regexp_matches(plain, '^[+-]?0[0-9]')),\n"
            f"max(length(regexp_replace(plain, '[^0-9]', '', 'g'))), count(*) FROM ({written})"
        ).fetchall()[0]
        fitting, differing, unfit, fractions, zeros, digits, present = row
        text = f"CASE WHEN {form.fits(column)} THEN {form.plain(column)} ELSE {column} END"
        if unfit or not fitting:
            continue
        if differing:
            found[column] = text
        if staged.is_text or fitting < present:
            continue
        # a code such as 01067 is no number
        is_exact = digits <= (_EXACT_DIGITS if fractions else _WHOLE_DIGITS) and not zeros
        if form.kind is not None or is_exact:
            kind = form.kind or ("DOUBLE" if fractions else "BIGINT")
            found[column] = f"CAST({form.plain(column)} AS {kind})"
    return found


def _forms(options: ReadOptions) -> Iterator[_Form]:
    yield from map(_dates, options.dates)
    if options.numbers is not None:
        yield _numbers(options.numbers)


def _dates(text: str) -> _Form:
    has_time = any(part in text for part in ("%H", "%I"))
    written = "%Y-%m-%d %H:%M:%S.%f" if has_time else "%Y-%m-%d"

    def parsed(column: str) -> str:
        return f"try_strptime({column}, {quote_text(text)})"

    return _Form(
        words=f"dates written {text}",
        fits=lambda column: f"coalesce({parsed(column)} IS NOT NULL, false)",
        plain=lambda column: f"strftime({parsed(column)}, '{written}')",
        kind="TIMESTAMP" if has_time else "DATE",
    )


def _numbers(form: NumberFormat) -> _Form:
    units = "|".join(map(re.escape, sorted(form.unit, key=len, reverse=True)))
    beside = rf"(?:\s|{units})*" if units else r"\s*"
    decimal = re.escape(form.decimal)
    whole = "[0-9]+"
    if form.thousands is not None:
        whole = rf"(?:[0-9]{{1,3}}(?:{re.escape(form.thousands)}[0-9]{{3}})+|[0-9]+)"
    digits = rf"(?:{whole}(?:{decimal}[0-9]*)?|{decimal}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    pattern = quote_text(f"{beside}[+-]?{beside}{digits}{beside}")

    def plain(column: str) -> str:
        dropped = quote_text(f"{units}|\\s" if units else r"\s")
        written = f"regexp_replace({column}, {dropped}, '', 'g')"
        if form.thousands is not None:
            written = f"replace({written}, {quote_text(form.thousands)}, '')"
        return f"replace({written}, {quote_text(form.decimal)}, '.')" if form.decimal != "." else written

    marks = [form.decimal, *([form.thousands] if form.thousands else []), *form.unit]
    return _Form(
        words=f"numbers written with {', '.join(map(repr, marks))}",
        fits=lambda column: f"coalesce(regexp_full_match({column}, {pattern}), false)",
        plain=plain,
    )
