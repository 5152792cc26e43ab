"""Groups that are published as one, where one by itself misses k, l or t."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymizers.series.people import People

if TYPE_CHECKING:
    from numpy.typing import NDArray


def merged(people: People, group: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return the class of each person, −1 where nobody is published, shape (persons,).

    A group that misses the rule is published with the nearest class of whom the same is held. To whoever
    follows its persons they stay a group of their own, so that it may stand alone in the next release.
    """
    rows = np.flatnonzero(group >= 0)
    classes = np.unique(group[rows], return_inverse=True)[1].reshape(-1)
    rule = people.rule.of(rows)
    places = people.places(rows)
    while True:
        count = int(classes.max(initial=-1)) + 1
        misses = ~rule.keeps(classes, count)
        if count <= 1 or not misses.any():
            break
        changed: set[int] = set()
        for one in np.flatnonzero(misses).tolist():
            inside = classes == one
            if one in changed or not inside.any() or inside.all():
                continue
            target = _nearest_class(people, places, classes, inside, people.held[rows])
            if target is None:
                continue
            classes[inside] = target
            changed.add(target)
        if not changed:
            break
        classes = np.unique(classes, return_inverse=True)[1].reshape(-1)
    result = np.full(people.count, -1)
    result[rows] = classes
    return result


def _nearest_class(
    people: People,
    places: "NDArray[np.float64]",
    classes: "NDArray[np.int64]",
    inside: "NDArray[np.bool_]",
    held: "NDArray[np.int64]",
) -> int | None:
    """Return the class whose persons are nearest to the middle of one, in the mean; None without any."""
    middle = np.sort(places[:, inside], axis=1)[:, (np.count_nonzero(inside) - 1) // 2]
    apart = distances(people, places, middle)
    sizes = np.bincount(classes)
    mean = np.bincount(classes, weights=apart) / np.maximum(sizes, 1)
    mean[(sizes == 0) | (np.arange(len(sizes)) == classes[inside][0])] = np.inf
    mean[classes[held != held[inside][0]]] = np.inf
    return int(mean.argmin()) if np.isfinite(mean).any() else None


def nearest(people: People, rows: "NDArray[np.int64]", others: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return for each of some persons which of the others is nearest, as a place among these."""
    mine, theirs = people.places(rows), people.places(others)
    return np.array([distances(people, theirs, point).argmin() for point in mine.T], dtype=np.int64)


def distances(
    people: People, places: "NDArray[np.float64]", point: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """Return how far points are from one: shares of a range, and 1/(values − 1) for another category."""
    total = np.zeros(places.shape[1])
    for one, column, value in zip(people.axes, places, point, strict=True):
        if one.places is not None:
            total += np.abs(column - value)
        elif one.values > 1:
            total += (column != value) / (one.values - 1)
    return total
