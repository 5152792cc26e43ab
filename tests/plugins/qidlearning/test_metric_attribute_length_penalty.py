"""The attribute length penalty on numbers that can be checked by hand."""

from types import SimpleNamespace

import pandas as pd
import pytest

from qidguard.sdk import Direction, Grouping
from qidguard_qidlearning.metrics.attribute_length_penalty import (
    ATTRIBUTE_LENGTH_PENALTY,
    attribute_length_penalty,
)


@pytest.mark.parametrize(("chosen", "expected"), [(1, 0.625), (2, 0.5), (3, 0.625), (4, 1.0)])
def test_penalty(chosen, expected):
    """(1 − p)² + p² of four columns: least for half of them, 1 for all."""
    assert attribute_length_penalty(chosen, 4) == expected


@pytest.mark.parametrize("chosen", [0, 5])
def test_qids_are_columns_of_the_table(chosen):
    """No set is empty or larger than the table."""
    with pytest.raises(ValueError, match="1 to 4 of the table's columns"):
        attribute_length_penalty(chosen, 4)


def test_p_is_of_all_columns(frame_figure):
    """Columns that are no QIDs count in the denominator, whatever they hold."""
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [1, 1], "d": [None, None]})
    assert frame_figure(ATTRIBUTE_LENGTH_PENALTY, frame, ["a"]) == 0.625
    assert frame_figure(ATTRIBUTE_LENGTH_PENALTY, frame, ["b", "d"]) == 0.5


def test_an_empty_table_has_columns():
    """It depends on the columns only, so that no record is needed."""
    view = SimpleNamespace(columns=("a", "b", "c", "d"))
    assert ATTRIBUTE_LENGTH_PENALTY.method.measure(view, Grouping(qids=("a",)), {}) == 0.625


def test_a_search_may_bound_it_by_size():
    """It depends on the size only, and says so; it is not monotone and on no side safe."""
    assert ATTRIBUTE_LENGTH_PENALTY.is_of_size
    assert not ATTRIBUTE_LENGTH_PENALTY.is_monotone
    assert ATTRIBUTE_LENGTH_PENALTY.direction is Direction.NEITHER
