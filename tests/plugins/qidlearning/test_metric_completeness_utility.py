"""Completeness utility against counting targets that are there."""

import pandas as pd
import pytest

from qidguard_qidlearning.metrics.completeness_utility import COMPLETENESS_UTILITY


def completeness(table, members):
    """Take the share of what is not NULL, of the summed counts of the values."""
    return 1 - table.shares(members).get(None, 0)


def test_share_that_is_there(people, measured):
    """One of four targets is missing."""
    assert measured(COMPLETENESS_UTILITY, people("abs", "xup", "xu-", "yvq", "yvq")) == 0.75


def test_worst_class(people, measured):
    """Class x lacks half of its targets."""
    table = people("abs", "xup", "xu-", "yvq", "yvq")
    assert measured(COMPLETENESS_UTILITY, table, statistic="minimum") == 0.5


def test_nothing_missing(people, measured):
    """The first value of a column without NULL is a value and not NULL."""
    assert measured(COMPLETENESS_UTILITY, people("abs", "xup", "xuq")) == 1


def test_everything_missing(people, measured):
    """A target that is nowhere is complete nowhere."""
    assert measured(COMPLETENESS_UTILITY, people("abs", "xu-", "yv-")) == 0


@pytest.mark.parametrize("values", [[0, None, 2], [False, None, True], [0.0, None, -1.5], ["", None, "a"]])
def test_types(values, frame_figure):
    """Zero, false and the empty text are values."""
    frame = pd.DataFrame({"a": ["x"] * 3, "s": pd.array(values)})
    assert frame_figure(COMPLETENESS_UTILITY, frame, ["a"], "s") == pytest.approx(2 / 3)


@pytest.mark.slow
def test_equals_counting(agrees_over_classes):
    """An extreme and a mean are those over the counted classes."""
    agrees_over_classes(COMPLETENESS_UTILITY, completeness)


@pytest.mark.slow
def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(COMPLETENESS_UTILITY)


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(COMPLETENESS_UTILITY)
