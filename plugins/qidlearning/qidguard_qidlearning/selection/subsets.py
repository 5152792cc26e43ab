"""Subsets of one size: all of them, or a sample of so many."""

import math
from itertools import combinations

import numpy as np


def subsets(columns: tuple[str, ...], size: int, *, most: int, seed: int) -> tuple[list[frozenset[str]], int]:
    """Return the subsets of a size, and how many there are.

    Args:
        columns: The columns.
        size: How many a subset has, 1..columns.
        most: Beyond so many, a sample of this size is drawn without replacement.
        seed: The same seed draws the same sample.

    Returns:
        Subsets, none twice, and the number of all of them.

    Units:
        None.

    Raises:
        ValueError: When the size is outside its range.

    Example:
        >>> some, every = subsets(("a", "b", "c"), 2, most=10, seed=0)
        >>> [sorted(one) for one in some], every
        ([['a', 'b'], ['a', 'c'], ['b', 'c']], 3)
    """
    if not 1 <= size <= len(columns):
        raise ValueError(f"a subset of {len(columns)} columns has 1 to {len(columns)} of them, not {size}")
    every = math.comb(len(columns), size)
    if every <= most:
        return [frozenset(one) for one in combinations(columns, size)], every
    rng = np.random.default_rng(seed)
    found: dict[frozenset[str], None] = {}
    while len(found) < most:
        found[frozenset(columns[i] for i in rng.choice(len(columns), size=size, replace=False))] = None
    return list(found), every
