"""The risk that uniform cells would give (equation 2)."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import UserError
from qidguard_qir.risk import expected_risk


def as_printed(n, b, j=1):
    """Equation 2 in exact numbers."""
    return Fraction(j, n) * Fraction(b) ** (1 - n) * (Fraction(b) ** n - Fraction(b - 1) ** n)


@given(n=st.integers(1, 60), b=st.integers(1, 60), j=st.integers(1, 5))
def test_it_is_the_printed_formula(n, b, j):
    """Held against exact fractions, to a few units in the last digit."""
    assert expected_risk(n, b, found=j) == pytest.approx(float(as_printed(n, b, j)), rel=4e-15)


@pytest.mark.parametrize(
    ("n", "b"), [(10**9, 10**12), (10**12, 10**9), (10**9, 10**9), (10**9, 2), (1, 10**12)]
)
def test_large_numbers_neither_overflow_nor_lose_digits(n, b):
    """Held against the series of (1 − 1/b)ⁿ in exact fractions, in logarithms where that is short."""
    logarithm = -sum(Fraction(n, k * b**k) for k in range(1, 80 if b == 2 else 6))
    emptied = math.exp(float(logarithm))
    exact = float(Fraction(b, n)) * (1 - emptied if emptied < 0.5 else -math.expm1(float(logarithm)))
    assert expected_risk(n, b) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, math.nan, "9"])
def test_it_refuses_what_is_no_number_of_persons(wrong):
    """The sentence names the argument and the value."""
    with pytest.raises(UserError, match=r"persons must be a whole number of at least 1, not "):
        expected_risk(wrong, 2)
    with pytest.raises(UserError, match="cells must be"):
        expected_risk(2, wrong)
    with pytest.raises(UserError, match="found must be"):
        expected_risk(2, 2, found=wrong)
