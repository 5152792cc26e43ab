"""Texts that are numbers or dates in a declared form, read as such."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.core.number_format import NumberFormat
from qidguard.engines.base import ReadOptions
from qidguard.engines.duckdb.sources.staged import Staged
from qidguard.engines.sql.identifier import quote_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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
