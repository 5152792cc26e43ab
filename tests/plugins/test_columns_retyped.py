"""Columns retyped against types by name."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from followed import history, published
from qidguard.sdk import Grouping
from qidguard_standard.over_time.columns_retyped import COLUMNS_RETYPED

TYPES = st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["text", "integer"]))


def measure(*releases):
    """Measure the types of the last release, name → type, against those of the one before."""
    columns = [tuple(published(name, "u", kind) for name, kind in types.items()) for types in releases]
    view = SimpleNamespace(history=history(*[{"p": "x"}] * len(releases), columns=columns))
    return COLUMNS_RETYPED.method.measure(view, Grouping(qids=("a",)), {})


def test_by_hand():
    """The year became a date and the zip a number; the sex stayed, and the ward is new."""
    before = {"year": "integer", "zip": "text", "sex": "text"}
    now = {"sex": "text", "zip": "integer", "year": "date", "ward": "text"}
    assert measure(before, now) == 2


def test_only_the_latest_release_counts():
    """The zip was a number long ago."""
    assert measure({"zip": "integer"}, {"zip": "text"}, {"zip": "text"}) == 0
    assert measure({"zip": "text"}, {"zip": "integer"}, {"zip": "text"}) == 1


def test_before_the_first_release_nothing_is_retyped():
    """There was no other type."""
    assert measure({"zip": "text"}) == 0


def test_a_column_that_came_or_went_is_not_retyped():
    """It has no other type to be held against."""
    assert measure({"a": "text"}, {"b": "integer"}) == 0


@given(before=TYPES, now=TYPES)
def test_equals_types_by_name(before, now):
    """Whatever came, went or stayed."""
    assert measure(before, now) == len(
        [name for name in before if now.get(name, before[name]) != before[name]]
    )
