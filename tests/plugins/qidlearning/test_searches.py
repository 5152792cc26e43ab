"""What holds for every strategy of the plugin, on tables small enough to look at every set."""

import math
import random
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import Direction, NotMeasurable, StoppedBy, Termination, UserError
from qidguard.search.run import run_search
from qidguard_qidlearning.objectives import OBJECTIVES
from qidguard_qidlearning.searches import SEARCH_STRATEGIES, branch_and_bound
from qidguard_qidlearning.searches.beam import Beam
from qidguard_qidlearning.searches.branch_and_bound import BranchAndBound
from qidguard_qidlearning.searches.exhaustive import Exhaustive
from qidguard_qidlearning.searches.greedy import Greedy
from written_figures import Strategy, counted, letters, make_measurer, sum_of, without_times

COLUMNS = "uvwxyz"
EVERY = [frozenset(some) for size in range(1, 7) for some in combinations(COLUMNS, size)]
LINEAR, RATIO = (next(o for o in OBJECTIVES if o.name == name) for name in ("linear", "ratio"))
NAMES = {strategy.name: strategy for strategy in SEARCH_STRATEGIES}
CLIMBERS = {"greedy", "beam"}
"""What may end below the optimum where the fitness is a chance of each set."""


@pytest.fixture(params=SEARCH_STRATEGIES, ids=lambda strategy: strategy.name)
def strategy(request):
    """Return each strategy."""
    return request.param


def word(qids):
    """Return a set as a word."""
    return "".join(sorted(qids))


def searched(strategy, values, candidates="abcd", **arguments):
    """Return what a search finds on written-down values, and the sets that it measured, as words."""
    measurer = make_measurer({"m": lambda qids: values.get(word(qids), 0.0)})
    found = run_search(measurer, sum_of({"m": 1}), strategy, candidates=candidates, arguments=arguments)
    return found, [word(qids) for qids in measurer.asked]


def only(measurer, **weights):
    """Return an objective of a few of the figures that are counted."""
    return sum_of(dict.fromkeys(measurer.functions, 0.0) | weights)


def rugged(seed):
    """Return a measurer whose figure is a random number for each set."""
    rng = np.random.default_rng(seed)
    values = dict(zip(EVERY, rng.random(len(EVERY)), strict=True))
    return make_measurer({"m": values.__getitem__}), max(EVERY, key=values.__getitem__)


def optimum(measurer, objective, largest=6):
    """Return the best set of all."""
    everything = Strategy(lambda p, *_: p.evaluate([x for x in EVERY if len(x) <= largest]) and Termination())
    return run_search(measurer, objective, everything, candidates=COLUMNS, largest=largest).best


@pytest.mark.samples(5)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("largest", [2, 6])
def test_the_optimum_of_a_small_table_is_found(strategy, seed, largest):
    """By the paper's listing on thirty records of six columns; greedy search finds it on these, too."""
    measurer = counted(letters(seed), COLUMNS)
    found = run_search(measurer, LINEAR, strategy, candidates=COLUMNS, largest=largest, seed=seed)
    assert found.best == optimum(measurer, LINEAR, largest)
    assert found.stopped_by is StoppedBy.FINISHED


@pytest.mark.samples(6)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", sorted(set(NAMES) - CLIMBERS - {"branch_and_bound"}))
def test_chance_fitness_is_no_obstacle(name, seed):
    """Sixty-three sets without any slope: whoever leaves hills finds the highest one."""
    measurer, best = rugged(seed)
    found = run_search(measurer, sum_of({"m": 1}), NAMES[name], candidates=COLUMNS, seed=seed)
    assert found.best.qids == best


