"""Plan a series: simulate its releases from one table, and show what each way of keeping it costs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from qidguard.sdk import Choice, NotMeasurable, PolicyRehearsal, Progress, UserError
from qidguard_series.earlier_files import true_stream
from qidguard_series.keeping import Keeping, keepings, series_method, smallest_class
from qidguard_series.plan import KeptSeries, SeriesPlan
from qidguard_series.simulated_stream import continued, one_table
from qidguard_series.simulating import Simulated
from qidguard_series.stream import Stream, Turnover

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.sdk import EngineSettings, Policy, ReadOptions

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
    host: Any = None,
    progress: Progress | None = None,
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
        host: The plugins to use, as ``qidguard.sdk.load_host`` returns them; None takes the installed ones.
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
        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [30, 31, 32, 33, 50, 51, 52, 53], "sex": list("ffffmmmm")})
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["age", "sex"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 4}],
        ... }
        >>> plan = plan_series(table, policy, leave=0.13, come=0.13, releases=2, anonymizer="mondrian")
        >>> [(one.fresh, one.isolated) for one in plan.ways[0].releases]
        [(8, 0), (8, 1)]
    """
    _check(releases, seed, exits)
    shares = {"leave": leave, "come": come, "change": change, "come_back": come_back, "erase": erase}
    said = {name: share for name, share in shares.items() if share is not None}
    if not said and not earlier:
        raise UserError(
            "nobody says who moves from one release to the next; state the shares that leave and come, or"
            " give earlier files"
        )
    turnover = Turnover(**said)
    if earlier and first is not None:
        raise UserError("earlier files say who is in the first release; leave first out")
    rehearsal = PolicyRehearsal.of(
        source, policy, seed=seed, read=read, settings=settings, host=host, progress=progress
    )
    method, is_of_policy = series_method(rehearsal, anonymizer)
    k = smallest_class(rehearsal.task, method)
    if earlier:
        stream, turnover = _of_files(rehearsal, earlier, said, releases)
    else:
        rehearsal.progress.step("reading", 0, 1)
        population = one_table(rehearsal.records(), rehearsal.task.quasi_identifiers, first, seed)
        rehearsal.progress.step("reading", 1, 1)
        stream = continued(population, turnover, releases=releases, seed=seed)
    ways = keepings(
        method,
        rehearsal.host.anonymizer(method.name),
        turnover,
        leavers_stay=leavers_stay,
        newcomers_wait=newcomers_wait,
        first_groups=group_size,
        exits=_EXITS[exits],
        is_of_policy=is_of_policy,
    )
    for way in ways:
        rehearsal.check(way.method)
    persons = len(stream.first)
    remarks = [text for way in ways if (text := way.foreseen(k, turnover, persons))]
    for text in remarks:
        rehearsal.tell(text)
    if any(way.is_exit_known for way in ways):
        remarks.append(_EXITS_LATER)
    plan = SeriesPlan(
        source=rehearsal.label,
        policy=rehearsal.policy.name,
        qids=rehearsal.task.quasi_identifiers,
        persons=persons,
        k=k,
        turnover=turnover,
        releases=stream.releases,
        true_releases=stream.true_releases,
        ways=(),
        plain_method=PLAIN_METHOD,
        remarks=tuple(remarks),
        seed=seed,
        versions=rehearsal.host.versions,
    )
    return _simulated(plan, Simulated(stream=stream, rehearsal=rehearsal, k=k), ways)


def plain_method(way: Keeping, rehearsal: PolicyRehearsal) -> Choice:
    """Return the anonymizer that makes each release alone, which publishes cells as the way's own does."""
    host = rehearsal.host
    plain = {parameter.name for parameter in host.anonymizer(PLAIN_METHOD).parameters}
    same = {
        parameter.name: way.method.parameters.get(parameter.name, parameter.default)
        for parameter in host.anonymizer(way.method.name).parameters
        if parameter.name in _OF_CELLS and parameter.name in plain
    }
    return Choice(name=PLAIN_METHOD, parameters=same)


def _check(releases: object, seed: object, exits: str) -> None:
    if not isinstance(releases, int) or not FEWEST_RELEASES <= releases <= MOST_RELEASES:
        raise UserError(f"a series has 2 to {MOST_RELEASES:,} releases, not {releases!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise UserError(f"the seed is a whole number from 0 on, not {seed!r}")
    if exits not in _EXITS:
        raise UserError(f"exits are unknown, known or both, not {exits!r}")


def _of_files(
    rehearsal: PolicyRehearsal, earlier: Sequence[Any], said: dict[str, float], releases: int
) -> tuple[Stream, Turnover]:
    """Return the stream that files tell, and goes on as they do where more releases are asked for."""
    entity, sources = rehearsal.task.entity, [*earlier, None]
    if entity is None:
        raise UserError(
            "earlier files tell who came and left by the column of the persons, and the policy names none;"
            " write roles.entity"
        )
    held = []
    for number, source in enumerate(sources):
        rehearsal.progress.step("reading", number, len(sources))
        held.append(rehearsal.records(source, has_names=True))
    rehearsal.progress.step("reading", len(sources), len(sources))
    found = true_stream(held, entity, rehearsal.policy.roles.qids)
    turnover = replace(found.turnover, **said)
    stream = continued(
        found.population,
        turnover,
        releases=max(releases, len(sources)),
        seed=rehearsal.task.seed,
        first=found.first,
        true_moves=found.moves,
        true_rows=found.rows,
    )
    return stream, turnover


def _simulated(plan: SeriesPlan, simulated: Simulated, ways: Sequence[Keeping]) -> SeriesPlan:
    """Return a plan with its figures; those that are done where somebody stops it."""
    done: list[KeptSeries] = []
    alone: tuple[float, ...] = ()
    is_interrupted, remarks = False, list(plan.remarks)
    try:
        try:
            alone = simulated.alone(str(plain_method(ways[0], simulated.rehearsal)))
        except (NotMeasurable, UserError) as reason:
            remarks.append(f"No release was made alone, for comparison: {reason}")
        for way in ways:
            done.append(simulated.kept(way))  # noqa: PERF401 - what is done stays
    except KeyboardInterrupt:
        is_interrupted = True
    return replace(plan, ways=tuple(done), alone=alone, remarks=tuple(remarks), is_interrupted=is_interrupted)
