"""How diverse sensitive values are in each cluster, and what levels by that give away (Algorithm 2)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def entropies(labels: "NDArray[np.int64]", codes: "NDArray[np.int32]") -> "NDArray[np.float64]":
    """Return the entropy of a sensitive attribute in each cluster, −Σ p ln p (Algorithm 2, line 6), nats.

    Shape (clusters,). Records of the label −1 count nowhere.

    Example:
        >>> entropies(np.array([0, 0, 1, 1, -1]), np.array([1, 2, 1, 1, 2], dtype=np.int32)).round(3).tolist()
        [0.693, 0.0]
    """
    inside = labels >= 0
    clusters = int(labels.max(initial=-1)) + 1
    span = int(codes.max(initial=0)) + 1
    keys, counts = np.unique(labels[inside] * span + codes[inside], return_counts=True)
    owner = keys // span
    share = counts / np.bincount(owner, weights=counts, minlength=clusters)[owner]
    return np.abs(np.bincount(owner, weights=-share * np.log(share), minlength=clusters))


def is_average(
    labels: "NDArray[np.int64]", sensitive: "Mapping[str, NDArray[np.int32]]", t_div: float
) -> "NDArray[np.bool_]":
    """Return for each cluster whether a sensitive attribute is less diverse than T_div."""
    found = np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.bool_)
    if t_div > 0:
        for codes in sensitive.values():
            found |= entropies(labels, codes) < t_div
    return found


def level_bias(
    labels: "NDArray[np.int64]", sensitive: "Mapping[str, NDArray[np.int32]]", average: "NDArray[np.bool_]"
) -> dict[str, tuple[float, float]]:
    """Return for each sensitive attribute the shares of one value in the two kinds of clusters.

    It is the value whose share differs most: first among records generalized to the average level, then
    among those generalized to the least. Attributes are left out where one kind has no record.
    """
    inside = labels >= 0
    is_one = average[labels[inside]]
    if not is_one.any() or is_one.all():
        return {}
    found = {}
    for name, codes in sensitive.items():
        span = int(codes.max(initial=0)) + 1
        first = np.bincount(codes[inside][is_one], minlength=span) / is_one.sum()
        other = np.bincount(codes[inside][~is_one], minlength=span) / (~is_one).sum()
        at = int(np.argmax(np.abs(first - other)))
        found[name] = (float(first[at]), float(other[at]))
    return found
