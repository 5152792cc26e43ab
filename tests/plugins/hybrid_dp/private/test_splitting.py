"""A budget is split in exact numbers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard_hybrid_dp.private.plan import split

POSITIVE = st.fractions(min_value=Fraction(1, 1000), max_value=1000)


@given(total=POSITIVE, weights=st.lists(POSITIVE, min_size=1, max_size=12))
def test_shares_add_up_to_the_total_exactly(total, weights):
    """They sum to it without a rest, and are as their weights."""
    shares = split(total, weights)
    assert sum(shares) == total
    assert all(
        share * weights[0] == shares[0] * weight for share, weight in zip(shares, weights, strict=True)
    )


def test_thirds_are_thirds():
    """Floats could not say so."""
    assert split(Fraction(1), [Fraction(1)] * 3) == (Fraction(1, 3),) * 3


@pytest.mark.parametrize("weights", [[], [Fraction(0)], [Fraction(1), Fraction(-1)]])
def test_weights_are_above_zero(weights):
    """There is at least one, and none is 0 or less."""
    with pytest.raises(ValueError, match="above 0"):
        split(Fraction(1), weights)
