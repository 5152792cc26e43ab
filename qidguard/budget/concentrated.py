"""From zero-concentrated to (ε, δ)-differential privacy, by OpenDP."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

_STEP = 10**9
"""ε is rounded up to a whole number of these parts."""

_SMALLEST = Fraction(1, 10**100)
"""A ρ below it counts as it: floats have no room for its square root."""


@lru_cache(maxsize=256)
def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction | None:
    """Return an ε such that whatever is ρ-zero-concentrated differentially private is (ε, δ)-private too.

    OpenDP converts (``make_zCDP_to_approxDP``), after Canonne, Kamath and Steinke (2020), The Discrete
    Gaussian for Differential Privacy, section 2.3; it is never above the ρ + 2√(ρ ln(1/δ)) of Bun and
    Steinke (2016, Proposition 1.3). ρ is rounded up and δ down to floats before, ε up after.

    Args:
        rho: ρ ≥ 0, in nats.
        delta: The δ that the conversion may use, in [0, 1).

    Returns:
        ε ≥ 0, a multiple of 10⁻⁹; None where there is no finite one (δ = 0), or none that floats can hold.

    Units:
        Nats.

    Raises:
        ImportError: When OpenDP is not installed.

    Example:
        >>> epsilon_of(Fraction(0), Fraction(0))
        Fraction(0, 1)
    """
    if rho == 0:
        return Fraction(0)
    allowed = _rounded_down(delta)
    if allowed <= 0:
        return None
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    gaussian: Any = dp.m.make_gaussian(*space, scale=1.0)
    try:
        converted: Any = dp.c.make_zCDP_to_approxDP(gaussian)
        epsilon = converted.map(_distance(gaussian, rho)).epsilon(allowed)
    except (dp.OpenDPException, OverflowError):
        # a ρ so large that its ε is beyond floats is beyond every budget
        return None
    if not math.isfinite(epsilon):
        return None
    return Fraction(math.ceil(Fraction(epsilon) * _STEP), _STEP)


def _distance(gaussian: Any, rho: Fraction) -> float:
    """Return how far apart inputs are that cost at least ρ under noise of scale 1: d²/2 ≥ ρ."""
    distance = math.sqrt(2 * max(rho, _SMALLEST))
    while Fraction(gaussian.map(distance)) < rho:
        distance = math.nextafter(distance, math.inf)
    return distance


def _rounded_down(number: Fraction) -> float:
    near = float(number)
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)
