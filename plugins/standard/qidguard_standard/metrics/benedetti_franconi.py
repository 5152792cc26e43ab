"""The mean of one over the population size of a class, by Benedetti and Franconi's model."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def benedetti_franconi(size: "NDArray[np.float64]", p: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return E[1/F | f] where the population size F of a class is negative binomial (f, p), given f.

    ∫₀^∞ (p·e^−t / (1 − (1−p)·e^−t))^f dt = (p/f)·₂F₁(1, 1; f+1; 1−p), by Euler's transformation of the form
    p^f/f·₂F₁(f, f; f+1; 1−p) in which powers of p would underflow (Benedetti & Franconi 1998; Franconi &
    Polettini 2004, "Individual risk estimation in µ-ARGUS: a review"). SciPy's ₂F₁ is wrong by far for some
    f and p, such as 100 and 1/16.

    Args:
        size: Persons f of the sample in a class, ≥ 1.
        p: f over the estimated population of the class, 0 < p ≤ 1; the same shape.

    Example:
        >>> import numpy as np
        >>> # the sample is all there is
        >>> benedetti_franconi(np.array([1.0, 5.0]), np.array([1.0, 1.0])).tolist()
        [1.0, 0.2]
    """
    risk = np.empty(len(size))
    is_slow = (size < _QUICK_SIZE) & (p < _QUICK_CHANCE)
    risk[is_slow] = _by_recurrence(size[is_slow], p[is_slow])
    risk[~is_slow] = _by_series(size[~is_slow], p[~is_slow])
    return np.clip(risk, 0.0, 1.0)


_QUICK_SIZE, _QUICK_CHANCE, _TERMS = 30, 0.5, 64
"""From either size or chance on, the terms of the series fall below 1e-17 of its sum within these."""


def _by_series(size: "NDArray[np.float64]", p: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Sum (p/f)·Σ k!·f!/(f+k)!·(1−p)^k, whose terms are all positive."""
    term = np.ones(len(size))
    total = term.copy()
    for k in range(_TERMS):
        term *= (k + 1) / (size + 1 + k) * (1 - p)
        total += term
    return p / size * total


def _by_recurrence(size: "NDArray[np.float64]", p: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Go up from f = 1, −x·ln p, by r(f+1) = x·(1/f − r(f)), x = p/(1−p); it is stable for x ≤ 1."""
    x = p / (1 - p)
    risk: NDArray[np.float64] = -x * np.log(p)
    for f in range(1, int(size.max(initial=1))):
        risk = np.where(size > f, x * (1 / f - risk), risk)
    return risk
