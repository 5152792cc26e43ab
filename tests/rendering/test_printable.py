import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.rendering.printable import listed, shown_name, visible

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


@pytest.mark.parametrize(
    ("name", "shown"),
    [
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
    ],
)
def test_a_name_is_shown_so_that_it_cannot_be_misread(name, shown):
    """Hidden characters are escaped, unclear names quoted, long names cut."""
    assert shown_name(name) == shown


def test_a_list_says_how_many_names_it_leaves_out():
    """The first names are written out, the others counted."""
    assert listed([f"c{i}" for i in range(300)], most=2) == "c0, c1 and 298 more"
    assert listed([]) == "no columns"
