"""One search: check what was asked, let the strategy look, and tell what was seen."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from qidguard.core.errors import NotMeasurable, PluginError, UserError
from qidguard.core.guard import ON_PURPOSE, BudgetOverrun, PluginCode
from qidguard.core.parameter import bind
from qidguard.core.progress import SILENT, Progress
from qidguard.core.recognizer import RoleProposal
from qidguard.search.answer import StrategyAnswer, UnfitError, checked_answer, checked_words, without_value
from qidguard.search.descent import descend
from qidguard.search.objective import Objective
from qidguard.search.preference import Preference
from qidguard.search.problem import BudgetSpent, MeasuredProblem
from qidguard.search.protocol import SearchResult, SearchStrategy, SetChoice, StoppedBy, Termination
from qidguard.search.questions import Measurer
from qidguard.search.scoring import Scoring

DESCENT_SHARE = 1 / 6
"""The part of the budget that is kept for the descent."""


def run_search(  # noqa: PLR0913 - each argument is one decision about the search
    measurer: Measurer,
    objective: Objective,
    strategy: SearchStrategy,
    *,
    candidates: Sequence[str],
    arguments: Mapping[str, Any] = MappingProxyType({}),
    seed: int = 0,
    budget_seconds: float | None = None,
    largest: int | None = None,
    ranked: int = 10,
    progress: Progress = SILENT,
    owner: str = "a plugin",
    clock: Callable[[], float] = time.monotonic,
    has_descent: bool = False,
    proposals: Sequence[RoleProposal] = (),
    host: Any = None,
    preference: Preference | None = None,
) -> SearchResult:
    """Search for the set of columns with the highest fitness, and return the best one that was seen.

    Whatever a strategy says of itself, the result comes from the sets that were measured, each with its own
    figures. The clock only decides when a search stops: without a budget the same seed gives the same result,
    its times apart, whatever the number of threads.

    Args:
        measurer: Measures one figure for each of ``every_term``, as ``questions_of`` orders them;
            that of a change is the metric's that it is the change of.
        objective: What is to be as high as possible.
        strategy: How it is looked for.
        candidates: The columns to choose from, in the table's order.
        arguments: The strategy's parameters; those not named have their defaults.
        seed: Where its random numbers begin, ≥ 0.
        budget_seconds: After how long no more work is begun, and what is being measured is interrupted where
            the measurer can, the first sets apart, ≥ 0; None never stops. On a large table single columns are
            measured first then.
        largest: Largest number of columns in a set; None allows them all.
        ranked: How many of the best sets come back, ≥ 1.
        progress: Hears of the steps, with the best fitness so far.
        owner: The plugin that offers the strategy, for errors.
        clock: Seconds since some moment.
        has_descent: Whether the host goes on from the best set by itself: a column less, more or exchanged,
            until no such set is better. It takes the last sixth of the budget, is counted in ``evaluations``
            and told in ``reason``, and is left out where the optimum is proven or the strategy chose a set.
        proposals: What recognizers propose for columns; a strategy may look at it.
        host: The plugins that a strategy may take; None takes the installed ones.
        preference: What multiplies the fitness of every set, for the strategy too; None is nothing.

    Returns:
        The result. A budget that ends and Ctrl-C give the best set seen until then.

    Units:
        ``seconds`` is in seconds; fitness has no unit.

    Raises:
        UserError: When an argument is wrong, the strategy cannot work on this objective, or the budget ended
            before the first set was measured.
        NotMeasurable: When no set that was seen has a fitness; the message gives the first one's reason.
        PluginError: When the strategy or a metric fails; it names the plugin.
        KeyboardInterrupt: On Ctrl-C before the first set was measured.

    Example:
        >>> from qidguard.search.example import LengthMeasurer, FirstColumn, LENGTH
        >>> run_search(LengthMeasurer(), LENGTH, FirstColumn(), candidates=("a", "b")).best.qids
        frozenset({'a'})
    """
    chosen = _candidates(candidates)
    most = len(chosen) if largest is None else largest
    _check(most, len(chosen), budget_seconds, seed, ranked)
    bound = bind(_parameters(strategy, owner), arguments)
    own_seconds = budget_seconds
    if has_descent and budget_seconds is not None:
        own_seconds = budget_seconds * (1 - DESCENT_SHARE)
    problem = MeasuredProblem(
        measurer=measurer,
        scoring=Scoring(objective, measurer.questions, preference),
        candidates=chosen,
        largest=most,
        budget_seconds=own_seconds,
        progress=progress,
        clock=clock,
        proposals=proposals,
        host=host,
    )
    words = _words(strategy, owner)
    stopped_by, finish, answer, fault = StoppedBy.FINISHED, Termination(), StrategyAnswer(), ""
    try:
        problem.begin()
        left = problem.seconds_left
        with PluginCode(owner, _called(strategy), passes=(*ON_PURPOSE, BudgetSpent), budget_seconds=left):
            given = strategy.search(problem, bound, seed)
        with _fitting(strategy, owner):
            answer = checked_answer(
                given,
                candidates=problem.candidates,
                columns=problem.names,
                words=words,
                largest=problem.largest,
                seen=problem.seen_values(),
            )
        reason = without_value(given.reason, problem.seen_values())
        finish = Termination(is_optimum=given.is_optimum, reason=reason, state=given.state)
        if answer.chosen is not None:
            problem.settled(answer.chosen)
        if problem.was_stopped:
            stopped_by = StoppedBy.BUDGET
    except BudgetSpent:
        stopped_by = StoppedBy.BUDGET
    except BudgetOverrun:
        stopped_by = StoppedBy.BUDGET
        fault = _fault(strategy, owner, "went on past its budget and was interrupted")
        if problem.archive.first() is None:
            raise PluginError(fault) from None
    except KeyboardInterrupt:
        if problem.archive.first() is None:
            raise
        stopped_by = StoppedBy.INTERRUPTED
    is_done = finish.is_optimum or answer.chosen is not None
    if has_descent and not is_done and stopped_by is not StoppedBy.INTERRUPTED:
        problem.go_on(budget_seconds)
        stopped_by, told = _descended(problem, stopped_by)
        finish = replace(finish, reason="; ".join(filter(None, (finish.reason, told))))
    problem.close()
    result = _result(
        problem, measurer, finish, stopped_by, seed=seed, ranked=ranked, owner=owner, fault=fault
    )
    return _with_answer(result, answer, problem, measurer)


def _descended(problem: MeasuredProblem, stopped_by: StoppedBy) -> tuple[StoppedBy, str]:
    """Return why the search ended once the host has gone on from the best set, and what came of that."""
    before, best = len(problem.archive), problem.archive.best_fitness
    try:
        descend(problem)
    except BudgetSpent:
        stopped_by = StoppedBy.BUDGET
    except KeyboardInterrupt:
        stopped_by = StoppedBy.INTERRUPTED
    sets = len(problem.archive) - before
    came = "a better one" if problem.archive.best_fitness > best else "none better"
    return stopped_by, f"{sets:,} more sets around the best ones were measured, and {came} was found"


def _candidates(candidates: Sequence[str]) -> tuple[str, ...]:
    if not candidates:
        raise UserError("a search needs at least one candidate column; name some")
    for i, name in enumerate(candidates):
        if name in candidates[:i]:
            raise UserError(f"candidate {name!r} is named twice; name it once")
    return tuple(candidates)


def _check(largest: int, columns: int, budget_seconds: float | None, seed: int, ranked: int) -> None:
    if not 1 <= largest <= columns:
        raise UserError(f"the largest set may have 1..{columns} columns, not {largest}; name a number in it")
    if budget_seconds is not None and not 0 <= budget_seconds < math.inf:
        raise UserError(f"the time budget must be a number of seconds, at least 0, not {budget_seconds}")
    if seed < 0:
        raise UserError(f"the seed must be at least 0, not {seed}")
    if ranked < 1:
        raise UserError(f"at least 1 set must be ranked, not {ranked}")


def _parameters(strategy: SearchStrategy, owner: str) -> Any:
    with PluginCode(owner, _called(strategy), passes=()):
        return tuple(strategy.parameters)


def _words(strategy: SearchStrategy, owner: str) -> tuple[str, ...]:
    """Return the words that a strategy declares before it sees anything."""
    with PluginCode(owner, _called(strategy), passes=()):
        given: object = getattr(strategy, "words", ())
    with _fitting(strategy, owner):
        return checked_words(given)


@contextmanager
def _fitting(strategy: SearchStrategy, owner: str) -> Iterator[None]:
    """Say of an answer that is none whose it is."""
    try:
        yield
    except UnfitError as unfit:
        raise PluginError(_fault(strategy, owner, str(unfit))) from None


def _with_answer(
    result: SearchResult, answer: StrategyAnswer, problem: MeasuredProblem, measurer: Measurer
) -> SearchResult:
    """Return the result with what the strategy said beside its figures."""
    found = replace(result, classification=answer.classification, tables=answer.tables, plots=answer.plots)
    if answer.chosen is None:
        return found
    fittest, chosen = result.best, problem.settled(answer.chosen)
    if chosen.own_fitness == -math.inf:
        raise NotMeasurable(_why(chosen.qids, measurer, "the set that was chosen has no fitness"))
    if chosen.own_fitness >= fittest.own_fitness:
        fittest = chosen
    others = [one for one in result.ranked if one.qids != chosen.qids]
    return replace(
        found,
        best=chosen,
        ranked=(chosen, *others[: max(0, len(result.ranked) - 1)]),
        front=tuple(problem.evaluation(mask) for mask in problem.front()),
        evaluations=len(problem.archive),
        is_optimum=result.is_optimum and chosen.own_fitness >= result.best.own_fitness,
        choice=SetChoice(reason=answer.chosen_because, fittest=fittest),
    )


def _fault(strategy: SearchStrategy, owner: str, what: str) -> str:
    return f"{owner}: {_called(strategy)} {what}; mend the plugin"


def _called(strategy: SearchStrategy) -> str:
    return f"search strategy {getattr(strategy, 'name', '?')!r}"


def _result(
    problem: MeasuredProblem,
    measurer: Measurer,
    finish: Termination,
    stopped_by: StoppedBy,
    *,
    seed: int,
    ranked: int,
    owner: str,
    fault: str,
) -> SearchResult:
    first = problem.archive.first()
    if first is None and stopped_by is StoppedBy.BUDGET:
        raise UserError("the time budget ended before the first set was measured; give more seconds")
    if first is None:
        raise PluginError(f"{owner}: the search strategy evaluated no set; mend the plugin")
    found = tuple(problem.evaluation(mask) for mask in problem.archive.best(ranked))
    if not found:
        raise NotMeasurable(_why(problem.columns(first), measurer))
    return SearchResult(
        best=found[0],
        ranked=found,
        front=tuple(problem.evaluation(mask) for mask in problem.front()),
        evaluations=len(problem.archive),
        evolution=tuple(problem.evolution),
        is_optimum=finish.is_optimum and stopped_by is StoppedBy.FINISHED,
        stopped_by=stopped_by,
        reason=finish.reason,
        fault=fault,
        seconds=problem.seconds,
        seed=seed,
        state=MappingProxyType(dict(finish.state)),
        without_preference=problem.without_preference(),
    )


def _why(
    qids: frozenset[str],
    measurer: Measurer,
    what: str = "no set that was looked at has a fitness; of the first one",
) -> str:
    reasons = (measurer.reason(qids, i) for i in range(len(measurer.questions)))
    why = next((reason for reason in reasons if reason), "its divisors add up to no positive number")
    return f"{what}: {why}"
