"""Which statistic a failed statement over several of them fails by."""

from collections.abc import Sequence

from qidguard.core.errors import PluginError
from qidguard.core.statistic import Statistic
from qidguard.core.view import Grouping
from qidguard.engines.duckdb.connection import Connection
from qidguard.engines.duckdb.lockdown import run_query
from qidguard.engines.sql.statement import statistics_query
from qidguard.engines.sql.steps import Layout


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
