import math

import pytest

from qidguard.sdk import Evaluation, Parameter, StoppedBy, Termination, UserError
from qidguard.search.run import run_search


def words(evaluations):
    """Return the sets of evaluations as words."""
    return ["".join(sorted(e.qids)) for e in evaluations]


def test_the_best_set_seen_comes_back_with_its_own_fitness(searched):
    """Not the last set but the best one, whatever the strategy says of itself."""
    found = searched({"a": 1.0, "ab": 3.0, "b": 2.0})
    assert found.best == Evaluation(qids=frozenset("ab"), fitness=3.0, own_fitness=3.0, values=(3.0,))
    assert found.evaluations == 3
    assert found.stopped_by is StoppedBy.FINISHED


def test_equals_go_by_size_then_by_the_tables_columns(searched):
    """Of equally good sets the smallest is first, then the one whose columns come first in the table."""
    values = dict.fromkeys(["abc", "bc", "ac", "c", "b"], 1.0)
    assert words(searched(values).ranked) == ["b", "c", "ac", "bc", "abc"]
    assert words(searched(values, candidates="cba").ranked) == ["c", "b", "bc", "ac", "abc"]


def test_only_so_many_are_ranked_as_asked_for(searched):
    """Ties with the last one ranked are broken as all others are."""
    values = {"c": 1.0, "b": 1.0, "a": 1.0, "ab": 2.0}
    assert words(searched(values, ranked=3).ranked) == ["ab", "a", "b"]
    assert words(searched(values, ranked=9).ranked) == ["ab", "a", "b", "c"]


def test_a_set_without_a_figure_is_never_ranked(searched):
    """Its fitness is −inf: any set with a figure is better, however bad."""
    found = searched({"a": math.nan, "b": -1e300})
    assert words(found.ranked) == ["b"]
    assert words(found.front) == ["b"]


def test_a_set_is_measured_once(make_measurer, sum_of, strategy_of):
    """Asking twice, or for the same set twice at once, costs nothing."""
    measurer = make_measurer({"m": len})
    a, b = frozenset("a"), frozenset("b")

    def search(problem, _arguments, _seed):
        first = problem.evaluate([a, b, a])
        assert problem.evaluate([a]) == [first[0]] == [first[2]]
        return Termination()

    found = run_search(measurer, sum_of({"m": 1}), strategy_of(search), candidates="ab")
    assert sorted(measurer.asked, key=sorted) == [a, b]
    assert found.evaluations == 2


def test_every_evaluation_belongs_to_its_set(make_measurer, sum_of, strategy_of):
    """Fitness and set are paired in the order asked for, in batches larger than a piece of work."""
    measurer = make_measurer({"m": lambda qids: sum(1 << "abcdefghij".index(c) for c in qids)})
    sets = [frozenset(c for i, c in enumerate("abcdefghij") if mask >> i & 1) for mask in range(1, 1024)]

    def search(problem, _arguments, _seed):
        found = problem.evaluate(sets[::-1])
        assert [e.qids for e in found] == sets[::-1]
        assert [e.fitness for e in found] == list(range(1023, 0, -1))
        return Termination()

    found = run_search(measurer, sum_of({"m": 1}), strategy_of(search), candidates="abcdefghij")
    assert found.best.fitness == 1023


def test_the_front_holds_what_no_other_set_beats_in_every_term(make_measurer, sum_of, evaluating):
    """Terms count with their weight's sign, divisors with the sign reversed."""
    few = {"a": (1, 1), "b": (2, 2), "c": (2, 3), "d": (1, 3)}
    measurer = make_measurer({"up": lambda qids: few[min(qids)][0], "down": lambda qids: few[min(qids)][1]})
    linear = run_search(measurer, sum_of({"up": 1, "down": -1}), evaluating(*few), candidates="abcd")
    assert words(linear.front) == ["a", "b"]
    assert [e.values for e in linear.front] == [(1.0, -1.0), (2.0, -2.0)]
    ratio = run_search(measurer, sum_of({"up": 1}, {"down": 1}), evaluating(*few), candidates="abcd")
    assert words(ratio.front) == ["a", "b"]
    assert [e.fitness for e in ratio.front] == [1.0, 1.0]


