"""What a parameter refuses, and in which words."""

import math

import pytest

from qidguard.core.errors import UserError
from qidguard.core.parameter import Parameter


@pytest.mark.parametrize(
    ("limits", "value", "expected"),
    [
        ({"minimum": 0, "maximum": 1}, 2.0, "must lie in 0..1, not 2.0"),
        ({"minimum": 2}, 1.0, "must be at least 2, not 1.0"),
        ({"maximum": 5}, 6.0, "must be at most 5, not 6.0"),
        ({}, math.nan, "must be a number, not nan"),
    ],
)
def test_only_limits_that_exist_are_said(limits, value, expected):
    """Nobody reads that a number must lie in 2..None."""
    with pytest.raises(UserError) as said:
        Parameter(name="p", type=float, **limits).check(value)
    assert str(said.value) == f"parameter 'p' {expected}"
