"""The front of loss and entropy against every way to put records into two clusters."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qidguard.sdk import Anonymized, NotMeasurable, Solutions, front_of, k_anonymity_task, records_of
from qidguard_mo_obam.anonymizer import MoObam
from qidguard_mo_obam.evaluation.case import StudyCase
from qidguard_mo_obam.evaluation.studies import weigh_grid
from qidguard_mo_obam.loss import centers_of, least_entropy
from qidguard_mo_obam.moves.front import Point, front, parted_by_values
from qidguard_mo_obam.moves.limits import ClusterLimits
from qidguard_mo_obam.problem import problem_of
from qidguard_mo_obam.several import supported

FRAME = pd.DataFrame(
    {"age": [20, 20, 23, 31, 40, 42, 47, 55], "sa": ["a", "a", "a", "b", "b", "c", "c", "c"]}
)
TASK = k_anonymity_task(2, ["age"], sensitive=["sa"])
DEFAULTS = {one.name: one.default for one in MoObam.parameters}


def two_clusters():
    """Return the table's records as rows and a start with two clusters of four."""
    problem = problem_of(records_of(FRAME), TASK)
    return parted_by_values(problem, (problem.numbers[problem.combination, 0] > 35).astype(np.int64))


def every(problem, k):
    """Return (loss, entropy) of all ways to put the rows into two clusters of k."""
    found = set()
    for sides in product((0, 1), repeat=problem.rows):
        side = np.array(sides)
        if min(np.bincount(side, weights=problem.persons, minlength=2)) >= k:
            loss = float(centers_of(problem, side, 2).losses.sum())
            found.add((round(loss, 6), round(least_entropy(problem, side), 6)))
    return found


@pytest.mark.slow
def test_no_assignment_is_better_at_any_price_of_a_bit():
    """Whatever a bit of entropy is worth in loss, no assignment to as many clusters beats the front."""
    problem, start = two_clusters()
    points = front(problem, start, ClusterLimits(k=3), seed=1, moves=300)
    found = {(round(point.loss, 6), round(point.entropy, 6)) for point in points}
    reached = every(problem, 3)
    assert found <= reached
    for price in np.geomspace(1.0, 1e5, 11):
        best = min(loss - price * bits for loss, bits in reached)
        assert min(loss - price * bits for loss, bits in found) == pytest.approx(best)


def chosen(weight, **task):
    """Return what a run at λ gives."""
    arguments = {**DEFAULTS, "k": 3, "n_c": 2, "lambda": weight}
    return MoObam().anonymize(records_of(FRAME), arguments, replace(TASK, seed=1, **task))


@pytest.mark.slow
def test_lambda_moves_along_the_front():
    """Hardly any λ takes the least loss, a large one the most entropy, of the same front."""
    found = [chosen(weight, wants_several=True) for weight in (1e-6, 1e6)]
    assert all(isinstance(one, Solutions) for one in found)
    figures, again = ([dict(each.figures) for each in one.solutions] for one in found)
    assert figures == again
    losses, bits = ([each[name] for each in figures] for name in ("information_loss", "least_entropies"))
    assert (losses, bits) == (sorted(losses), sorted(bits))
    assert [one.chosen for one in found] == [0, len(losses) - 1]
    assert len({each.label for each in found[0].solutions}) == len(losses)
    assert all(each["clusters"] == 2 for each in figures)


@pytest.mark.slow
def test_one_solution_is_the_chosen_of_several():
    """Where several are not wanted, the one is what would have been chosen of them."""
    several, one = chosen(0.1, wants_several=True), chosen(0.1)
    assert isinstance(one, Anonymized)
    of_several = several.solutions[several.chosen].anonymized
    assert one.columns["age"].codes.tolist() == of_several.columns["age"].codes.tolist()
    assert one.notes == of_several.notes


def test_a_front_needs_clusters_that_keep_k():
    """Two clusters of five cannot be made of eight persons."""
    problem, start = two_clusters()
    with pytest.raises(NotMeasurable, match=r"^no assignment to 2 clusters that keeps k"):
        front(problem, start, ClusterLimits(k=5), seed=1, moves=50)


NOBODY = np.empty(0, dtype=np.int64)
PLACES = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 40)), min_size=1, max_size=12)


@given(places=PLACES)
@example(places=[(10, 0), (11, 20), (40, 30)])
def test_what_some_lambda_takes_is_kept(places):
    """The least objective (18) over all points is that over the supported ones, whatever λ is."""
    drawn = sorted(set(places))
    found = sorted(front_of(np.array([(loss, -bits) for loss, bits in drawn])))
    points = tuple(Point(assignment=NOBODY, loss=drawn[at][0], entropy=drawn[at][1] / 10) for at in found)
    kept = supported(points, 4.0)
    for weight in np.geomspace(0.01, 20.0, 60):
        of = [1 - points[0].loss / one.loss - weight * one.entropy / 4.0 for one in points]
        assert min(of[at] for at in kept) == pytest.approx(min(of))


@pytest.mark.slow
def test_a_grid_takes_what_a_run_with_its_lambda_takes():
    """One front serves all λ at an n_C; each setting has the figures that a run of its own has."""
    frame = pd.concat([FRAME.assign(age=FRAME["age"] + more) for more in (0, 1, 2)])
    case = StudyCase.of(frame, ["age"], ["sa"])
    grid = weigh_grid(frame, ["age"], ["sa"], k=[3], n_c=[2, 3], weights=(1.0, 0.3, 0.01, 0.0))
    assert len(grid.weighed) == 8
    for one in grid.weighed:
        alone = case.tried("mo_obam", one.setting.k, one.setting.told)
        assert one.trial.figures == alone.figures
        assert one.trial.settings == alone.settings
