"""Discover: search a table for its quasi-identifiers."""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.auditing.context import engine_settings, needs, source_label, source_of
from qidguard.auditing.lexicon_and_codebook import read_beside
from qidguard.auditing.reading import read_options
from qidguard.auditing.weighing import AttributeColumns
from qidguard.core.column import ColumnFacts
from qidguard.core.errors import NotMeasurable, PluginError, UserError
from qidguard.core.files import sweep_copies
from qidguard.core.progress import SILENT, Progress
from qidguard.core.recognizer import DiscoveryTask
from qidguard.discovering.discovery import Discovery
from qidguard.discovering.prepared import RANKED, SearchRequest, prepare
from qidguard.discovering.running import run
from qidguard.engines.base import Engine, EngineSettings, Needs, ReadOptions, Table
from qidguard.host import Host, load_host
from qidguard.measuring.cost import SubsetPlan
from qidguard.policy import DiscoverySettings, load_policy
from qidguard.search.objective import Objective
from qidguard.search.protocol import StoppedBy

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.policy import Policy

BUDGET_SECONDS = 60.0
"""When a search stops where nobody says."""


def discover(  # noqa: PLR0913 - each argument is one decision about the search
    source: Any,
    policy: "Policy | str | PathLike[str] | dict[str, Any] | None" = None,
    *,
    strategy: str | None = None,
    objective: str | Objective | Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
    parameters: Mapping[str, object] | None = None,
    seed: int | None = None,
    budget_seconds: float | None = None,
    candidates: Iterable[str] | None = None,
    largest: int | None = None,
    truth: Iterable[str] | None = None,
    target: str | None = None,
    treatment: str | None = None,
    sensitive: str | Iterable[str] = (),
    ranked: int = RANKED,
    is_pareto: bool = False,
    prefer_known: bool | None = None,
    threads: int | None = None,
    read: ReadOptions | None = None,
    codebook: "str | PathLike[str] | None" = None,
    settings: EngineSettings | None = None,
    host: Host | None = None,
    progress: Progress = SILENT,
    engine: str | None = None,
    on_plan: Callable[[SubsetPlan], None] | None = None,
) -> Discovery:
    """Search a table for the sets of columns that single people out most, and say why these.

    What is None is taken from the policy's ``discovery`` section, and where that says nothing either, from
    the defaults below. The search sees codes and counts. It cannot know which columns an outsider knows.

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed. None takes the policy's
            ``source.path``.
        policy: A policy, its path, or a mapping with the same fields: its roles say what is no candidate.
        strategy: A search strategy's name, parameters in brackets: ``"beam[width=5]"``. Without one every set
            is tried where there are at most 32,767 (4,095 if a metric is no group-by), and an evolutionary
            search is made where there are more.
        objective: An objective, its name, or metrics with their weights; by default ``recognition``.
        weights: Weights that take the place of the objective's own, or add a metric to it; 0 removes one.
        parameters: Parameters of the strategy that are not in brackets, by name.
        seed: The seed of what is drawn at random; by default 0. The same seed gives the same sets, whatever
            the number of threads, unless the budget or Ctrl-C ends the search.
        budget_seconds: When the search stops, counted from the call: reading the table, the descent and
            the telling included; by default after 60 seconds; ``math.inf`` never stops it. A tenth of it is
            the search's in any case, and a note says where reading took all. Then a statement that still
            measures is interrupted, and its set is left out. The first set is not, so that there is an
            answer; of a large table that is one column, and all single columns come before other sets. One
            call into compiled code in memory is not interrupted either.
        candidates: The columns to search. By default all but those that the policy calls something else than
            a quasi-identifier, direct identifiers that recognizers know, the target, the treatment, sensitive
            columns, what recognizers are sure to be one of these or a weight, and columns of one value;
            ``left_out`` says why. What is a quasi-identifier and sensitive at once is searched.
        largest: The largest number of columns a set may have.
        truth: The true quasi-identifiers; each found set is then scored against them.
        target: The column beside which metrics of a target are measured.
        treatment: The column beside which metrics of a treatment are measured.
        sensitive: The columns beside which metrics of a sensitive attribute are measured.
        ranked: How many of the best sets come back.
        is_pareto: Whether a strategy that can keeps every trade-off in view instead of the weighted sum.
        prefer_known: Whether sets of columns that outsiders can plausibly know are preferred to what is
            merely distinct; None does so among more than 15 candidates where
            names or the policy tell the roles of at least a tenth of the columns. The fitness f becomes
            f·q, or f·(2 − q) below 0, with q = m⁴: the chance that four columns drawn from the set are known,
            m being their mean plausibility relative to the most plausible candidate. That is 1 for a
            quasi-identifier of the policy or of a recognizer, 0.8 where a person is asked whether it is one,
            0.1 for amounts, free text, keys and decimals, and 0.5 for everything else. A second search, in
            what is left of the budget, says what would be best without.
        threads: How many threads may work; None takes what the settings say.
        read: How the source is read; None takes what the policy says.
        codebook: A file with the columns' labels, CSV, DDI, ``.dta`` or ``.sav``, that recognizers read too.
        settings: Memory limit, threads and spill directory; None takes what the policy says.
        host: The plugins to use; None takes the installed ones.
        progress: Hears of finished steps.
        engine: The engine's name; None takes what the policy says, or DuckDB.
        on_plan: Hears, before the search begins, how figures will be measured and why so.

    Returns:
        The best sets, best first, with their figures, the way to each of the first three, and how the search
        went. After Ctrl-C and at the end of the budget, the best sets seen until then.

    Units:
        Figures in their metric's unit; fitness has none; scores and shares 0..1; seconds of wall time.

    Raises:
        DataError: When the source cannot be read without guessing.
        PolicyError: When the policy is not valid.
        UserError: When another argument is wrong, or the budget ended before the first set was measured.
        PluginError: When a plugin is broken or missing.

    NULL in a column is a value of its own. A table of one record, and one whose columns all have one value,
    leave nothing to search, which is a UserError.

    Example:
        >>> import pandas as pd, qidguard
        >>> table = pd.DataFrame({"age": [30, 30, 41, 52], "ward": ["a", "b", "a", "b"], "site": 1})
        >>> found = qidguard.discover(table, objective={"distinction": 1})
        >>> found.quasi_identifiers, found.left_out
        (('age', 'ward'), {'site': 'it has one value only'})
    """
    started = time.perf_counter()
    host = host or load_host()
    rules = None if policy is None else load_policy(policy)
    resources = settings or engine_settings(rules)
    sweep_copies(resources.spill_directory)
    source = source_of(source, rules)
    mine = rules.discovery if rules is not None and rules.discovery is not None else DiscoverySettings()
    # the policy's parameters belong to the strategy that they stand beside
    own = mine.parameters if strategy in {None, mine.strategy} else {}
    resources = resources if threads is None else replace(resources, threads=threads)
    opener = host.engine(engine or (rules.engine if rules else "duckdb"))
    asked = SearchRequest(
        host=host,
        policy=rules,
        beside=read_beside(rules, host),
        strategy=mine.strategy if strategy is None else strategy,
        objective=mine.objective if objective is None else objective,
        weights=_named("weights", weights),
        arguments={**own, **_named("parameters", parameters)},
        seed=mine.seed if seed is None else seed,
        budget_seconds=_budget(mine.budget_seconds if budget_seconds is None else budget_seconds),
        candidates=candidates,
        largest=mine.largest if largest is None else largest,
        truth=truth,
        attributes=AttributeColumns(
            target=target,
            treatment=treatment,
            sensitive=(sensitive,) if isinstance(sensitive, str) else tuple(sensitive),
        ),
        ranked=ranked,
        is_pareto=is_pareto,
        prefer_known=mine.prefer_known if prefer_known is None else prefer_known,
        progress=progress,
        label=source_label(source),
        engine=opener.name,
    )
    options = read or (read_options(rules.source, rules.order) if rules else ReadOptions())
    options = options if codebook is None else replace(options, codebook=Path(codebook))
    with closing(_opened(opener, source, options, resources, asked)) as table:
        ready = prepare(table, asked, started)
        if on_plan is not None:
            on_plan(ready.measurer.plan)
        return run(ready)


