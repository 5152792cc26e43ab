"""Columns disappeared against sets of names."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from followed import history, published
from qidguard.sdk import Grouping
from qidguard_standard.over_time.columns_disappeared import COLUMNS_DISAPPEARED

NAMES = st.sets(st.sampled_from("abcdef"))


def measure(*releases):
    """Measure the columns of the last release against those of the one before."""
    columns = [tuple(published(name, "u") for name in names) for names in releases]
    view = SimpleNamespace(history=history(*[{"p": "x"}] * len(releases), columns=columns))
    return COLUMNS_DISAPPEARED.method.measure(view, Grouping(qids=("a",)), {})


def test_by_hand():
    """Of three columns a and b have gone; d is new, which is not counted here."""
    assert measure("abc", "cd") == 2


def test_only_the_latest_release_counts():
    """Column b went long ago."""
    assert measure("ab", "a", "a") == 0
    assert measure("a", "ab", "a") == 1


def test_before_the_first_release_nothing_disappears():
    """There is nothing that could have gone."""
    assert measure("abc") == 0


def test_a_table_of_the_engine(people, measured):
    """Column s has gone from a table of records."""
    before = people("absw", "xup1")
    assert measured(COLUMNS_DISAPPEARED, people("abw", "xu1"), earlier=(before,)) == 1


@given(before=NAMES, now=NAMES)
def test_equals_sets_of_names(before, now):
    """The names that went are the difference."""
    assert measure(before, now) == len(before - now)
