"""Redundancy: groups of metrics that say the same."""

import numpy as np
from numpy.typing import NDArray


def groups(correlations: NDArray[np.float64], threshold: float) -> tuple[tuple[int, ...], ...]:
    """Return groups of metrics of which every two have |r| ≥ threshold, in the order of a heat map.

    Complete-linkage hierarchical clustering (Defays 1977) of the distance 1 − |r|, cut at 1 − threshold;
    leaves in the order that puts like beside like (Bar-Joseph et al. 2001). Without a correlation, two
    metrics are unlike.

    Args:
        correlations: Shape (metrics, metrics), NaN where there is none.
        threshold: From which |r| on two metrics say the same, 0..1.

    Returns:
        Groups of places, each place in one group; none for no metric.

    Units:
        None.

    Raises:
        ValueError: When the threshold is outside its range.

    Example:
        >>> groups(np.array([[1, 0.1, -0.95], [0.1, 1, 0.2], [-0.95, 0.2, 1]]), 0.9)
        ((1,), (2, 0))
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
