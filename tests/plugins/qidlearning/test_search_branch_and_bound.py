from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import NotMeasurable, StoppedBy, UserError
from qidguard.search.run import run_search
from qidguard_qidlearning.objectives import OBJECTIVES
from qidguard_qidlearning.searches import branch_and_bound
from qidguard_qidlearning.searches.branch_and_bound import BranchAndBound
from qidguard_qidlearning.searches.exhaustive import Exhaustive
from written_figures import counted, letters, make_measurer, sum_of

COLUMNS = "uvwxyz"
WEIGHTS = st.sampled_from([-2.0, -0.3, 0.0, 0.2, 1.0, 5.0])
LINEAR, RATIO = (next(o for o in OBJECTIVES if o.name == name) for name in ("linear", "ratio"))


@settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
@given(
    seed=st.integers(0, 50),
    weights=st.tuples(*[WEIGHTS] * 4),
    largest=st.integers(1, 6),
    records=st.integers(2, 25),
)
def test_it_proves_what_an_exhaustive_search_finds(seed, weights, largest, records):
    """The same set, ties included, for weights of either sign, tables of any size and sets up to a size."""
    names = ("distinction", "separation", "mean_class_size", "attribute_length_penalty")
    measurer = counted(letters(seed, records=records), COLUMNS)
    measurer.questions = tuple(f for f in measurer.questions if f.metric.name in names)
    measurer.functions = {name: measurer.functions[name] for name in names}
    objective = sum_of(dict(zip(names, weights, strict=True)))
    # on tables as small as these the climb it begins with would find most optima before it
    with patch.object(branch_and_bound, "climb", lambda _problem, _space, start: start):
        both = [
            run_search(measurer, objective, strategy, candidates=COLUMNS, largest=largest)
            for strategy in (Exhaustive(), BranchAndBound())
        ]
    assert both[0].best == both[1].best
    assert both[0].is_optimum
    assert both[1].is_optimum


@pytest.mark.samples(1)
@pytest.mark.parametrize("objective", [LINEAR, RATIO], ids=lambda o: o.name)
@pytest.mark.parametrize("seed", range(3))
def test_sums_and_ratios_are_proven_with_few_sets(objective, seed):
    """Of 1,023 sets of ten columns less than half are measured."""
    columns = "abcdefghij"
    measurer = counted(letters(seed, columns=10, records=200), columns)
    found = run_search(measurer, objective, BranchAndBound(), candidates=columns)
    assert found.is_optimum
    assert found.evaluations < 512
    assert found.best == run_search(measurer, objective, Exhaustive(), candidates=columns).best


def test_an_objective_without_bounds_is_refused():
    """A metric of which nothing is known bounds nothing."""
    measurer = make_measurer({"m": len})
    with pytest.raises(UserError, match="metrics that are monotone or depend on the number of columns only"):
        run_search(measurer, sum_of({"m": 1}), BranchAndBound(), candidates="abc")
    assert measurer.asked == []


def test_too_many_parts_give_up_the_proof():
    """With room for one part nothing is proven, and the best seen comes back."""
    measurer = counted(letters(1), COLUMNS)
    objective = sum_of(dict.fromkeys(measurer.functions, 0.0) | {"distinction": 1.0})
    found = run_search(measurer, objective, BranchAndBound(), candidates=COLUMNS, arguments={"nodes": 1})
    assert not found.is_optimum
    assert found.stopped_by is StoppedBy.FINISHED
    assert "were not looked into" in found.reason


def test_sets_that_cannot_be_measured_are_not_proven_away():
    """Where no set has a figure there is no optimum either."""
    measurer = make_measurer({"m": lambda _: float("nan")}, {"m": {"is_of_size": True}})
    with pytest.raises(NotMeasurable, match="figure 0"):
        run_search(measurer, sum_of({"m": 1}), BranchAndBound(), candidates="abc")
