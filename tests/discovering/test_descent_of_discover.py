"""Every search ends where no part of what it found is better, whichever strategy looked."""

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import qidguard
from qidguard.host import load_host

OBJECTIVES = ({"distinction": 1}, {"separation": 1, "column_count": -0.2}, "recognition")
CELLS = st.tuples(*(st.integers(0, n) for n in (1, 2, 3, 4, 2)))
TABLES = st.lists(CELLS, min_size=6, max_size=14, unique=True)
BY_RULE = {"qir", "sqi"}
"""Strategies whose answer a rule chooses, whatever its fitness: there is no descent from it."""


@pytest.mark.slow
@pytest.mark.parametrize("strategy", sorted({*load_host().search_strategies} - BY_RULE))
def test_no_prefix_of_an_explained_way_is_better(strategy):
    """On any table, by any objective: what is found is at least as good as every set on the ways to it."""

    @settings(
        max_examples=4,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(TABLES, st.sampled_from(OBJECTIVES[:2] if strategy == "branch_and_bound" else OBJECTIVES))
    def holds(rows, objective):
        table = pd.DataFrame(rows, columns=list("vwxyz"))
        candidates = [name for name in table if len(set(table[name])) > 1]
        found = qidguard.discover(
            table,
            strategy=strategy,
            objective=objective,
            candidates=candidates,
            budget_seconds=float("inf"),
        )
        assert found.search.choice is None
        assert max(e.fitness for way in found.explained for e in way) <= found.best.fitness

    holds()
