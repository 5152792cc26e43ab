"""Columns appeared against sets of names."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from followed import history, published
from qidguard.sdk import Grouping
from qidguard_standard.over_time.columns_appeared import COLUMNS_APPEARED

NAMES = st.sets(st.sampled_from("abcdef"))


def measure(*releases):
    """Measure the columns of the last release against those of the one before."""
    columns = [tuple(published(name, "u") for name in names) for names in releases]
    view = SimpleNamespace(history=history(*[{"p": "x"}] * len(releases), columns=columns))
    return COLUMNS_APPEARED.method.measure(view, Grouping(qids=("a",)), {})


def test_by_hand():
    """Of three columns c and d are new; a has gone, which is not counted here."""
    assert measure("ab", "bcd") == 2


def test_only_the_latest_release_counts():
    """Column b was there long ago, but not in the latest earlier release."""
    assert measure("ab", "a", "ab") == 1
    assert measure("a", "ab", "ab") == 0


def test_before_the_first_release_nothing_appears():
    """There is nothing that the columns could be new to."""
    assert measure("abc") == 0


def test_names_differ_by_case():
    """A column is another one under another spelling."""
    assert measure("a", "A") == 1


def test_a_table_of_the_engine(people, measured):
    """Column s is new in a table of records."""
    before = people("abw", "xu1")
    assert measured(COLUMNS_APPEARED, people("absw", "xup1"), earlier=(before,)) == 1


@given(before=NAMES, now=NAMES)
def test_equals_sets_of_names(before, now):
    """The new names are the difference."""
    assert measure(before, now) == len(now - before)
