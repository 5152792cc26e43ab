"""Suppressed cells that turn out to be harmless are published after all."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard import Progress
from qidguard_standard.anonymisers.recoding.marked_cells import MarkedCells

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_COMBINATIONS = 1_000
"""Combinations beyond which cells stay suppressed: to look again at each costs more than it brings."""
TITLE = "local suppression: cells published after all"


def publish_again(
    cells: MarkedCells,
    combos: Sequence[tuple[int, ...]],
    order: "NDArray[np.int64]",
    k: int,
    progress: Progress,
) -> None:
    """Publish in each column all those suppressed cells that may be published together.

    All suppressed cells of a column are tried together; those whose class would be small, or whose leaving
    would make a class small, are left out, until no class is.

    Args:
        cells: The table, all of whose classes have k persons; it is changed and they still have.
        combos: The combinations.
        order: The columns, in the order in which they are tried.
        k: Smallest class, persons.
        progress: Hears of the columns.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> publish_again.__name__
        'publish_again'
    """
    if len(combos) > MOST_COMBINATIONS:
        return
    rows = np.flatnonzero(cells.kept)
    for done, column in enumerate(order):
        progress.step(TITLE, done, len(order))
        mine = [combo for combo in combos if column in combo]
        tried = cells.is_marked[rows, column].copy()
        is_stable = False
        while tried.any() and not is_stable:
            is_stable = True
            for combo in mine:
                keys = cells.keys(combo, rows)
                then = keys.copy()
                then[tried] = cells.without_mark(keys[tried], int(column), rows[tried])
                is_small = cells.small(then, rows, k)
                if is_small.any():
                    is_stable = False
                    # who would be alone stays suppressed, and so does who would leave others alone
                    tried &= ~is_small & ~np.isin(keys, then[is_small & ~tried])
        if tried.any():
            cells.publish(int(column), rows[tried])
    progress.step(TITLE, len(order), len(order))
