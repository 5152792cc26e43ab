import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.rendering.printable import ASCII, UNICODE


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
