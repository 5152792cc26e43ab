"""Rehearsals in memory: records of a table, what an anonymizer makes of them, and that by a policy."""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from qidguard.anonymizing.declared import DeclaredHierarchies
from qidguard.anonymizing.in_memory import rehearse_on, rehearse_several_on
from qidguard.anonymizing.protocol import AnonymizationTask, PolicyLimit, Records
from qidguard.anonymizing.rehearsed_table import RehearsedTable
from qidguard.auditing.context import AuditContext
from qidguard.auditing.original import mark_of
from qidguard.auditing.remedy import Remedy
from qidguard.core.choice import Choice
from qidguard.core.errors import DataError, UserError
from qidguard.core.metric import Direction
from qidguard.core.parameter import Arguments, bind
from qidguard.core.progress import SILENT, Progress, tell
from qidguard.core.verdict import Bound, Limit
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.host import Host, load_host
from qidguard.measuring.memory_records import MemoryRecords, memory_records
from qidguard.policy import Policy, load_policy
from qidguard.policy.table_rules import made_columns, sensitive_beside
from qidguard.trials.task import blocking_limits, known_sets

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.anonymizing.protocol import EarlierPersons
    from qidguard.core.hierarchy import Hierarchy

_SMALLEST_CLASS = "k_anonymity"


def records_of(  # noqa: PLR0913 - each argument is one decision about what is held
    source: Any,
    columns: Iterable[str] | None = None,
    *,
    size: float | None = None,
    seed: int = 0,
    entity: str | None = None,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    engine: str = "duckdb",
    host: Host | None = None,
) -> MemoryRecords:
    """Return records of a table in memory, all or a sample, on which anonymizers can be rehearsed.

    Args:
        source: An opened table, which stays open; or a path, a frame, or whatever else the engine opens.
        columns: The columns that are held; None holds all. The entity column is held with them.
        size: How many are drawn without replacement: a share 0..1 (a float) or a number ≥ 1 (an int), of
            persons with all their records where there is an entity column, else of records. None takes all.
        seed: Seeds the draw, ≥ 0. The same columns, size and seed draw the same records, in whatever order
            the rows of the source stand; of one seed a smaller sample is the beginning of a larger one. With
            an entity column the same persons are drawn whatever the columns are.
        entity: The entity column of a source; an opened table has its own.
        read: How a source is read.
        settings: Memory limit and threads with which a source is opened.
        engine: The engine that opens a source.
        host: The plugins; None takes the installed ones.

    Returns:
        Records that stay when the table is closed; ``sample`` draws more samples from all of them without
        reading again.

    Units:
        Sizes in persons.

    Raises:
        DataError: When the source cannot be read without guessing, has no records or no such column, or a
            record has no entity.
        NotMeasurable: When the engine gives no values.
        UserError: When another argument is wrong.

    NULL has the code 0. A column of one value has the codes 1 alone. A table without records is a DataError.

    Example:
        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [30, 31, 40, 40], "town": ["A", "B", "B", "B"]})
        >>> held = records_of(table)
        >>> held.records, held.sample(0.5, seed=1).records
        (4, 2)
    """
    is_open = all(callable(getattr(source, name, None)) for name in ("statistics", "class_sizes", "codes"))
    wanted = None if columns is None else tuple(columns)
    if is_open:
        if entity is not None and entity != getattr(source, "entity", None):
            raise UserError("an opened table knows its entity column; name it when the table is opened")
        return _held(source, wanted).sample(size, seed)
    opener = (host or load_host()).engine(engine)
    if not opener.can_open(source):
        kind = type(source).__name__
        raise UserError(f"engine {engine!r} cannot open what is a Python {kind}; give a path or a table")
    needs = Needs(entity=entity)
    with closing(opener.open(source, read or ReadOptions(), needs, settings or EngineSettings())) as table:
        return _held(table, wanted).sample(size, seed)


def policy_limit(
    metric: str,
    limit: float | Limit,
    qids: Sequence[str],
    *,
    sensitive: str | None = None,
    parameters: Mapping[str, object] | None = None,
    host: Host | None = None,
) -> PolicyLimit:
    """Return a limit that a task may ask for, of an installed metric by its name.

    Args:
        metric: The metric's name, such as ``k_anonymity``.
        limit: The limit; of a number the metric's direction says whether it is at least or at most.
        qids: The QID combination that it is measured over.
        sensitive: The attribute that it is measured beside, or None.
        parameters: The metric's own parameters where they are not the defaults.
        host: The plugins; None takes the installed ones.

    Returns:
        The limit with its checked arguments.

    Raises:
        UserError: When there is no such metric, a parameter is wrong, or a number is the limit of a metric
            that has no safe side.

    Example:
        >>> asked = policy_limit("k_anonymity", 3, ["age", "town"])
        >>> asked.limit.bound.value, asked.limit.value
        ('at_least', 3)
    """
    found = (host or load_host()).metric(metric)
    if not isinstance(limit, Limit):
        if found.direction is Direction.NEITHER:
            raise UserError(f"{metric} has no safe side, so nobody can be asked to reach a limit of it")
        bound = Bound.AT_LEAST if found.direction is Direction.HIGHER_IS_SAFER else Bound.AT_MOST
        limit = Limit(bound=bound, value=limit)
    return PolicyLimit(
        metric=found,
        arguments=bind(found.parameters, dict(parameters or {})),
        limit=limit,
        qids=tuple(qids),
        sensitive=sensitive,
    )


