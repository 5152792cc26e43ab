"""What a search gives back: sets by their fitness, the front, changes, and whose fault it is that none is."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.measuring.question import Question
from qidguard.sdk import (
    Evaluation,
    NotMeasurable,
    Objective,
    Parameter,
    PluginError,
    StoppedBy,
    Term,
    Termination,
    UserError,
)
from qidguard.search.archive import front
from qidguard.search.run import run_search
from written_figures import Strategy, make_measurer, metric, sum_of

INF, NAN = math.inf, math.nan
A, B, AB, C = map(frozenset, ("a", "b", "ab", "c"))
OWNER = "plugin 'x' of x-plugin 1.0"


def words(evaluations):
    """Return the sets of evaluations as words."""
    return ["".join(sorted(e.qids)) for e in evaluations]


def evaluating(*some, **finish):
    """Return a strategy that evaluates the given words and ends as told."""

    def search(problem, _arguments, _seed):
        problem.evaluate([frozenset(word) for word in some])
        return Termination(**finish)

    return Strategy(search)


def test_the_best_set_seen_comes_back_with_its_own_fitness(searched):
    """Not the last set but the best one, whatever the strategy says of itself."""
    found = searched({"a": 1.0, "ab": 3.0, "b": 2.0})
    assert found.best == Evaluation(qids=AB, fitness=3.0, own_fitness=3.0, values=(3.0,))
    assert (found.evaluations, found.stopped_by) == (3, StoppedBy.FINISHED)


EQUAL = dict.fromkeys(["abc", "bc", "ac", "c", "b"], 1.0)
FEW = {"c": 1.0, "b": 1.0, "a": 1.0, "ab": 2.0}


@pytest.mark.parametrize(
    ("values", "given", "ranked"),
    [
        (EQUAL, {}, "b c ac bc abc"),
        (EQUAL, {"candidates": "cba"}, "c b bc ac abc"),
        (FEW, {"ranked": 3}, "ab a b"),
        (FEW, {"ranked": 9}, "ab a b c"),
        ({"a": NAN, "b": -1e300}, {}, "b"),
    ],
)
def test_equals_go_by_size_then_by_the_tables_columns(searched, values, given, ranked):
    """So many are ranked as asked for; a set without a figure is never ranked, nor on the front."""
    found = searched(values, **given)
    assert words(found.ranked) == ranked.split()
    assert {one for one in words(found.front) if math.isnan(values[one])} == set()


def test_a_set_is_measured_once(search_by):
    """Asking twice, or for the same set twice at once, costs nothing."""
    asked = []

    def look(problem):
        first = problem.evaluate([A, B, A])
        assert problem.evaluate([A]) == [first[0]] == [first[2]]

    found = search_by(look, {"m": len}, before=asked.extend, candidates="ab")
    assert (sorted(asked, key=sorted), found.evaluations) == ([A, B], 2)


def test_every_evaluation_belongs_to_its_set(search_by):
    """Fitness and set are paired in the order asked for, in batches larger than a piece of work."""
    ten = "abcdefghij"
    sets = [frozenset(c for i, c in enumerate(ten) if mask >> i & 1) for mask in range(1, 1024)]

    def look(problem):
        found = problem.evaluate(sets[::-1])
        assert [(e.qids, e.fitness) for e in found] == [*zip(sets[::-1], range(1023, 0, -1), strict=True)]

    figures = {"m": lambda qids: sum(1 << ten.index(c) for c in qids)}
    assert search_by(look, figures, candidates=ten).best.fitness == 1023


def test_the_front_holds_what_no_other_set_beats_in_every_term():
    """Terms count with their weight's sign, divisors with the sign reversed."""
    few = {"a": (1, 1), "b": (2, 2), "c": (2, 3), "d": (1, 3)}
    measurer = make_measurer({"up": lambda qids: few[min(qids)][0], "down": lambda qids: few[min(qids)][1]})
    linear, ratio = (
        run_search(measurer, objective, evaluating(*few), candidates="abcd").front
        for objective in (sum_of({"up": 1, "down": -1}), sum_of({"up": 1}, {"down": 1}))
    )
    assert (words(linear), [e.values for e in linear]) == (["a", "b"], [(1.0, -1.0), (2.0, -2.0)])
    assert (words(ratio), [e.fitness for e in ratio]) == (["a", "b"], [1.0, 1.0])


