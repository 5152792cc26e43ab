"""Terms that are a change: the difference from the search's current set."""

import math

import pytest

from qidguard.measuring.question import Question
from qidguard.sdk import Objective, Term, Termination
from qidguard.search.run import run_search

FIGURES = {"a": 1.0, "b": 3.0, "ab": 7.0, "c": math.nan}
CHANGE = Objective(
    name="change", title="Change", terms=(Term(metric="m"), Term(metric="delta_m", weight=10.0))
)


@pytest.fixture(params=["the base metric's figure", "the change's own figure"])
def measurer(request, make_measurer, make_metric):
    """Return a measurer for both ways of naming a change's figure."""
    value = lambda qids: FIGURES["".join(sorted(qids))]  # noqa: E731 - a figure in one line
    if request.param == "the base metric's figure":
        made = make_measurer({"m": value, "delta_m": value})
        made.questions = (made.questions[0], Question(metric=make_metric("m"), arguments={}))
    else:
        made = make_measurer({"m": value, "delta_m": lambda _: math.nan}, {"delta_m": {"change_of": "m"}})
    return made


def test_a_change_is_0_without_a_current_set(measurer, strategy_of):
    """Then fitness and own fitness are the same."""

    def search(problem, _arguments, _seed):
        found = problem.evaluate([frozenset("a"), frozenset("ab")])
        assert [(e.fitness, e.own_fitness, e.values) for e in found] == [
            (1.0, 1.0, (1.0, 0.0)),
            (7.0, 7.0, (7.0, 0.0)),
        ]
        return Termination()

    run_search(measurer, CHANGE, strategy_of(search), candidates="abc")


def test_a_change_is_the_difference_from_the_current_set(measurer, strategy_of):
    """M(x) − M(x_prev), weighted; the own fitness does not know it."""

    def search(problem, _arguments, _seed):
        found = problem.evaluate([frozenset("ab"), frozenset("a"), frozenset("b")], current=frozenset("b"))
        assert [(e.fitness, e.own_fitness) for e in found] == [(47.0, 7.0), (-19.0, 1.0), (3.0, 3.0)]
        return Termination()

    assert run_search(measurer, CHANGE, strategy_of(search), candidates="abc").best.fitness == 7.0


def test_a_current_set_without_a_figure_is_no_current_set(measurer, strategy_of):
    """A search that stands on such a set can still leave it; the set itself has no fitness."""

    def search(problem, _arguments, _seed):
        found = problem.evaluate([frozenset("a"), frozenset("c")], current=frozenset("c"))
        assert [e.fitness for e in found] == [1.0, -math.inf]
        return Termination()

    run_search(measurer, CHANGE, strategy_of(search), candidates="abc")


def test_a_set_whose_change_has_no_figure_has_no_fitness(make_measurer, evaluating):
    """Even as the first set, where the change would be 0: it is no better than one that has all figures."""
    functions = {"n": len, "delta_m": lambda _: 0, "m": lambda qids: FIGURES["".join(sorted(qids))]}
    measurer = make_measurer(functions, {"delta_m": {"change_of": "m"}})
    objective = Objective(name="x", title="X", terms=(Term(metric="n"), Term(metric="delta_m")))
    found = run_search(measurer, objective, evaluating("c", "a"), candidates="ac")
    assert [e.qids for e in found.ranked] == [frozenset("a")]


def test_a_change_of_what_nobody_measures_is_refused(make_measurer, evaluating):
    """The figure of the metric itself is needed."""
    lonely = make_measurer({"delta_m": len}, {"delta_m": {"change_of": "m"}})
    objective = Objective(name="x", title="X", terms=(Term(metric="delta_m"),))
    with pytest.raises(ValueError, match="'delta_m' is a change; measure 'm' too"):
        run_search(lonely, objective, evaluating("a"), candidates="a")


def test_every_term_needs_a_question(make_measurer, evaluating):
    """Too few questions are a mistake of the caller."""
    with pytest.raises(ValueError, match="2 terms need as many questions, not 1"):
        run_search(make_measurer({"m": len}), CHANGE, evaluating("a"), candidates="a")
