"""Annealing and descent in steps of a few moves, in Python that numba compiles as it is."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymizers.clustering.moves import (
    MovableClasses,
    Points,
    Values,
    apart,
    cross,
    crossing,
    exchanging,
    has_enough,
    joining,
    leaving,
    may_leave,
    may_replace,
    recount,
    relink,
    shift,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

DICE = 4
"""Random numbers below 2³¹ that a step takes."""
_RARE = 40
"""One step in so many dissolves a class or founds one."""


def move(points: Points, classes: MovableClasses, values: Values, x: int, b: int) -> float:
    """Put a point into another class; what it adds to the loss."""
    numbers, centers, sizes = points.numbers, classes.centers, classes.sizes
    a, added = classes.of[x], 0.0
    if sizes[b] > 0:
        added += sizes[b] / (sizes[b] + 1.0) * apart(numbers, centers, x, b) + joining(values, x, b)
    if sizes[a] > 1:
        added -= sizes[a] / (sizes[a] - 1.0) * apart(numbers, centers, x, a) + leaving(values, x, a)
    shift(numbers, centers, sizes, x, a, b)
    relink(classes.chain, classes.heads, classes.of, x, b)
    if len(values.weights) + len(values.least) > 0:
        recount(values, a)
        recount(values, b)
    return added


def undo(points: Points, classes: MovableClasses, values: Values, count: int) -> None:
    """Take the moves of the log back, the last one first."""
    for t in range(count - 1, -1, -1):
        move(points, classes, values, classes.log[0, t], classes.log[1, t])


def dissolved(
    points: Points, classes: MovableClasses, values: Values, a: int, limit: float, die: int
) -> bool:
    """Put the members of a class into near ones; whether that adds no more than the limit, or is undone."""
    near, first, of, sizes = points.near, points.first, classes.of, classes.sizes
    most, count, added = points.limits[1], 0, 0.0
    x = classes.heads[a]
    while x >= 0:
        after = classes.chain[0, x]
        best, least = -1, np.inf
        for rank in range(near.shape[1]):
            there = near[points.place[x], rank]
            b = of[first[there] + die % (first[there + 1] - first[there])]
            if b not in (a, best) and sizes[b] < most:
                more = sizes[b] / (sizes[b] + 1.0) * apart(points.numbers, classes.centers, x, b)
                if len(values.weights) > 0:
                    more += joining(values, x, b)
                if more < least:
                    best, least = b, more
        if best < 0:
            undo(points, classes, values, count)
            return False
        classes.log[0, count], classes.log[1, count] = x, a
        count += 1
        added += move(points, classes, values, x, best)
        x = after
    if added > limit:
        undo(points, classes, values, count)
        return False
    classes.free[0] += 1
    classes.free[classes.free[0]] = a
    return True


def founded(points: Points, classes: MovableClasses, values: Values, x: int, limit: float) -> bool:
    """Make a class of a point and the nearest to spare; whether that adds no more than the limit."""
    fewest, a = points.limits[0], classes.of[x]
    if classes.free[0] == 0 or classes.sizes[a] <= fewest or not may_leave(values, x, a):
        return False
    new = classes.free[classes.free[0]]
    classes.log[0, 0], classes.log[1, 0] = x, a
    count, added = 1, move(points, classes, values, x, new)
    is_whole = fewest == 1 and has_enough(values, new)
    for rank in range(points.near.shape[1]):
        there = points.near[points.place[x], rank]
        for y in range(points.first[there], points.first[there + 1]):
            a = classes.of[y]
            if not is_whole and a != new and classes.sizes[a] > fewest and may_leave(values, y, a):
                classes.log[0, count], classes.log[1, count] = y, a
                count += 1
                added += move(points, classes, values, y, new)
                is_whole = count >= fewest and has_enough(values, new)
    if added > limit or not is_whole:
        undo(points, classes, values, count)
        return False
    classes.free[0] -= 1
    return True


def anneal(  # noqa: C901, PLR0912 - one loop, for calls with its many arrays cost more than the steps
    points: Points,
    classes: MovableClasses,
    values: Values,
    temperature: float,
    heights: "NDArray[np.float64]",
    dice: "NDArray[np.int64]",
) -> None:
    """Take one step for each four dice; one that adds to the loss is taken where the dice allow so much.

    ``heights`` are 4,096 quantiles of the exponential distribution: a table gives the same everywhere.
    """
    numbers, near, first, place = points.numbers, points.near, points.first, points.place
    of, sizes, centers = classes.of, classes.sizes, classes.centers
    chain, heads = classes.chain, classes.heads
    fewest, most = points.limits[0], points.limits[1]
    has_codes, has_rule = len(values.weights) > 0, len(values.least) > 0
    ranks, records = near.shape[1], len(of)
    for at in range(0, len(dice) - DICE + 1, DICE):
        one, two, three, four = dice[at], dice[at + 1], dice[at + 2], dice[at + 3]
        x = (one * records) >> 31
        # the product of two even numbers is more often small: near places are asked more often
        there = near[place[x], ((((two >> 16) * (two & 65535)) >> 15) * ranks) >> 16]
        y = first[there] + (((four >> 6) * (first[there + 1] - first[there])) >> 25)
        if four & 1:
            x, y = y, x
        a, b = of[x], of[y]
        limit = temperature * heights[three & 4095]
        if (three >> 12) % _RARE == 0:
            if four & 2:
                dissolved(points, classes, values, a, limit, four >> 6)
            else:
                founded(points, classes, values, x, limit)
            continue
        if a == b:
            continue
        size_a, size_b = sizes[a], sizes[b]
        if four & 4 and size_b < most and size_a > fewest:
            added = size_b / (size_b + 1.0) * apart(numbers, centers, x, b)
            added -= size_a / (size_a - 1.0) * apart(numbers, centers, x, a)
            if has_codes:
                added += joining(values, x, b) - leaving(values, x, a)
            if added > limit or (has_rule and not may_leave(values, x, a)):
                continue
            shift(numbers, centers, sizes, x, a, b)
        else:
            z = heads[b]
            for _ in range(((four >> 6) * size_b) >> 25):
                z = chain[0, z]
            added = crossing(numbers, centers, x, z, a, b, 1.0 / size_a + 1.0 / size_b)
            if has_codes:
                added += exchanging(values, x, z, a, b)
            if added > limit:
                continue
            if has_rule and not (may_replace(values, x, z, a) and may_replace(values, z, x, b)):
                continue
            cross(numbers, centers, x, z, a, b, 1.0 / size_a, 1.0 / size_b)
            relink(chain, heads, of, z, a)
        relink(chain, heads, of, x, b)
        if has_codes or has_rule:
            recount(values, a)
            recount(values, b)


def descend(  # noqa: C901 - as above
    points: Points, classes: MovableClasses, values: Values, first: int, last: int, least: float, turn: int
) -> int:
    """Do for each point in turn what saves most, if more than ``least``; how often something was done.

    ``turn`` is another number in each pass: it picks others of equal points.
    """
    numbers, centers, sizes, of = points.numbers, classes.centers, classes.sizes, classes.of
    chain, heads, done = classes.chain, classes.heads, 0
    for x in range(first, last):
        a = of[x]
        best, partner, target, asked = -least, -1, -1, -1
        spare = sizes[a] > points.limits[0] and may_leave(values, x, a)
        saved = 0.0
        if spare:
            saved = sizes[a] / (sizes[a] - 1.0) * apart(numbers, centers, x, a) + leaving(values, x, a)
        for rank in range(points.near.shape[1]):
            there = points.near[points.place[x], rank]
            b = of[points.first[there] + (x + turn) % (points.first[there + 1] - points.first[there])]
            if b in (a, asked):
                continue
            asked = b
            if spare and sizes[b] < points.limits[1]:
                added = sizes[b] / (sizes[b] + 1.0) * apart(numbers, centers, x, b) - saved
                added += joining(values, x, b)
                if added < best:
                    best, partner, target = added, -1, b
            z, parts = heads[b], 1.0 / sizes[a] + 1.0 / sizes[b]
            while z >= 0:
                added = crossing(numbers, centers, x, z, a, b, parts)
                if len(values.weights) > 0:
                    added += exchanging(values, x, z, a, b)
                if added < best and may_replace(values, x, z, a) and may_replace(values, z, x, b):
                    best, partner, target = added, z, b
                z = chain[0, z]
        if partner >= 0:
            cross(numbers, centers, x, partner, a, target, 1.0 / sizes[a], 1.0 / sizes[target])
            relink(chain, heads, of, x, target)
            relink(chain, heads, of, partner, a)
            recount(values, a)
            recount(values, target)
            done += 1
        elif target >= 0:
            move(points, classes, values, x, target)
            done += 1
        elif dissolved(points, classes, values, a, -least, x + turn) or founded(
            points, classes, values, x, -least
        ):
            done += 1
    return done
