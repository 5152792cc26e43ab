import numpy as np
import pytest

from qidguard_qidlearning.searches.space import SetSpace

SPACE = SetSpace(candidates=("a", "b", "c", "d"), largest=3)


def words(sets):
    """Return sets as words."""
    return ["".join(sorted(some)) for some in sets]


@pytest.mark.parametrize(
    ("word", "flips", "swaps"),
    [
        ("a", ["ab", "ac", "ad"], ["b", "c", "d"]),
        ("ab", ["b", "a", "abc", "abd"], ["bc", "bd", "ac", "ad"]),
        ("abc", ["bc", "ac", "ab"], ["bcd", "acd", "abd"]),
    ],
)
def test_neighbors_are_never_empty_and_never_too_large(word, flips, swaps):
    """One column in or out, in the table's order; a swap keeps the size."""
    assert words(SPACE.flips(frozenset(word))) == flips
    assert words(SPACE.swaps(frozenset(word))) == swaps


def test_bits_and_sets_are_the_same_thing():
    """There and back."""
    qids = frozenset("bd")
    assert SPACE.bits(qids).tolist() == [False, True, False, True]
    assert SPACE.columns(SPACE.bits(qids)) == qids


def test_random_sets_have_every_size_equally_often():
    """Three sizes, a third each; every column as often as another."""
    rng = np.random.default_rng(0)
    drawn = [SPACE.random(rng) for _ in range(3000)]
    sizes = np.bincount([len(qids) for qids in drawn])
    assert np.abs(sizes[1:] / 3000 - 1 / 3).max() < 0.03
    assert sizes[0] == 0
    columns = [sum(name in qids for qids in drawn) / 3000 for name in SPACE.candidates]
    assert columns == pytest.approx([0.5] * 4, abs=0.03)


def test_bits_outside_the_space_are_mended():
    """An empty vector gets one column, a full one loses some; what fits stays."""
    rng = np.random.default_rng(0)
    empty = {SPACE.mended(np.zeros(4, bool), rng) for _ in range(50)}
    assert empty == {frozenset(name) for name in "abcd"}
    full = {SPACE.mended(np.ones(4, bool), rng) for _ in range(50)}
    assert sorted(words(full)) == ["abc", "abd", "acd", "bcd"]
    assert SPACE.mended(np.array([True, False, True, False]), rng) == frozenset("ac")
