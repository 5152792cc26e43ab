"""k-member clustering of categories by their hierarchies (Byun et al. 2007)."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import NotMeasurable
from qidguard_hybrid_dp.clusters.growth import growth_of
from qidguard_hybrid_dp.clusters.improving import KindClusters, improved, joined
from qidguard_hybrid_dp.clusters.kinds import Categorical, CombinationKinds, Numeric, kinds_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Step = Callable[[str, int, int], None]
"""Hears of a title and how much of how much is done, as ``Progress.step``."""

_EVERY = 64
"""Clusters between two words of progress."""

MOST_KINDS = 8192
"""Kinds of one block, unless a cluster needs more."""

_FEWEST_CLUSTERS = 8
"""Clusters that a block has room for, however large they have to be."""


class TooFewPersons(NotMeasurable):
    """Fewer persons than k, or fewer sensitive values than l, stand in all that is to be clustered."""


def clustered(
    columns: Sequence[Categorical],
    *,
    k: int,
    seed: int,
    step: Step,
    persons: "NDArray[np.int64] | None" = None,
    sensitive: "Sequence[NDArray[np.integer]]" = (),
    l: int = 1,  # noqa: E741 - the field's name
) -> "NDArray[np.int64]":
    """Return the cluster of each record: at least k persons, alike by the hierarchies of their categories.

    Records with equal categories stay together, and are a cluster by themselves where they are k persons.
    Else a cluster begins with the combination that would lose most beside the one placed last (the first is
    drawn by the seed), and takes the one with which it loses least, until it has k persons. Combinations
    left over, and then those that lose less elsewhere, join other clusters; clusters dissolve where that
    pays. What a record loses is, in the mean of the columns, (values of the published group − 1) /
    (values − 1), 1 at the top (Byun et al. 2007, Definition 5, for the lowest common level).

    Labels depend on categories, persons and sensitive values alone: on no number, and not on the order of
    the records. More than ``MOST_KINDS`` rare combinations are clustered in blocks that are alike.

    Args:
        columns: The categorical QIDs, one at least, of the n records that are clustered.
        k: Persons a cluster has at least, ≥ 1.
        seed: Draws the first combination.
        step: Hears of progress.
        persons: Shape (n,), a number for the person of each record; None where each record is one.
        sensitive: Per sensitive attribute the codes of its values, shape (n,); 0 is missing, and no value.
        l: Distinct values of each sensitive attribute that a cluster has at least, ≥ 1.

    Returns:
        Shape (n,), 0..clusters − 1; empty where there are no records. NULL is a value of its own.

    Raises:
        TooFewPersons: When all records together are fewer than k persons or have fewer than l values.

    Example:
        >>> from qidguard.sdk import Hierarchy
        >>> groups = np.array([[0, 1, 2, 3], [0, 1, 1, 2], [0, 0, 0, 0]], dtype=np.int32)
        >>> labels = ((None, "Perm", "Omsk", "Bonn"), (None, "east", "west"), ("*",))
        >>> town = Hierarchy(column="town", groups=groups, labels=labels)
        >>> column = Categorical(name="town", codes=np.array([1, 3, 2, 3]), hierarchy=town)
        >>> clustered([column], k=2, seed=1, step=lambda title, done, total: None).tolist()
        [0, 1, 0, 1]
    """
    return _clusters(columns, k, seed, step, persons, sensitive if l > 1 else (), l, is_plain=False)


def plain_k_member(
    columns: Sequence[Categorical | Numeric], *, k: int, seed: int, step: Step
) -> "NDArray[np.int64]":
    """Return the clusters of plain k-member over all QIDs, numbers too: what the hybrid is held against.

    The same kernel, with neither blocks nor improvement. A number loses (largest − smallest of the cluster)
    / (largest − smallest of the column).

    Args:
        columns: The QIDs, one at least.
        k: Records a cluster has at least, ≥ 1.
        seed: Draws the first combination.
        step: Hears of progress.

    Returns:
        Shape (n,), 0..clusters − 1.

    Raises:
        TooFewPersons: When there are fewer than k records.

    Example:
        >>> numbers = np.array([np.nan, 20.0, 21.0, 60.0, 61.0])
        >>> age = Numeric(name="age", codes=np.array([1, 3, 2, 4]), numbers=numbers)
        >>> plain_k_member([age], k=2, seed=1, step=lambda title, done, total: None).tolist()
        [0, 1, 0, 1]
    """
    return _clusters(columns, k, seed, step, None, (), 1, is_plain=True)


def _clusters(
    columns: Sequence[Categorical | Numeric],
    k: int,
    seed: int,
    step: Step,
    persons: "NDArray[np.int64] | None",
    sensitive: "Sequence[NDArray[np.integer]]",
    l: int,  # noqa: E741 - the field's name
    *,
    is_plain: bool,
) -> "NDArray[np.int64]":
    if not len(columns[0].codes):
        return np.zeros(0, dtype=np.int64)
    step("clusters", 0, 1)
    kinds, kind = kinds_of(columns, persons, sensitive)
    _check(kinds, k, l)
    labels, count = _whole(kinds, k, l)
    rare = np.flatnonzero(labels < 0)
    blocks = [rare] if is_plain else _blocks_of(kinds, rare, k)
    done, generator = 0, np.random.default_rng(seed)
    for block in blocks:
        if not len(block):
            continue
        part = kinds.at(block)

        def told(share: int, before: int = done, size: int = len(block)) -> None:
            step("clusters", before + min(share, size), len(rare))

        labels[block] = _part_clusters(part, (k, l), generator, told, is_plain=is_plain)
        is_placed = labels[block] >= 0
        labels[block[is_placed]] += count
        count = max(count, int(labels[block].max(initial=-1)) + 1)
        done += len(block)
    if not count:
        # nobody could be told apart: all are one cluster
        labels[:], count = 0, 1
    if (labels < 0).any():
        clusters = KindClusters(kinds, growth_of(kinds, k, l, lambda: None), labels, count)
        joined(clusters, lambda _: step("clusters", done, max(len(rare), 1)))
        labels = clusters.labels
    step("clusters", max(len(rare), 1), max(len(rare), 1))
    # numbered in the order of their first kinds
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place.reshape(-1)][kind]


def _check(kinds: CombinationKinds, k: int, l: int) -> None:  # noqa: E741 - the field's name
    every = np.arange(kinds.count)
    persons = kinds.persons_of(every)
    if persons < k:
        raise TooFewPersons(
            f"a cluster needs k = {k} persons, and only {persons} are to be clustered; lower k, cluster both"
            " parts together, or suppress these records"
        )
    if kinds.attributes and kinds.diversity_of(every) < l:
        raise TooFewPersons(
            f"a cluster needs l = {l} values of each sensitive attribute, and one has only"
            f" {kinds.diversity_of(every)} in all that is to be clustered; lower l"
        )


def _whole(kinds: CombinationKinds, k: int, l: int) -> "tuple[NDArray[np.int64], int]":  # noqa: E741 - the field's name
    """Return the clusters of kinds that are one by themselves, −1 for all others, and how many they are."""
    is_whole = kinds.people.persons >= k
    if kinds.attributes:
        people = kinds.people
        owner = np.repeat(np.arange(kinds.count), np.diff(people.sensitive.starts))
        cell = owner * kinds.attributes + people.attribute[people.sensitive.items]
        values = np.bincount(cell, minlength=kinds.count * kinds.attributes)
        is_whole &= (values.reshape(kinds.count, -1) >= l).all(axis=1)
    labels = np.full(kinds.count, -1, dtype=np.int64)
    labels[is_whole] = np.arange(is_whole.sum())
    return labels, int(is_whole.sum())


def _blocks_of(kinds: CombinationKinds, places: "NDArray[np.int64]", k: int) -> "list[NDArray[np.int64]]":
    """Return the places cut into blocks of kinds that stand side by side.

    Growth takes time with the square of the kinds, blocks take it linearly. Columns with few values go first,
    whose values lose most once they are not alone; within a column those of one group stand together on
    every level.
    """
    if len(places) <= MOST_KINDS:
        return [places]
    values = kinds.values
    widths = np.diff(values.starts)
    keys = []
    for column in np.argsort(widths, kind="stable").tolist():
        codes = values.codes[column, places]
        if values.is_numeric[column]:
            keys.append(values.numbers[codes])
        else:
            # the last level is one group for all
            keys.extend(groups[codes] for groups in values.groups[-2::-1])
    order = places[np.lexsort(keys[::-1])]
    persons = int(kinds.people.persons[places].sum())
    blocks = min(-(-len(places) // MOST_KINDS), max(persons // (_FEWEST_CLUSTERS * k), 1))
    return [np.sort(block) for block in np.array_split(order, blocks)]


def _part_clusters(
    kinds: CombinationKinds,
    asked: tuple[int, int],
    generator: np.random.Generator,
    told: Callable[[int], None],
    *,
    is_plain: bool,
) -> "NDArray[np.int64]":
    """Return the clusters of some kinds, −1 where none could be made of those left."""
    k, l = asked  # noqa: E741 - the field's name
    growth = growth_of(kinds, k, l, lambda: told(0))
    labels, count = np.full(kinds.count, -1, dtype=np.int64), 0
    free = np.arange(kinds.count)
    last = int(generator.integers(kinds.count))
    while len(free):
        members, is_enough = growth.grown(free, growth.farthest(free, last))
        if not is_enough:
            break
        labels[free[members]] = count
        last = int(free[members[-1]])
        free = np.delete(free, members)
        count += 1
        if count % _EVERY == 0:
            # growing is the smaller half
            told(kinds.count - len(free) if is_plain else (kinds.count - len(free)) // 4)
    if count and not is_plain:
        clusters = KindClusters(kinds, growth, labels, count)
        grown = kinds.count // 4
        joined(clusters, lambda _: told(grown))
        improved(clusters, k, l, lambda done: told(grown + done * 3 // 4))
        labels = clusters.labels
    return labels
