import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard_qidlearning.searches.dominance import distances, fronts, places

ROWS = st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0, 2.0])] * 2), min_size=1, max_size=15)


def dominates(one, other):
    """Whether a row is nowhere lower and somewhere higher."""
    return one != other and all(a >= b for a, b in zip(one, other, strict=True))


@settings(max_examples=examples(100), deadline=None, derandomize=True, database=None)
@given(ROWS)
def test_a_rank_is_one_more_than_that_of_who_dominates_it(rows):
    """Held against the definition: the longest chain of dominating rows."""

    def rank(row):
        return max((rank(other) + 1 for other in rows if dominates(other, row)), default=0)

    assert [rank(row) for row in rows] == fronts(np.array(rows)).tolist()


@settings(max_examples=examples(100), deadline=None, derandomize=True, database=None)
@given(ROWS)
def test_places_are_a_ranking(rows):
    """Each place once, and a lower rank is always before a higher one."""
    found = places(np.array(rows))
    assert sorted(found) == list(range(len(rows)))
    ranks = fronts(np.array(rows))
    assert [ranks[i] for i in np.argsort(found)] == sorted(ranks)


def test_crowding_is_the_box_between_neighbors():
    """On a line 0, 1, 3, 4 the inner ones have (3 − 0)/4 and (4 − 1)/4 for each term; the ends go first."""
    values = np.array([[0.0, 4.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]])
    assert distances(values).tolist() == [np.inf, 1.5, 1.5, np.inf]
    assert places(values) == [0, 2, 3, 1]


def test_a_row_without_a_number_comes_last():
    """It is dominated by everybody, and so is none else by it."""
    assert places(np.array([[np.nan, 9.0], [0.0, 0.0], [1.0, 1.0]])) == [2, 1, 0]


@pytest.mark.parametrize("column", [[1.0, 1.0, 1.0], [-np.inf, 0.0, 1.0]])
def test_a_term_without_a_finite_span_says_nothing(column):
    """No division by zero or infinity."""
    assert distances(np.array([column]).T).tolist() == [0.0, 0.0, 0.0]
