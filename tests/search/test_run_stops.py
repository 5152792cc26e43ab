"""A search ends by its budget or by Ctrl-C, and gives back the best set seen until then."""

import itertools
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from qidguard.sdk import StoppedBy, Termination
from qidguard.search.problem import LARGE_CELLS
from qidguard.search.run import run_search
from written_figures import Strategy, make_measurer, sum_of, without_times

COLUMNS = "abcdefgh"
SETS = [frozenset(some) for size in (1, 2, 3) for some in itertools.combinations(COLUMNS, size)]


def slow(look, *, before=lambda _: None, seconds=lambda _: 1, table=None, is_within=False, **more):
    """Search over a fake clock; each set takes a second, and the more columns the better.

    With ``is_within`` a set that does not fit in what is left is interrupted.
    """
    clock = SimpleNamespace(now=0.0)

    def tick(sets):
        before(sets)
        clock.now += sum(map(seconds, sets))

    def within(sets, left):
        if sum(map(seconds, sets)) > left:
            clock.now += left
            return None
        return measurer.measure(sets)

    measurer = make_measurer({"m": len}, before=tick)
    if is_within:
        measurer.measure_within = within
    if table is not None:
        measurer.table = table
    given = {"candidates": COLUMNS, "clock": lambda: clock.now} | more
    strategy = Strategy(lambda problem, _arguments, _seed: look(problem) or Termination())
    return run_search(measurer, sum_of({"m": 1}), strategy, **given)


def one_by_one(problem):
    """Evaluate one set after the other and never look at the clock."""
    for qids in SETS:
        problem.evaluate([qids])
    return Termination(is_optimum=True)


def looking(problem):
    """Look at the clock between two sets."""
    for qids in SETS:
        if problem.is_stopped:
            return Termination(reason="had to stop", is_optimum=True)
        problem.evaluate([qids])
    return Termination(reason="done")


def for_ever(problem):
    """Ask for the same sets for ever."""
    while True:
        problem.evaluate([SETS[0]])
        problem.evaluate([SETS[1]])


def stubborn(problem):
    """Take the end for an error of its own, as a careless plugin does."""
    for qids in SETS:
        try:
            problem.evaluate([qids])
        except Exception:  # noqa: BLE001 - what a careless plugin does
            return Termination(reason="swallowed")
    return Termination()


def short(problem):
    """Finish with a set that ends past the budget."""
    problem.evaluate(SETS[:3])
    return Termination(is_optimum=True)


ENDED = [
    # strategy, budget → sets, why it ended, optimum, reason, columns of the best
    (one_by_one, 9, (9, StoppedBy.BUDGET, False, "", 2)),
    (lambda p: p.evaluate(SETS) and None, 10, (10, StoppedBy.BUDGET, False, "", 2)),
    (looking, 5, (5, StoppedBy.BUDGET, False, "had to stop", 1)),
    (looking, None, (92, StoppedBy.FINISHED, False, "done", 3)),
    (short, 2, (3, StoppedBy.FINISHED, True, "", 1)),
    (for_ever, 2, (2, StoppedBy.BUDGET, False, "", 1)),
    (stubborn, 2, (2, StoppedBy.BUDGET, False, "", 1)),
]


@pytest.mark.parametrize(("look", "budget", "expected"), ENDED)
def test_no_work_is_begun_past_the_budget(look, budget, expected):
    """Whether the strategy looks at the clock or not; a set may end past it; nothing is proven then."""
    found = slow(look, budget_seconds=budget)
    told = (found.evaluations, found.stopped_by, found.is_optimum, found.reason, len(found.best.qids))
    assert told == expected
    assert found.seconds == expected[0]


def test_ctrl_c_gives_the_best_seen():
    """In the tenth measurement, or between two; before the first set there is nothing to give back."""
    calls = itertools.count(1)

    def interrupt(_sets, at=10):
        if next(calls) >= at:
            raise KeyboardInterrupt

    def interrupted(problem):
        problem.evaluate(SETS[:2])
        raise KeyboardInterrupt

    found = slow(one_by_one, before=interrupt)
    assert (found.evaluations, found.stopped_by, found.is_optimum) == (9, StoppedBy.INTERRUPTED, False)
    assert len(found.best.qids) == 2
    assert slow(interrupted).stopped_by is StoppedBy.INTERRUPTED
    with pytest.raises(KeyboardInterrupt):
        slow(one_by_one, before=interrupt)


def test_the_pieces_follow_the_clock_and_the_answers_do_not():
    """With a quick and a slow clock the same sets are found, in pieces of different size."""
    sizes = []
    tired = slow(lambda p: p.evaluate(SETS) and None, before=lambda sets: sizes.append(len(sets)))
    assert (sizes[:4], sum(sizes)) == ([4, 2, 1, 1], 92)
    assert without_times(tired) == without_times(slow(lambda p: p.evaluate(SETS) and None, clock=lambda: 0.0))


