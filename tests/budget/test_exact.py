"""Exact numbers as text: one text for each number, and nothing else is read."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.budget import exact_text, read_exact
from qidguard.core.errors import ExitCode, InternalError


@pytest.mark.parametrize(
    ("number", "text"),
    [(Fraction(1, 10), "1/10"), (Fraction(3), "3"), (Fraction(0), "0"), (Fraction(-2, 4), "-1/2")],
)
def test_numbers_as_text(number: Fraction, text: str) -> None:
    """Lowest terms, and whole numbers without a denominator."""
    assert exact_text(number) == text
    assert read_exact(text) == number
    assert type(read_exact(text)) is Fraction


@given(st.fractions())
def test_any_number_comes_back(number: Fraction) -> None:
    """A record gives the number that was recorded."""
    assert read_exact(exact_text(number)) == number


@pytest.mark.parametrize(
    "text",
    [
        *("", " 1", "1 ", "1\n", "2/20", "01", "1/01", "1/0", "0/5", "-0", "1/1", "0.1", "1e-6", "1_0", "+1"),
        *("١", "nan", "1/-2", "9" * 5000),
    ],
)
def test_a_text_that_was_not_written_so_is_no_number(text: str) -> None:
    """A changed record stops the run, and the sentence does not repeat what stands there."""
    with pytest.raises(InternalError) as caught:
        read_exact(text)
    assert caught.value.exit_code is ExitCode.INTERNAL_ERROR
    assert str(caught.value).startswith("a recorded number is not a fraction in lowest terms, such as 1/10;")


@pytest.mark.parametrize("number", [0.1, 1, "1/10", None])
def test_only_fractions_are_exact(number: object) -> None:
    """A float never gets into a record."""
    with pytest.raises(TypeError, match="an exact number is a Fraction"):
        exact_text(number)  # type: ignore[arg-type] - the mistake under test
