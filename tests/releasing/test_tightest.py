"""Of several figures the one that comes nearest to its limit, or furthest beyond."""

import pytest

from ledger_book import figure
from qidguard.releasing.history.overview import tightest


@pytest.mark.parametrize(
    ("value", "limit", "bound", "is_met", "room"),
    [
        (5, 5, "at_least", True, 0.0),
        (10, 5, "at_least", True, 0.5),
        (20, 5, "at_least", True, 0.75),
        (4, 5, "at_least", False, -0.2),
        (0, 5, "at_least", False, -1.0),
        (0.25, 0.5, "at_most", True, 0.5),
        (0.0, 0.5, "at_most", True, 1.0),
        (1.0, 0.5, "at_most", False, -0.5),
        (3, 0, "at_most", False, -1.0),
        (0, 0, "at_most", True, 1.0),  # a limit of zero that holds: nothing is near
        (-5, 5, "at_least", False, -1.0),  # ten short of five, and never beyond -1
        (0.3 - 1e-16, 0.3, "at_least", True, 0.0),  # the last digit of a float is not below the limit
        (None, 5, "at_least", False, -1.0),  # not measured
        (None, 5, "at_least", True, 1.0),  # infinite
    ],
)
def test_room_is_a_share_of_the_larger_of_figure_and_limit(value, limit, bound, is_met, room):
    """1 is all room, 0 is none, below it the limit is missed."""
    found = tightest([figure("m", value, limit, bound, is_met=is_met)])
    assert (found.room, found.room >= 0) == (pytest.approx(room), is_met)
    assert (found.value, found.limit, found.bound, found.is_met) == (value, limit, bound, is_met)


@pytest.mark.parametrize(("figures", "expected"), [
    ([], None),
    ([figure("a", 10, 5), figure("b", 6, 5), figure("c", 9, 5)], "b"),
    ([figure("a", 5, 5), figure("b", 4, 5, is_met=False)], "b"),
    ([figure("a", 4, 5, is_met=False), figure("b", 1, 5, is_met=False)], "b"),
    ([figure("a", 1, 5, is_met=False), figure("b", None, 5, is_met=False)], "b"),
    ([figure("a", 6, 5), figure("b", 1, 5, is_met=False, is_warning=True)], "a"),
    ([figure("b", 1, 5, is_met=False, is_warning=True)], "b"),
    ([figure("a", 6, 5), figure("b", 6, 5)], "a"),
])  # fmt: skip
def test_the_tightest_figure_is_the_one_with_the_least_room(figures, expected):
    """What is missed comes first; what only warns counts where nothing else does; of equals the first."""
    found = tightest(figures)
    assert (None if found is None else found.metric) == expected
