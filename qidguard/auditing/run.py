"""One audit: open the table, give roles, measure, judge, tell the listeners."""

import time
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from qidguard.auditing.describing import describe
from qidguard.auditing.judging import judge_table, plan
from qidguard.auditing.listening import tell
from qidguard.auditing.options import engine_settings, read_options
from qidguard.auditing.result import Audit
from qidguard.core.errors import UserError
from qidguard.core.policy import load_policy
from qidguard.core.progress import SILENT, Progress
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.host import Host, load_host

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.policy import Policy


def audit(
    source: Any,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any] | None" = None,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    host: Host | None = None,
    progress: Progress = SILENT,
    engine: str | None = None,
    today: date | None = None,
) -> Audit:
    """Audit a table: find its quasi-identifiers, measure the risk and judge it by a policy.

    Args:
        source: A path or URL of a CSV, Parquet or DuckDB file, a folder or glob of Parquet files, or a
            pandas, polars, Arrow or DuckDB table. It is never changed.
        policy: A policy, its path, or a mapping with the same fields. None describes the table only.
        read: How the source is read; None takes what the policy says.
        settings: Memory limit, threads and spill directory; None takes what the policy says.
        host: The plugins to use; None takes the installed ones.
        progress: Hears of finished steps.
        engine: The engine's name; None takes what the policy says, or DuckDB.
        today: The day against which the policy's dates are held; None takes the clock's, in UTC.

    Returns:
        The audit. Without a policy it carries suggested roles and no verdict.

    Units:
        Every figure in it carries its own unit: records or entities, shares 0..1, nats, bits.

    Raises:
        DataError: When the source cannot be read without guessing.
        PolicyError: When the policy is not valid or does not fit the table.
        PluginError: When the policy needs a plugin that is broken or missing.
        UserError: When another argument is wrong.

    NULL in a quasi-identifier is a group of its own. A source without a record is a DataError. A table of a
    single class is measured like any other.

    Example:
        >>> import pandas as pd, qidguard
        >>> table = pd.DataFrame({"sex": ["f", "f", "m"], "age": [30, 30, 41]})
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["sex", "age"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        ... }
        >>> with qidguard.audit(table, policy=policy) as found:
        ...     found.is_passed, found.verdict.thresholds[0].measurement.value
        (False, 1)
    """
    started = time.perf_counter()
    host = host or load_host()
    rules = None if policy is None else load_policy(policy)
    chosen = host.engine(engine or (rules.engine if rules else "duckdb"))
    options = read or (read_options(rules.source) if rules else ReadOptions())
    resources = settings or engine_settings(rules)
    if not chosen.can_open(source):
        kind = type(source).__name__
        raise UserError(f"engine {chosen.name!r} cannot open what is a Python {kind}; give a path or a table")
    day = today or datetime.now(UTC).date()
    planned = plan(rules, chosen.column_names(source, options, resources), host) if rules else None
    progress.step("loading", 0, 1)
    table = chosen.open(source, options, planned.needs if planned else Needs(), resources)
    progress.step("loading", 1, 1)
    try:
        found = judge_table(table, planned, host, progress, day) if planned else describe(table, host)
        report = replace(
            found,
            source=_label(source),
            engine=chosen.name,
            versions=host.versions,
            seconds=time.perf_counter() - started,
        )
        return Audit(tell(report, host), table, host)
    except BaseException:
        table.close()
        raise


def _label(source: Any) -> str:
    """Return what the user calls the source: its path, or the kind of object."""
    if hasattr(source, "__fspath__"):
        return str(source.__fspath__())
    return source if isinstance(source, str) else type(source).__name__
