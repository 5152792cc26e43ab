"""Binary trees over values, by frequency or by similarity, and the levels they are cut at."""

import heapq
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Merge = tuple[int, int]
"""Two nodes that become one: leaves are 0..n − 1, the i-th merge makes node n + i."""


def halved(groups: int) -> Iterator[int]:
    """Yield ever smaller numbers of groups, each half of the one before, rounded up, and at last 2.

    Example:
        >>> list(halved(9)), list(halved(2))
        ([5, 3, 2], [])
    """
    while groups > 2:  # noqa: PLR2004 - below two groups is the top
        groups = (groups + 1) // 2
        yield groups


def doubled(most: int) -> Iterator[int]:
    """Yield 2, 4, 8, … as long as that is less.

    Example:
        >>> list(doubled(8))
        [2, 4]
    """
    size = 2
    while size < most:
        yield size
        size *= 2


def cuts(leaves: int, merges: Sequence[Merge]) -> "list[NDArray[np.int64]]":
    """Return the groups of the leaves after enough merges for each halving of their number.

    For each number of groups in ``halved(leaves)`` the node of each leaf, shape (leaves,).
    """
    import numpy as np

    parent = np.arange(max(2 * leaves - 1, 0), dtype=np.int64)
    for made, (one, other) in enumerate(merges, start=leaves):
        parent[one] = parent[other] = made
    node = np.arange(leaves, dtype=np.int64)
    nodes = []
    for groups in halved(leaves):
        last = 2 * leaves - groups
        while True:
            above = parent[node]
            climbs = (above < last) & (above != node)
            if not climbs.any():
                break
            node = np.where(climbs, above, node)
        nodes.append(node)
    return nodes


def frequency_cuts(counts: "NDArray[np.int64]") -> "list[NDArray[np.int64]]":
    """Return ever coarser groups of categories; each merge joins the two groups of fewest records.

    That is the tree of Huffman (1952): what most records hold stays exact longest. Equal counts are merged
    in the order of the categories, so the order of records decides nothing.

    Example:
        >>> import numpy as np
        >>> groups, _ = frequency_cuts(np.array([50, 1, 40, 2, 3, 9]))
        >>> (groups[1] == groups[3] == groups[4], groups[0] == groups[1])
        (np.True_, np.False_)
    """
    leaves = len(counts)
    # of two groups with as many records the one with the first category goes first
    heap = [(count, leaf, leaf) for leaf, count in enumerate(counts.tolist())]
    heapq.heapify(heap)
    merges: list[Merge] = []
    while len(heap) > 1:
        one_count, one_first, one = heapq.heappop(heap)
        count, first, other = heap[0]
        merges.append((one, other))
        made = (one_count + count, min(one_first, first), leaves + len(merges) - 1)
        heapq.heapreplace(heap, made)
    return cuts(leaves, merges)


_WORD = re.compile(r"[^\W_]+")


def features(text: str) -> set[str]:
    """Return the words of a text and the trigrams of each, without regard to case.

    Example:
        >>> sorted(features("HIV"))
        [' hi', ' hiv ', 'hiv', 'iv ']
    """
    words = [f" {word} " for word in _WORD.findall(text.casefold())] or [text]
    return {*words, *(word[at : at + 3] for word in words for at in range(len(word) - 2))}