def test_the_evolution_says_how_it_stood_at_each_report(searched, strategy_of):
    """Distinct sets, the best so far, the mean of the step; sets after the last report are one more step."""

    def search(problem, _arguments, _seed):
        problem.evaluate([frozenset("a"), frozenset("b")])
        problem.report("looking", 0, 2)
        problem.evaluate([frozenset("b"), frozenset("c")])
        problem.report("looking", 1, 2)
        problem.report("looking", 2, 2)
        problem.evaluate([frozenset("ab")])
        return Termination()

    found = searched({"a": 1.0, "b": 4.0, "c": math.nan, "ab": 2.0}, strategy_of(search))
    told = [(m.evaluations, m.best, m.mean) for m in found.evolution]
    assert told == [(2, 4.0, 2.5), (3, 4.0, 4.0), (3, 4.0, 4.0), (4, 4.0, 2.0)]
    seconds = [moment.seconds for moment in found.evolution]
    assert sorted(seconds) == seconds


def test_progress_hears_the_best_so_far(searched, strategy_of):
    """The title keeps its beginning while the fitness in it changes; no step is beyond the total."""
    heard = []

    class Listening:
        def step(self, title, done, total):
            heard.append((title, done, total))

    def search(problem, _arguments, _seed):
        problem.report("looking", 0, 3)
        problem.evaluate([frozenset("a")])
        problem.report("looking", 1, 3)
        problem.report("looking", 9, 3)
        return Termination()

    searched({"a": 0.93121, "b": 0}, strategy_of(search), progress=Listening())
    best = "looking: best 0.9312"
    assert heard == [("looking", 0, 3), (best, 1, 3), (best, 3, 3), (best, 3, 3)]


def test_what_a_strategy_keeps_and_says_comes_back(searched, evaluating):
    """Its words, its state and its claim of an optimum."""
    found = searched({"a": 1.0}, evaluating("a", is_optimum=True, reason="done", state={"rate": (1.0, 2.0)}))
    assert (found.is_optimum, found.reason, dict(found.state)) == (True, "done", {"rate": (1.0, 2.0)})


def test_a_strategy_is_given_checked_arguments_and_the_seed(searched, strategy_of):
    """Defaults are filled in; a wrong argument is the user's error."""
    heard = []

    def search(problem, arguments, seed):
        heard.append((dict(arguments), seed))
        problem.evaluate([frozenset("a")])
        return Termination()

    strategy = strategy_of(search, (Parameter(name="width", type=int, default=3, minimum=1, meaning="sets"),))
    searched({"a": 1.0}, strategy, seed=7)
    searched({"a": 1.0}, strategy, arguments={"width": 5})
    assert heard == [({"width": 3}, 7), ({"width": 5}, 0)]
    with pytest.raises(UserError, match=r"'width' must be at least 1, not 0"):
        searched({"a": 1.0}, strategy, arguments={"width": 0})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"candidates": ()}, "at least one candidate"),
        ({"candidates": ("a", "a")}, "'a' is named twice"),
        ({"largest": 0}, "may have 1..1 columns, not 0"),
        ({"largest": 2}, "may have 1..1 columns, not 2"),
        ({"budget_seconds": -1.0}, "not -1.0"),
        ({"budget_seconds": math.nan}, "not nan"),
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"ranked": 0}, "must be ranked, not 0"),
    ],
)
def test_wrong_arguments_are_said(searched, given, sentence):
    """Each names the rule and the value."""
    with pytest.raises(UserError, match=sentence):
        searched({"a": 1.0}, **given)
