"""Class numbers against sets of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qidguard_standard.metrics.class_numbers import class_numbers


@given(rows=st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=8))
def test_equal_rows_share_a_number(rows):
    """Two rows have one number exactly when they are equal, and numbers run from 0 without a gap."""
    numbers = class_numbers(np.array(rows, dtype=np.int32)).tolist()
    assert len(set(zip(rows, numbers, strict=True))) == len(set(rows)) == max(numbers) + 1


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