@settings(max_examples=examples(150), deadline=None, derandomize=True, database=None)
@given(st.lists(st.tuples(*[st.sampled_from([-1.0, 0.0, 0.5, 1.0, INF])] * 3), max_size=25))
def test_the_front_is_what_nobody_dominates(values):
    """Held against the definition, row by row: nowhere lower, somewhere higher; equal rows stay together."""
    expected = [
        i
        for i, row in enumerate(values)
        if not any(all(o >= r for o, r in zip(other, row, strict=True)) and other != row for other in values)
    ]
    assert expected == front(np.array(values).reshape(len(values), 3)).tolist()


def test_a_single_term_leaves_the_highest():
    """With one term the front is the maximum, as often as it occurs; nothing dominates nothing."""
    assert front(np.array([[1.0], [3.0], [2.0], [3.0]])).tolist() == [1, 3]
    assert front(np.empty((0, 2))).tolist() == []


def test_the_evolution_says_how_it_stood_at_each_report(searched):
    """Distinct sets, the best so far, the mean of the step; sets after the last report are one more step."""

    def look(problem):
        problem.evaluate([A, B])
        problem.report("looking", 0, 2)
        problem.evaluate([B, C])
        problem.report("looking", 1, 2)
        problem.report("looking", 2, 2)
        problem.evaluate([AB])

    told = searched({"a": 1.0, "b": 4.0, "c": NAN, "ab": 2.0}, look).evolution
    assert [(m.evaluations, m.best, m.mean) for m in told] == [(2, 4, 2.5), (3, 4, 4), (3, 4, 4), (4, 4, 2)]
    seconds = [moment.seconds for moment in told]
    assert sorted(seconds) == seconds


def test_progress_hears_the_best_so_far(searched):
    """The title keeps its beginning while the fitness in it changes; no step is beyond the total."""
    heard = []

    class Listening:
        def step(self, title, done, total):
            heard.append((title, done, total))

    def look(problem):
        problem.report("looking", 0, 3)
        problem.evaluate([A])
        problem.report("looking", 1, 3)
        problem.report("looking", 9, 3)

    searched({"a": 0.93121, "b": 0}, look, progress=Listening())
    best = "looking: best 0.9312"
    assert heard == [("looking", 0, 3), (best, 1, 3), (best, 3, 3), (best, 3, 3)]


def test_a_strategy_is_given_checked_arguments_and_the_seed_and_its_words_come_back():
    """Defaults are filled in; what it keeps, says and claims of an optimum is in the result."""
    heard = []
    said = {"is_optimum": True, "reason": "done", "state": {"rate": (1.0, 2.0)}}

    def search(problem, arguments, seed):
        heard.append((dict(arguments), seed))
        problem.evaluate([A])
        return Termination(**said)

    strategy = Strategy(search, (Parameter(name="width", type=int, default=3, minimum=1, meaning="sets"),))
    for more in ({"seed": 7}, {"arguments": {"width": 5}}):
        found = run_search(make_measurer({"m": len}), sum_of({"m": 1}), strategy, candidates="a", **more)
        assert {name: getattr(found, name) for name in said} == said
    assert heard == [({"width": 3}, 7), ({"width": 5}, 0)]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"candidates": ()}, "at least one candidate"),
        ({"candidates": ("a", "a")}, "'a' is named twice"),
        ({"largest": 0}, "may have 1..1 columns, not 0"),
        ({"largest": 2}, "may have 1..1 columns, not 2"),
        ({"budget_seconds": -1.0}, "not -1.0"),
        ({"budget_seconds": NAN}, "not nan"),
        ({"budget_seconds": 0}, "before the first set was measured; give more seconds"),
        ({"budget_seconds": 0, "has_descent": True}, "before the first set was measured; give more seconds"),
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"ranked": 0}, "must be ranked, not 0"),
        ({"arguments": {"width": 0}}, "unknown parameter 'width'"),
    ],
)
def test_wrong_arguments_are_said(searched, given, sentence):
    """Each names the rule and the value; a budget without a single set has no best one."""
    with pytest.raises(UserError, match=sentence):
        searched({"a": 1.0}, **given)


