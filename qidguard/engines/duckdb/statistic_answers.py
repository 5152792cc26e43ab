"""What DuckDB answers where statistics are asked: plain numbers, or the fault of one of them by name."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from qidguard.core.errors import PluginError
from qidguard.core.statistic import Number, Statistic
from qidguard.core.view import Grouping
from qidguard.engines.duckdb.connection import Connection
from qidguard.engines.duckdb.lockdown import run_query
from qidguard.engines.sql.statement import statistics_query
from qidguard.engines.sql.steps import Layout


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
