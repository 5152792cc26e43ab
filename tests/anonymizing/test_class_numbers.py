"""Class numbers against sets of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qidguard.anonymizing.class_numbers import class_numbers


@given(
    rows=st.lists(st.lists(st.integers(0, 2**31 - 1), min_size=4, max_size=4), min_size=1, max_size=12)
    | st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=8),
    repeated=st.integers(1, 3),
)
def test_numbers_are_the_places_of_sorted_rows(rows, repeated):
    """Equal rows share one, without a gap, however many values there are: as sorted tuples are numbered."""
    codes = np.array(rows * repeated, dtype=np.int32)
    keys = {row: at for at, row in enumerate(sorted(set(map(tuple, codes.tolist()))))}
    assert class_numbers(codes).tolist() == [keys[tuple(row)] for row in codes.tolist()]


def test_many_wide_columns_do_not_overflow():
    """Twelve columns of a million values each exceed 64 bits; equal rows still share a number."""
    rows = np.full((3, 12), 999_999, dtype=np.int32)
    rows[1, 11] = rows[2, 0] = 5
    assert len(set(class_numbers(rows).tolist())) == 3
    rows[1] = rows[0]
    numbers = class_numbers(rows)
    assert numbers[0] == numbers[1] != numbers[2]


def test_no_column_is_one_class():
    """Rows without a column are all equal."""
    assert class_numbers(np.zeros((3, 0), dtype=np.int32)).tolist() == [0, 0, 0]
