"""OpenDP composes what it offers as this room does, but for the error of floats."""

from fractions import Fraction
from typing import Any

import opendp.prelude as dp
import pytest

from qidguard.budget import Spend, epsilon_of, total

dp.enable_features("contrib")
SPACE = dp.atom_domain(T=int), dp.absolute_distance(T=int)
EPSILONS = ["1/10", "1/10", "1/10", "1/3", "2", "1/1000"]
DELTA = 1e-6


def laplace(epsilon: float) -> Any:
    """Return a measurement that costs about ``epsilon`` for inputs 1 apart."""
    return dp.m.make_laplace(*SPACE, scale=1 / epsilon)


def gaussian(rho: float) -> Any:
    """Return a measurement that costs about ``rho`` for inputs 1 apart."""
    return dp.m.make_gaussian(*SPACE, scale=(2 * rho) ** -0.5)


def approximate(rho: float) -> Any:
    """Return a Gaussian measurement with its ε at δ = 10⁻⁶."""
    return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gaussian(rho)), DELTA)


def test_the_sum_of_pure_releases_is_opendps() -> None:
    """Σε equals the map of OpenDP's composition to 12 digits, and exactly for what each one's map says."""
    composed: Any = dp.c.make_composition([laplace(float(Fraction(e))) for e in EPSILONS])
    spent = total(Spend(epsilon=Fraction(e)) for e in EPSILONS)
    assert float(spent.epsilon) == pytest.approx(composed.map(1), rel=1e-12)
    maps = [Fraction(laplace(float(Fraction(e))).map(1)) for e in EPSILONS]
    exact = total(Spend(epsilon=e) for e in maps).epsilon
    assert exact <= Fraction(composed.map(1)) <= exact * (1 + Fraction(1, 10**14))


def test_the_sum_of_approximate_releases_is_opendps() -> None:
    """Σε and Σδ equal the map of OpenDP's composition of (ε, δ)-private measurements to 12 digits."""
    parts = [approximate(rho) for rho in (0.1, 0.02, 0.5)] + [dp.c.make_approximate(laplace(0.25))]
    composed: Any = dp.c.make_composition(parts)
    spends = [Spend(epsilon=Fraction(e), delta=Fraction(d)) for e, d in (part.map(1) for part in parts)]
    spent = total(spends)
    assert (float(spent.epsilon), float(spent.delta)) == pytest.approx(composed.map(1), rel=1e-12)
    assert spent.delta == 3 * Fraction(DELTA)


def test_the_sum_of_concentrated_releases_and_its_epsilon_are_opendps() -> None:
    """Σρ equals OpenDP's, and so does the ε it becomes, which is rounded up by less than 10⁻⁹."""
    rhos = ["1/10", "1/10", "1/7", "1/1000"]
    composed: Any = dp.c.make_composition([gaussian(float(Fraction(r))) for r in rhos])
    spent = total(Spend(rho=Fraction(r)) for r in rhos)
    assert float(spent.rho) == pytest.approx(composed.map(1), rel=1e-12)
    converted: Any = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(composed), DELTA)
    epsilon = epsilon_of(spent.rho, Fraction(DELTA))
    assert epsilon is not None
    assert -1e-12 <= float(epsilon) - converted.map(1)[0] <= 1.001e-9


@pytest.mark.parametrize("rho", ["1/1000000", "1/10", "5"])
@pytest.mark.parametrize("delta", ["1/2", "1/1000", "1/1000000000"])
def test_the_epsilon_of_a_rho_holds_by_opendps_own_curve(rho: str, delta: str) -> None:
    """At the ε that is charged, OpenDP's profile of a measurement with this ρ has no more than the δ."""
    epsilon = epsilon_of(Fraction(rho), Fraction(delta))
    assert epsilon is not None
    curve: Any = dp.c.make_zCDP_to_approxDP(gaussian(float(Fraction(rho))))
    assert curve.map(1).delta(float(epsilon)) <= float(Fraction(delta))
    if epsilon:
        assert curve.map(1).delta(float(epsilon) - 1e-6 * float(epsilon) - 2e-9) > float(Fraction(delta))
