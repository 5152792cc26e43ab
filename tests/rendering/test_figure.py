import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.rendering.figure import figure, figure_against_limit, limit_figure, short_share, with_unit

NUMBERS = st.floats(min_value=0, max_value=1e9, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "records", "0"),
        (1234567, "records", "1,234,567"),
        (1234.5678, "records", "1,235"),
        (0.72912, "share", "72.9%"),
        (1e-05, "share", "0.001%"),
        (1e-12, "share", "<0.0001%"),
        (0.9999999, "share", ">99.9%"),
        (1.0, "share", "100%"),
        (2.0, "values", "2"),
        (0.693147, "nats", "0.693"),
        (-0.5, "score", "-0.5"),
        (math.inf, "ratio", "infinite"),
        (math.nan, "ratio", "not a number"),
    ],
)
def test_figures_read_as_people_write_them(value, unit, text):
    """Counts have thousands separators, shares are percent, nothing is written in powers of ten."""
    assert figure(value, unit) == text


@given(NUMBERS, st.sampled_from(["share", "records", "ratio"]))
def test_no_figure_is_in_scientific_notation(value, unit):
    """Whatever the size, no exponent appears in a figure or a limit."""
    assert "e" not in figure(value, unit).lower()
    assert "e" not in limit_figure(value, unit).lower()


@given(st.floats(min_value=0.001, max_value=1000), st.floats(min_value=0.001, max_value=1000))
def test_a_figure_never_looks_like_a_limit_that_it_is_not(value, limit):
    """Beside its limit a figure gets as many digits as it takes to tell the two apart."""
    is_same_text = figure_against_limit(value, limit, "ratio") == limit_figure(limit, "ratio")
    assert is_same_text == (value == limit)


@pytest.mark.parametrize(("text", "phrase"), [("1", "1 class"), ("2", "2 classes"), ("infinite", "infinite")])
def test_one_is_singular(text, phrase):
    """One has a singular; infinity has no unit."""
    assert with_unit(text, "classes") == phrase


@given(st.floats(min_value=0, max_value=1))
def test_only_none_and_all_print_as_none_and_all(share):
    """A share above 0 never prints as 0%, one below 1 never as 100%."""
    text = short_share(share)
    assert (text == "0%") == (share == 0)
    assert (text == "100%") == (share == 1)
