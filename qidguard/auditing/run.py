"""One audit: open the table, give roles, measure, judge, tell the listeners."""

import time
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from qidguard.auditing.describing import describe
from qidguard.auditing.judging import Plan, judge_table, plan
from qidguard.auditing.listening import tell
from qidguard.auditing.options import engine_settings, read_options, source_of
from qidguard.auditing.original import pair_of
from qidguard.auditing.result import Audit
from qidguard.auditing.roles import Recognition
from qidguard.core.address import shown_address
from qidguard.core.changes import Changes
from qidguard.core.errors import UserError
from qidguard.core.history import History
from qidguard.core.policy import load_policy
from qidguard.core.progress import SILENT, Progress
from qidguard.engines.base import Engine, EngineSettings, Needs, ReadOptions
from qidguard.host import Host, load_host

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.policy import Policy


def audit(  # noqa: PLR0913 - one argument for each thing that a caller may say
    source: Any,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any] | None" = None,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    host: Host | None = None,
    progress: Progress = SILENT,
    engine: str | None = None,
    today: date | None = None,
    original: Any = None,
    is_same_order: bool = False,
) -> Audit:
    """Audit a table: find its quasi-identifiers, measure the risk and judge it by a policy.

    Args:
        source: A path or URL of a CSV, Parquet or DuckDB file, a folder or glob of Parquet files, or a
            pandas, polars, Arrow or DuckDB table. It is never changed. None takes the policy's
            ``source.path``.
        policy: A policy, its path, or a mapping with the same fields. None describes the table only.
        read: How the source is read; None takes what the policy says.
        settings: Memory limit, threads and spill directory; None takes what the policy says.
        host: The plugins to use; None takes the installed ones.
        progress: Hears of finished steps.
        engine: The engine's name; None takes what the policy says, or DuckDB.
        today: The day against which the policy's dates are held; None takes the clock's, in UTC.
        original: The table that the source was made from, against which losses are measured; it is read as
            the policy says. None leaves thresholds on losses without a figure.
        is_same_order: Whether the source holds every record of the original, in the same order.

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
    host = host or load_host()
    rules = None if policy is None else load_policy(policy)
    source = source_of(source, rules)
    request = AuditRequest(
        source=source,
        policy=rules,
        host=host,
        engine=host.engine(engine or (rules.engine if rules else "duckdb")),
        options=read or (read_options(rules.source) if rules else ReadOptions()),
        settings=settings or engine_settings(rules),
        progress=progress,
        today=today or datetime.now(UTC).date(),
        label=source_label(source),
    )
    if original is None:
        if is_same_order:
            raise UserError("There is no original whose order could be the same; give the original.")
        return run_audit(request)
    if rules is None:
        raise UserError("An original is for the thresholds of a policy on what was lost; give a policy.")
    pair = pair_of(
        request.engine,
        request.settings,
        rules,
        (source, request.options),
        original,
        is_same_order=is_same_order,
    )
    try:
        made = run_audit(replace(request, source=pair.source, options=ReadOptions(), changes=pair.changes))
    except BaseException:
        pair.close()
        raise
    made.close_with(pair.close)
    return made


@dataclass(frozen=True, kw_only=True)
class AuditRequest:
    """One audit as it was asked for.

    Args:
        source: What the engine opens.
        policy: The policy, or None to describe the table only.
        host: The plugins.
        engine: The engine, guarded.
        options: How the source is read.
        settings: The engine's resources.
        progress: Hears of finished steps.
        today: The day against which the policy's dates are held.
        label: What reports call the source.
        history: The earlier releases of the data set, where this audit is to look at them.
        changes: The original that the source was made from, where losses are to be measured.
        recognition: What recognisers said of the table before it was transformed; None asks them.
        more_columns: Columns that are kept beside those that thresholds name.
    """

    source: Any
    policy: "Policy | None"
    host: Host
    engine: Engine
    options: ReadOptions
    settings: EngineSettings
    progress: Progress
    today: date
    label: str
    history: History | None = None
    changes: Changes | None = None
    recognition: Recognition | None = None
    more_columns: tuple[str, ...] = ()


def run_audit(request: AuditRequest) -> Audit:
    """Return the audit that was asked for.

    Args:
        request: The source and everything that is to be known about it.

    Returns:
        The audit; close it.

    Units:
        As in ``audit``.

    Raises:
        QidguardError: As ``audit`` raises it.

    Example:
        >>> import pandas as pd, qidguard
        >>> qidguard.audit(pd.DataFrame({"sex": ["f", "m"]})).report.records
        2
    """
    started = time.perf_counter()
    source, host, engine = request.source, request.host, request.engine
    if not engine.can_open(source):
        kind = type(source).__name__
        raise UserError(f"engine {engine.name!r} cannot open what is a Python {kind}; give a path or a table")
    names = engine.column_names(source, request.options, request.settings) if request.policy else ()
    made_from = () if request.changes is None else tuple(request.changes.before.names)
    planned = plan(request.policy, names, host, made_from) if request.policy else None
    needs = _needs(request, planned, names)
    request.progress.step("loading", 0, 1)
    table = engine.open(source, request.options, needs, request.settings)
    request.progress.step("loading", 1, 1)
    try:
        found = (
            judge_table(
                table, planned, host, request.progress, request.today, recognition=request.recognition
            )
            if planned
            else describe(table, host)
        )
        report = replace(
            found,
            source=request.label,
            engine=engine.name,
            versions=host.versions,
            seconds=time.perf_counter() - started,
        )
        return Audit(tell(report, host), table, host)
    except BaseException:
        table.close()
        raise


def _needs(request: AuditRequest, planned: Plan | None, names: tuple[str, ...]) -> Needs:
    found = replace(planned.needs if planned else Needs(), history=request.history, changes=request.changes)
    if found.columns is None or not request.more_columns:
        return found
    kept = {*found.columns, *request.more_columns}
    return replace(found, columns=tuple(name for name in names if name in kept))


def source_label(source: Any) -> str:
    """Return what the user calls the source: its path, its URL without secrets, or the kind of object.

    Args:
        source: What an engine opens.

    Returns:
        A text that may be shown and kept.

    Units:
        None.

    Raises:
        TypeError: When ``source`` is a path-like object whose path is no text.

    Example:
        >>> source_label("s3://key:secret@bucket/x.csv?token=1")
        's3://bucket/x.csv'
    """
    if hasattr(source, "__fspath__"):
        return str(source.__fspath__())
    return shown_address(source) if isinstance(source, str) else type(source).__name__
