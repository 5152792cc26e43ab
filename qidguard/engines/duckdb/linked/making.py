"""What is made of the records of a table for each person, as SQL."""

from collections.abc import Sequence
from dataclasses import dataclass

from duckdb import DuckDBPyConnection

from qidguard.core.errors import DataError
from qidguard.engines.duckdb.linked.dates import DateColumn
from qidguard.engines.duckdb.snapshot.opened import exact_text

PERSON = "person"
"""The column that holds the place of a record's person in the persons' table."""


@dataclass(frozen=True, kw_only=True)
class ConnectionRecords:
    """The records of a table inside the connection.

    Args:
        relation: What stands after FROM: columns c0, c1, … and ``person``.
        sorting: SQL by which a person's records stand in order; empty where there is none.
    """

    relation: str
    sorting: tuple[str, ...] = ()

    def made(  # noqa: PLR0911 - one line for each way
        self, way: str, column: str | None, date: DateColumn | None
    ) -> tuple[str, str]:
        """Return a SELECT of (person, made), and SQL for what is made where a person has no record.

        Args:
            way: How it is made, as ``MadeColumn`` says.
            column: SQL for the column that it is made of; None where records are counted.
            date: How that column is read where it is one of dates.
        """
        if way == "count":
            return self._grouped("count(*)"), "0"
        assert column is not None  # noqa: S101 - only a count is of no column
        text = exact_text(column)
        if way == "distinct":
            return self._grouped(f"count(DISTINCT {column})"), "0"
        if way == "set":
            # NULL is a value of a set: that one is missing is known of a person, too
            listed = f"list(DISTINCT {text} ORDER BY {text}) FILTER (WHERE {column} IS NOT NULL)"
            has_null = f"bool_or({column} IS NULL)"
            whole = f"list_concat(coalesce({listed}, []), CASE WHEN {has_null} THEN [NULL] ELSE [] END)"
            return self._grouped(_json(whole)), "'[]'"
        if way == "sequence":
            return self._grouped(_json(f"list({text} ORDER BY {self._order(text)})")), "'[]'"
        if way == "distinct_sequence":
            return self._distinct_sequence(text), "'[]'"
        if way in {"first", "last"}:
            place = 1 if way == "first" else -1
            return self._grouped(f"list({column} ORDER BY {self._order(text)})[{place}]"), "NULL"
        assert date is not None  # noqa: S101 - the policy has looked
        if way == "span":
            return self._grouped(f"max({date.day}) - min({date.day})"), "NULL"
        return self._intervals(date), "'[]'"

    def _order(self, text: str) -> str:
        # equal moments are put in the order of their values, so that the same records give the same text
        return ", ".join((*(f"{one} NULLS LAST" for one in self.sorting), text))

    def _grouped(self, value: str) -> str:
        return f"SELECT {PERSON}, {value} AS made FROM {self.relation} GROUP BY {PERSON}"

    def _distinct_sequence(self, text: str) -> str:
        place = f"row_number() OVER (PARTITION BY {PERSON} ORDER BY {self._order(text)})"
        return (
            f"SELECT {PERSON}, {_json('list(value ORDER BY place)')} AS made FROM (\n"
            f"SELECT {PERSON}, value, min(place) AS place FROM (\n"
            f"SELECT {PERSON}, {text} AS value, {place} AS place FROM {self.relation}) AS placed\n"
            f"GROUP BY {PERSON}, value) AS first_ones GROUP BY {PERSON}"
        )

    def _intervals(self, date: DateColumn) -> str:
        before = f"lag({date.day}) OVER (PARTITION BY {PERSON} ORDER BY {date.day})"
        return (
            f"SELECT {PERSON}, {_json('list(days ORDER BY day) FILTER (WHERE days IS NOT NULL)')} AS made\n"
            f"FROM (SELECT {PERSON}, {date.day} AS day, {date.day} - {before} AS days FROM {self.relation}\n"
            f"WHERE {date.column} IS NOT NULL) AS dated GROUP BY {PERSON}"
        )


def _json(listed: str) -> str:
    # no two lists have one text
    return f"coalesce(CAST(to_json({listed}) AS VARCHAR), '[]')"


def sorting_of(
    database: DuckDBPyConnection,
    relation: str,
    column: str,
    kind: str,
    date: DateColumn | None,
    *,
    named: str,
) -> tuple[str, ...]:
    """Return SQL by which records stand in the order of a column; DataError where it has none.

    Args:
        database: The connection.
        relation: What stands after FROM.
        column: SQL for the column.
        kind: DuckDB's type.
        date: How it is read where it is one of dates.
        named: How a sentence calls it.
    """
    if date is not None:
        return date.sorting
    if kind != "VARCHAR":
        return (column,)
    tried = [f"try_cast({column} AS {other})" for other in ("DOUBLE", "TIMESTAMP")]
    counts: Sequence[int] = database.execute(
        f"SELECT count({column}), {', '.join(f'count({one})' for one in tried)} FROM {relation}"
    ).fetchall()[0]
    for one, fit in zip(tried, counts[1:], strict=True):
        if fit == counts[0]:
            return (one,)
    raise DataError(
        f"{named} is to put records in order, and some of its values are neither numbers nor dates such as"
        " 2024-12-31; convert them, or name it in dates."
    )
