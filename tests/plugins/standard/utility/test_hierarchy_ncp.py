"""A set costs the smallest group of its hierarchy that holds it, beside its own width."""

import pytest

from levelled_tables import hierarchy
from qidguard_standard.utility.hierarchy_ncp import HIERARCHY_NCP
from qidguard_standard.utility.ncp import NCP
from two_tables import measured, view

TOWNS = ["aa", "ab", "ac", "ba", "bb"]


def seen(published, **more):
    """Return a view of five towns, which their first letters group."""
    made = view({"a": TOWNS}, {"a": published}, **more)
    tree = hierarchy(made.changes.before.column("a"), lambda text: text[0] + ".")
    return view({"a": TOWNS}, {"a": published}, hierarchies={"a": tree}, **more)


@pytest.mark.parametrize(
    ("published", "own", "by_groups"),
    [
        (TOWNS, 0, 0),
        # two of five twice: 1/4; the group a. has three: 2/4
        (["aa,ab", "aa,ab", "ac", "ba", "bb"], 2 / 4 / 5, 4 / 4 / 5),
        # a set across groups costs everything
        (["aa", "ab", "ac,ba", "ac,ba", "bb"], 2 / 4 / 5, 2 / 5),
        (["a.", "a.", "a.", "b.", "b."], (3 * 2 + 2 * 1) / 4 / 5, (3 * 2 + 2 * 1) / 4 / 5),
        (["*"] * 5, 1, 1),
    ],
)
def test_by_hand(published, own, by_groups):
    """Own width rewards sets; the group does not, and is never below it."""
    assert measured(NCP, seen(published)) == pytest.approx(own)
    assert measured(HIERARCHY_NCP, seen(published)) == pytest.approx(by_groups)
    assert measured(HIERARCHY_NCP, seen(published, aligned=False)) == pytest.approx(by_groups)


def test_without_a_hierarchy_a_set_costs_the_domain_and_numbers_their_width():
    """Widths of numbers are as ncp has them."""
    plain = view({"a": TOWNS}, {"a": ["aa,ab", "aa,ab", "ac", "ba", "bb"]})
    assert measured(HIERARCHY_NCP, plain) == pytest.approx(2 / 5)
    ages = view({"a": [10, 15, 20]}, {"a": ["[10, 15]", "[10, 15]", "20"]})
    assert measured(HIERARCHY_NCP, ages) == pytest.approx(measured(NCP, ages))
