"""Searches over figures that are written down."""

import pytest

import written_figures
from qidguard.sdk import Termination
from qidguard.search.run import run_search


@pytest.fixture(scope="session")
def make_metric():
    """Return a maker of metrics."""
    return written_figures.metric


@pytest.fixture(scope="session")
def make_measurer():
    """Return a maker of measurers."""
    return written_figures.make_measurer


@pytest.fixture(scope="session")
def sum_of():
    """Return a maker of objectives."""
    return written_figures.sum_of


@pytest.fixture(scope="session")
def strategy_of():
    """Return a maker of strategies from a function (problem, arguments, seed)."""
    return written_figures.Strategy


@pytest.fixture(scope="session")
def evaluating():
    """Return a strategy that evaluates the given sets, written as words of one-letter columns."""

    def make(*words, **finish):
        def search(problem, _arguments, _seed):
            problem.evaluate([frozenset(word) for word in words])
            return Termination(**finish)

        return written_figures.Strategy(search)

    return make


@pytest.fixture
def searched(make_measurer, sum_of, evaluating):
    """Return a search over written-down values: word → fitness."""

    def run(values, strategy=None, **more):
        measurer = make_measurer({"m": lambda qids: values["".join(sorted(qids))]})
        columns = sorted(set("".join(values)))
        given = {"candidates": columns} | more
        return run_search(measurer, sum_of({"m": 1.0}), strategy or evaluating(*values), **given)

    return run


@pytest.fixture(scope="session")
def timeless():
    """Return a function that takes the times out of a result."""
    return written_figures.without_times
