"""A tree over texts in which the most alike are merged first."""

from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from qidguard.anonymize.hierarchy.likeness import unlikeness
from qidguard.anonymize.hierarchy.linkage import average_linkage
from qidguard.anonymize.hierarchy.tree import cuts, halved

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_COMPARED = 1_000
"""Texts that are compared pair by pair; of more, those with a common beginning are put together first."""

_SAME = 1 << 30
"""Letters that two texts share which differ in case alone."""


def similarity_cuts(texts: Sequence[str], counts: "NDArray[np.int64]") -> "list[NDArray[np.int64]]":
    """Return ever coarser groups of texts; each merge joins the two groups that are most alike.

    Up to 1,000 texts are compared pair by pair. Of more, those that share their first letters are put
    together, as many letters as leave at most 1,000 groups, and the most frequent text of each group speaks
    for it from there on. Where even the first letter leaves more, all are one group.

    Args:
        texts: The texts, each once, in the order that breaks ties.
        counts: Shape (texts,), records of each.

    Returns:
        From finest to coarsest the group of each text.

    Units:
        ``counts`` are records.

    Raises:
        IndexError: When there are more texts than counts.

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
