"""Measure: figures of a table, without a limit that they are held against."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any, overload

from qidguard.auditing.context import AuditContext
from qidguard.auditing.original import paired
from qidguard.auditing.recognizing import recognize
from qidguard.core.choice import Choice
from qidguard.core.errors import PluginError, UserError
from qidguard.core.hierarchy import SUPPRESSED
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Direction, Metric
from qidguard.core.naming import did_you_mean
from qidguard.core.parameter import Arguments, bind
from qidguard.core.progress import SILENT, Progress
from qidguard.core.role import Role
from qidguard.core.verdict import Bound
from qidguard.engines.base import EngineSettings, Needs, ReadOptions, Table
from qidguard.host import Host, load_host
from qidguard.measuring.evaluator import measure as measured
from qidguard.measuring.question import Question

Names = str | Iterable[str]
"""One name, or several."""


@dataclass(frozen=True, kw_only=True)
class NamedColumns:
    """The columns that a measurement names."""

    qids: tuple[str, ...] | None
    sensitive: tuple[str, ...]
    target: str | None
    treatment: str | None
    entity: str | None
    weight: str | None
    rest: tuple[str, ...] | None

    @classmethod
    def of(cls, names: Sequence[str], **given: Any) -> "NamedColumns":
        """Return the columns; UserError where the table lacks one, or two roles cannot be of one."""
        for what, said in given.items():
            every = () if said is None else (said,) if isinstance(said, str) else said
            for at, name in enumerate(every):
                if name not in names:
                    hint = did_you_mean(str(name), names, is_listed=False) or "look at its header"
                    raise UserError(f"{what}: the table has no column {name!r}; {hint}")
                if name in every[:at]:
                    raise UserError(f"{what}: {name!r} is named twice; name it once")
        columns = cls(**given)
        if columns.qids == ():
            raise UserError("qids names no column; name some, or leave it out to take what is proposed")
        for what in ("target", "treatment", "entity", "weight"):
            name = given[what]
            if name is not None and name in (columns.qids or ()):
                raise UserError(f"{name!r} cannot be the {what} and one of the qids; take it out of one")
        return columns

    def beside(self, metric: Metric) -> tuple[str | None, ...]:
        """Return the columns that a metric is measured beside, one measurement each."""
        if metric.is_sensitive:
            if not self.sensitive:
                raise UserError(f"{metric.name} needs a sensitive column; name one as sensitive")
            return self.sensitive
        if metric.attribute is None:
            return (None,)
        named = {Role.TARGET: self.target, Role.TREATMENT: self.treatment, Role.WEIGHT: self.weight}
        name = named[metric.attribute]
        if name is None:
            role = metric.attribute.value
            raise UserError(f"{metric.name} needs a {role} column; name one as {role}")
        return (name,)


def listed(names: Names) -> tuple[str, ...]:
    """Return names as a tuple; a text is one."""
    return (names,) if isinstance(names, str) else tuple(names)


def wanted_metrics(
    metric: str | Sequence[str], parameters: Mapping[str, object] | None, host: Host
) -> list[tuple[Metric, Arguments]]:
    """Return the metrics with their checked arguments."""
    given: object = metric
    if not isinstance(given, (str, Sequence)) or not all(isinstance(one, str) for one in metric):
        raise UserError(f"metric must be a name or a list of names, not {given!r}; see: qidguard explain")
    if not isinstance(metric, str) and parameters:
        raise UserError("parameters belong to one metric; write them in brackets: share_below_k[k=5]")
    found = []
    for written in [metric] if isinstance(metric, str) else metric:
        choice = Choice.read(written, "metric")
        one = host.metric(choice.name)
        if one.change_of:
            raise UserError(
                f"{one.name} is the change of {one.change_of} within a search; measure {one.change_of}"
            )
        try:
            arguments = bind(one.parameters, choice.parameters_with(parameters or {}, "metric"))
        except UserError as error:
            raise UserError(f"{one.name}: {error}") from None
        found.append((one, arguments))
    if not found:
        raise UserError("metric names none; see: qidguard explain")
    return found


def questions_of(
    wanted: Sequence[tuple[Metric, Arguments]],
    columns: NamedColumns,
    qids: tuple[str, ...],
    knows_any: int | None,
    host: Host,
) -> list[Question]:
    """Return one question for each metric, and for each column that one is measured beside."""
    return [
        Question(
            metric=metric,
            arguments=arguments,
            qids=_without(qids, attribute, metric),
            attribute=attribute,
            bound=_bound(metric, knows_any),
            owner=host.owner("metrics", metric.name),
            rest=columns.rest,
            knows_any=None
            if knows_any is None or metric.needs_rest
            else min(knows_any, len(_without(qids, attribute, metric))),
        )
        for metric, arguments in wanted
        for attribute in columns.beside(metric)
    ]


def _without(qids: tuple[str, ...], attribute: str | None, metric: Metric) -> tuple[str, ...]:
    """Return the QIDs beside which an attribute is measured: what is to be learned is not known yet."""
    left = tuple(qid for qid in qids if qid != attribute)
    if not left:
        raise UserError(
            f"{metric.name}: {attribute!r} is the only quasi-identifier, and it is measured beside the"
            " others; name another one"
        )
    return left


def _bound(metric: Metric, knows_any: int | None) -> Bound:
    if knows_any is not None and metric.direction is Direction.NEITHER:
        raise UserError(f"{metric.name} has no safe side, so no subset is the worst; leave out knows_any")
    return Bound.AT_LEAST if metric.direction is Direction.HIGHER_IS_SAFER else Bound.AT_MOST


def check_any(knows_any: object) -> None:
    """Raise UserError for a number of known QIDs that is none."""
    if knows_any is None:
        return
    if isinstance(knows_any, bool) or not isinstance(knows_any, int) or knows_any < 1:
        raise UserError(f"knows_any must be a whole number from 1 on, not {knows_any!r}; correct it")


def kept_columns(names: Sequence[str], questions: Iterable[Question]) -> tuple[str, ...] | None:
    """Return the columns that the engine has to keep, as an audit would; None for all."""
    asked = list(questions)
    if any(question.metric.needs_every_column for question in asked):
        return None
    named = {name for question in asked for name in (*question.qids, question.attribute)}
    return tuple(name for name in names if name in named)


def proposed_qids(table: Table, columns: NamedColumns, host: Host) -> tuple[str, ...]:
    """Return the QIDs that recognizers propose; UserError where there is none, PluginError for a fault."""
    recognition = recognize(table, host)
    if recognition.blocks:
        raise PluginError("; ".join(block.sentence for block in recognition.blocks))
    others = {columns.target, columns.treatment, columns.entity, columns.weight}
    found = tuple(
        facts.name
        for facts in table.columns
        if (proposal := recognition.proposals.get(facts.name)) is not None
        and proposal.is_sure
        and proposal.assignment.role is Role.QUASI_IDENTIFIER
        and facts.name not in others
    )
    if not found:
        raise UserError("no recognizer proposes a quasi-identifier; name them as qids")
    return found


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
