"""Correlations of metrics over subsets of columns, and the groups of metrics that say the same."""

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
    """Return Pearson's or Spearman's correlation of every two metrics; shape (metrics, metrics), −1..1.

    Pearson 1895; Spearman 1904: Pearson's of the ranks, equal figures having the mean of their ranks. Values
    have shape (subsets, metrics). Each pair is taken over the subsets where both metrics have a figure: NaN
    where these are fewer than 3 or one of the two is constant there.
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
    centered = both - both.mean(axis=0)
    # scaled first, so that neither squares of large figures nor of small ones leave the floats
    centered /= np.abs(centered).max(axis=0)
    return float(
        np.clip((centered[:, 0] @ centered[:, 1]) / np.sqrt((centered**2).sum(axis=0).prod()), -1, 1)
    )


def groups(correlations: NDArray[np.float64], threshold: float) -> tuple[tuple[int, ...], ...]:
    """Return groups of metrics of which every two have |r| ≥ threshold, in the order of a heat map.

    Complete-linkage hierarchical clustering (Defays 1977) of the distance 1 − |r|, cut at 1 − threshold;
    leaves in the order that puts like beside like (Bar-Joseph et al. 2001). Without a correlation, two
    metrics are unlike.
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"the threshold of |r| is a number from 0 to 1, not {threshold}")
    many = len(correlations)
    if many <= 1:
        return tuple((place,) for place in range(many))
    from scipy.cluster.hierarchy import fcluster, leaves_list, linkage
    from scipy.spatial.distance import squareform

    distances = 1 - np.nan_to_num(np.abs(correlations), nan=0.0)
    np.fill_diagonal(distances, 0.0)
    condensed = squareform(np.clip(distances, 0, 1), checks=False)
    tree = linkage(condensed, method="complete", optimal_ordering=True)
    # a hair more, so that |r| = threshold is in the group whatever the rounding
    label = fcluster(tree, t=1 - threshold + 1e-9, criterion="distance")
    found: dict[int, list[int]] = {}
    for place in leaves_list(tree).tolist():
        found.setdefault(int(label[place]), []).append(place)
    return tuple(tuple(members) for members in found.values())
