"""What clusters publish: least or average generalization of each column (Majeed & Hwang 2023, Alg. 2)."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Original, Recoded
from qidguard_hybrid_dp.clusters.kinds import Categorical

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import PublishedValue


def generalized(
    columns: Sequence[Categorical], labels: "NDArray[np.int64]", average: "NDArray[np.bool_]"
) -> "list[NDArray[np.int32]]":
    """Return the level at which each cluster publishes each column.

    Least generalization is the lowest level on which all records of the cluster agree: 0 where they have one
    value, which then stays. Average generalization is the mean of the hierarchy's levels, rounded up, and
    never below the least.

    Args:
        columns: The categorical QIDs.
        labels: Shape (n,), the cluster of each record, −1 for none; each cluster has a record.
        average: Shape (clusters,), whether a cluster is generalized to the average level.

    Returns:
        For each column the level of each cluster, shape (clusters,), 0..levels − 1. NULL is a value of its
        own, which agrees with others at the top alone.

    Example:
        >>> from qidguard.sdk import Hierarchy
        >>> sex = Hierarchy(
        ...     column="sex",
        ...     groups=np.array([[0, 1, 2], [0, 0, 0]], dtype=np.int32),
        ...     labels=((None, "f", "m"), ("*",)),
        ... )
        >>> column = Categorical(name="sex", codes=np.array([1, 1, 1, 2], dtype=np.int32), hierarchy=sex)
        >>> generalized([column], np.array([0, 0, 1, 1]), np.array([False, False]))[0].tolist()
        [0, 1]
    """
    clusters = len(average)
    order = np.argsort(labels, kind="stable")
    order = order[np.searchsorted(labels[order], 0) :]
    if not clusters:
        return [np.zeros(0, dtype=np.int32) for _ in columns]
    starts = np.searchsorted(labels[order], np.arange(clusters))
    found = []
    for column in columns:
        level = np.zeros(clusters, dtype=np.int32)
        codes = column.codes[order]
        for groups in column.hierarchy.groups[:-1]:
            row = groups[codes]
            # values that agree on one level agree on all above it
            level += np.minimum.reduceat(row, starts) != np.maximum.reduceat(row, starts)
        found.append(np.where(average, np.maximum(level, column.hierarchy.levels // 2), level))
    return [level.astype(np.int32) for level in found]


def published(
    columns: Sequence[Categorical],
    labels: "NDArray[np.int64]",
    levels: "Sequence[NDArray[np.int32]]",
    mark: str,
) -> dict[str, Recoded]:
    """Return each column as its clusters show it.

    A group of a single value is published as that value, whatever the level; the top as the mark; any other
    group by its label. Two clusters that publish the same are one class.

    Args:
        columns: The categorical QIDs.
        labels: Shape (n,), the cluster of each record; −1 keeps its own values.
        levels: As ``generalized`` returns them.
        mark: The text of a suppressed cell.

    Returns:
        Column → what is published. NULL stays NULL below the top.

    Example:
        >>> from qidguard.sdk import Hierarchy
        >>> sex = Hierarchy(
        ...     column="sex",
        ...     groups=np.array([[0, 1, 2], [0, 0, 0]], dtype=np.int32),
        ...     labels=((None, "f", "m"), ("*",)),
        ... )
        >>> column = Categorical(name="sex", codes=np.array([1, 2, 2], dtype=np.int32), hierarchy=sex)
        >>> made = published([column], np.array([0, 0, -1]), [np.array([1], dtype=np.int32)], "*")["sex"]
        >>> [made.values[code] for code in made.codes.tolist()]
        ['*', '*', Original(code=2)]
    """
    found = {}
    for column, level in zip(columns, levels, strict=True):
        groups = column.hierarchy.groups
        of_record = np.append(level, 0)[labels].astype(np.int64)
        # each level's groups have numbers of their own
        starts = np.cumsum([0, *(len(names) for names in column.hierarchy.labels)])
        shown = groups[of_record, column.codes] + starts[of_record]
        used = np.flatnonzero(np.bincount(shown, minlength=int(starts[-1])))
        place = np.zeros(int(starts[-1]), dtype=np.int64)
        place[used] = np.arange(len(used))
        values = _values(column, mark)
        found[column.name] = Recoded(codes=place[shown], values=tuple(values[one] for one in used.tolist()))
    return found


def _values(column: Categorical, mark: str) -> "list[PublishedValue]":
    """Return what each group of each level is published as."""
    values: list[PublishedValue] = []
    top = column.hierarchy.labels[-1][0]
    for groups, names in zip(column.hierarchy.groups[:-1], column.hierarchy.labels[:-1], strict=True):
        order = np.argsort(groups, kind="stable")
        ends = np.searchsorted(groups[order], np.arange(len(names) + 1)).tolist()
        for name, (low, high) in zip(names, pairwise(ends), strict=True):
            shown = mark if name == top else name
            values.append(Original(int(order[low])) if high - low == 1 else shown)
    return [*values, mark]


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