def k_anonymity_task(
    k: int,
    qids: Sequence[str],
    *,
    entity: str | None = None,
    sensitive: Sequence[str] = (),
    seed: int = 0,
    hierarchies: "Mapping[str, Hierarchy] | None" = None,
    host: Host | None = None,
) -> AnonymizationTask:
    """Return the task of k-anonymity over some columns, all of which an attacker may know.

    Args:
        k: Persons in the smallest class, ≥ 1.
        qids: The columns, at least one.
        entity: The entity column; None where each record is a person.
        sensitive: The sensitive attributes, which most anonymizers leave as they are.
        seed: Seeds whatever is random.
        hierarchies: Column → hierarchy, where an anonymizer is to use another than its own.
        host: The plugins, one of which offers k-anonymity; None takes the installed ones.

    Returns:
        The task; its one target is that the smallest class has at least k persons.

    Units:
        Persons.

    Raises:
        UserError: When k is below 1, or no column is named.
        PluginError: When no plugin offers the metric ``k_anonymity``.

    Example:
        >>> k_anonymity_task(5, ["age", "town"]).quasi_identifiers
        ('age', 'town')
    """
    given: object = k  # a plugin may be written without a type checker
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise UserError(f"k is a number of persons, at least 1, not {k!r}")
    columns = tuple(dict.fromkeys(qids))
    if not columns:
        raise UserError("an anonymizer needs at least one quasi-identifier; name one")
    limit = policy_limit(_SMALLEST_CLASS, Limit(bound=Bound.AT_LEAST, value=k), columns, host=host)
    return AnonymizationTask(
        combinations=(columns,),
        entity=entity,
        sensitive=tuple(sensitive),
        seed=seed,
        targets=(limit,),
        hierarchies={} if hierarchies is None else dict(hierarchies),
    )


def rehearse(
    records: Records,
    anonymizer: str,
    task: AnonymizationTask,
    *,
    budget_seconds: float | None = None,
    host: Host | None = None,
) -> RehearsedTable:
    """Return what an anonymizer would make of records, in memory: no copy, no file, no audit, no ledger.

    What the anonymizer answers is checked as for a release. Nothing may be published of it: whether a policy
    holds only a release finds out. Columns are put together when they are asked for, so that a rehearsal
    costs little more than the anonymizer itself. Noise is drawn by the task's seed, and nothing is charged.

    Args:
        records: The records, as ``records_of`` returns them.
        anonymizer: An installed one by name, parameters in brackets: ``"mondrian[k=5]"``. Where it must be
            given a ``k`` and nobody does, it is the task's limit on k-anonymity.
        task: What it is asked to reach, such as ``k_anonymity_task`` returns.
        budget_seconds: After how many seconds it is interrupted, about a second later; a strategy gives what
            is left to it, ``problem.seconds_left``. None sets no limit.
        host: The plugins; None takes the installed ones.

    Returns:
        The kept records, codes and values of what is published, and classes for metrics.

    Units:
        ``seconds`` is the anonymizer's own time, s.

    Raises:
        NotMeasurable: When the anonymizer says that it cannot be done, would suppress every record, or did
            not end in time.
        UserError: When there is no such anonymizer, a parameter is wrong, or the task or a parameter names a
            column that the records have not.
        PluginError: When the anonymizer fails, or its answer is none; it names the plugin.

    Example:
        >>> from qidguard.anonymizing.example import held_example
        >>> done = rehearse(held_example(), "mondrian", k_anonymity_task(2, ["age", "town"]))
        >>> done.records, done.grouped(["age", "town"]).class_sizes.tolist()
        (4, [2, 2])
    """
    plugins = host or load_host()
    method, asked = _method(records, anonymizer, task, plugins), replace(task, is_rehearsal=True)
    return rehearse_on(records, method, asked, budget_seconds=budget_seconds, metrics=plugins)


