"""Whether a new table copies its source: nearly all who are alone came back, and no near neighbor."""

from qidguard.anonymizing.class_numbers import class_numbers
from qidguard.anonymizing.reproduced import translated
from qidguard.anonymizing.unreachable import UnreachableError
from qidguard.core.versions import ColumnSource

_FEWEST = 20
"""Of fewer records that are alone nothing is said."""
_MOST = 0.9
"""Share of those that are alone that may come back whatever chance gives."""
_TIMES = 2
"""So many times as often as a near neighbor comes back is no chance."""
_SEED = 7


def check_copies(anonymizer: str, before: ColumnSource, after: ColumnSource) -> None:
    """Raise UnreachableError where a new table copies its source."""
    if copies := copying(before, after):
        raise UnreachableError(
            f"The remedy {anonymizer} copied the source and called it a new table: {copies}; take a method"
            " that draws its records, or one that publishes those of the source as such."
        )


def copying(before: ColumnSource, after: ColumnSource) -> str:
    """Return how much a new table copies of its source, as counts; empty where it may be chance.

    Looked at are the source's records that are alone in all columns that both tables have. A near neighbor
    is such a record with one cell from another record, of which the source has none: a mechanism that draws
    makes it about as easily, and one that copies never does. It copies where more than 90 % of those that
    are alone came back, and twice as large a share of them as of their neighbors. A table of fewer than 20
    such records, or of records without such a neighbor, tells nothing.

    Args:
        before: The source.
        after: The new table; columns that only one of the two has are not looked at.
    """
    import numpy as np

    shared = [name for name in before.names if name in after.names]
    if not shared:
        return ""
    was = np.stack([before.column(name).codes for name in shared], axis=1)
    now = np.stack([translated(before.column(name), after.column(name)) for name in shared], axis=1)
    now = now[(now >= 0).all(axis=1)]
    classes = class_numbers(was)
    alone = was[np.bincount(classes)[classes] == 1]
    if len(alone) < _FEWEST:
        return ""
    random = np.random.default_rng(_SEED)
    near, column = alone.copy(), random.integers(0, len(shared), len(alone))
    near[np.arange(len(near)), column] = was[random.integers(0, len(was), len(near)), column]
    every = class_numbers(np.concatenate([was, now, alone, near]))
    in_source, in_new, ours, theirs = np.split(every, np.cumsum([len(was), len(now), len(alone)]))
    theirs = theirs[~np.isin(theirs, in_source)]
    back, chance = np.isin(ours, in_new), np.isin(theirs, in_new)
    if not len(theirs) or back.mean() <= max(_MOST, _TIMES * chance.mean()):
        return ""
    return (
        f"{int(back.sum()):,} of the {len(ours):,} records that are alone in the source came back, and of"
        f" their near neighbors {int(chance.sum()):,} of {len(theirs):,}"
    )
