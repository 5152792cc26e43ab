"""Blocks of kinds that are alike: growth takes time with the square of the kinds, blocks take it linearly."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_hybrid_dp.clusters.kinds import CombinationKinds

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_KINDS = 8192
"""Kinds of one block, unless a cluster needs more."""

_FEWEST_CLUSTERS = 8
"""Clusters that a block has room for, however large they have to be."""


def blocks_of(kinds: CombinationKinds, places: "NDArray[np.int64]", k: int) -> "list[NDArray[np.int64]]":
    """Return the places cut into blocks of kinds that stand side by side.

    Columns with few values go first, whose values lose most once they are not alone; within a column those
    of one group stand together on every level.
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
