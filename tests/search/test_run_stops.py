"""A search ends by its budget or by Ctrl-C, and gives back the best set seen until then."""

import itertools

import pytest

from qidguard.sdk import StoppedBy, Termination, UserError
from qidguard.search.run import run_search

SETS = [frozenset(some) for size in (1, 2, 3) for some in itertools.combinations("abcdefgh", size)]


class Clock:
    """A clock that goes on by one second when a set is measured."""

    seconds = 0.0

    def __call__(self):
        """Return the time."""
        return self.seconds


@pytest.fixture
def slow(make_measurer, sum_of):
    """Return a search whose sets take a second each; the more columns the better."""

    def run(strategy, *, before=lambda _: None, **more):
        clock = Clock()

        def tick(sets):
            before(sets)
            clock.seconds += len(sets)

        measurer = make_measurer({"m": len}, before=tick)
        given = {"candidates": "abcdefgh", "clock": clock} | more
        return run_search(measurer, sum_of({"m": 1}), strategy, **given)

    return run


def one_by_one(problem, _arguments, _seed):
    """Evaluate one set after the other and never look at the clock."""
    for qids in SETS:
        problem.evaluate([qids])
    return Termination(is_optimum=True)


def test_no_work_is_begun_past_the_budget(slow, strategy_of):
    """Nine sets fit in nine seconds, even if the strategy does not look; nothing is proven then."""
    found = slow(strategy_of(one_by_one), budget_seconds=9)
    assert (found.evaluations, found.stopped_by, found.is_optimum) == (9, StoppedBy.BUDGET, False)
    assert len(found.best.qids) == 2
    assert found.seconds == 9


def test_a_large_batch_is_heeded_in_pieces(slow, strategy_of):
    """A batch of 92 sets does not run through a budget of ten: pieces of 4, 2, 1, 1, 1 and 1 sets do."""
    found = slow(strategy_of(lambda p, *_: p.evaluate(SETS) and Termination()), budget_seconds=10)
    assert (found.evaluations, found.stopped_by) == (10, StoppedBy.BUDGET)


def test_a_strategy_may_look_itself_and_finish(slow, strategy_of):
    """One that was told that the time is up has not finished, but its words count."""

    def looking(problem, _arguments, _seed):
        for qids in SETS:
            if problem.is_stopped:
                return Termination(reason="had to stop", is_optimum=True)
            problem.evaluate([qids])
        return Termination(reason="done")

    found = slow(strategy_of(looking), budget_seconds=5)
    assert (found.evaluations, found.stopped_by, found.reason) == (5, StoppedBy.BUDGET, "had to stop")
    assert not found.is_optimum
    assert slow(strategy_of(looking)).stopped_by is StoppedBy.FINISHED


def test_a_strategy_that_finishes_is_not_stopped_by_a_budget_it_never_met(slow, strategy_of):
    """The last set may end past the budget."""

    def short(problem, _arguments, _seed):
        problem.evaluate(SETS[:3])
        return Termination(is_optimum=True)

    found = slow(strategy_of(short), budget_seconds=2)
    assert (found.stopped_by, found.is_optimum) == (StoppedBy.FINISHED, True)


def test_remembered_sets_do_not_outlive_the_budget_either(slow, strategy_of):
    """A strategy that asks for the same set for ever is ended, too."""

    def for_ever(problem, _arguments, _seed):
        while True:
            problem.evaluate([SETS[0]])
            problem.evaluate([SETS[1]])

    assert slow(strategy_of(for_ever), budget_seconds=2).stopped_by is StoppedBy.BUDGET


def test_a_strategy_cannot_take_the_end_for_an_error_of_its_own(slow, strategy_of):
    """The end of the budget passes ``except Exception``."""

    def stubborn(problem, _arguments, _seed):
        for qids in SETS:
            try:
                problem.evaluate([qids])
            except Exception:  # noqa: BLE001 - what a careless plugin does
                return Termination(reason="swallowed")
        return Termination()

    assert slow(strategy_of(stubborn), budget_seconds=2).reason == ""


def test_a_budget_without_a_single_set_is_said(slow, strategy_of):
    """There is no best set of none."""
    with pytest.raises(UserError, match="before the first set was measured; give more seconds"):
        slow(strategy_of(one_by_one), budget_seconds=0)


def test_ctrl_c_gives_the_best_seen(slow, strategy_of):
    """The tenth measurement is interrupted; the nine before count."""
    calls = itertools.count(1)

    def interrupt(_sets):
        if next(calls) == 10:
            raise KeyboardInterrupt

    found = slow(strategy_of(one_by_one), before=interrupt)
    assert (found.evaluations, found.stopped_by, found.is_optimum) == (9, StoppedBy.INTERRUPTED, False)
    assert len(found.best.qids) == 2


def test_ctrl_c_inside_a_strategy_gives_the_best_seen(slow, strategy_of):
    """It may come between two measurements, too."""

    def interrupted(problem, _arguments, _seed):
        problem.evaluate(SETS[:2])
        raise KeyboardInterrupt

    assert slow(strategy_of(interrupted)).stopped_by is StoppedBy.INTERRUPTED


def test_ctrl_c_before_the_first_set_goes_on(slow, strategy_of):
    """There is nothing to give back."""

    def interrupt(_sets):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        slow(strategy_of(one_by_one), before=interrupt)


def test_the_pieces_follow_the_clock_and_the_answers_do_not(slow, strategy_of, timeless):
    """With a quick and a slow clock the same sets are found, in pieces of different size."""
    sizes = []

    def whole(problem, _arguments, _seed):
        problem.evaluate(SETS)
        return Termination()

    tired = slow(strategy_of(whole), before=lambda sets: sizes.append(len(sets)))
    assert sizes[:4] == [4, 2, 1, 1]
    assert sum(sizes) == 92
    quick = slow(strategy_of(whole), clock=lambda: 0.0)
    assert timeless(tired) == timeless(quick)
