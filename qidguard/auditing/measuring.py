"""Measure: figures of a table, without a limit that they are held against."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any, overload

from qidguard.auditing.asked_figures import (
    NamedColumns,
    Names,
    check_any,
    kept_columns,
    listed,
    proposed_qids,
    questions_of,
    wanted_metrics,
)
from qidguard.auditing.context import AuditContext
from qidguard.auditing.original import paired
from qidguard.core.errors import PluginError, UserError
from qidguard.core.hierarchy import SUPPRESSED
from qidguard.core.measurement import Measurement
from qidguard.core.progress import SILENT, Progress
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.host import Host, load_host
from qidguard.measuring.evaluator import measure as measured


@overload
def measure(
    source: Any,
    metric: str,
    *,
    qids: Names | None = ...,
    sensitive: Names = ...,
    target: str | None = ...,
    treatment: str | None = ...,
    entity: str | None = ...,
    weight: str | None = ...,
    parameters: Mapping[str, object] | None = ...,
    knows_any: int | None = ...,
    population: Any = ...,
    population_read: ReadOptions | None = ...,
    population_entity: str | None = ...,
    sampling_fraction: float | None = ...,
    original: Any = ...,
    is_same_order: bool = ...,
    rest: Names | None = ...,
    suppression_mark: str | None = ...,
    read: ReadOptions | None = ...,
    settings: EngineSettings | None = ...,
    host: Host | None = ...,
    progress: Progress = ...,
    engine: str | None = ...,
) -> Measurement: ...


@overload
def measure(
    source: Any,
    metric: Sequence[str],
    *,
    qids: Names | None = ...,
    sensitive: Names = ...,
    target: str | None = ...,
    treatment: str | None = ...,
    entity: str | None = ...,
    weight: str | None = ...,
    parameters: Mapping[str, object] | None = ...,
    knows_any: int | None = ...,
    population: Any = ...,
    population_read: ReadOptions | None = ...,
    population_entity: str | None = ...,
    sampling_fraction: float | None = ...,
    original: Any = ...,
    is_same_order: bool = ...,
    rest: Names | None = ...,
    suppression_mark: str | None = ...,
    read: ReadOptions | None = ...,
    settings: EngineSettings | None = ...,
    host: Host | None = ...,
    progress: Progress = ...,
    engine: str | None = ...,
) -> tuple[Measurement, ...]: ...


def measure(  # noqa: PLR0913 - one argument for each thing that a policy may say of a measurement
    source: Any,
    metric: str | Sequence[str],
    *,
    qids: Names | None = None,
    sensitive: Names = (),
    target: str | None = None,
    treatment: str | None = None,
    entity: str | None = None,
    weight: str | None = None,
    parameters: Mapping[str, object] | None = None,
    knows_any: int | None = None,
    population: Any = None,
    population_read: ReadOptions | None = None,
    population_entity: str | None = None,
    sampling_fraction: float | None = None,
    original: Any = None,
    is_same_order: bool = False,
    rest: Names | None = None,
    suppression_mark: str | None = None,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    host: Host | None = None,
    progress: Progress = SILENT,
    engine: str | None = None,
) -> Measurement | tuple[Measurement, ...]:
    """Measure a metric on a table: the figure that an audit would hold against a threshold.

    Several metrics share one scan of the table, so name them together.

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed.
        metric: A metric's name, its parameters in brackets: ``"share_below_k[k=5]"``; or several in a list.
        qids: The quasi-identifiers; the measurement names them. None takes the columns that recognizers
            propose and are sure of.
        sensitive: The sensitive column, or several. A metric in a list is measured beside each.
        target: The column that users of the data predict, for metrics measured beside it.
        treatment: The column whose effect users study, for metrics measured beside it.
        entity: The column whose distinct values are the persons; None counts records.
        weight: The column of sampling weights.
        parameters: Parameters of a single metric that are not in brackets, by name.
        knows_any: How many of the QIDs the attacker knows, any of them, ≥ 1: the worst subset counts. None
            means all.
        population: The table of the population, for metrics of it.
        population_read: How that is read.
        population_entity: Its entity column.
        sampling_fraction: Share of the population that is in the table, 0 < f ≤ 1.
        original: The table that this one was made from, for metrics of what was lost; it is read alike.
        is_same_order: Whether the source holds every record of the original, in the same order.
        rest: What is published outside the QIDs, for metrics of that.
        suppression_mark: The text that stands for a suppressed value, which is no value.
        read: How the source is read.
        settings: Memory limit, threads and spill directory.
        host: The plugins to use; None takes the installed ones.
        progress: Hears of finished steps.
        engine: The engine's name; None takes DuckDB.

    Returns:
        One measurement for one name. For a list one for each metric, in order, and for each sensitive column
        of a metric that is measured beside one. Where a table has no such figure the value is None, and the
        reason says why and what the metric needs: a population, an original, the rest, or earlier releases,
        which only a data set has.

    Units:
        Each figure is in its metric's unit, which the measurement names.

    Raises:
        DataError: When the source cannot be read without guessing.
        UserError: When a metric, a parameter or a column does not exist, or the metric needs a sensitive
            column, target or treatment that nobody named.
        PluginError: When a plugin that is needed is broken or missing.

    NULL in a quasi-identifier is a value of its own. What an empty table and a single class give is the
    metric's to say: ``qidguard.explain``. A file without a record is a DataError.

    Example:
        >>> import pandas as pd, qidguard
        >>> table = pd.DataFrame({"age": [30, 30, 41], "sex": ["f", "f", "m"], "ill": ["flu", "cold", "flu"]})
        >>> found = qidguard.measure(table, "k_anonymity", qids=["age", "sex"])
        >>> found.value, found.unit
        (1, 'records')
        >>> both = qidguard.measure(
        ...     table, ["share_below_k[k=2]", "distinct_l_diversity"], qids="age", sensitive="ill"
        ... )
        >>> [round(one.value, 3) for one in both]
        [0.333, 1]
    """
    host = host or load_host()
    wanted = wanted_metrics(metric, parameters, host)
    context = AuditContext.of(
        source, None, host, engine=engine, read=read, settings=settings, progress=progress
    )
    with ExitStack() as stack:
        opened: Any = context.source
        options, changes = context.read, None
        if original is not None:
            pair = paired(
                context,
                original,
                read=context.read,
                mark=suppression_mark or SUPPRESSED,
                declared=lambda _: {},
                is_same_order=is_same_order,
            )
            stack.callback(pair.close)
            opened, options, changes = pair.source, ReadOptions(), pair.changes
        elif is_same_order:
            raise UserError("There is no original whose order could be the same; give the original.")
        names = context.engine.column_names(opened, options, context.settings)
        columns = NamedColumns.of(
            names,
            qids=None if qids is None else listed(qids),
            sensitive=listed(sensitive),
            target=target,
            treatment=treatment,
            entity=entity,
            weight=weight,
            rest=None if rest is None else listed(rest),
        )
        check_any(knows_any)
        if isinstance(metric, str) and wanted[0][0].is_sensitive and len(columns.sensitive) > 1:
            raise UserError(
                f"{metric} is measured beside one sensitive column, and {len(columns.sensitive)} are named;"
                " name one, or give the metric in a list to get a measurement for each"
            )
        planned = (
            None if columns.qids is None else questions_of(wanted, columns, columns.qids, knows_any, host)
        )
        needs = Needs(
            columns=None if planned is None else kept_columns(names, planned),
            entity=entity,
            weight=weight,
            population=population,
            population_options=population_read or ReadOptions(),
            population_entity=population_entity,
            suppression_mark=suppression_mark if changes is None else changes.suppression_mark,
            sampling_fraction=sampling_fraction,
            changes=changes,
            rest=columns.rest or (),
        )
        progress.step("loading", 0, 1)
        table = stack.enter_context(closing(context.engine.open(opened, options, needs, context.settings)))
        progress.step("loading", 1, 1)
        if planned is None:
            planned = questions_of(wanted, columns, proposed_qids(table, columns, host), knows_any, host)
        figures = measured(table, planned, progress)
    for one in figures:
        if one.is_fault:
            raise PluginError(one.reason)
    if not isinstance(metric, str):
        return tuple(figures)
    [only] = figures
    return only
