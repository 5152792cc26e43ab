"""Recognition of known quasi-identifiers, through the engine."""

import pytest

from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.search.questions import questions_of
from qidguard.search.run import run_search
from qidguard_qidlearning.generators import labeled_table
from qidguard_qidlearning.metrics import METRICS
from qidguard_qidlearning.objectives import RECOGNITION
from qidguard_qidlearning.searches import SEARCH_STRATEGIES

NAMED = {metric.name: (metric, "qidlearning") for metric in METRICS}
SEARCHES = [s for s in SEARCH_STRATEGIES if s.name not in {"branch_and_bound", "exhaustive"}]


def found(made, strategies):
    """Return the set that each strategy finds."""
    with ENGINE.open(made.frame, ReadOptions(), Needs(columns=made.candidates), EngineSettings()) as table:
        measurer = SubsetMeasurer(table, made.candidates, questions_of(RECOGNITION, NAMED.__getitem__, {}))
        return {
            s.name: set(run_search(measurer, RECOGNITION, s, candidates=made.candidates, seed=1).best.qids)
            for s in strategies
        }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_quasi_identifiers_are_found_and_nothing_else(seed):
    """No derived column, no flag and no measurement; every strategy finds all six."""
    made = labeled_table(records=4000, seed=seed, is_masked=True)
    truth = set(made.quasi_identifiers)
    assert found(made, SEARCHES) == {strategy.name: truth for strategy in SEARCHES}


@pytest.mark.slow
def test_a_column_that_looks_like_one_is_taken_for_one():
    """Counts cannot know who holds a column: lookalikes are found as well, and F1 is what is attainable."""
    made = labeled_table(records=4000, seed=0, lookalikes=2)
    expected = {*made.quasi_identifiers, *made.lookalikes}
    assert found(made, SEARCHES[:1]) == {SEARCHES[0].name: expected}
    truth = len(made.quasi_identifiers)
    assert 2 * truth / (truth + len(expected)) == made.attainable_f1
