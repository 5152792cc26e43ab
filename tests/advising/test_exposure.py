"""Whom columns expose is what counting without them gives; the smallest combinations add persons in turn."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.advising.classes import ClassLimit, DistinctRows
from qidguard.advising.run import exposure

NAMES = ("a", "b", "c")


def below(codes, columns, k):
    """Return which records are in classes of fewer than k, by pandas."""
    table = pd.DataFrame(codes)
    if not columns:
        return pd.Series([len(table) < k] * len(table))
    return table.groupby(list(columns))[0].transform("size") < k


@settings(max_examples=examples(25))
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=40), st.integers(2, 4))
def test_each_column_left_away_is_counted(rows, k):
    """What stays without a column, or without a pair of twins, is what a table without them has."""
    codes = np.array(rows, dtype=np.int32)
    limit = ClassLimit(columns=(0, 1, 2), persons=k)
    found = exposure(DistinctRows.of(codes), [limit], NAMES, twins=[(0, 2)])
    assert found.below == below(codes, (0, 1, 2), k).sum()
    told = {one.columns: one.below for one in found.without}
    wanted = {("a",): (1, 2), ("b",): (0, 2), ("c",): (0, 1), ("a", "c"): (1,)}
    assert told == {away: below(codes, left, k).sum() for away, left in wanted.items()}


@settings(max_examples=examples(25))
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=40), st.integers(2, 4))
def test_the_smallest_combinations_add_persons_in_turn(rows, k):
    """Each adds whom none before it puts below; a larger one stands behind a smaller one."""
    codes = np.array(rows, dtype=np.int32)
    found = exposure(DistinctRows.of(codes), [ClassLimit(columns=(0, 1, 2), persons=k)], NAMES).smallest
    known = pd.Series([False] * len(codes))
    for one in found:
        own = below(codes, [NAMES.index(name) for name in one.columns], k)
        assert (one.below, one.added) == (own.sum(), (own & ~known).sum())
        assert one.added > 0
        known |= own
    sizes = [len(one.columns) for one in found]
    assert sizes == sorted(sizes)
    assert bool(found) == bool(below(codes, (0, 1, 2), k).any())
