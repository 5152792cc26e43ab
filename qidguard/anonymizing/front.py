"""Which of several solutions no other beats, and which of these is the knee: arithmetic on figures alone."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def normalized(figures: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return figures (solutions, figures), of which lower is better, in 0..1: from the best to the worst.

    A figure that is the same for all is 0.

    Example:
        >>> import numpy as np
        >>> normalized(np.array([[1.0, 5.0], [3.0, 5.0], [2.0, 5.0]])).tolist()
        [[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]]
    """
    import numpy as np

    low, high = figures.min(axis=0), figures.max(axis=0)
    spread = np.where(high > low, high - low, 1.0)
    found: NDArray[np.float64] = (figures - low) / spread
    return found


def front_of(figures: "NDArray[np.float64]") -> list[int]:
    """Return the rows that no other row beats: none is as good in all figures and better in one.

    Figures have the shape (solutions, figures), and lower is better; rows count from 0.

    Example:
        >>> import numpy as np
        >>> front_of(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.5, 0.4]]))
        [0, 1, 3]
    """
    return [
        row
        for row, one in enumerate(figures)
        if not ((figures <= one).all(axis=1) & (figures < one).any(axis=1)).any()
    ]


def knee_of(figures: "NDArray[np.float64]") -> int:
    """Return the row of a front that is its knee (Das 1999, On characterizing the knee of the Pareto curve).

    The figures are put into 0..1 by the front's own best and worst. The plane goes through the extremes, for
    each figure the row that is best in it; the knee is the row that lies farthest from the plane toward where
    every figure is best. Of two figures the plane is the line between the ends of the front. Where fewer
    extremes than figures are distinct, it is the plane through them whose normal is shortest; where a normal
    would reward what is worse, that figure plays no part. Of ties the least sum, then the first.

    Args:
        figures: Shape (solutions, figures), lower is better, no row beats another; at least one of each.

    Example:
        >>> import numpy as np
        >>> knee_of(np.array([[0.0, 1.0], [0.2, 0.3], [0.6, 0.1], [1.0, 0.0]]))
        1
    """
    import numpy as np

    points = normalized(figures)
    sums = points.sum(axis=1)
    extremes = [int(np.lexsort((sums, column))[0]) for column in points.T]
    corners = points[sorted(set(extremes))]
    normal = np.clip(np.linalg.lstsq(corners, np.ones(len(corners)), rcond=None)[0], 0.0, None)
    length = float(np.linalg.norm(normal))
    if not length:
        return int(sums.argmin())
    distance = np.round((1.0 - points @ normal) / length, 12)
    return int(np.lexsort((sums, -distance))[0])
