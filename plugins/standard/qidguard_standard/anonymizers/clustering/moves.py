"""Moves of records between classes and what each adds to the loss, in Python that numba compiles as it is.

The loss of a class is Σ (x − mean)² over its numbers and, for each category, its weight times the members
that have not the most frequent value. What runs for each step is given its few arrays alone: to hand over
many takes longer than the arithmetic. Classes are chains of points; the values of categories, and those that
a class must hold, are counted by walking along them, so that nothing of the size of classes × values is kept.
"""

from typing import TYPE_CHECKING, NamedTuple

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


class Values(NamedTuple):
    """Categories, which count in the loss, and attributes, of which a class must hold so many values.

    Args:
        codes: Shape (points, categories), from 0.
        weights: Shape (categories,).
        attributes: Shape (points, attributes), from 0: persons and sensitive values.
        least: Shape (attributes,), distinct values in each class.
        most: Shape (classes, categories), how often the most frequent value occurs.
        ties: Shape (classes, categories), how many values occur so often.
        held: Shape (classes, attributes), distinct values.
        times: Shape (values,), zeros between calls.
        chain: As in ``MovableClasses``.
        heads: As there.
    """

    codes: "NDArray[np.int64]"
    weights: "NDArray[np.float64]"
    attributes: "NDArray[np.int64]"
    least: "NDArray[np.int64]"
    most: "NDArray[np.int64]"
    ties: "NDArray[np.int64]"
    held: "NDArray[np.int64]"
    times: "NDArray[np.int64]"
    chain: "NDArray[np.int64]"
    heads: "NDArray[np.int64]"


def alike(
    rows: "NDArray[np.int64]",
    chain: "NDArray[np.int64]",
    heads: "NDArray[np.int64]",
    column: int,
    value: int,
    c: int,
) -> int:
    """Return how many members of a class have a value."""
    found, y = 0, heads[c]
    while y >= 0:
        if rows[y, column] == value:
            found += 1
        y = chain[0, y]
    return found


def joining(values: Values, x: int, b: int) -> float:
    """Return what the categories of a point add to the loss of a class that it is not in."""
    added = 0.0
    for c in range(len(values.weights)):
        there = alike(values.codes, values.chain, values.heads, c, values.codes[x, c], b)
        if there < values.most[b, c]:
            added += values.weights[c]
    return added


def leaving(values: Values, x: int, a: int) -> float:
    """Return by how much the loss of its class in categories falls when a point leaves."""
    saved = 0.0
    for c in range(len(values.weights)):
        there = alike(values.codes, values.chain, values.heads, c, values.codes[x, c], a)
        if values.ties[a, c] > 1 or there < values.most[a, c]:
            saved += values.weights[c]
    return saved


def exchanging(values: Values, x: int, z: int, a: int, b: int) -> float:
    """Return what is added to the loss in categories when points of classes a and b change places."""
    added = 0.0
    for c in range(len(values.weights)):
        if values.codes[x, c] != values.codes[z, c]:
            oftener = replaced(values, c, x, z, a) + replaced(values, c, z, x, b)
            added -= values.weights[c] * oftener
    return added


def replaced(values: Values, c: int, x: int, z: int, a: int) -> int:
    """Return how much oftener a class has its most frequent value once z is in the place of its member x."""
    most = values.most[a, c]
    rest = most
    mine = alike(values.codes, values.chain, values.heads, c, values.codes[x, c], a)
    if values.ties[a, c] == 1 and mine == most:
        rest = most - 1
    there = alike(values.codes, values.chain, values.heads, c, values.codes[z, c], a) + 1
    return int(max(rest, there) - most)


def may_leave(values: Values, x: int, a: int) -> bool:
    """Return whether the class of a point has values enough without it."""
    for j in range(len(values.least)):
        mine = values.attributes[x, j]
        if (
            values.held[a, j] <= values.least[j]
            and alike(values.attributes, values.chain, values.heads, j, mine, a) == 1
        ):
            return False
    return True


def may_replace(values: Values, x: int, z: int, a: int) -> bool:
    """Return whether a class has values enough once z is in the place of its member x."""
    for j in range(len(values.least)):
        mine, other = values.attributes[x, j], values.attributes[z, j]
        if (
            values.held[a, j] <= values.least[j]
            and mine != other
            and alike(values.attributes, values.chain, values.heads, j, mine, a) == 1
            and alike(values.attributes, values.chain, values.heads, j, other, a) > 0
        ):
            return False
    return True


def has_enough(values: Values, c: int) -> bool:
    """Return whether a class has values enough."""
    short = 0
    for j in range(len(values.least)):
        short += values.held[c, j] < values.least[j]
    return short == 0


def recount(values: Values, c: int) -> None:
    """Count the values of a class anew."""
    chain, heads, times = values.chain, values.heads, values.times
    for j in range(len(values.weights)):
        most, ties = 0, 0
        y = heads[c]
        while y >= 0:
            value = values.codes[y, j]
            times[value] += 1
            if times[value] > most:
                most, ties = times[value], 1
            elif times[value] == most:
                ties += 1
            y = chain[0, y]
        y = heads[c]
        while y >= 0:
            times[values.codes[y, j]] = 0
            y = chain[0, y]
        values.most[c, j] = most
        values.ties[c, j] = ties
    for j in range(len(values.least)):
        distinct = 0
        y = heads[c]
        while y >= 0:
            if times[values.attributes[y, j]] == 0:
                distinct += 1
            times[values.attributes[y, j]] = 1
            y = chain[0, y]
        y = heads[c]
        while y >= 0:
            times[values.attributes[y, j]] = 0
            y = chain[0, y]
        values.held[c, j] = distinct


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
