"""Figures, names, bars and the sentence of a threshold: nothing is misread, cut or rounded away."""

import math
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_report import threshold
from qidguard.core.verdict import Bound
from qidguard.rendering.figure import figure, figure_against_limit, limit_figure, short_share, with_unit
from qidguard.rendering.printable import ASCII, UNICODE, listed, shown_name, visible
from qidguard.rendering.threshold import distance, measured, subject, threshold_sentence

NUMBERS = st.floats(min_value=0, max_value=1e9, allow_nan=False)


@pytest.mark.parametrize(("value", "unit", "text"), [
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
])  # fmt: skip
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


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)


@given(ANY_TEXT)
def test_visible_text_holds_no_hidden_character(text):
    """Control, format, surrogate, private and unassigned characters and line ends never come through."""
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not {unicodedata.category(c) for c in visible(text)} & hidden


@given(st.text(st.characters(categories=("L", "N", "P", "S")), max_size=30))
def test_text_without_hidden_characters_stays_as_it_is(text):
    """Letters, digits, punctuation and signs of any script are printed as they are."""
    assert visible(text) == text


@pytest.mark.parametrize(("name", "shown"), [
    ("age", "age"),
    ("[red]x[/red]", "[red]x[/red]"),
    ("", '""'),
    (" age", '" age"'),
    ("age, sex", '"age, sex"'),
    ('say "x"', r'"say \"x\""'),
    ("a\x1b[31m", r"a\x1b[31m"),
    ("right\u202eleft", r"right\u202eleft"),
    ("a\nb", r"a\nb"),
    ("\ud800", r"\ud800"),
    ("x" * 61, "x" * 59 + "…"),
])  # fmt: skip
def test_a_name_is_shown_so_that_it_cannot_be_misread(name, shown):
    """Hidden characters are escaped, unclear names quoted, long names cut."""
    assert shown_name(name) == shown


def test_a_list_says_how_many_names_it_leaves_out():
    """The first names are written out, the others counted."""
    assert listed([f"c{i}" for i in range(300)], most=2) == "c0, c1 and 298 more"
    assert listed([]) == "no columns"


@pytest.mark.parametrize("marks", [ASCII, UNICODE])
@given(share=st.floats(0, 1), cells=st.integers(2, 40))
def test_a_bar_has_its_width_and_shows_the_least_and_the_last(marks, share, cells):
    """A bar is as wide as asked; it is empty only at 0 and full only at 1."""
    bar = marks.bar(share, cells)
    assert len(bar) == cells
    assert (bar == marks.rest * cells) == (share == 0)
    assert (bar == marks.blocks[-1] * cells) == (share == 1)


@given(st.floats(0, 1), st.floats(0, 1))
def test_more_is_never_drawn_shorter(one, other):
    """The filled part grows with the share."""
    low, high = sorted((one, other))
    assert ASCII.bar(low, 20).count("#") <= ASCII.bar(high, 20).count("#")


@pytest.mark.parametrize(("result", "sentence"), [
    (threshold("k-anonymity", 1, Bound.AT_LEAST, 5, unit="records"),
     "k-anonymity is 1 record, must be at least 5 (4 short), over age, sex, zip."),
    (threshold("k-anonymity", 7, Bound.AT_LEAST, 5),
     "k-anonymity is 7 entities, must be at least 5 (2 to spare), over age, sex, zip."),
    (threshold("risk", 0.465, Bound.AT_MOST, 0.09, unit="share"),
     "risk is 46.5%, must be at most 9% (37.5 percentage points over), over age, sex, zip."),
    (threshold("t-closeness", 0.2000001, Bound.AT_MOST, 0.2, unit="ratio", sensitive="income"),
     "t-closeness of income is 0.2000001, must be at most 0.2 (<0.0001 over), over age, sex, zip."),
    (threshold("beta", math.inf, Bound.AT_MOST, 2, unit="ratio", combination="geo", qids=("zip",)),
     "beta is infinite, must be at most 2 (infinite over), over zip (combination geo)."),
    (threshold("k-map", None, Bound.AT_LEAST, 5, reason="no population table was given."),
     "k-map has no number (no population table was given), must be at least 5, over age, sex, zip."),
    (threshold("l", math.nan, Bound.AT_LEAST, 2, unit="values"),
     "l has no number (the metric gave no number), must be at least 2, over age, sex, zip."),
])  # fmt: skip
def test_a_sentence_says_how_far_off(result, sentence):
    """Figure, demand, distance and columns stand in one sentence; no number is never a figure."""
    assert threshold_sentence(result) == sentence


def test_a_figure_that_equals_its_limit_up_to_rounding_reads_as_the_limit():
    """0.1 + 0.2 meets a limit of 0.3, so it prints as 30%."""
    result = threshold("risk", 0.1 + 0.2, Bound.AT_MOST, 0.3, unit="share")
    assert result.is_met
    assert (measured(result), distance(result)) == ("30%", "exactly at the limit")


def test_the_subject_names_parameters_in_order_and_escapes_them():
    """Parameters are sorted by name; what a plugin put in a title cannot act on a terminal."""
    result = threshold("x", 1, Bound.AT_LEAST, 2)
    figure = replace(
        result.measurement, title="a\x1b[2J", arguments={"k": 5, "c": 0.5, "mark": "*", "on": True}
    )
    assert subject(figure) == r"a\x1b[2J (c=0.5, k=5, mark=*, on=yes)"


def test_a_measurement_without_a_title_is_called_by_its_name():
    """The metric's name is spelled with spaces where nobody gave a title."""
    figure = replace(threshold("x", 1, Bound.AT_LEAST, 2).measurement, title="", metric="k_anonymity")
    assert subject(figure) == "k anonymity"
