"""Moves of records between classes and what each adds to the loss, in Python that numba compiles as it is.

The loss of a class is Σ (x − mean)² over its numbers and, for each category, its weight times the members
that have not the most frequent value. What runs for each step is given its few arrays alone: to hand over
many takes longer than the arithmetic.
"""

from typing import TYPE_CHECKING, NamedTuple

from qidguard_standard.anonymizers.clustering.value_moves import Values, recount

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Points(NamedTuple):
    """What stays as it is; points are sorted, so that those of one place, which are equal, stand together.

    Args:
        numbers: Shape (points, numbers), scaled.
        near: Shape (places, m), the nearest places, the nearest first; a place of two points is near itself.
        first: Shape (places + 1,), the first point of each place.
        place: Shape (points,).
        limits: Shape (2,), least and most members of a class.
    """

    numbers: "NDArray[np.float64]"
    near: "NDArray[np.int64]"
    first: "NDArray[np.int64]"
    place: "NDArray[np.int64]"
    limits: "NDArray[np.int64]"


class MovableClasses(NamedTuple):
    """Classes as they are; each is a chain of points.

    Args:
        of: Shape (points,), the class of each.
        sizes: Shape (classes,), 0 for a number that is not in use.
        centers: Shape (classes, numbers).
        chain: Shape (2, points), the next and the previous member, or −1.
        heads: Shape (classes,), the first member, or −1.
        free: Shape (classes + 1,), how many numbers are not in use, then these.
        log: Shape (2, points), the points of a compound move and where they came from.
    """

    of: "NDArray[np.int64]"
    sizes: "NDArray[np.int64]"
    centers: "NDArray[np.float64]"
    chain: "NDArray[np.int64]"
    heads: "NDArray[np.int64]"
    free: "NDArray[np.int64]"
    log: "NDArray[np.int64]"


def apart(numbers: "NDArray[np.float64]", centers: "NDArray[np.float64]", x: int, c: int) -> float:
    """Return the squared distance of a point from the center of a class."""
    total = 0.0
    for q in range(numbers.shape[1]):
        off = numbers[x, q] - centers[c, q]
        total += off * off
    return total


def crossing(
    numbers: "NDArray[np.float64]",
    centers: "NDArray[np.float64]",
    x: int,
    z: int,
    a: int,
    b: int,
    parts: float,
) -> float:
    """Return what points of classes a and b add when they change places; ``parts`` is 1/|a| + 1/|b|."""
    along, square = 0.0, 0.0
    for q in range(numbers.shape[1]):
        off = numbers[z, q] - numbers[x, q]
        along += (centers[a, q] - centers[b, q]) * off
        square += off * off
    return -2.0 * along - square * parts


def shift(
    numbers: "NDArray[np.float64]",
    centers: "NDArray[np.float64]",
    sizes: "NDArray[np.int64]",
    x: int,
    a: int,
    b: int,
) -> None:
    """Let centers and sizes follow a point from class a to class b."""
    sizes[a] -= 1
    sizes[b] += 1
    out, into = 1.0 / max(sizes[a], 1), 1.0 / sizes[b]
    for q in range(numbers.shape[1]):
        number = numbers[x, q]
        centers[a, q] += (centers[a, q] - number) * out
        # of one member alone the center is this, whatever stood there
        centers[b, q] = number if sizes[b] == 1 else centers[b, q] + (number - centers[b, q]) * into


def cross(
    numbers: "NDArray[np.float64]",
    centers: "NDArray[np.float64]",
    x: int,
    z: int,
    a: int,
    b: int,
    of_a: float,
    of_b: float,
) -> None:
    """Let centers follow two points that change places; ``of_a`` is 1/|a|."""
    for q in range(numbers.shape[1]):
        off = numbers[z, q] - numbers[x, q]
        centers[a, q] += off * of_a
        centers[b, q] -= off * of_b


def relink(
    chain: "NDArray[np.int64]", heads: "NDArray[np.int64]", of: "NDArray[np.int64]", x: int, b: int
) -> None:
    """Hang a point into another class."""
    before, after = chain[1, x], chain[0, x]
    if before >= 0:
        chain[0, before] = after
    else:
        heads[of[x]] = after
    if after >= 0:
        chain[1, after] = before
    head = heads[b]
    chain[0, x] = head
    chain[1, x] = -1
    if head >= 0:
        chain[1, head] = x
    heads[b] = x
    of[x] = b


def refresh(points: Points, classes: MovableClasses, values: Values) -> float:
    """Make everything of the classes of points alone, so that no error adds up; their loss."""
    numbers, centers, sizes, of = points.numbers, classes.centers, classes.sizes, classes.of
    chain, heads, free = classes.chain, classes.heads, classes.free
    sizes[:] = 0
    centers[:] = 0.0
    heads[:] = -1
    for x in range(len(of) - 1, -1, -1):
        c = of[x]
        sizes[c] += 1
        for q in range(numbers.shape[1]):
            centers[c, q] += numbers[x, q]
        head = heads[c]
        chain[0, x] = head
        chain[1, x] = -1
        if head >= 0:
            chain[1, head] = x
        heads[c] = x
    lost, unused = 0.0, 0
    for c in range(len(sizes)):
        if sizes[c] == 0:
            unused += 1
            free[unused] = c
            continue
        for q in range(numbers.shape[1]):
            centers[c, q] /= sizes[c]
        recount(values, c)
        for j in range(len(values.weights)):
            lost += values.weights[j] * (sizes[c] - values.most[c, j])
    free[0] = unused
    for x in range(len(of)):
        lost += apart(numbers, centers, x, of[x])
    return lost
