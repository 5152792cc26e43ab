"""What is counted of an opened table: its persons, and statistics; and whether work on it is to end."""

from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

from qidguard.core.errors import PluginError
from qidguard.core.statistic import Number, Statistic
from qidguard.core.view import Grouping
from qidguard.engines.base import Needs
from qidguard.engines.duckdb.columns import Shape
from qidguard.engines.duckdb.connection import Connection
from qidguard.engines.duckdb.dictionary import Dictionary
from qidguard.engines.duckdb.lockdown import run_query, run_select
from qidguard.engines.duckdb.naming import column
from qidguard.engines.sql.statement import statistics_query
from qidguard.engines.sql.steps import Layout


class CountedTable:
    """A table of which no column is looked at; ``DuckdbTable`` is one."""

    _connection: Connection
    _shape: Shape
    _needs: Needs
    _dictionaries: dict[int, Dictionary]

    @property
    def entity(self) -> str | None:
        """The entity column, where one was given."""
        return self._needs.entity

    @property
    def has_entities(self) -> bool:
        """Whether persons are entities."""
        return self._needs.entity is not None

    @cached_property
    def entities(self) -> int | None:
        """Number of distinct entities, or None without an entity column."""
        return self._count(f"count(DISTINCT {self._entity_column})") if self.has_entities else None

    @cached_property
    def missing_entities(self) -> int:
        """Number of records whose entity is NULL."""
        return self._count(f"count(*) - count({self._entity_column})") if self.has_entities else 0

    @property
    def _entity_column(self) -> str:
        return "entity" if self._dictionaries else column(self._shape.index(self._needs.entity or ""))

    def _count(self, aggregate: str) -> int:
        # where columns were planned, what they were coded from is gone by now
        relation = "coded" if self._dictionaries else self._shape.relation
        return int(run_select(self._connection, f"SELECT {aggregate} FROM {relation}")[0][0])

    @property
    def is_interrupted(self) -> bool:
        """Whether work on the table is to end; no statement is begun until it is taken back."""
        return self._connection.is_interrupted

    @is_interrupted.setter
    def is_interrupted(self, value: bool) -> None:
        self._connection.is_interrupted = value

    def interrupt(self) -> None:
        """End the statement that runs, from another thread."""
        self._connection.duckdb.interrupt()


def plain_number(statistic: Statistic, value: Any) -> Number | None:
    """Return a statistic's value as a plain number; anything else could carry a value of the table."""
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    if isinstance(value, Decimal):
        return float(value)
    raise PluginError.of_somebody(
        f"statistic {statistic.name!r} gave {type(value).__name__}, not a number; mend the plugin"
    )


def named_fault(
    error: PluginError,
    connection: Connection,
    layout: Layout,
    grouping: Grouping,
    wanted: Sequence[Statistic],
) -> PluginError:
    """Return the fault of the first statistic whose SQL fails by itself, with its name and column."""
    for statistic in wanted if len(wanted) > 1 else ():
        try:
            run_query(connection, statistics_query(layout, (statistic,)))
        except PluginError as fault:
            return named_fault(fault, connection, layout, grouping, (statistic,))
    if len(wanted) > 1:
        return error
    beside = "" if grouping.sensitive is None else f" beside the column {grouping.sensitive!r}"
    return PluginError.of_somebody(f"statistic {wanted[0].name!r}{beside}: {error}")
