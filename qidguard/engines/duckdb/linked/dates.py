"""Dates that are moved by whole days: how they are written, and SQL that moves them and keeps the rest."""

from dataclasses import dataclass

from duckdb import DuckDBPyConnection

from qidguard.core.errors import DataError
from qidguard.engines.sql.identifier import quote_text

_TIME = r"([T ]\d{2}:\d{2}.*)?"
_TYPED = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE")
_LARGEST_YEAR = 9999


@dataclass(frozen=True, kw_only=True)
class WrittenDate:
    """A way in which a text begins with a date.

    Args:
        form: The date as strptime reads it.
        length: Characters of the date.
        pattern: What the whole text looks like.
        shown: How a sentence calls it.
    """

    form: str
    length: int
    pattern: str
    shown: str


_FORMS = (
    WrittenDate(form="%Y-%m-%d", length=10, pattern=rf"\d{{4}}-\d{{2}}-\d{{2}}{_TIME}", shown="2024-12-31"),
    WrittenDate(form="%Y/%m/%d", length=10, pattern=rf"\d{{4}}/\d{{2}}/\d{{2}}{_TIME}", shown="2024/12/31"),
    WrittenDate(form="%Y%m%d", length=8, pattern=rf"\d{{8}}{_TIME}", shown="20241231"),
    WrittenDate(form="%d.%m.%Y", length=10, pattern=rf"\d{{2}}\.\d{{2}}\.\d{{4}}{_TIME}", shown="31.12.2024"),
    WrittenDate(form="%d/%m/%Y", length=10, pattern=rf"\d{{2}}/\d{{2}}/\d{{4}}{_TIME}", shown="31/12/2024"),
    WrittenDate(form="%m/%d/%Y", length=10, pattern=rf"\d{{2}}/\d{{2}}/\d{{4}}{_TIME}", shown="12/31/2024"),
)


@dataclass(frozen=True, kw_only=True)
class DateColumn:
    """A column of dates.

    Args:
        column: SQL for its values.
        kind: DuckDB's type.
        written: How texts are written; None for a typed column.
    """

    column: str
    kind: str
    written: WrittenDate | None

    @property
    def day(self) -> str:
        """SQL for the date without the time of day."""
        if self.written is None:
            return f"CAST({self.column} AS DATE)" if self.kind != _TYPED[-1] else self._day_of_instant
        head = f"substr({self.column}, 1, {self.written.length})"
        return f"CAST(try_strptime({head}, {quote_text(self.written.form)}) AS DATE)"

    @property
    def _day_of_instant(self) -> str:
        # an instant has a date in UTC, whatever the zone of this machine
        return f"CAST(make_timestamp(epoch_us({self.column})) AS DATE)"

    @property
    def sorting(self) -> tuple[str, ...]:
        """SQL by which values stand in order of time."""
        if self.written is None:
            return (self.column,)
        return (self.day, f"substr({self.column}, {self.written.length + 1})")

    def moved(self, days: str) -> str:
        """Return SQL for the same moment some days later; the time of day and all else stay as they are."""
        if self.written is not None:
            rest = f"substr({self.column}, {self.written.length + 1})"
            return f"strftime({self.day} + {days}, {quote_text(self.written.form)}) || {rest}"
        if self.kind == "DATE":
            return f"{self.column} + {days}"
        if self.kind == "TIMESTAMP_NS":
            return f"make_timestamp_ns(epoch_ns({self.column}) + {days}::BIGINT * 86400000000000)"
        moved = f"epoch_us({self.column}) + {days}::BIGINT * 86400000000"
        if self.kind == _TYPED[-1]:
            return f"make_timestamptz({moved})"
        return f"CAST(make_timestamp({moved}) AS {self.kind})"


def date_column(
    database: DuckDBPyConnection, relation: str, column: str, kind: str, *, named: str, shift_days: int
) -> DateColumn:
    """Return how a column of dates is read; DataError, without any value, where it is none.

    Args:
        database: The connection.
        relation: What stands after FROM.
        column: SQL for the column.
        kind: DuckDB's type.
        named: How a sentence calls it.
        shift_days: The most days by which it is moved, which must stay within the calendar.
    """
    found = DateColumn(column=column, kind=kind, written=None)
    if kind == "VARCHAR":
        found = DateColumn(column=column, kind=kind, written=_written(database, relation, column, named))
    elif kind not in _TYPED:
        raise DataError(
            f"{named} is to be moved as a date and holds {kind}; convert it, or take it out of dates."
        )
    finite = "true" if found.written is not None else f"isfinite({column})"
    years = f"year({found.day} - {shift_days}) >= 1 AND year({found.day} + {shift_days}) <= {_LARGEST_YEAR}"
    outside = database.execute(
        f"SELECT count(*) FROM {relation} WHERE {column} IS NOT NULL AND NOT ({finite} AND {years})"
    ).fetchall()[0][0]
    if outside:
        raise DataError(
            f"{named} holds {outside:,} dates at the end of the calendar, such as those that stand for an"
            " open end, which cannot be moved; declare them missing."
        )
    return found


def _written(database: DuckDBPyConnection, relation: str, column: str, named: str) -> WrittenDate:
    tests = ", ".join(
        f"count(*) FILTER (WHERE regexp_full_match({column}, {quote_text(form.pattern)})"
        f" AND try_strptime(substr({column}, 1, {form.length}), {quote_text(form.form)}) IS NOT NULL)"
        for form in _FORMS
    )
    values, *fits = database.execute(f"SELECT count({column}), {tests} FROM {relation}").fetchall()[0]
    fitting = [form for form, fit in zip(_FORMS, fits, strict=True) if fit == values]
    if not values:
        return _FORMS[0]
    if len(fitting) > 1:
        raise DataError(
            f"{named} may be read as {fitting[0].shown} and as {fitting[1].shown}; convert it to 2024-12-31."
        )
    if not fitting:
        raise DataError(
            f"{named} is to be moved as a date, and {values - max(fits):,} of its {values:,} values are none"
            f" as {', '.join(form.shown for form in _FORMS[:4])}, all in one way; convert them, or take it"
            " out of dates."
        )
    return fitting[0]
