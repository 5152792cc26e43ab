"""Put points that make no class of their own into the classes whose loss grows least."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymisers.clustering.hull import Ground

if TYPE_CHECKING:
    from numpy.typing import NDArray


def join_cheapest(every: Ground, classes: "NDArray[np.int64]", count: int) -> "NDArray[np.int64]":
    """Return the classes with each point that has none put, one after the other, where least is lost.

    What is lost is what Byun et al. 2007 call information loss: the members times what the class spans. Who
    joins adds to the span for all, and has the whole span.

    Args:
        every: The points.
        classes: Shape (records,), −1 for a point without a class.
        count: Number of classes; where there is none all points become one.

    Returns:
        Shape (records,), 0..max(count, 1) − 1; of equally good classes the first is taken.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> line = Ground(
        ...     numbers=np.array([[0.0, 0.8, 1.0]]),
        ...     codes=np.zeros((0, 3), dtype=np.intp),
        ...     weights=np.zeros(0),
        ... )
        >>> join_cheapest(line, np.array([0, 1, -1]), 2).tolist()
        [0, 1, 1]
    """
    found = classes.copy()
    left = np.flatnonzero(classes < 0)
    if not count:
        found[:] = 0
        return found
    if not len(left):
        return found
    placed = np.flatnonzero(classes >= 0)
    order = placed[np.argsort(classes[placed], kind="stable")]
    sizes = np.bincount(classes[placed], minlength=count)
    starts = np.cumsum(sizes) - sizes
    low = np.minimum.reduceat(every.numbers[:, order], starts, axis=1)
    high = np.maximum.reduceat(every.numbers[:, order], starts, axis=1)
    span = (high - low).sum(axis=0)
    for codes, weight in zip(every.codes, every.weights, strict=True):
        keys = np.unique(classes[placed] * (int(codes.max()) + 1) + codes[placed])
        span += weight * (np.bincount(keys // (int(codes.max()) + 1), minlength=count) - 1)
    for point in left.tolist():
        numbers = every.numbers[:, point, None]
        adds = np.maximum(np.maximum(low - numbers, numbers - high), 0.0).sum(axis=0)
        for codes, weight in zip(every.codes, every.weights, strict=True):
            has = np.zeros(count, dtype=np.bool_)
            same = found[codes == codes[point]]
            has[same[same >= 0]] = True
            adds += weight * ~has
        best = int((span + adds * (sizes + 1)).argmin())
        found[point] = best
        sizes[best] += 1
        span[best] += adds[best]
        low[:, best] = np.minimum(low[:, best], numbers[:, 0])
        high[:, best] = np.maximum(high[:, best], numbers[:, 0])
    return found