def discover_in(
    table: Any,
    columns: Sequence[str | ColumnFacts],
    task: DiscoveryTask | None = None,
    *,
    must_finish: bool = False,
) -> Discovery:
    """Search an opened table, as a recognizer does.

    Args:
        table: The opened table, as a recognizer or an audit has it; it stays open.
        columns: The candidates.
        task: What is searched for and how; None takes the defaults, without a budget.
        must_finish: Whether a search that its budget or Ctrl-C ended has no answer: a verdict must not
            depend on the clock.

    Returns:
        The same as ``qidguard.discover``.

    Units:
        As in ``qidguard.discover``.

    Raises:
        NotMeasurable: When ``must_finish`` and the budget ended the search; when no set has a fitness.
        KeyboardInterrupt: When ``must_finish`` and Ctrl-C ended the search.
        UserError: When a column, an objective, a strategy or a parameter does not exist or does not fit.
        PluginError: When a plugin is broken or missing.

    Example:
        >>> import pandas as pd
        >>> from qidguard.sdk import DiscoveryTask, audit, discover_in
        >>> with audit(pd.DataFrame({"age": [30, 30, 41], "ward": ["a", "b", "a"]})) as audited:
        ...     task = DiscoveryTask(objective={"distinction": 1})
        ...     discover_in(audited.table, ["age", "ward"], task).quasi_identifiers
        ('age', 'ward')
    """
    started = time.perf_counter()
    task = task or DiscoveryTask()
    asked = SearchRequest(
        host=task.host or load_host(),
        strategy=task.strategy,
        objective=task.objective,
        arguments=task.parameters,
        seed=task.seed,
        budget_seconds=task.budget_seconds,
        candidates=[one if isinstance(one, str) else one.name for one in columns],
        largest=task.largest,
        prefer_known=bool(task.prefer_known),  # a verdict shall not lose a QID because nobody calls it one
        attributes=AttributeColumns(target=task.target, treatment=task.treatment, sensitive=task.sensitive),
        progress=task.progress,
        has_rival=not must_finish,
    )
    found = run(prepare(table, asked, started))
    if must_finish and found.search.stopped_by is StoppedBy.INTERRUPTED:
        raise KeyboardInterrupt
    if must_finish and found.search.fault:
        raise PluginError(found.search.fault)
    if must_finish and found.search.stopped_by is StoppedBy.BUDGET:
        raise NotMeasurable(
            f"the search did not end within its budget of {task.budget_seconds:g} seconds, and a verdict must"
            " not depend on the clock; raise discovery.budget_seconds or leave it out"
        )
    return found


def _opened(
    engine: Engine, source: Any, options: ReadOptions, settings: EngineSettings, asked: SearchRequest
) -> Table:
    if not engine.can_open(source):
        kind = type(source).__name__
        raise UserError(f"engine {engine.name!r} cannot open what is a Python {kind}; give a path or a table")
    wanted = needs(asked.policy, None) if asked.policy else Needs()
    asked.progress.step("loading", 0, 1)
    table = engine.open(source, options, wanted, settings)
    asked.progress.step("loading", 1, 1)
    return table


def _named(what: str, given: Any) -> dict[str, Any]:
    values = {} if given is None else given
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise UserError(
            f"{what} must be a mapping with names as keys, not {type(values).__name__}; correct it"
        )
    return dict(values)


def _budget(seconds: float | None) -> float | None:
    """Return after how many seconds a search stops; None for never."""
    if seconds is None:
        return BUDGET_SECONDS
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise UserError(
            f"budget_seconds must be a number of seconds, not {seconds!r}; math.inf sets no limit"
        )
    if not seconds > 0:
        raise UserError(f"budget_seconds must be above 0, not {seconds:g}; math.inf sets no limit")
    return None if math.isinf(seconds) else seconds
