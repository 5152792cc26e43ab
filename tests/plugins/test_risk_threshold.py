"""The threshold of a risk as a whole number, against fractions."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard_standard.metrics.risk_threshold import LARGEST_SIZE, smallest_size_at


@pytest.mark.parametrize("size", [3, 5, 7, 10, 20, 25, 40, 50, 80, 100, 125, 1000])
def test_reciprocals_are_exact(size):
    """Written as a decimal, 1/size of these sizes is met by the size and exceeded below it."""
    written = Decimal(1) / Decimal(size)
    expected = size if Fraction(written) == Fraction(1, size) else size + 1
    assert smallest_size_at(float(written)) == expected


@given(hundredths=st.integers(1, 10_000), size=st.integers(1, 20_000))
def test_equals_the_comparison_in_fractions(hundredths, size):
    """A class is smaller than the limit exactly when 1/size > τ, for every τ of four decimals."""
    assert (size < smallest_size_at(hundredths / 10_000)) == (
        Fraction(1, size) > Fraction(hundredths, 10_000)
    )


def test_ends_of_the_range():
    """Nothing is above 1, everything is above 0, and SQL can hold the size of the smallest float."""
    assert smallest_size_at(1.0) == 1
    assert smallest_size_at(0.0) == LARGEST_SIZE
    assert smallest_size_at(5e-324) == LARGEST_SIZE