FAULTS = [
    *(
        (error, f"failed with {type(error).__name__}")
        for error in (RuntimeError("Alice, 1971"), KeyError("a"))
    ),
    *((error, f"failed with {type(error).__name__}") for error in (SystemExit(0), GeneratorExit())),
    (None, "returned NoneType, not Termination"),
    (A, "returned frozenset, not Termination"),
    ((A, 1.0), "returned tuple, not Termination"),
]


@pytest.mark.parametrize(("answer", "words_"), FAULTS)
def test_a_strategys_fault_names_its_plugin(answer, words_):
    """Only a Termination ends a search; the kind of error is told: its words could carry a value."""

    def search(problem, _arguments, _seed):
        problem.evaluate([A])
        if isinstance(answer, BaseException):
            raise answer
        return answer

    with pytest.raises(PluginError) as said:
        run_search(make_measurer({"m": len}), sum_of({"m": 1}), Strategy(search), candidates="a", owner=OWNER)
    assert str(said.value) == f"{OWNER}: search strategy 'fake' {words_}; mend the plugin"


@pytest.mark.parametrize("error", [PluginError("a metric"), UserError("too many sets"), MemoryError()])
def test_what_is_said_on_purpose_is_passed_on(searched, error):
    """A strategy may refuse a task in its own words; a metric's fault names the metric's plugin."""

    def look(_problem):
        raise error

    with pytest.raises(type(error)) as said:
        searched({"a": 1.0}, look, owner=OWNER)
    assert said.value is error


def test_parameters_that_fail_and_no_set_are_the_plugins_fault(searched):
    """Even asking for the parameters is guarded; there is no best set of none."""
    strategy = evaluating("a")
    strategy.parameters = 3
    with pytest.raises(PluginError, match="failed with TypeError; mend the plugin"):
        run_search(make_measurer({"m": len}), sum_of({"m": 1}), strategy, candidates="a", owner=OWNER)
    with pytest.raises(PluginError, match=f"{OWNER}: the search strategy evaluated no set"):
        searched({"a": 1.0}, lambda _: None, owner=OWNER)


@pytest.mark.parametrize(
    ("qids", "sentence"),
    [
        (frozenset(), "the empty set is no candidate"),
        (frozenset("az"), "column 'z' is no candidate"),
        (frozenset("abc"), "a set may have 2 columns, not 3"),
    ],
)
def test_sets_outside_the_space_are_refused(searched, qids, sentence):
    """The strategy hears a ValueError; left alone it becomes the plugin's fault."""

    def look(problem):
        with pytest.raises(ValueError, match=sentence):
            problem.evaluate([qids])
        with pytest.raises(ValueError, match=sentence):
            problem.evaluate([A], current=qids)
        problem.evaluate([qids])

    with pytest.raises(PluginError, match="failed with ValueError"):
        searched({"abc": 1.0, "a": 1.0}, look, largest=2)


def test_where_no_set_has_a_fitness_the_reason_is_said(searched, search_by):
    """All sets lack the figure, or the divisors are never positive."""
    with pytest.raises(NotMeasurable, match="of the first one: figure 0 of 2 columns does not exist"):
        searched({"ab": NAN, "a": NAN, "b": NAN})
    zero = {"m": len, "by": lambda _: 0.0}
    with pytest.raises(NotMeasurable, match="divisors add up to no positive number"):
        search_by(lambda p: p.evaluate([A]) and None, zero, {"m": 1}, by={"by": 1}, candidates="a")


FIGURES = {"a": 1.0, "b": 3.0, "ab": 7.0, "c": NAN}
CHANGE = Objective(
    name="change", title="Change", terms=(Term(metric="m"), Term(metric="delta_m", weight=10.0))
)


def figure(qids):
    """Return what is written down of a set."""
    return FIGURES["".join(sorted(qids))]


BY_BASE = make_measurer({"m": figure, "delta_m": figure})
BY_BASE.questions = (BY_BASE.questions[0], Question(metric=metric("m"), arguments={}))
BY_ITSELF = make_measurer({"m": figure, "delta_m": lambda _: NAN}, {"delta_m": {"change_of": "m"}})


