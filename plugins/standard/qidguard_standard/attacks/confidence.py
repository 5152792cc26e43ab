"""Confidence intervals of success rates and of what a control group leaves of them."""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from qidguard import Rate

CONFIDENCE = 0.95
"""The level of every interval of this folder, a share."""

_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def success_rate(successes: NDArray[np.float64]) -> Rate:
    """Return how often an attack succeeded, with Wilson's 95 % interval.

    low, high = (p + z²/2n ∓ z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n) (Wilson 1927). It is made for successes that
    are 0 or 1. A success may be a share here, such as 1/s for a guess among s persons: of all figures within
    0..1 with the mean p none varies more than p(1−p), so the interval is then wide enough, and often wider.

    Args:
        successes: For each target 0..1; shape (targets,).

    Returns:
        The rate; the whole of 0..1 as its interval where nobody was attacked.

    Units:
        Shares.

    Raises:
        ValueError: When a success lies outside 0..1.

    Example:
        >>> rate = success_rate(np.array([1.0, 0.0, 0.5, 0.5]))
        >>> rate.share, round(rate.low, 3), round(rate.high, 3)
        (0.5, 0.15, 0.85)
    """
    n = len(successes)
    if n and not (successes.min() >= 0 and successes.max() <= 1):
        raise ValueError("a success lies within 0..1")
    if not n:
        return Rate(successes=0.0, trials=0, low=0.0, high=1.0, confidence=CONFIDENCE)
    total = min(float(successes.sum()), float(n))
    p = total / n
    middle, width = p + _Z**2 / (2 * n), _Z * sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
    scale = 1 + _Z**2 / n
    # rounding must not put the rate itself outside its interval
    low = max(0.0, min(p, (middle - width) / scale))
    high = min(1.0, max(p, (middle + width) / scale))
    return Rate(successes=total, trials=n, low=low, high=high, confidence=CONFIDENCE)


def excess_over(published: Rate, control: Rate | None) -> tuple[float, float, float]:
    """Return what being in the table adds to an attack's success, with its 95 % interval.

    R = (p − c) / (1 − c) (Giomi et al. 2023). The errors of the two rates, which are independent, are
    propagated to first order, each side with its own half of Wilson's interval:
    low = R − √((Δp⁻/(1−c))² + ((1−p)Δc⁺/(1−c)²)²), high likewise with Δp⁺ and Δc⁻.

    Args:
        published: The rate among people in the table.
        control: The rate among withheld people; None where there are none.

    Returns:
        R, low and high, each clipped to −1..1. The published rate and its interval where there is no control
        or nobody in it. 0 with the interval −1..1 where the control always succeeds: nothing is left to add.

    Units:
        Shares.

    Raises:
        Nothing.

    Example:
        >>> half, fifth = (
        ...     success_rate(np.repeat([0.0, 1.0], 50)),
        ...     success_rate(np.repeat([0.0, 1.0], [80, 20])),
        ... )
        >>> [round(x, 3) for x in excess_over(half, fifth)]
        [0.375, 0.236, 0.506]
    """
    if control is None or not control.trials:
        return published.share, published.low, published.high
    p, c = published.share, control.share
    if c >= 1:
        return 0.0, -1.0, 1.0
    left = 1 - c
    excess = (p - c) / left
    slope = (1 - p) / left**2
    low = excess - sqrt(((p - published.low) / left) ** 2 + (slope * (control.high - c)) ** 2)
    high = excess + sqrt(((published.high - p) / left) ** 2 + (slope * (c - control.low)) ** 2)
    return _clipped(excess), _clipped(low), _clipped(high)


def _clipped(share: float) -> float:
    # no −0, which would be printed as such
    return max(-1.0, min(1.0, share)) + 0.0
