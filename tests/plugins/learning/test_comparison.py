"""The U test and the shift of importances against plain counting."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from examples import examples
from qidguard_learning.scoring import macro_f1
from qidguard_learning.utility import importance_shift, mann_whitney

SCORES = st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=1, max_size=6).map(np.array)


@settings(max_examples=examples(50), deadline=None, derandomize=True, database=None)
@given(published=SCORES, original=SCORES)
def test_the_effect_is_pairs_counted(published, original):
    """It is the share of pairs won less the share lost; swapping the two turns its sign."""
    pairs = list(itertools.product(published.tolist(), original.tolist()))
    expected = sum((p > o) - (p < o) for p, o in pairs) / len(pairs)
    p_value, effect = mann_whitney(published, original)
    assert effect == pytest.approx(expected)
    assert mann_whitney(original, published) == (pytest.approx(p_value), pytest.approx(-effect))
    assert 0 <= p_value <= 1


def test_the_p_value_by_enumeration():
    """Of the 70 ways to part eight different scores in two fours, two are as far apart: p = 2/70."""
    p_value, effect = mann_whitney(np.arange(4.0), np.arange(4.0, 8.0))
    assert (p_value, effect) == (pytest.approx(2 / 70), -1)


def test_equal_scores_do_not_differ():
    """All the same: p is 1 and the effect 0. No score at all is an error."""
    assert mann_whitney(np.full(3, 0.5), np.full(4, 0.5)) == (1, 0)
    with pytest.raises(ValueError, match="no scores"):
        mann_whitney(np.zeros(0), np.ones(3))


def test_the_shift_by_hand():
    """Shares ¾ and ¼ against ½ and ½ differ by ¼; other columns altogether by 1; nothing and nothing by 0."""
    assert importance_shift(np.array([3.0, 1.0]), np.array([2.0, 2.0])) == 0.25
    assert importance_shift(np.array([1.0, 0.0]), np.array([0.0, 5.0])) == 1
    assert importance_shift(np.zeros(2), np.zeros(2)) == 0
    assert importance_shift(np.zeros(2), np.array([0.1, 0.0])) == 1
    with pytest.raises(ValueError, match="column by column"):
        importance_shift(np.zeros(2), np.zeros(3))


@settings(max_examples=examples(50), deadline=None, derandomize=True, database=None)
@given(pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_f1_is_that_of_scikit_learn(pairs):
    """Macro F1 over the classes that occur, 0 for one that is never right."""
    truth, said = np.array(pairs).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = f1_score(truth, said, average="macro", zero_division=0)
    assert macro_f1(truth, said) == pytest.approx(expected)