@pytest.mark.parametrize("measurer", [BY_BASE, BY_ITSELF], ids=["of the base metric", "of its own"])
@pytest.mark.parametrize(
    ("sets", "current", "expected"),
    [
        ([A, AB], None, [(1.0, 1.0, (1.0, 0.0)), (7.0, 7.0, (7.0, 0.0))]),
        ([AB, A, B], B, [(47.0, 7.0, (7.0, 0.0)), (-19.0, 1.0, (1.0, 0.0)), (3.0, 3.0, (3.0, 0.0))]),
        ([A, C], C, [(1.0, 1.0, (1.0, 0.0)), (-INF, -INF, None)]),
    ],
)
def test_a_change_is_the_difference_from_the_current_set(measurer, sets, current, expected):
    """M(x) − M(x_prev), weighted; 0 without a current set or with one that has no figure."""

    def search(problem, _arguments, _seed):
        found = problem.evaluate(sets, current=current)
        told = [(e.fitness, e.own_fitness, None if e.fitness == -INF else e.values) for e in found]
        assert told == expected
        return Termination()

    best = run_search(measurer, CHANGE, Strategy(search), candidates="abc").best
    assert best.fitness == max(own for _, own, _ in expected)


def test_a_change_needs_the_figure_of_what_changes():
    """A set without it has no fitness, even as the first one."""
    measurer = make_measurer({"n": len, "delta_m": lambda _: 0, "m": figure}, {"delta_m": {"change_of": "m"}})
    objective = Objective(name="x", title="X", terms=(Term(metric="n"), Term(metric="delta_m")))
    found = run_search(measurer, objective, evaluating("c", "a"), candidates="ac")
    assert [e.qids for e in found.ranked] == [A]
    lonely = make_measurer({"delta_m": len}, {"delta_m": {"change_of": "m"}})
    objective = Objective(name="x", title="X", terms=(Term(metric="delta_m"),))
    for measured, asked, said in (
        (lonely, objective, "'delta_m' is a change; measure 'm' too"),
        (make_measurer({"m": len}), CHANGE, "2 terms need as many questions, not 1"),
    ):
        with pytest.raises(ValueError, match=said):
            run_search(measured, asked, evaluating("a"), candidates="a")


def made(terms, divisors=()):
    """Return an objective with these weights."""
    named = [[Term(metric=f"m{i}", weight=w) for i, w in enumerate(some)] for some in (terms, divisors)]
    return Objective(name="x", title="X", terms=tuple(named[0]), divisors=tuple(named[1]))


@pytest.mark.parametrize(
    ("terms", "divisors", "figures", "expected"),
    [
        ((2.0, -1.0), (), (3.0, 4.0), 2.0),
        ((1.0,) * 10, (), (0.1,) * 10, 1.0),
        ((1.0,), (2.0,), (3.0, 0.5), 3.0),
        ((1.0,), (2.0,), (3.0, 0.0), -INF),
        ((1.0,), (-2.0,), (3.0, 1.0), -INF),
        ((0.0, 1.0), (), (NAN, 1.0), -INF),
        ((1.0, -1.0), (), (INF, INF), -INF),
        ((1.0, 1.0), (), (INF, 1.0), INF),
        ((1.0, 1.0), (), (1e308, 1e308), -INF),
        ((1.0,), (1.0,), (1.0, INF), 0.0),
        ((1.0,), (1.0,), (INF, INF), -INF),
    ],
)
def test_fitness_is_the_weighted_sum_by_the_divisors(terms, divisors, figures, expected):
    """A sum that is exactly rounded; −inf wherever there is no number."""
    assert expected == made(terms, divisors).fitness(figures)


def test_an_objective_has_at_least_one_term_and_terms_only():
    """Without a term every set would be as good as any other; a figure too few is a mistake."""
    for terms in ((), ("distinction",)):
        with pytest.raises(ValueError, match="at least one term, and terms only"):
            Objective(name="x", title="X", terms=terms)
    with pytest.raises(ValueError, match="at least one term"):
        made((), (1.0,))
    with pytest.raises(ValueError, match="shorter"):
        made((1.0, 1.0)).fitness([1.0])
