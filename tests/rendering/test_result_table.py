"""A table of results as lines: every figure whole, in any width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.core.result_table import ResultTable
from qidguard.rendering.result_table import result_lines

CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.floats(allow_nan=False), st.text(max_size=40)
)


def table_of(columns, rows):
    """Return a table of the given rows."""
    return ResultTable(name="it", title="It", columns=columns, rows=rows)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=5), st.integers(1, 90))
def test_any_table_has_lines(rows, width):
    """Whatever stands in it, a table is drawn; a figure is cut in no width."""
    table = table_of(("one", "two words", "three"), rows)
    drawn = "\n".join(result_lines(table, width))
    whole = [cell for row in rows for cell in row if isinstance(cell, int) and not isinstance(cell, bool)]
    assert all(f"{number:,}" in drawn for number in whole)


@pytest.mark.parametrize(("width", "expected"), [
    (10, ["5  its risk lies", "   between the two", "   of them"]),
    (200, ["5  its risk lies between the two of them"]),
])  # fmt: skip
def test_a_sentence_goes_on_in_the_next_line(width, expected):
    """Where there is no room for a sentence, it is broken between words."""
    table = table_of(("k", "why"), [(5, "its risk lies between the two of them")])
    assert result_lines(table, width)[2:] == expected


def test_what_is_the_same_stands_once():
    """A setting that all of several rows share is told above them; the first column stays."""
    rows = [(5, "10 %", 1.0), (5, "10 %", 2.0), (5, "10 %", 3.0)]
    assert result_lines(table_of(("k", "sample", "gain"), rows), 80) == [
        "sample 10 %",
        "",
        "k  gain",
        "───────",
        *["5     1", "5     2", "5     3"],
    ]


def test_ascii_only():
    """A screen that knows only ASCII gets nothing else."""
    assert "\n".join(result_lines(table_of(("k",), [(5,)]), 80, is_ascii=True)).isascii()
