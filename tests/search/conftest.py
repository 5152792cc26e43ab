"""Searches over figures that are written down."""

import pytest

from qidguard.sdk import Termination
from qidguard.search.run import run_search
from written_figures import Strategy, make_measurer, sum_of


@pytest.fixture(scope="session")
def search_by():
    """Return a search by a function of the problem, over functions of a set: name → figure."""

    def run(look, figures, weights=None, *, by=None, facts=None, before=lambda _: None, **more):
        def search(problem, _arguments, _seed):
            return look(problem) or Termination()

        measurer = make_measurer(figures, facts, before=before)
        objective = sum_of(dict.fromkeys(figures, 1.0) if weights is None else weights, by)
        return run_search(measurer, objective, Strategy(search), **more)

    return run


@pytest.fixture(scope="session")
def searched(search_by):
    """Return a search over written-down values, word → fitness, that looks at all of them or as told."""

    def run(values, look=None, **more):
        def every(problem):
            problem.evaluate([frozenset(word) for word in values])

        given = {"candidates": sorted(set("".join(values)))} | more
        return search_by(look or every, {"m": lambda qids: values["".join(sorted(qids))]}, **given)

    return run
