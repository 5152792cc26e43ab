"""One audit: open the table, give roles, measure, judge, tell the listeners."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.records import SnapshotRecords
from qidguard.auditing.context import AuditContext
from qidguard.auditing.judging import report_on
from qidguard.auditing.original import mark_of, pair_of
from qidguard.auditing.questions import plan
from qidguard.auditing.recognizing import Recognition
from qidguard.auditing.result import Audit
from qidguard.core.errors import UserError
from qidguard.core.privacy import PrivacyGuarantee
from qidguard.core.progress import SILENT, Progress
from qidguard.core.versions import Changes, History
from qidguard.engines.base import EngineSettings, Needs, ReadOptions, Table
from qidguard.engines.linked import LinkedTables
from qidguard.host import Host, load_host
from qidguard.policy import load_policy

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.engines.base import Snapshot
    from qidguard.policy import Policy


def audit(  # noqa: PLR0913 - one argument for each thing that a caller may say
    source: Any,
    policy: "Policy | str | PathLike[str] | dict[str, Any] | None" = None,
    *,
    read: ReadOptions | None = None,
    codebook: "str | PathLike[str] | None" = None,
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
        codebook: A file with the columns' labels, CSV, DDI, ``.dta`` or ``.sav``, that recognizers read too.
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
    context = AuditContext.of(
        source,
        rules,
        host,
        engine=engine,
        read=read,
        settings=settings,
        today=today,
        progress=progress,
    )
    if codebook is not None:
        context = replace(context, read=replace(context.read, codebook=Path(codebook)))
    if isinstance(context.source, LinkedTables) and rules is not None:
        return _of_tables(context, rules, original=original)
    if original is None:
        if is_same_order:
            raise UserError("There is no original whose order could be the same; give the original.")
        return run_audit(context)
    if rules is None:
        raise UserError("An original is for the thresholds of a policy on what was lost; give a policy.")
    pair = pair_of(context, rules, original, is_same_order=is_same_order)
    try:
        made = run_audit(context, pair.source, changes=pair.changes)
    except BaseException:
        pair.close()
        raise
    made.close_with(pair.close)
    return made


def _of_tables(context: AuditContext, policy: "Policy", *, original: Any) -> Audit:
    """Return the audit of several tables, which are linked in a private copy."""
    import numpy as np

    if original is not None:
        raise UserError("An original is for a single table, and the policy names several; leave it out.")
    engine: Any = context.engine  # it takes snapshots, or says that it does not
    copy: Snapshot = engine.snapshot(context.source, context.read, context.settings)
    try:
        records = SnapshotRecords(copy, mark_of(policy), policy.normalized)
        kept = np.ones(copy.records, dtype=np.bool_)
        made = run_audit(context, copy, changes=Changes(before=records, after=records, kept=kept))
    except BaseException:
        copy.close()
        raise
    made.close_with(copy.close)
    return made


def run_audit(
    context: AuditContext,
    copy: "Snapshot | None" = None,
    *,
    history: History | None = None,
    changes: Changes | None = None,
    recognition: Recognition | None = None,
    more_columns: tuple[str, ...] = (),
    noise: PrivacyGuarantee | None = None,
) -> Audit:
    """Return the audit that was asked for; close it.

    Args:
        context: What was asked for.
        copy: A private copy that is audited in the source's place.
        history: The earlier releases of the data set, where this audit is to look at them.
        changes: The original that the table was made from, where losses are to be measured.
        recognition: What recognizers said of the table before it was transformed; None asks them.
        more_columns: Columns that are kept beside those that thresholds name.
        noise: What the noise that was drawn for the copy guarantees; None where none is known.

    Raises:
        QidguardError: As ``audit`` raises it.
    """
    started = time.perf_counter()
    source, read = (
        (context.source, context.read)
        if copy is None
        else (copy, ReadOptions(codebook=context.read.codebook))
    )
    engine, settings, policy = context.engine, context.settings, context.policy
    names = engine.column_names(source, read, settings) if policy else ()
    made_from = () if changes is None else tuple(changes.before.names)
    planned = plan(policy, names, context.host, made_from) if policy else None
    needs = replace(planned.needs if planned else Needs(), history=history, changes=changes)
    needs = context.with_population(needs)
    if changes is not None and changes.before is not changes.after:
        # of a transformed table what is told is measured instead
        needs = replace(needs, compared=(), suppression_mark=changes.suppression_mark)
    if needs.columns is not None and more_columns:
        kept = {*needs.columns, *more_columns}
        needs = replace(needs, columns=tuple(name for name in names if name in kept))
    context.progress.step("loading", 0, 1)
    table = engine.open(source, read, needs, settings)
    context.progress.step("loading", 1, 1)
    try:
        report = report_on(context, table, planned, started, recognition=recognition, copy=copy, noise=noise)
        return Audit(report, table, context.host)
    except BaseException:
        table.close()
        raise


_EVERYTHING = Needs()


@contextmanager
def open_table(
    source: Any,
    needs: Needs = _EVERYTHING,
    *,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    engine: str = "duckdb",
    host: "Host | None" = None,
) -> Iterator[Table]:
    """Open a table and lock it down, and close it at the end; nobody recognizes or judges anything.

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed.
        needs: What will be asked of it; by default anything, of records.
        read: How the source is read; None finds it out.
        settings: Memory limit, threads and spill directory.
        engine: The engine's name.
        host: The plugins; None takes the installed ones.

    Returns:
        A context manager that gives the table.

    Raises:
        UserError: When there is no such engine, or it cannot open the source.
        DataError: When the source cannot be read without guessing.

    Example:
        >>> import pandas as pd
        >>> with open_table(pd.DataFrame({"age": [30, 30, 41]})) as table:
        ...     [(one.name, one.groups) for one in table.columns]
        [('age', 2)]
    """
    context = AuditContext.of(
        source, None, host or load_host(), engine=engine, read=read, settings=settings, progress=SILENT
    )
    with closing(context.engine.open(context.source, context.read, needs, context.settings)) as table:
        yield table