def of_size(words, *, distinct=None, **more):
    """Search for words one by one, each in the square of its size in seconds, in a large table if told."""
    measured = []

    def look(problem):
        for word in words.split():
            problem.evaluate([frozenset(word)])
        return Termination(is_optimum=True)

    if distinct is not None:
        facts = [SimpleNamespace(name=n, groups=g) for n, g in zip("abcdef", distinct, strict=True)]
        more["table"] = SimpleNamespace(records=LARGE_CELLS, columns=facts)
    found = slow(
        look,
        before=lambda sets: measured.append(" ".join("".join(sorted(one)) for one in sets)),
        seconds=lambda one: len(one) ** 2,
        is_within=True,
        candidates="abcdef",
        **more,
    )
    return found, measured


FACTS = (3, 9, 4, 8, 5, 1)
RARE = (3, 9, LARGE_CELLS // 2, 8, 5, 1)  # of c nearly each value occurs once only, so it comes last
IN_TIME = [
    # words, table and budget → best, seconds, why it ended, what was measured
    ("a ab abcdef b", {"budget_seconds": 10}, ("ab", 10, StoppedBy.BUDGET, ["a", "ab"])),
    ("abc a", {"budget_seconds": 2}, ("abc", 9, StoppedBy.BUDGET, ["abc"])),
    ("a abcdef", {}, ("abcdef", 37, StoppedBy.FINISHED, ["a", "abcdef"])),
    (
        "abcdef ab",
        {"distinct": RARE, "budget_seconds": 1_000},
        ("abcdef", 46, StoppedBy.FINISHED, ["b", "d e a f", "c", "abcdef", "ab"]),
    ),
    ("ab", {"distinct": FACTS}, ("ab", 4, StoppedBy.FINISHED, ["ab"])),
    ("ab", {"budget_seconds": 1_000}, ("ab", 4, StoppedBy.FINISHED, ["ab"])),
    # the descent has 2 of 12 seconds, and a pair takes 4
    (
        "abcdef",
        {"distinct": FACTS, "budget_seconds": 12, "has_descent": True},
        ("a", 12, StoppedBy.BUDGET, ["b", "d e c a", "f"]),
    ),
]


@pytest.mark.parametrize(("words", "given", "expected"), IN_TIME)
def test_a_set_that_does_not_fit_in_the_time_is_left_out(words, given, expected):
    """But for the first one; with a budget the single columns of a large table come first."""
    found, measured = of_size(words, **given)
    assert ("".join(sorted(found.best.qids)), found.seconds, found.stopped_by, measured) == expected
    assert found.is_optimum == (found.stopped_by is StoppedBy.FINISHED)


SCRIPT = """
import itertools, pandas as pd
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.search.questions import questions_of
from qidguard.search.run import run_search
from qidguard.sdk import Objective, Term
from qidguard.host import load_host

COLUMNS = [f"c{i:02d}" for i in range(16)]

class Endless:
    name, title, parameters = "endless", "Endless", ()

    def search(self, problem, arguments, seed):
        for size in itertools.cycle(range(1, 17)):
            for some in itertools.combinations(COLUMNS, size):
                problem.evaluate([frozenset(some)])
                print("evaluated", flush=True)

host = load_host()
frame = pd.DataFrame({name: [(i * j) % (j + 2) for i in range(3000)] for j, name in enumerate(COLUMNS)})
objective = Objective(name="k", title="k", terms=(Term(metric="k_anonymity", weight=-1.0),))
with ENGINE.open(frame, ReadOptions(), Needs(columns=tuple(COLUMNS)), EngineSettings()) as table:
    figures = questions_of(objective, lambda name: (host.metric(name), "plugin"), {})
    found = run_search(SubsetMeasurer(table, COLUMNS, figures), objective, Endless(), candidates=COLUMNS)
    print("found", found.stopped_by.value, found.evaluations > 0, found.best.own_fitness, flush=True)
"""


@pytest.mark.slow
def test_a_real_ctrl_c_gives_the_best_seen():
    """A signal in the middle of an endless search: it ends with a result, not with a traceback."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        for _ in range(20):
            assert running.stderr.readline() == "evaluated\n"  # where a plugin's output goes
        running.send_signal(signal.SIGINT)
        said, faults = running.communicate(timeout=250)
    last = said.splitlines()[-1].split()
    assert last[:3] == ["found", "interrupted", "True"], faults
    assert (-3000.0 <= float(last[3]) <= -1.0, running.returncode) == (True, 0)