def unlikeness(texts: Sequence[str]) -> "NDArray[np.float64]":
    """Return for each pair of texts 1 − 2·shared features / features of both (Dice, 1945).

    Shape (texts, texts), symmetric, 0..1; 0 on the diagonal.

    Example:
        >>> unlikeness(["wine", "WINE", "beer"]).round(2).tolist()
        [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    import numpy as np

    holders: dict[str, list[int]] = {}
    sizes = np.zeros(len(texts))
    for at, text in enumerate(texts):
        own_features = features(text)
        sizes[at] = len(own_features)
        for feature in sorted(own_features):
            holders.setdefault(feature, []).append(at)
    shared = np.diag(sizes)
    for held in holders.values():
        if len(held) > 1:
            shared[np.ix_(held, held)] += 1
    # the diagonal was counted twice where a feature is shared
    np.fill_diagonal(shared, sizes)
    return 1 - 2 * shared / np.add.outer(sizes, sizes)


def average_linkage(distances: "NDArray[np.float64]") -> list[Merge]:
    """Return the merges of average linkage (Sokal and Michener, 1958), nearest first.

    Found along chains of nearest neighbors (Benzécri, 1982), in time and memory of the square of the
    number of points. Of equally near neighbors the one before in the chain is taken, then the first.
    """
    import numpy as np

    points = len(distances)
    distance = np.array(distances, dtype=np.float64)
    np.fill_diagonal(distance, np.inf)
    sizes = np.ones(points)
    height = np.zeros(points)
    is_open = np.ones(points, dtype=bool)
    merged: list[tuple[float, int, int]] = []
    chain: list[int] = []
    while len(merged) < points - 1:
        if not chain:
            chain.append(int(np.argmax(is_open)))
        last = chain[-1]
        nearest = int(np.argmin(distance[last]))
        if len(chain) == 1 or distance[last, nearest] < distance[last, chain[-2]]:
            chain.append(nearest)
            continue
        chain.pop()
        other = chain.pop()
        keep, gone = min(last, other), max(last, other)
        # rounding must not let a merge come before the ones it is made of
        height[keep] = max(distance[keep, gone], height[keep], height[gone])
        merged.append((float(height[keep]), keep, gone))
        both = sizes[keep] + sizes[gone]
        row = (sizes[keep] * distance[keep] + sizes[gone] * distance[gone]) / both
        row[[keep, gone]] = np.inf
        distance[keep] = distance[:, keep] = row
        distance[gone] = distance[:, gone] = np.inf
        sizes[keep] = both
        is_open[gone] = False
    return _numbered(merged, points)


def _numbered(merged: list[tuple[float, int, int]], points: int) -> list[Merge]:
    """Return the merges by height, with the number of the node that each point is in by then."""
    inside = list(range(points))
    merges: list[Merge] = []
    # sorting is stable, so of equal heights the parts stand before the whole
    for _, keep, gone in sorted(merged, key=lambda merge: merge[0]):
        one, other = inside[keep], inside[gone]
        merges.append((min(one, other), max(one, other)))
        # `gone` is never named again, and `keep` stands for both
        inside[keep] = points + len(merges) - 1
    return merges


MOST_COMPARED = 1_000
"""Texts that are compared pair by pair; of more, those with a common beginning are put together first."""

_SAME = 1 << 30
"""Letters that two texts share which differ in case alone."""


def similarity_cuts(texts: Sequence[str], counts: "NDArray[np.int64]") -> "list[NDArray[np.int64]]":
    """Return ever coarser groups of texts; each merge joins the two groups that are most alike.

    Up to 1,000 texts are compared pair by pair. Of more, those that share their first letters are put
    together, as many letters as leave at most 1,000 groups, and the most frequent text of each group speaks
    for it from there on. Where even the first letter leaves more, all are one group.

    Example:
        >>> import numpy as np
        >>> words = ["red wine", "blue cheese", "white wine"]
        >>> [group.tolist() for group in similarity_cuts(words, np.array([1, 1, 1]))]
        [[3, 1, 3]]
    """
    import numpy as np

    levels = _beginnings(texts)
    blocks = levels[-1] if levels else np.arange(len(texts))
    # the most frequent text of each block first, of equally frequent ones the first
    order = np.lexsort((np.arange(len(texts)), -np.asarray(counts), blocks))
    _, first = np.unique(blocks[order], return_index=True)
    leaders = [texts[i] for i in order[first].tolist()]
    merges = average_linkage(unlikeness(leaders))
    return [*levels, *(cut[blocks] for cut in cuts(len(leaders), merges))]


def _beginnings(texts: Sequence[str]) -> "list[NDArray[np.int64]]":
    """Return groups of texts with the same first letters until few enough are left; none for few texts."""
    import numpy as np

    if len(texts) <= MOST_COMPARED:
        return []
    order = sorted(range(len(texts)), key=lambda i: (texts[i].casefold(), i))
    folded = [texts[i].casefold() for i in order]
    shared = np.array([_shared(one, other) for one, other in pairwise(folded)])
    # how many groups the first n letters leave
    groups = 1 + np.cumsum(np.bincount(shared[shared < _SAME] + 1, minlength=1))
    levels: list[NDArray[np.int64]] = []
    done = len(groups)
    for most in (*(target for target in halved(len(texts)) if target > MOST_COMPARED), MOST_COMPARED):
        letters = int(np.flatnonzero(groups <= most)[-1])
        if letters == done:
            continue
        done = letters
        level = np.empty(len(texts), dtype=np.int64)
        level[order] = np.concatenate([[0], np.cumsum(shared < letters)])
        levels.append(level)
    return levels


def _shared(one: str, other: str) -> int:
    return (
        _SAME
        if one == other
        else sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    )
