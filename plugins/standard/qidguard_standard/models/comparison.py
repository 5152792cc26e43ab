"""Comparing scores of models, and what the models go by."""

import numpy as np
from numpy.typing import NDArray


def mann_whitney(published: NDArray[np.float64], original: NDArray[np.float64]) -> tuple[float, float]:
    """Return the two-sided p-value of Mann and Whitney's U test, and the rank-biserial correlation.

    U counts the pairs in which the published score is the higher one, ties half (Mann & Whitney 1947). The
    effect is r = 2U/(n·m) − 1 (Cureton 1956), so (r + 1)/2 is the chance that a published score is the higher
    one, the common-language effect size (McGraw & Wong 1992). Scores of splits overlap in their records, so
    the p-value is a guide and no proof.

    Args:
        published: Scores of what learned from published records, at least one.
        original: Scores of what learned from the original.

    Returns:
        p in 0..1, which is 1 where all scores are the same, and r in −1..1, below 0 where the published
        ones are lower.

    Units:
        None.

    Raises:
        ValueError: When there is no score.

    Example:
        >>> p, r = mann_whitney(np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6]))
        >>> round(p, 3), r
        (0.1, -1.0)
    """
    from scipy import stats

    if not len(published) or not len(original):
        raise ValueError("there are no scores to compare")
    scores = np.concatenate([published, original])
    if scores.min() == scores.max():
        return 1.0, 0.0
    found = stats.mannwhitneyu(published, original, alternative="two-sided")
    return float(found.pvalue), float(2 * found.statistic / (len(published) * len(original)) - 1)


def importance_shift(published: NDArray[np.float64], original: NDArray[np.float64]) -> float:
    """Return the total variation of two sets of importances, ½·Σ|p − o| of shares that add up to 1.

    Args:
        published: Shape (columns,), the importances in what learned from published records, ≥ 0.
        original: The same of what learned from the original.

    Returns:
        0 where both go by the same columns alike, 1 where by others altogether, or where only one of the two
        goes by any column at all.

    Units:
        A share, 0..1.

    Raises:
        ValueError: When the numbers of columns differ.

    Example:
        >>> importance_shift(np.array([1.0, 1.0]), np.array([3.0, 1.0]))
        0.25
    """
    if published.shape != original.shape:
        raise ValueError("importances are compared column by column")
    # who goes by no column has all weight on a place of its own
    shares = [np.append(one, 0.0 if one.sum() > 0 else 1.0) for one in (published, original)]
    first, second = (one / one.sum() for one in shares)
    return min(1.0, float(np.abs(first - second).sum()) / 2)
