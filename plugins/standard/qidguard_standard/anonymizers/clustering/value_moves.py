"""What moves add to the loss of categories, and values that a class must hold, in Python that numba compiles.

Classes are chains of points; their values are counted by walking along them, so that nothing of the size of
classes × values is kept.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
        chain: As in ``Classes``.
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
