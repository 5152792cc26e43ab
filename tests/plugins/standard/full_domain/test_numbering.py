"""Rows are numbered in the order of their columns, whatever way their keys are counted."""

import numpy as np
import pytest

from qidguard_standard.anonymizers.full_domain.classes import numbered


@pytest.mark.parametrize("span", [3, 40_000, 2**31, 2**44])
@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("rows", [0, 1, 500])
def test_classes_are_those_of_distinct_rows(span, columns, rows):
    """Counted in an array, sorted with their places, or renumbered where the keys would pass 64 bits."""
    generator = np.random.default_rng(0)
    few = np.sort(generator.integers(0, span, 4))
    codes = generator.choice(few, (rows, columns))
    expected, number = np.unique(codes, axis=0, return_inverse=True)
    group, classes = numbered([(codes[:, at], span) for at in range(columns)], rows)
    assert classes == len(expected)
    assert group.tolist() == number.reshape(-1).tolist()


def test_without_columns_all_rows_are_one_class():
    """As the classes of no QID are."""
    group, classes = numbered([], 3)
    assert (group.tolist(), classes) == ([0, 0, 0], 1)
