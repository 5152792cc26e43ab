"""Plan a series: simulate its releases from one table, and show what each way of keeping it costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from qidguard.anonymizing.declared import DeclaredHierarchies
from qidguard.auditing.context import AuditContext
from qidguard.core.choice import Choice
from qidguard.core.errors import DataError, NotMeasurable, UserError
from qidguard.core.kind import ColumnKind
from qidguard.core.parameter import bind
from qidguard.core.progress import SILENT, Progress, tell
from qidguard.host import load_host
from qidguard.measuring.memory_records import MemoryRecords
from qidguard.planning.earlier_files import true_stream
from qidguard.planning.figures import KeptSeries
from qidguard.planning.keeping import Keeping, keepings
from qidguard.planning.method import planned_task, series_method, smallest_class
from qidguard.planning.series_plan import SeriesPlan
from qidguard.planning.simulated_stream import continued, one_table
from qidguard.planning.simulating import Simulated
from qidguard.planning.stream import Stream
from qidguard.planning.turnover import Turnover
from qidguard.policy import load_policy
from qidguard.trials.rehearsing import records_of

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.anonymizing.protocol import AnonymizationTask
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.host import Host
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class TableReader:
    """How the tables of a series are read.

    Args:
        columns: The columns that are held beside the entity's.
        left_on: The column that tells who left, whose records are left out; None where there is none.
        engine: The engine that opens them.
        read: How they are read.
        settings: Memory limit and threads.
        kinds: Column → what its values are, where the policy says so.
        host: The plugins.
    """

    columns: tuple[str, ...]
    left_on: str | None
    engine: str
    read: "ReadOptions"
    settings: "EngineSettings"
    kinds: Mapping[str, ColumnKind]
    host: "Host"

    @classmethod
    def of(cls, context: "AuditContext", task: "AnonymizationTask") -> Self:
        """Return how the tables are read that a plan was asked for."""
        policy = context.policy
        series = getattr(policy, "series", None)
        target = [] if task.target is None else [task.target]
        names = dict.fromkeys((*task.quasi_identifiers, *task.sensitive, *target))
        return cls(
            columns=tuple(name for name in names if name != task.entity),
            left_on=None if series is None else series.left_on,
            engine=context.engine.name,
            read=context.read,
            settings=context.settings,
            kinds=task.kinds,
            host=context.host,
        )

    def held(self, source: Any, *, entity: str | None = None, also: Sequence[str] = ()) -> MemoryRecords:
        """Return the records of who is present, their persons numbered where ``entity`` names a column.

        DataError when the table cannot be read, lacks a column or has nobody present.
        """
        wanted = dict.fromkeys((*self.columns, *also, *([self.left_on] if self.left_on else [])))
        found = records_of(
            source,
            [name for name in wanted if name != entity],
            entity=entity,
            read=self.read,
            settings=self.settings,
            engine=self.engine,
            host=self.host,
        )
        if self.left_on is None:
            return found.of_kinds(self.kinds)
        present = np.flatnonzero(found.column(self.left_on).codes == 0)
        if not len(present):
            raise DataError(f"by its column {self.left_on!r} nobody of the table is present")
        codes = {n: found.column(n).codes[present] for n in found.names if n != self.left_on}
        return found.recoded(codes).of_kinds(self.kinds)


PLAIN_METHOD = "mondrian"
"""The anonymizer that makes each release alone, for comparison."""
_OF_CELLS = ("publish", "largest_set")
"""Parameters that say how a cell is published, without which losses are not of one kind."""
FEWEST_RELEASES, MOST_RELEASES = 2, 1_000
Exits = Literal["unknown", "known", "both"]
_EXITS_LATER = (
    "exit known: who stays to the last release leaves at one later time; where later exits are known, too,"
    " and groups are to go with them, more is lost."
)
_EXITS = {"unknown": (False,), "known": (True,), "both": (False, True)}


def plan_series(  # noqa: PLR0913 - one argument for each thing that a caller may say
    source: Any,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    *,
    leave: float | None = None,
    come: float | None = None,
    change: float | None = None,
    come_back: float | None = None,
    erase: float | None = None,
    releases: int = 12,
    earlier: Sequence[Any] = (),
    first: int | None = None,
    leavers_stay: "Sequence[int | str] | None" = None,
    newcomers_wait: Sequence[int] | None = None,
    group_size: Sequence[float] | None = None,
    exits: Exits = "unknown",
    anonymizer: str | None = None,
    seed: int = 0,
    read: "ReadOptions | None" = None,
    settings: "EngineSettings | None" = None,
    host: "Host | None" = None,
    progress: Progress = SILENT,
) -> SeriesPlan:
    """Simulate the releases of a series and return what each way of keeping it costs.

    A stream of persons is drawn from a table: some leave, some come, some change from one release to the
    next. An anonymizer for a series makes each release in memory and knows what the earlier ones showed; all
    are measured together as a release would be. Nothing is written, recorded or published.

    Args:
        source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``. With earlier files it
            is the last one.
        policy: A policy, its path, or a mapping with the same fields. Its quasi-identifiers, entity, kinds,
            hierarchies and limits count.
        leave: Share of the persons of a release who are not in the next, 0..1. This and the shares below are
            0 where nobody says them; with earlier files they are what those come to.
        come: Persons who come for the first time, as a share of those who were there, 0..1.
        change: Share of the persons who stay and of whom a quasi-identifier is drawn anew, as the table's
            records have it, 0..1; that may be the value it was. Shares that files tell are of other values.
        come_back: Share of those who left who return, 0..1.
        erase: Share of the persons who leave and have to be deleted at once, 0..1.
        releases: Number of releases, the first one and earlier files counted, ≥ 2.
        earlier: Earlier files of the same series, the oldest first; they tell who came, left and changed by
            the policy's entity column.
        first: Persons of the first release, drawn from the table; the others are those who come. None takes
            all, and who comes is like one of them drawn anew, as whoever comes when nobody is left to come.
        leavers_stay: For how many releases last values of leavers may stay, or ``"until_k"``, to be tried;
            None tries 0, 6, 12 and until_k, or what the method's brackets say.
        newcomers_wait: For how many releases newcomers may wait, to be tried; None as the method has it.
        group_size: Smallest groups of a first release in times of k, to be tried; None as the method has it.
        exits: Whether the anonymizer is told when each person will leave: ``unknown``, ``known`` or ``both``.
        anonymizer: Its name, parameters in brackets; None takes the policy's remedy if that is one for a
            series, else the one that is installed.
        seed: Seeds who moves, and the anonymizer; the same seed gives the same plan.
        read: How the files are read; None takes what the policy says.
        settings: Memory limit, threads and spill directory; None takes what the policy says.
        host: The plugins to use; None takes the installed ones.
        progress: Hears of finished releases.

    Returns:
        The plan: one series a way. A way that cannot make a release, or that isolates somebody, says so.

    Units:
        Shares 0..1; persons are entities or records; releases.

    Raises:
        DataError: When a file cannot be read without guessing, or files are of no one series.
        PolicyError: When the policy is not valid or does not fit the table.
        PluginError: When a plugin that is needed is broken or missing, or the method fails.
        UserError: When the policy names no quasi-identifiers or no k, nobody says who moves, or an argument
            is wrong.

    NULL in a quasi-identifier is a value like any other. A source without a record is a DataError. Of a table
    of a single class nobody is told apart by it, only by coming and leaving.

    Example:
        >>> import pandas as pd, qidguard
        >>> table = pd.DataFrame({"age": [30, 31, 32, 33, 50, 51, 52, 53], "sex": list("ffffmmmm")})
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["age", "sex"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 4}],
        ... }
        >>> plan = qidguard.plan_series(
        ...     table, policy, leave=0.13, come=0.13, releases=2, anonymizer="mondrian"
        ... )
        >>> [(one.fresh, one.isolated) for one in plan.ways[0].releases]
        [(8, 0), (8, 1)]
    """
    rules, plugins = load_policy(policy), host or load_host()
    _check(releases, seed, exits)
    shares = {"leave": leave, "come": come, "change": change, "come_back": come_back, "erase": erase}
    said = {name: share for name, share in shares.items() if share is not None}
    if not said and not earlier:
        raise UserError(
            "nobody says who moves from one release to the next; state the shares that leave and come, or"
            " give earlier files"
        )
    stated = Turnover(**said)
    task = planned_task(rules, plugins, seed)
    method, is_of_policy = series_method(rules, plugins, anonymizer)
    k = smallest_class(task, method)
    context = AuditContext.of(source, rules, plugins, read=read, settings=settings, progress=progress)
    reader = TableReader.of(context, task)
    progress.step("reading", 0, 1 + len(earlier))
    if earlier:
        stream, turnover = _of_files(
            reader, [*earlier, context.source], rules, said, releases, seed, progress
        )
        if first is not None:
            raise UserError("earlier files say who is in the first release; leave first out")
    else:
        turnover = stated
        population, _ = one_table(
            reader.held(context.source, entity=task.entity), task.quasi_identifiers, first, seed
        )
        stream = continued(population, turnover, releases=releases, seed=seed)
    progress.step("reading", 1 + len(earlier), 1 + len(earlier))
    ways = keepings(
        method,
        plugins.anonymizer(method.name),
        turnover,
        leavers_stay=leavers_stay,
        newcomers_wait=newcomers_wait,
        first_groups=group_size,
        exits=_EXITS[exits],
        is_of_policy=is_of_policy,
    )
    _check_ways(ways, plugins)
    declared = DeclaredHierarchies.read(rules)
    simulated = Simulated(stream=stream, task=task, k=k, host=plugins, hierarchies=declared.bound_to)
    persons = len(stream.first)
    remarks = [text for way in ways if (text := way.foreseen(k, turnover, persons))]
    for text in remarks:
        tell(progress, text)
    if any(way.is_exit_known for way in ways):
        remarks.append(_EXITS_LATER)
    plan = SeriesPlan(
        source=context.label,
        policy=rules.name,
        qids=task.quasi_identifiers,
        persons=persons,
        k=k,
        turnover=turnover,
        releases=stream.releases,
        true_releases=stream.true_releases,
        ways=(),
        plain_method=PLAIN_METHOD,
        remarks=tuple(remarks),
        seed=seed,
        versions=plugins.versions,
    )
    return _simulated(plan, simulated, ways, progress)


def plain_method(way: Keeping, host: "Host") -> Choice:
    """Return the anonymizer that makes each release alone, which publishes cells as the way's own does."""
    plain = {parameter.name for parameter in host.anonymizer(PLAIN_METHOD).parameters}
    same = {
        parameter.name: way.method.parameters.get(parameter.name, parameter.default)
        for parameter in host.anonymizer(way.method.name).parameters
        if parameter.name in _OF_CELLS and parameter.name in plain
    }
    return Choice(name=PLAIN_METHOD, parameters=same)


