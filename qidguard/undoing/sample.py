"""Some records, each of another person, on which columns are tried before all are."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray


def draw(
    target: Target, records: "NDArray[np.int64]", most: int, generator: np.random.Generator
) -> "NDArray[np.int64]":
    """Return at most so many of some records in no order, open ones rather than others."""
    is_open = target.is_open[records]
    open_ones = _some(records[is_open], most, generator)
    others = _some(records[~is_open], most - len(open_ones), generator)
    return generator.permutation(np.concatenate([open_ones, others]))


def _some(records: "NDArray[np.int64]", most: int, generator: np.random.Generator) -> "NDArray[np.int64]":
    if len(records) <= most:
        return records
    chosen: NDArray[np.int64] = records[generator.choice(len(records), most, replace=False, shuffle=False)]
    return chosen


def draw_groups(
    target: Target,
    records: "NDArray[np.int64]",
    codes: "NDArray[np.integer]",
    most: int,
    generator: np.random.Generator,
) -> "NDArray[np.int64]":
    """Return records of whole groups: a plain sample meets one record each of values that are rare.

    Args:
        target: The quasi-identifier; groups without an open record tell nothing and are left out.
        records: Records, each of another person.
        codes: Shape (all records,), the group of each.
        most: How many to return at most, beside the rest of the last group.
        generator: Chooses the groups.
    """
    group = codes if len(records) == len(codes) else codes[records]
    sizes = np.bincount(group)
    is_asked = np.zeros(len(sizes), dtype=np.bool_)
    is_open = target.is_open if len(records) == len(codes) else target.is_open[records]
    is_asked[group[is_open]] = True
    order = generator.permutation(np.flatnonzero(is_asked))
    is_taken = np.zeros(len(sizes), dtype=np.bool_)
    is_taken[order[np.cumsum(sizes[order]) - sizes[order] < most]] = True
    taken: NDArray[np.int64] = records[is_taken[group]]
    return taken
