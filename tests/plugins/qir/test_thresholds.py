"""α and β: what is refused, and what is proposed."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.core.parameter import bind
from qidguard.sdk import NotMeasurable, UserError
from qidguard_qir.classification import classify
from qidguard_qir.thresholds import (
    THRESHOLD_PARAMETERS,
    Thresholds,
    both_or_none,
    given_thresholds,
    propose_thresholds,
)


@pytest.mark.parametrize("wrong", [-0.1, 100.1, math.nan, math.inf, "9", None, True])
def test_a_threshold_is_a_percentage(wrong):
    """Outside 0 to 100, or no number: a sentence with the name and the value."""
    with pytest.raises(UserError, match=r"alpha must be a risk in percent, 0 to 100, not "):
        Thresholds(alpha=wrong, beta=0)
    with pytest.raises(UserError, match="beta must be"):
        Thresholds(alpha=100, beta=wrong)


def test_beta_lies_not_above_alpha():
    """They may be equal; the paper's bank table has β = 0."""
    with pytest.raises(UserError, match=r"beta must be at most alpha, and 30 % lies above 0\.2 %"):
        Thresholds(alpha=0.2, beta=30)
    assert Thresholds(alpha=30, beta=0).beta == Thresholds(alpha=0, beta=0).alpha == 0


def test_they_stand_in_the_widest_gaps_near_both_ends():
    """Six risks: at most two above and two below; 100:4 and 1:.01 are the widest there."""
    found = propose_thresholds([4, 100, 2, 3, 1, 0.01])
    assert (found.alpha, found.beta) == (20.0, pytest.approx(0.1))
    assert found.is_proposed
    assert found.reason.startswith("proposed: α in the widest gap above, from 4 % to 100 %")
    assert found.sureness == pytest.approx(1 - math.log(2) / math.log(100))


def test_equal_risks_stay_together():
    """Of three columns of equal least risk none is torn from the others."""
    found = propose_thresholds([50, 5, 5, 1, 1, 1])
    assert found.alpha == pytest.approx(math.sqrt(250))
    assert found.beta == pytest.approx(math.sqrt(5))
    assert found.sureness == 0


@pytest.mark.parametrize("risks", [[], [1.0], [1.0, 2.0, 2.0], [2, 2, 2, 2, 2, 1]])
def test_too_few_different_risks_suggest_nothing(risks):
    """Two groups are not three."""
    with pytest.raises(NotMeasurable, match="different risks make no three groups"):
        propose_thresholds(risks)


def test_columns_that_were_set_apart_are_counted_beside_the_risks_that_are_left():
    """Two keys and a constant leave none of three columns: the sentence says where they went."""
    table = {"id": range(9), "code": list("abcdefghi"), "site": [1] * 9, "sex": list("fmfmfmfmf")}
    left = (
        r"1 different risks make no three groups \(columns set apart: 2 with a risk from 50 % on, 1 with one"
    )
    with pytest.raises(NotMeasurable, match=left):
        classify(pd.DataFrame(table))


@given(st.lists(st.floats(1e-6, 100), min_size=3, max_size=12).filter(lambda x: len(set(x)) >= 3))
def test_each_proposal_makes_three_groups_or_says_why_not(risks):
    """Whatever the risks, a proposal has columns on all three sides, and does not hang on their order."""
    try:
        found = propose_thresholds(risks)
    except NotMeasurable:
        return
    above = [r for r in risks if r > found.alpha]
    below = [r for r in risks if r < found.beta]
    assert above
    assert below
    assert len(above) + len(below) < len(risks)
    assert 0 <= found.sureness <= 1
    assert propose_thresholds(risks[::-1]) == found


def test_a_policy_gives_both_or_none():
    """Without parameters they are proposed; one alone is a mistake."""
    assert given_thresholds(bind(THRESHOLD_PARAMETERS, {})) == (None, None)
    given = given_thresholds(bind(THRESHOLD_PARAMETERS, {"alpha": 1, "beta": 0}))
    assert both_or_none(*given) == Thresholds(alpha=1.0, beta=0.0)
    with pytest.raises(UserError, match="alpha is missing; give both"):
        both_or_none(*given_thresholds({"beta": 3.0}))