def _check(releases: object, seed: object, exits: str) -> None:
    if isinstance(releases, bool) or not isinstance(releases, int) or not _is_possible(releases):
        raise UserError(f"a series has 2 to {MOST_RELEASES:,} releases, not {releases!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise UserError(f"the seed is a whole number from 0 on, not {seed!r}")
    if exits not in _EXITS:
        raise UserError(f"exits are unknown, known or both, not {exits!r}")


def _is_possible(releases: int) -> bool:
    return FEWEST_RELEASES <= releases <= MOST_RELEASES


def _check_ways(ways: Sequence[Keeping], host: "Host") -> None:
    """Raise UserError for a parameter that the method has not, before anything is tried."""
    for way in ways:
        parameters = host.anonymizer(way.method.name).parameters
        k = {"k": 1} if any(one.name == "k" and one.default is None for one in parameters) else {}
        try:
            bind(parameters, {**k, **way.method.parameters})
        except UserError as error:
            raise UserError(f"{way.method.name}: {error}") from None


def _of_files(
    reader: TableReader,
    sources: Sequence[Any],
    policy: "Policy",
    said: dict[str, float],
    releases: int,
    seed: int,
    progress: Progress,
) -> tuple[Stream, Turnover]:
    """Return the stream that files tell, and goes on as they do where more releases are asked for."""
    entity = policy.roles.entity
    if entity is None:
        raise UserError(
            "earlier files tell who came and left by the column of the persons, and the policy names none;"
            " write roles.entity"
        )
    held = []
    for number, source in enumerate(sources):
        held.append(reader.held(source, also=(entity,)))
        progress.step("reading", number + 1, len(sources))
    found = true_stream(held, entity, policy.roles.qids)
    turnover = replace(found.turnover, **said)
    stream = continued(
        found.population,
        turnover,
        releases=max(releases, len(sources)),
        seed=seed,
        first=found.first,
        true_moves=found.moves,
        true_rows=found.rows,
    )
    return stream, turnover


def _simulated(
    plan: SeriesPlan, simulated: Simulated, ways: Sequence[Keeping], progress: Progress
) -> SeriesPlan:
    """Return a plan with its figures; those that are done where somebody stops it."""
    done: list[KeptSeries] = []
    alone: tuple[float, ...] = ()
    is_interrupted, remarks = False, list(plan.remarks)
    try:
        try:
            alone = simulated.alone(str(plain_method(ways[0], simulated.host)), progress)
        except (NotMeasurable, UserError) as reason:
            remarks.append(f"No release was made alone, for comparison: {reason}")
        for way in ways:
            done.append(simulated.kept(way, progress))  # noqa: PERF401 - what is done stays
    except KeyboardInterrupt:
        is_interrupted = True
    return replace(plan, ways=tuple(done), alone=alone, remarks=tuple(remarks), is_interrupted=is_interrupted)
