"""Correlations of metrics over subsets of columns."""

import numpy as np
from numpy.typing import NDArray

FEWEST_PAIRS = 3
"""With fewer, any two metrics are correlated."""
_NOISE = 1e-12
"""Differences below this share of a metric's size come from rounding."""


def is_constant(values: NDArray[np.float64]) -> bool:
    """Return whether figures are all the same (or none): NaN is left out, and so is what rounding does."""
    known = values[np.isfinite(values)]
    return not len(known) or bool(np.ptp(known) <= _NOISE * max(1.0, float(np.abs(known).max())))


def correlations(values: NDArray[np.float64], method: str) -> NDArray[np.float64]:
    """Return Pearson's or Spearman's correlation of every two metrics.

    Pearson 1895; Spearman 1904: Pearson's of the ranks, equal figures having the mean of their ranks. Each
    pair is taken over the subsets where both metrics have a figure.

    Args:
        values: Shape (subsets, metrics), NaN where a metric has no figure.
        method: ``spearman`` or ``pearson``.

    Returns:
        Shape (metrics, metrics), −1..1, symmetric, 1 on the diagonal; NaN where fewer than 3 subsets have
        both figures or one of the two is constant there.

    Units:
        None.

    Raises:
        ValueError: For another method.

    Example:
        >>> correlations(np.array([[1.0, 9.0], [2.0, 4.0], [3.0, 1.0]]), "spearman")[0, 1].item()
        -1.0
    """
    if method not in {"spearman", "pearson"}:
        raise ValueError(f"a correlation is spearman or pearson, not {method!r}")
    many = values.shape[1]
    found = np.full((many, many), np.nan)
    for i in range(many):
        for j in range(i, many):
            both = values[np.isfinite(values[:, i]) & np.isfinite(values[:, j])][:, [i, j]]
            if len(both) < FEWEST_PAIRS or is_constant(both[:, 0]) or is_constant(both[:, 1]):
                continue
            found[i, j] = found[j, i] = (
                1.0 if i == j else _pearson(_ranks(both) if method == "spearman" else both)
            )
    return found


def _ranks(both: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.stats import rankdata

    ranks: NDArray[np.float64] = rankdata(both, axis=0)
    return ranks


def _pearson(both: NDArray[np.float64]) -> float:
    centred = both - both.mean(axis=0)
    # scaled first, so that neither squares of large figures nor of small ones leave the floats
    centred /= np.abs(centred).max(axis=0)
    return float(np.clip((centred[:, 0] @ centred[:, 1]) / np.sqrt((centred**2).sum(axis=0).prod()), -1, 1))
