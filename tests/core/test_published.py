"""The two writings of generalized cells: intervals and sets."""

import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import interval_text, set_text


def test_intervals():
    """Both ends belong to it; an interval of one value is the value."""
    assert interval_text("17", "25") == "[17, 25]"
    assert interval_text("-1.5", "1e10") == "[-1.5, 1e10]"
    assert interval_text("2020-01-01", "2020-12-31") == "[2020-01-01, 2020-12-31]"
    assert interval_text("17", "17") == "17"


@pytest.mark.parametrize(("low", "high"), [("", "1"), ("1", ""), ("", "")])
def test_an_interval_has_two_ends(low, high):
    """An empty end is a mistake of the caller."""
    with pytest.raises(ValueError, match="needs two ends"):
        interval_text(low, high)


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (["f"], "f"),
        (["a, b"], "a, b"),
        ([""], ""),
        (["f", "m"], "{f, m}"),
        ([None, "f"], "{, f}"),
        (["", "f"], '{"", f}'),
        (["a,b", "c"], '{"a,b", c}'),
        (['say "x"', "c"], '{"say ""x""", c}'),
        ([" a", "b "], '{" a", "b "}'),
        (["{a, b}", "c"], '{"{a, b}", c}'),
        (["(a)", "c"], '{"(a)", c}'),
        (["[1, 2]", "7"], "{[1, 2], 7}"),
    ],
)
def test_sets(members, expected):
    """A missing member is an empty place, and what could be read otherwise is quoted."""
    assert set_text(members) == expected


@pytest.mark.parametrize("members", [[], [None]])
def test_a_set_has_a_value(members):
    """An empty set and one of a missing value are mistakes of the caller."""
    with pytest.raises(ValueError, match="needs a value"):
        set_text(members)


PLAIN = st.text("ab ,{}()\"'é", max_size=4)


@settings(max_examples=examples(200), derandomize=True, database=None, deadline=None)
@given(st.lists(st.one_of(st.none(), PLAIN), min_size=2, max_size=4))
def test_sets_are_told_apart_by_any_reader_of_csv(members):
    """Members come back in order; a missing one as an empty place that is not quoted."""
    text = set_text(members)
    assert text.startswith("{")
    assert text.endswith("}")
    (read,) = csv.reader([text[1:-1]], skipinitialspace=True, strict=True) if text != "{}" else ([""],)
    assert read == [member or "" for member in members]
