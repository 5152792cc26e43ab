"""Tests of a result on one page: what stands on it as text, on a narrow terminal and in a notebook."""

import re

import pytest

from qidguard.rendering.printable import plain_text
from qidguard.rendering.result_page import PageRow, ResultPage

PAGE = ResultPage(
    heading="3 ways",
    best="a",
    columns=("way", "policy", "loss\nmean", "first to go", "second to go"),
    rows=(
        PageRow(cells=("a", "holds", "5 %", "x" * 20, "1")),
        PageRow(cells=("<b>", "cannot", "-", "y", "2")),
    ),
    words=2,
    left_out=("first to go", "second to go"),
    legend={"loss\nmean": "loss: detail", "first to go": "first: of no matter", "": "Less is better."},
    sentences=("a loses least.",),
    missed={"What the others miss": ("b: k is 1",)},
    lists={"Noise": ("a: has noise",), "Attacks": ()},
    ending="Interrupted.",
)
SAID = ("3 ways", "a loses least.", "What the others miss", "b: k is 1", "Noise", "a: has noise")


def drawn(width):
    """Return the page as a terminal of this width shows it."""
    return plain_text(PAGE.parts(width), width)


def test_all_that_a_page_says_stands_in_each_form():
    """Lists and what is missed come under their headings, an empty one not at all."""
    for text in (PAGE.text(), PAGE.html()):
        assert [words for words in (*SAID, PAGE.ending) if words not in text] == []
        assert "Attacks" not in text
    assert "✗ b: k is 1" in PAGE.text()


@pytest.mark.parametrize(
    ("width", "gone"), [(70, ()), (45, ("first to go",)), (22, ("first to go", "second to go"))]
)
def test_a_narrow_terminal_leaves_out_what_it_must(width, gone):
    """Columns go in the order that is stated, as many as there is no room for, each with its legend."""
    table, _, legend = drawn(width).partition("loss: detail")
    assert [title for title in PAGE.left_out if title not in table] == list(gone)
    assert ("first: of no matter" in " ".join(legend.split())) == ("first to go" not in gone)
    assert "Less is better." in " ".join(legend.split())


def test_a_notebook_escapes_texts_and_puts_figures_to_the_right():
    """Words stand to the left; nothing in a cell is markup."""
    html = PAGE.html()
    assert "<b>" not in html.replace("<b style", "")
    assert "&lt;b&gt;" in html
    sides = re.findall(r"<th [^>]*text-align:(left|right)", html)
    assert sides == ["left", "left", "right", "right", "right"]
