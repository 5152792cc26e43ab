"""Concentrated releases: ρ adds up exactly, and OpenDP turns the sum into ε once."""

import math
import subprocess
import sys
from fractions import Fraction

import opendp.prelude as dp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.budget import (
    Budget,
    BudgetError,
    Spend,
    _distance,
    _rounded_down,
    check_spend,
    epsilon_of,
    remaining,
)

MILLIONTH = Fraction(1, 10**6)


def by_formula(rho: float, delta: float) -> float:
    """Return the ε of Canonne, Kamath and Steinke (2020), Proposition 12 in its form for ε, by search over α.

    ε = αρ + (ln(1/δ) + (α − 1) ln(1 − 1/α) − ln α) / (α − 1), the smallest over α > 1.
    """

    def at(log: float) -> float:
        alpha = 1 + math.exp(log)
        rest = math.log(1 / delta) + (alpha - 1) * math.log1p(-1 / alpha) - math.log(alpha)
        return alpha * rho + rest / (alpha - 1)

    low, high = -15.0, 25.0
    for _ in range(40):
        points = [low + (high - low) * part / 40 for part in range(41)]
        best = min(range(41), key=lambda part: at(points[part]))
        low, high = points[max(0, best - 1)], points[min(40, best + 1)]
    return max(0.0, at((low + high) / 2))


@pytest.mark.parametrize("rho", ["1/1000", "1/10", "1/3", "3", "40"])
@pytest.mark.parametrize("delta", ["3/10", "1/100", "1/1000000", "1/1000000000000"])
def test_epsilon_is_that_of_the_literature_rounded_up(rho: str, delta: str) -> None:
    """Within 2·10⁻⁹ above the formula's, below Bun and Steinke's bound, and a whole number of 10⁻⁹."""
    found = epsilon_of(Fraction(rho), Fraction(delta))
    assert type(found) is Fraction
    given = float(Fraction(rho)), float(Fraction(delta))
    expected = by_formula(*given)
    assert -1e-12 * expected <= float(found) - expected <= 2e-9 + 1e-9 * expected
    assert found <= given[0] + 2 * math.sqrt(given[0] * math.log(1 / given[1]))
    assert (found * 10**9).denominator == 1


@given(st.fractions(min_value=0, max_value=1, max_denominator=10**40))
def test_delta_is_rounded_down_to_the_next_float(delta: Fraction) -> None:
    """The float is no more than the number, and the float above it is more."""
    found = _rounded_down(delta)
    assert Fraction(found) <= delta < Fraction(math.nextafter(found, 2))


@given(st.fractions(min_value="1/1000000", max_value=100, max_denominator=10**40))
def test_rho_is_rounded_up(rho: Fraction) -> None:
    """The noise that stands for ρ costs at least ρ by OpenDP's map, and at most some last digits more."""
    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    gaussian = dp.m.make_gaussian(*space, scale=1.0)
    cost = Fraction(gaussian.map(_distance(gaussian, rho)))
    assert rho <= cost <= rho * (1 + Fraction(1, 10**14))


def test_a_sum_beside_a_float_is_rounded_to_the_costly_side() -> None:
    """A ρ a hair above a float costs no less than it, a δ a hair below one no less either."""
    hair = Fraction(1, 10**40)
    rho, delta = Fraction(0.1), Fraction(1e-6)
    exact = epsilon_of(rho, delta)
    assert exact is not None
    for more in (epsilon_of(rho + hair, delta), epsilon_of(rho, delta - hair)):
        assert more is not None
        assert more >= exact


def test_nothing_costs_nothing_and_what_has_no_epsilon_has_none() -> None:
    """Without δ no ρ is any ε; a ρ beyond floats is beyond budgets; a tiny one still counts."""
    assert epsilon_of(Fraction(0), Fraction(0)) == 0
    assert epsilon_of(Fraction(1, 10), Fraction(0)) is None
    assert epsilon_of(Fraction(1, 10), Fraction(1, 10**400)) is None
    assert epsilon_of(Fraction(10**7), Fraction(1, 10)) is None
    assert epsilon_of(Fraction(10) ** 400, Fraction(1, 10)) is None
    assert epsilon_of(Fraction(1, 10**400), Fraction(1, 10**300)) == Fraction(1, 10**9)


BUDGET = Budget(epsilon=Fraction(3), delta=MILLIONTH)
RHO = Spend(rho=Fraction(1, 10))
"""Costs ε = 2.141938929 at δ = 10⁻⁶."""


def test_concentrated_releases_are_converted_once() -> None:
    """Two of 0.1 cost 3.13 together, not 2 · 2.14: the first fits 3, a second of 0.08 as well, 0.1 not."""
    check_spend(BUDGET, [], RHO, of="patients")
    check_spend(BUDGET, [RHO], Spend(rho=Fraction(8, 100)), of="patients")
    with pytest.raises(BudgetError) as caught:
        check_spend(BUDGET, [RHO], RHO, of="patients")
    assert str(caught.value).startswith(
        "a release of ρ = 1/10 would bring what is spent of 'patients' to ε = 3.131055681, above its budget"
    )


def test_both_kinds_share_a_budget() -> None:
    """Laplace noise adds its ε to what the Gaussian's ρ costs, and takes δ from the conversion."""
    left = remaining(BUDGET, [RHO])
    assert left == Spend(epsilon=3 - Fraction(2141938929, 10**9))
    check_spend(BUDGET, [RHO], left, of="patients")
    with pytest.raises(BudgetError, match="above its budget of 3"):
        check_spend(BUDGET, [RHO], Spend(epsilon=left.epsilon + Fraction(1, 10**30)), of="patients")
    with pytest.raises(BudgetError, match="above its budget of 3"):
        check_spend(BUDGET, [RHO], Spend(epsilon=left.epsilon, delta=MILLIONTH / 2), of="patients")


def test_without_delta_no_concentrated_release_fits() -> None:
    """Also where other releases used it up."""
    expected = (
        "a release of ρ = 1/10 would bring what is spent of 'patients' to ρ = 1/10, which cannot be turned"
        " into an ε at the δ of 0 that is left of its budget; have it spend less, or have the policy's"
        " privacy_budget reviewed"
    )
    spent = Spend(epsilon=Fraction(1, 10), delta=MILLIONTH)
    for budget, spends in ((Budget(epsilon=Fraction(3)), []), (BUDGET, [spent])):
        with pytest.raises(BudgetError) as caught:
            check_spend(budget, spends, RHO, of="patients")
        assert str(caught.value) == expected
        assert remaining(budget, [*spends, RHO]) == Spend()


@pytest.mark.slow
def test_opendp_is_imported_when_it_is_needed_only() -> None:
    """Its import takes seconds, and ε alone is added up without it."""
    code = """
import sys
from fractions import Fraction as F
from qidguard.budget import *
check_spend(Budget(epsilon=F(1)), [Spend(epsilon=F(1, 2))], Spend(epsilon=F(1, 2)), of="x")
assert "opendp" not in sys.modules and "pydantic" not in sys.modules
check_spend(Budget(epsilon=F(1), delta=F(1, 9)), [], Spend(rho=F(1, 99)), of="x")
assert "opendp" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
