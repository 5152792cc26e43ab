"""Put points that make no class of their own into the nearest class."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymisers.clustering.crowd import Crowd, Place
from qidguard_standard.anonymisers.clustering.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray


def join_nearest(space: Space, classes: "NDArray[np.int64]", count: int) -> "NDArray[np.int64]":
    """Return the classes with each point that has none put into the class whose centre is nearest.

    The centres are those before any of them joins; of equally near ones the first class is taken.

    Args:
        space: The points.
        classes: Shape (records,), −1 for a point without a class.
        count: Number of classes; where there is none all points become one.

    Returns:
        Shape (records,), 0..max(count, 1) − 1.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> line = Space(
        ...     order=np.arange(3),
        ...     numbers=np.array([[0.0, 8.0, 9.0]]),
        ...     shift=np.zeros(1),
        ...     scale=np.ones(1),
        ...     codes=np.zeros((0, 3), dtype=np.int64),
        ...     weights=np.zeros(0),
        ...     is_squared=False,
        ...     tables=(),
        ... )
        >>> join_nearest(line, np.array([0, 1, -1]), 2).tolist()
        [0, 1, 1]
    """
    found = classes.copy()
    left = np.flatnonzero(classes < 0)
    if not count:
        found[:] = 0
        return found
    if not len(left):
        return found
    crowd = Crowd(_centres(space, classes, count))
    scaled = space.scaled()
    for point in left.tolist():
        place = Place(numbers=scaled[:, point], codes=space.codes[:, point])
        found[point] = int(crowd.distances(place).argmin())
    return found


def _centres(space: Space, classes: "NDArray[np.int64]", count: int) -> Space:
    """Return the centre of each class as a point."""
    points = np.flatnonzero(classes >= 0)
    of = classes[points]
    sizes = np.bincount(of, minlength=count)
    means = np.array([np.bincount(of, weights=row[points], minlength=count) / sizes for row in space.numbers])
    modes = []
    for codes in space.codes:
        span = int(codes.max(initial=0)) + 1
        keys, times = np.unique(of * span + codes[points], return_counts=True)
        best = np.lexsort((-times, keys // span))
        owner = keys[best] // span
        modes.append(keys[best][np.append(True, owner[1:] != owner[:-1])] % span)
    return Space(
        order=np.arange(count),
        numbers=means.reshape(-1, count),
        shift=space.shift,
        scale=space.scale,
        codes=np.array(modes, dtype=np.int64).reshape(-1, count),
        weights=space.weights,
        is_squared=space.is_squared,
        tables=space.tables,
    )