def test_the_same_seed_looks_at_the_same_sets(strategy):
    """In the same order, with the same result, times apart; no global generator is touched or read."""
    runs = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - the global generator is what must not matter
        before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002 - as above
        measurer = counted(letters(1), COLUMNS)
        result = run_search(measurer, LINEAR, strategy, candidates=COLUMNS, seed=5)
        runs.append((measurer.asked, without_times(result)))
        assert before == (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002 - as above
    assert runs[0] == runs[1]


def test_every_evaluation_is_the_sets_own(strategy):
    """Measured again, each ranked set has the same fitness: none was paired with another one's."""
    result = run_search(counted(letters(2), COLUMNS), LINEAR, strategy, candidates=COLUMNS, ranked=63)
    fresh = counted(letters(2), COLUMNS)
    again = Strategy(lambda p, *_: p.evaluate([e.qids for e in result.ranked]) and Termination())
    measured = run_search(fresh, LINEAR, again, candidates=COLUMNS, ranked=63)
    assert measured.ranked == result.ranked


@pytest.mark.samples(3)
def test_one_candidate_is_enough_and_equal_sets_go_to_the_first_column(strategy):
    """Of one set it is the best; where every set is as good, the smallest wins, then the table's first."""
    one = counted(letters(0, columns=1), "u")
    assert run_search(one, LINEAR, strategy, candidates="u").best.qids == {"u"}
    flat = make_measurer({"m": lambda _: 1.0}, {"m": {"is_of_size": True}})
    assert run_search(flat, sum_of({"m": 1}), strategy, candidates="cab").best.qids == {"c"}


@pytest.mark.samples(3)
def test_sets_without_a_figure_are_passed_by(strategy):
    """Sets with u have no figure; the best of the others is found. Without any figure there is no answer."""
    measurer = counted(letters(3), COLUMNS)
    usable = measurer.functions["distinction"]
    measurer.functions["distinction"] = lambda qids: math.nan if "u" in qids else usable(qids)
    found = run_search(measurer, LINEAR, strategy, candidates=COLUMNS)
    assert found.best == optimum(measurer, LINEAR)
    measurer.functions["distinction"] = lambda _: math.nan
    with pytest.raises(NotMeasurable, match="figure 0 of"):
        run_search(measurer, LINEAR, strategy, candidates=COLUMNS)


def test_the_budget_is_kept(strategy):
    """A clock that ends after the first step ends the search, with what was seen; nothing is proven."""
    columns = "abcdefghij"
    # 100 seconds a step, so that a slow machine's own clock is far from it
    ticks = []
    measurer = counted(letters(0, columns=10), columns)
    measurer.before = ticks.append
    limits = {"budget_seconds": 100, "clock": lambda: 100.0 * len(ticks)}
    found = run_search(measurer, LINEAR, strategy, candidates=columns, **limits)
    assert (found.stopped_by, found.is_optimum) == (StoppedBy.BUDGET, False)
    assert found.best.fitness > -math.inf


def test_each_step_is_reported(strategy):
    """Progress begins at 0 and ends at the total, and the evolution never falls."""
    heard = []

    class Listening:
        def step(self, title, done, total):
            heard.append((title.partition(": ")[0], done, total))

    measurer = counted(letters(0), COLUMNS)
    found = run_search(measurer, LINEAR, strategy, candidates=COLUMNS, progress=Listening())
    assert len({title for title, _, _ in heard}) == 1
    assert all(0 <= done <= total for _, done, total in heard)
    assert heard[-1][1] == heard[-1][2]
    best = [moment.best for moment in found.evolution]
    assert best == sorted(best)
    assert best[-1] == found.best.fitness
    assert all(len(values) >= 1 for values in found.state.values())


PEAK, HIDDEN = {"a": 3, "b": 2, "c": 1, "ab": 5, "bd": 4, "cd": 99}, {"a": 3, "b": 2, "c": 1, "cd": 99}
TWO_KEPT = "a b c d ab ac ad bc bd abc abd bcd abcd"
"""What a width of two sees: it keeps a and b, so cd is never seen; then ab 5 and bd 4 are kept."""


@pytest.mark.parametrize(
    ("values", "arguments", "asked", "best", "is_optimum"),
    [
        (PEAK, {"width": 2}, TWO_KEPT, "ab", False),
        # six sets of two columns are the most: a width of six drops nothing and has seen everything
        (HIDDEN, {"width": 6}, "a b c d ab ac ad bc bd cd abc abd acd bcd abcd", "cd", True),
        (HIDDEN, {"width": 5}, "a b c d ab ac ad bc bd cd abc abd acd bcd abcd", "cd", False),
        # one column is best; two sizes later it ends, and what was not grown is not proven
        ({"a": 1.0}, {"width": 9, "patience": 2}, "a b c d ab ac ad bc bd cd abc abd acd bcd", "a", False),
    ],
)
def test_a_beam_grows_only_the_best_sets_of_a_size(values, arguments, asked, best, is_optimum):
    """It measures what grows from the sets that it keeps, and proves the optimum where it dropped nothing."""
    found, seen = searched(Beam(), values, **arguments)
    assert (sorted(seen), word(found.best.qids), found.is_optimum) == (
        sorted(asked.split()),
        best,
        is_optimum,
    )
    assert seen == sorted(seen, key=len)


@pytest.mark.parametrize("seed", [0, 3])
def test_bounds_prove_what_they_can(seed):
    """Adding a column can only be worse here, so no dropped set leads to a better one."""
    measurer = counted(letters(seed), COLUMNS)
    objective = only(measurer, separation=-1.0)
    found = run_search(measurer, objective, Beam(), candidates=COLUMNS, arguments={"width": 1})
    assert found.is_optimum
    assert found.evaluations < 63
    assert found.best == run_search(measurer, objective, Exhaustive(), candidates=COLUMNS).best


def test_a_dropped_set_that_may_lead_higher_is_no_proof():
    """The best set cd (3.9 − 0.6) grows from c, which a width of one drops; c may reach 3.9 − 0.3 > 2.7."""
    values = {"a": 3.0, "cd": 3.9}
    functions = {
        "m": lambda qids: max([2.0, *(v for word, v in values.items() if qids >= set(word))]),
        "size": len,
    }
    facts = {"m": {"is_monotone": True, "direction": Direction.LOWER_IS_SAFER}, "size": {"is_of_size": True}}
    measurer = make_measurer(functions, facts)
    objective = sum_of({"m": 1, "size": -0.3})
    one, four = (
        run_search(measurer, objective, Beam(), candidates="abcd", arguments={"width": width})
        for width in (1, 4)
    )
    assert (word(one.best.qids), one.is_optimum, word(four.best.qids)) == ("a", False, "cd")


@pytest.mark.samples(6)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("width", [1, 2, 5])
def test_a_proof_is_never_wrong(seed, width):
    """Whenever it says optimum, an exhaustive search finds no better set."""
    measurer = counted(letters(seed, records=12), COLUMNS)
    objective = only(measurer, distinction=1.0, separation=-0.5, attribute_length_penalty=-1.0 - seed)
    found = run_search(measurer, objective, Beam(), candidates=COLUMNS, arguments={"width": width})
    best = run_search(measurer, objective, Exhaustive(), candidates=COLUMNS).best
    assert found.best.fitness == best.fitness or not found.is_optimum


WEIGHTS = st.sampled_from([-2.0, -0.3, 0.0, 0.2, 1.0, 5.0])


NAMES_OF_BOUNDS = ("distinction", "separation", "mean_class_size", "attribute_length_penalty")


@settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
@given(
    seed=st.integers(0, 50),
    weights=st.tuples(*[WEIGHTS] * 4),
    largest=st.integers(1, 6),
    records=st.integers(2, 25),
)
def test_it_proves_what_an_exhaustive_search_finds(seed, weights, largest, records):
    """The same set, ties included, for weights of either sign, tables of any size and sets up to a size."""
    measurer = counted(letters(seed, records=records), COLUMNS)
    measurer.questions = tuple(f for f in measurer.questions if f.metric.name in NAMES_OF_BOUNDS)
    measurer.functions = {name: measurer.functions[name] for name in NAMES_OF_BOUNDS}
    objective = sum_of(dict(zip(NAMES_OF_BOUNDS, weights, strict=True)))
    # on tables as small as these the climb it begins with would find most optima before it
    with patch.object(branch_and_bound, "climb", lambda _problem, _space, start: start):
        one, other = (
            run_search(measurer, objective, strategy, candidates=COLUMNS, largest=largest)
            for strategy in (Exhaustive(), BranchAndBound())
        )
    assert (one.best, one.is_optimum) == (other.best, other.is_optimum)
    assert one.is_optimum


@pytest.mark.samples(1)
@pytest.mark.parametrize("objective", [LINEAR, RATIO], ids=lambda o: o.name)
@pytest.mark.parametrize("seed", range(3))
def test_sums_and_ratios_are_proven_with_few_sets(objective, seed):
    """Of 1,023 sets of ten columns less than half are measured."""
    columns = "abcdefghij"
    measurer = counted(letters(seed, columns=10, records=200), columns)
    found = run_search(measurer, objective, BranchAndBound(), candidates=columns)
    assert (found.is_optimum, found.evaluations < 512) == (True, True)
    assert found.best == run_search(measurer, objective, Exhaustive(), candidates=columns).best


@pytest.mark.parametrize(
    ("strategy", "columns", "functions", "facts", "error", "reason"),
    [
        # a metric of which nothing is known bounds nothing
        (
            BranchAndBound(),
            "abc",
            {"m": len},
            {},
            UserError,
            "monotone or depend on the number of columns only",
        ),
        # 2²⁰ − 1 sets are more than a million
        (Exhaustive(), "abcdefghijklmnopqrst", {"m": len}, {}, UserError, "20 candidates have 1,048,575 of"),
        # where no set has a figure there is no optimum either
        (BranchAndBound(), "abc", {"m": lambda _: math.nan}, {"is_of_size": True}, NotMeasurable, "figure 0"),
    ],
)
def test_what_cannot_be_proven_is_refused(strategy, columns, functions, facts, error, reason):
    """Without bounds, with too many sets, or without a figure; the first two before any set is measured."""
    measurer = make_measurer(functions, {"m": facts})
    with pytest.raises(error, match=reason):
        run_search(measurer, sum_of({"m": 1}), strategy, candidates=columns)
    assert bool(measurer.asked) == (error is NotMeasurable)


def test_too_many_parts_give_up_the_proof():
    """With room for one part nothing is proven, and the best seen comes back."""
    measurer = counted(letters(1), COLUMNS)
    limits = {"candidates": COLUMNS, "arguments": {"nodes": 1}}
    found = run_search(measurer, only(measurer, distinction=1.0), BranchAndBound(), **limits)
    assert (found.is_optimum, found.stopped_by) == (False, StoppedBy.FINISHED)
    assert "were not looked into" in found.reason


HILLS = {"a": 1, "b": 3, "c": 2, "ab": 4, "ac": 9, "bc": 5, "abc": 4.5}


def test_it_climbs_the_nearest_hill():
    """From b (3) to bc (5); of its neighbors b, c, abc none is better, and ac (9) is not among them."""
    found, asked = searched(Greedy(), HILLS, "abc")
    assert [moment.best for moment in found.evolution] == [3.0, 5.0, 5.0]
    assert found.reason == "no neighbor is better after 1 moves"
    assert (word(found.best.qids), "ac" in asked, found.is_optimum) == ("bc", False, False)


def test_a_random_start_may_find_another_hill():
    """By the seed; both hills are found."""
    measurer = make_measurer({"m": lambda qids: HILLS[word(qids)]})
    limits = {"candidates": "abc", "arguments": {"start": "random"}}
    found = [run_search(measurer, sum_of({"m": 1}), Greedy(), seed=seed, **limits) for seed in range(20)]
    assert {word(one.best.qids) for one in found} == {"ac", "bc"}


FLAT = dict.fromkeys(["a", "b", "ab"], 0)
OVERTAKEN = {"m": {"a": 0, "b": 4, "ab": 3.5}, "delta_n": FLAT, "n": {"a": 0, "b": 4, "ab": 5}}
"""Without the change ab (3.5) is no better than b (4); with 1·Δ it is: 3.5 + (5 − 4) > 4."""
CIRCLE = {
    "m": {"a": 0, "b": -9, "ab": -0.5},
    "delta_n": FLAT,
    "by": {"a": 1, "b": 1, "ab": 0.1},
    "n": {"a": 0, "b": 0, "ab": 1},
}
"""By a ratio ab looks better from a, (−0.5 + 1) / 0.1 > 0, and a from ab, (0 − 1) / 1 > −5."""


@pytest.mark.parametrize(
    ("figures", "objective", "best"),
    [
        (OVERTAKEN, sum_of({"m": 1, "delta_n": 1, "n": 0}), "b"),
        (CIRCLE, sum_of({"m": 1, "delta_n": 1}, {"by": 1}), "a"),
    ],
)
def test_changes_count_from_the_current_set(figures, objective, best):
    """A move is made for its change, a circle of them ends, and the best set is that of its own figures."""
    functions = {name: lambda qids, values=values: values[word(qids)] for name, values in figures.items()}
    measurer = make_measurer(functions, {"delta_n": {"change_of": "n"}})
    found = run_search(measurer, objective, Greedy(), candidates="ab")
    assert (found.reason, word(found.best.qids)) == ("no neighbor is better after 1 moves", best)


@pytest.mark.parametrize(
    ("largest", "largest_size", "sets", "is_optimum"),
    [(5, 0, 31, True), (5, 5, 31, True), (5, 9, 31, True), (2, 0, 15, True), (5, 2, 15, False)],
)
def test_every_set_up_to_a_size_is_measured_once(largest, largest_size, sets, is_optimum):
    """Of five columns; what it finds is the optimum where it measured all that the search allows."""
    measurer = make_measurer({"m": len})
    limits = {"candidates": "abcde", "largest": largest, "arguments": {"largest_size": largest_size}}
    found = run_search(measurer, sum_of({"m": 1}), Exhaustive(), **limits)
    assert (found.evaluations, len(set(measurer.asked)), found.is_optimum) == (sets, sets, is_optimum)
    assert [len(qids) for qids in measurer.asked] == sorted(len(qids) for qids in measurer.asked)


def test_many_sets_go_in_batches():
    """8,191 sets of thirteen columns in two steps."""
    found = run_search(make_measurer({"m": len}), sum_of({"m": 1}), Exhaustive(), candidates="abcdefghijklm")
    assert [moment.evaluations for moment in found.evolution] == [0, 4096, 8191]