def rehearse_several(
    records: Records,
    anonymizer: str,
    task: AnonymizationTask,
    *,
    budget_seconds: float | None = None,
    host: Host | None = None,
) -> dict[str, RehearsedTable]:
    """Return every solution of an anonymizer in memory, to be weighed against each other.

    Args:
        records: The records, as ``records_of`` returns them.
        anonymizer: An installed one by name, parameters in brackets, as for ``rehearse``.
        task: What it is asked to reach; it is asked for several solutions.
        budget_seconds: After how many seconds it is interrupted; None sets no limit.
        host: The plugins; None takes the installed ones.

    Returns:
        Label → what would be published, in the anonymizer's order. One that has a single solution gives it
        under its own name.

    Units:
        ``seconds`` is the anonymizer's own time for all of them, s.

    Raises:
        NotMeasurable: As ``rehearse``.
        UserError: As ``rehearse``.
        PluginError: As ``rehearse``.

    Example:
        >>> from qidguard.anonymizing.example import held_example
        >>> found = rehearse_several(held_example(), "mondrian", k_anonymity_task(2, ["age", "town"]))
        >>> {label: done.measure("ncp")[0].value for label, done in found.items()}
        {'mondrian': 0.25}
    """
    plugins = host or load_host()
    method, asked = _method(records, anonymizer, task, plugins), replace(task, is_rehearsal=True)
    return rehearse_several_on(records, method, asked, budget_seconds=budget_seconds, metrics=plugins)


