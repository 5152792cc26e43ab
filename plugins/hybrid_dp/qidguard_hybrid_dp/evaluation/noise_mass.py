"""How likely a published number is, given the true one: discrete Laplace noise, clamped to bounds."""

import numpy as np
from numpy.typing import NDArray

_Numbers = NDArray[np.float64]


def noised_mass(
    true: _Numbers, low: _Numbers, high: _Numbers, *, scale: float, bounds: tuple[float, float] | None
) -> _Numbers:
    """Return P(low ≤ clamp(clamp(true) + Z) ≤ high) for discrete Laplace noise Z, all in grid steps.

    P(Z = z) = (1 − α)/(1 + α)·α^|z| with α = exp(−1/scale) (Ghosh, Roughgarden & Sundararajan 2009). What
    noise carries beyond a bound is published as the bound, so the bound has the mass of the whole tail.

    Args:
        true: Shape (values,), whole numbers of steps.
        low: Shape (published,), the lower end of what is published; the number itself where it is one.
        high: Shape (published,), the upper end, ≥ low.
        scale: Scale of the noise, steps, ≥ 0; 0 is no noise, and then the bounds count for nothing.
        bounds: What is clamped to; None clamps nothing.

    Returns:
        Shape (values, published), 0..1.

    Raises:
        ValueError: When the scale is below 0.

    Example:
        At scale 1/ln 2 the noise is 0 in one of three cases, and each further step is half as likely:

        >>> one, ends = np.array([1.0]), np.array([0.0, 1.0, 2.0, 3.0])
        >>> noised_mass(one, ends, ends, scale=1 / np.log(2), bounds=(0, 3)).round(3).tolist()
        [[0.333, 0.333, 0.167, 0.167]]
    """
    if scale < 0:
        raise ValueError(f"the scale of noise is at least 0, not {scale}")
    x, lower, upper = true[:, None], low[None, :], high[None, :]
    if scale == 0:
        inside: _Numbers = ((lower <= x) & (x <= upper)).astype(np.float64)
        return inside
    if bounds is not None:
        x = np.clip(x, *bounds)
        lower = np.where(lower <= bounds[0], -np.inf, lower)
        upper = np.where(upper >= bounds[1], np.inf, upper)
    first, last = lower - x, upper - x
    # Z and −Z are alike: mirrored, so that far tails are differences of small numbers and not of ones
    is_above = first > 0
    first, last = np.where(is_above, -last, first), np.where(is_above, -first, last)
    mass: _Numbers = _at_most(last, scale) - _at_most(first - 1, scale)
    return mass


def _at_most(z: _Numbers, scale: float) -> _Numbers:
    """Return P(Z ≤ z)."""
    alpha = np.exp(-1 / scale)
    below = np.exp(np.minimum(z, 0) / scale) / (1 + alpha)
    found: _Numbers = np.where(z < 0, below, 1 - np.exp(-(np.maximum(z, 0) + 1) / scale) / (1 + alpha))
    return found
