"""Whatever a strategy or a metric does wrong is said in one sentence that names who is at fault."""

import math

import pytest

from qidguard.sdk import NotMeasurable, PluginError, Termination, UserError
from qidguard.search.run import run_search

OWNER = "plugin 'x' of x-plugin 1.0"


def raising(error):
    """Return a strategy function that raises."""

    def search(problem, _arguments, _seed):
        problem.evaluate([frozenset("a")])
        raise error

    return search


@pytest.mark.parametrize(
    "error", [RuntimeError("Alice, 1971"), SystemExit(0), GeneratorExit(), KeyError("a")]
)
def test_a_strategys_exception_names_its_plugin(searched, strategy_of, error):
    """The sentence carries the kind of error only: its words could carry a value of the table."""
    with pytest.raises(PluginError) as said:
        searched({"a": 1.0}, strategy_of(raising(error)), owner=OWNER)
    kind = type(error).__name__
    assert str(said.value) == f"{OWNER}: search strategy 'fake' failed with {kind}; mend the plugin"


@pytest.mark.parametrize("error", [UserError("too many sets"), PluginError("a metric"), MemoryError()])
def test_what_is_said_on_purpose_is_passed_on(searched, strategy_of, error):
    """A strategy may refuse a task in its own words; a metric's fault names the metric's plugin."""
    with pytest.raises(type(error)) as said:
        searched({"a": 1.0}, strategy_of(raising(error)), owner=OWNER)
    assert said.value is error


@pytest.mark.parametrize("answer", [None, frozenset("a"), (frozenset("a"), 1.0)])
def test_a_wrong_return_type_is_the_plugins_fault(searched, strategy_of, answer):
    """Only a Termination ends a search."""

    def search(problem, _arguments, _seed):
        problem.evaluate([frozenset("a")])
        return answer

    with pytest.raises(
        PluginError, match=f"returned {type(answer).__name__}, not Termination; mend the plugin"
    ):
        searched({"a": 1.0}, strategy_of(search), owner=OWNER)


def test_parameters_that_fail_are_the_plugins_fault(searched, evaluating):
    """Even asking for the parameters is guarded."""
    strategy = evaluating("a")
    strategy.parameters = 3
    with pytest.raises(PluginError, match="failed with TypeError; mend the plugin"):
        searched({"a": 1.0}, strategy, owner=OWNER)


def test_a_strategy_that_evaluates_nothing_is_at_fault(searched, strategy_of):
    """There is no best set of none."""
    with pytest.raises(PluginError, match=f"{OWNER}: the search strategy evaluated no set"):
        searched({"a": 1.0}, strategy_of(lambda *_: Termination()), owner=OWNER)


@pytest.mark.parametrize(
    ("qids", "sentence"),
    [
        (frozenset(), "the empty set is no candidate"),
        (frozenset("az"), "column 'z' is no candidate"),
        (frozenset("abc"), "a set may have 2 columns, not 3"),
    ],
)
def test_sets_outside_the_space_are_refused(searched, strategy_of, qids, sentence):
    """The strategy hears a ValueError; left alone it becomes the plugin's fault."""

    def search(problem, _arguments, _seed):
        with pytest.raises(ValueError, match=sentence):
            problem.evaluate([qids])
        with pytest.raises(ValueError, match=sentence):
            problem.evaluate([frozenset("a")], current=qids)
        problem.evaluate([qids])
        return Termination()

    with pytest.raises(PluginError, match="failed with ValueError"):
        searched({"abc": 1.0, "a": 1.0}, strategy_of(search), largest=2)


def test_a_table_without_a_figure_gives_the_first_sets_reason(searched):
    """All sets lack the figure: the first one's reason is said."""
    with pytest.raises(NotMeasurable, match="of the first one: figure 0 of 2 columns does not exist"):
        searched({"ab": math.nan, "a": math.nan, "b": math.nan})


def test_divisors_that_are_never_positive_are_said(make_measurer, sum_of, evaluating):
    """Every figure exists and still no set has a fitness."""
    measurer = make_measurer({"m": len, "by": lambda _: 0.0})
    with pytest.raises(NotMeasurable, match="divisors add up to no positive number"):
        run_search(measurer, sum_of({"m": 1}, {"by": 1}), evaluating("a"), candidates="a")