@dataclass(frozen=True, kw_only=True)
class PolicyRehearsal:
    """What a policy asks of every table that it is released under, and what reads and makes such tables.

    Args:
        policy: The policy.
        host: The plugins.
        context: How the table is read.
        task: What every release has to reach by itself.
        declared: The hierarchies of the policy.
        progress: Hears of steps.
    """

    policy: Policy
    host: Host = field(repr=False)
    context: AuditContext = field(repr=False)
    task: AnonymizationTask = field(repr=False)
    declared: DeclaredHierarchies = field(repr=False)
    progress: Progress = field(default=SILENT, repr=False)

    @classmethod
    def of(
        cls,
        source: Any,
        policy: "Policy | str | PathLike[str] | dict[str, Any]",
        *,
        seed: int = 0,
        read: ReadOptions | None = None,
        settings: EngineSettings | None = None,
        host: Host | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Return what a policy asks; no table is read.

        Args:
            source: What ``qidguard.audit`` takes; None takes the policy's.
            policy: A policy, its path, or a mapping with the same fields; it names the quasi-identifiers.
            seed: Seeds the anonymizers.
            read: How tables are read; None takes what the policy says.
            settings: Memory limit, threads and spill directory; None takes what the policy says.
            host: The plugins; None takes the installed ones.
            progress: Hears of steps.

        Raises:
            PolicyError: When the policy is not valid, or a threshold does not fit its metric.
            UserError: When the policy leaves the quasi-identifiers to recognizers, or there is no table.

        Example:
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "p",
            ...     "roles": {"quasi_identifiers": ["age"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> PolicyRehearsal.of("people.csv", policy).label
            'people.csv'
        """
        rules, plugins, heard = load_policy(policy), host or load_host(), progress or SILENT
        roles = rules.roles
        if not roles.qids:
            raise UserError(
                "the quasi-identifiers must be known beforehand, and the policy leaves them to recognizers;"
                " name them under roles.quasi_identifiers, as qidguard policy init drafts them"
            )
        task = AnonymizationTask(
            combinations=known_sets(rules, roles.qids),
            entity=roles.entity,
            sensitive=roles.sensitive,
            seed=seed,
            direct_identifiers=roles.direct_identifiers,
            target=roles.target,
            targets=blocking_limits(rules, roles.qids, plugins),
            suppression_mark=mark_of(rules),
            kinds=rules.kinds,
            is_rehearsal=True,
            held=made_columns(rules.tables),
            sensitive_beside=sensitive_beside(rules.tables),
        )
        context = AuditContext.of(source, rules, plugins, read=read, settings=settings, progress=heard)
        declared = DeclaredHierarchies.read(rules)
        return cls(policy=rules, host=plugins, context=context, task=task, declared=declared, progress=heard)

    @property
    def label(self) -> str:
        """What reports call the table, without secrets."""
        return self.context.label

    def tell(self, sentence: str) -> None:
        """Say a sentence that must not be missed to whoever hears of steps.

        Args:
            sentence: What to say; no value of a table.

        Example:
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "p",
            ...     "preset": "pdpc-sg-5",
            ...     "roles": {"quasi_identifiers": ["age"]},
            ... }
            >>> PolicyRehearsal.of("people.csv", policy).tell("This cannot be had.")
        """
        tell(self.progress, sentence)

    def records(self, source: Any = None, *, has_names: bool = False) -> MemoryRecords:
        """Return the records of a table that a release would show, without those of who left the series.

        Args:
            source: A table of the same columns; None takes the one that was named.
            has_names: Whether the entity column is held with its values, so that a person is known in other
                tables; else persons are numbered.

        Returns:
            Quasi-identifiers, sensitive attributes, target and entity, as records in memory.

        Raises:
            DataError: When the table cannot be read, lacks a column or has nobody present.

        Example:
            >>> import pandas as pd
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "p",
            ...     "preset": "pdpc-sg-5",
            ...     "roles": {"quasi_identifiers": ["age"]},
            ... }
            >>> PolicyRehearsal.of(pd.DataFrame({"age": [1, 1, 2]}), policy).records().records
            3
        """
        task, series = self.task, self.policy.series
        left_on = None if series is None else series.left_on
        wanted = [*task.quasi_identifiers, *task.sensitive, task.target, left_on]
        names = [name for name in wanted if name not in {None, task.entity}]
        found = records_of(
            self.context.source if source is None else source,
            dict.fromkeys(name for name in (*names, task.entity if has_names else None) if name is not None),
            entity=None if has_names else task.entity,
            read=self.context.read,
            settings=self.context.settings,
            engine=self.context.engine.name,
            host=self.host,
        )
        if left_on is None:
            return found.of_kinds(task.kinds)
        present = np.flatnonzero(found.column(left_on).codes == 0)
        if not len(present):
            raise DataError(f"by its column {left_on!r} nobody of the table is present")
        codes = {name: found.column(name).codes[present] for name in found.names if name != left_on}
        return found.recoded(codes).of_kinds(task.kinds)

    def make(
        self, records: Records, anonymizer: str, earlier: "EarlierPersons | None" = None
    ) -> RehearsedTable:
        """Return what an anonymizer would make of records, as ``rehearse`` does, by this policy.

        Args:
            records: The records.
            anonymizer: Its name, parameters in brackets.
            earlier: What earlier releases showed of the persons of each record; None where there are none.

        Raises:
            NotMeasurable: When the anonymizer says that it cannot be done.
            UserError: When there is no such anonymizer, or a parameter is wrong.
            PluginError: When the anonymizer fails.

        Example:
            >>> import pandas as pd
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "p",
            ...     "roles": {"quasi_identifiers": ["age"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> rehearsal = PolicyRehearsal.of(pd.DataFrame({"age": [1, 1, 5, 5]}), policy)
            >>> rehearsal.make(rehearsal.records(), "mondrian").grouped(["age"]).class_sizes.tolist()
            [2, 2]
        """
        hierarchies = self.declared.bound_to(records)
        return rehearse(
            records, anonymizer, replace(self.task, hierarchies=hierarchies, earlier=earlier), host=self.host
        )

    def check(self, method: Choice) -> None:
        """Raise UserError for a parameter that an anonymizer has not, before anything is tried.

        Args:
            method: The anonymizer with its parameters.

        Example:
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "p",
            ...     "preset": "pdpc-sg-5",
            ...     "roles": {"quasi_identifiers": ["age"]},
            ... }
            >>> PolicyRehearsal.of("people.csv", policy).check(Choice.read("mondrian[j=2]"))
            Traceback (most recent call last):
            ...
            qidguard.core.errors.UserError: mondrian: unknown parameter 'j'...
        """
        _arguments(method, self.task, self.host)


def _method(records: Records, anonymizer: str, task: AnonymizationTask, plugins: Host) -> Remedy:
    """Return an anonymizer with its arguments that may be rehearsed on records."""
    chosen = Choice.read(anonymizer, "anonymizer")
    method, arguments = plugins.anonymizer(chosen.name), _arguments(chosen, task, plugins)
    remedy = Remedy(anonymizer=method, arguments=arguments, owner=plugins.owner("anonymizers", chosen.name))
    remedy.check_columns(records.names)
    named = (*task.quasi_identifiers, *task.sensitive, *([task.entity] if task.entity is not None else []))
    for name in named:
        if name not in records.names:
            raise UserError(
                f"the task names the column {name!r}, which the records have not; read it with them"
            )
    return remedy


def _arguments(chosen: Choice, task: AnonymizationTask, plugins: Host) -> Arguments:
    """Return the checked arguments of an anonymizer, with the k of the task where it must have one."""
    parameters = plugins.anonymizer(chosen.name).parameters
    given: dict[str, object] = dict(chosen.parameters)
    if "k" not in given and any(one.name == "k" and one.default is None for one in parameters):
        given |= _smallest_class(task)
    try:
        return bind(parameters, given)
    except UserError as error:
        raise UserError(f"{chosen.name}: {error}") from None


def _held(table: Any, columns: tuple[str, ...] | None) -> MemoryRecords:
    return memory_records(table, columns or tuple(facts.name for facts in table.columns))


def _smallest_class(task: AnonymizationTask) -> dict[str, object]:
    limits = [
        target.limit.value
        for target in task.targets
        if target.metric.name == _SMALLEST_CLASS and target.limit.bound is Bound.AT_LEAST
    ]
    return {"k": math.ceil(max(limits))} if limits else {}
