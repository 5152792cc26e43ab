"""Every search ends where no part of what it found is better, whichever strategy looked."""

import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import qidguard
from qidguard.host import load_host
from qidguard.sdk import Termination

OBJECTIVES = ({"distinction": 1}, {"separation": 1, "column_count": -0.2}, "recognition")
CELLS = st.tuples(*(st.integers(0, n) for n in (1, 2, 3, 4, 2)))
TABLES = st.lists(CELLS, min_size=6, max_size=14, unique=True)
BY_RULE = {"qir", "sqi"}
"""Strategies whose answer a rule chooses, whatever its fitness: there is no descent from it."""


class Whole:
    """A strategy that looks at the set of all columns only, which is hardly ever the best."""

    name = "whole"
    title = "Whole"
    parameters = ()

    def search(self, problem, _arguments, _seed):
        """Look at one set."""
        problem.evaluate([frozenset(problem.candidates)])
        return Termination()


def no_prefix_is_better(strategy, host, *, examples, objectives=OBJECTIVES):
    """Check that what is found is at least as good as every set on the ways to it, on any table."""

    @settings(
        max_examples=examples,
        deadline=None,
        phases=(Phase.generate,),  # the tables are small, and each search of a smaller one takes its time
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(TABLES, st.sampled_from(objectives))
    def holds(rows, objective):
        table = pd.DataFrame(rows, columns=list("vwxyz"))
        candidates = [name for name in table if len(set(table[name])) > 1]
        found = qidguard.discover(
            table,
            strategy=strategy,
            objective=objective,
            candidates=candidates,
            budget_seconds=float("inf"),
            host=host,
        )
        assert found.search.choice is None
        assert max(e.fitness for way in found.explained for e in way) <= found.best.fitness

    holds()


@pytest.mark.slow
@pytest.mark.parametrize("strategy", sorted({*load_host().search_strategies} - BY_RULE))
def test_no_prefix_of_an_explained_way_is_better(strategy):
    """On any table, by any objective: what is found is at least as good as every set on the ways to it."""
    objectives = OBJECTIVES[:2] if strategy == "branch_and_bound" else OBJECTIVES
    no_prefix_is_better(strategy, load_host(), examples=4, objectives=objectives)


@pytest.mark.slow
def test_no_prefix_is_better_however_little_a_strategy_looks(with_offers):
    """One that looks at all columns together only: the host finds the better parts itself."""
    no_prefix_is_better(
        "whole", with_offers(search_strategies=Whole()), examples=4, objectives=OBJECTIVES[1:2]
    )
