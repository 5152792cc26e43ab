"""The steps of the walk: how classes are split, merged and summed up, each against counting."""

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.measuring.lattice import steps
from qidguard.measuring.lattice.levels import tail_of
from qidguard.measuring.lattice.partition import NOTHING
from qidguard.measuring.lattice.steps import Classes

SOME = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
NUMBERS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 4)), min_size=1, max_size=24
)


def classes_of(numbers, is_weighted):
    """Return classes of every second row of a level, the row's codes and its weight by row."""
    group = np.unique(np.array([g for g, _, _ in numbers]), return_inverse=True)[1].astype(np.int64)
    rows = np.arange(len(numbers)) * 2 + 1
    codes = np.zeros(2 * len(numbers), dtype=np.int64)
    codes[rows] = [code for _, code, _ in numbers]
    weights = np.array([w for _, _, w in numbers], dtype=np.float64) if is_weighted else None
    return Classes(rows, weights, group, int(group.max()) + 1), codes


def said(rows, weights, group):
    """Return rows with weight and class, in order of the rows."""
    given = [None] * len(rows) if weights is None else weights.tolist()
    return sorted(zip(rows.tolist(), given, group.tolist(), strict=True))


@pytest.mark.slow
@SOME
@given(numbers=NUMBERS, is_weighted=st.booleans())
def test_a_split_is_what_counting_pairs_gives(numbers, is_weighted):
    """Rows whose pair of class and code comes twice stay, in order, classes numbered by pair; others go."""
    classes, codes = classes_of(numbers, is_weighted)
    pairs = [(g, codes[row]) for row, g in zip(classes.rows, classes.group, strict=True)]
    times = Counter(pairs)
    shared = sorted(pair for pair, count in times.items() if count > 1)
    weights = [w if is_weighted else None for _, _, w in numbers]
    every = list(zip(classes.rows.tolist(), weights, pairs, strict=True))
    found = steps.split(classes, codes, 6)
    kept = found.shared
    assert kept.groups == len(shared)
    assert kept.rows.tolist() == sorted(kept.rows.tolist())
    assert said(kept.rows, kept.weights, kept.group) == [
        (row, w, shared.index(pair)) for row, w, pair in every if times[pair] > 1
    ]
    lost = [(row, w) for row, w, pair in every if times[pair] == 1]
    assert found.lost.tolist() == [row for row, _ in lost]
    if is_weighted and lost:
        assert found.lost_weights.tolist() == [w for _, w in lost]


@pytest.mark.slow
@SOME
@given(numbers=NUMBERS, is_weighted=st.booleans(), is_counted=st.booleans())
def test_merged_rows_carry_the_sum_of_their_weights(numbers, is_weighted, is_counted):
    """Rows of one class and one later row become one; where one is left of a class it goes."""
    classes, later = classes_of(numbers, is_weighted)
    first = np.arange(len(later))[::-1].copy()
    merged = Counter()
    for row, g, (_, _, w) in zip(classes.rows, classes.group, numbers, strict=True):
        merged[int(g), int(later[first[row]])] += w if is_weighted else 1
    in_class = Counter(g for g, _ in merged)
    order = sorted(g for g, count in in_class.items() if count > 1)
    found = steps.merge(classes, later, first, 6, is_counted=is_counted)
    kept = found.shared
    assert kept.groups == len(order)
    has_weights = is_counted and (is_weighted or len(merged) < len(numbers))
    expected = [
        (row, float(w) if has_weights else None, order.index(g))
        for (g, row), w in merged.items()
        if in_class[g] > 1
    ]
    assert said(kept.rows, kept.weights, kept.group) == sorted(expected)
    alone = sorted((row, float(w)) for (g, row), w in merged.items() if in_class[g] == 1)
    assert sorted(found.lost.tolist()) == [row for row, _ in alone]
    if has_weights and alone:
        assert sorted(zip(found.lost.tolist(), found.lost_weights.tolist(), strict=True)) == alone


@pytest.mark.samples(4)
@pytest.mark.parametrize("most", [2, 512])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("masks", [[0, 1, 2, 3], [2], [3, 0]])
def test_sizes_of_the_subsets_of_a_tail_by_hand(monkeypatch, most, is_weighted, masks):
    """A tail of two and three values: for every set the sizes are those that pandas groups give."""
    monkeypatch.setattr(steps, "_COUNTED", most)
    generator = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "g": generator.integers(0, 4, 40),
            "a": generator.integers(0, 2, 40),
            "b": generator.integers(0, 3, 40),
        }
    )
    frame["w"] = generator.integers(1, 9, 40) if is_weighted else 1
    rows = np.arange(40)
    weights = frame["w"].to_numpy(dtype=np.float64) if is_weighted else None
    classes = Classes(rows, weights, frame["g"].to_numpy(), 4)
    codes = (frame["b"] * 2 + frame["a"]).to_numpy()
    beside = np.array([0, 5, 1])  # five classes of one person and one of two
    expected = []
    for place, mask in enumerate(masks):
        by = ["g", *(name for i, name in enumerate("ab") if mask >> i & 1)]
        sizes = Counter(frame.groupby(by)["w"].sum().tolist()) + Counter({1: 5, 2: 1})
        expected += [(place, size, times) for size, times in sizes.items()]
    found = Counter()
    tail = tail_of((2, 3))
    for of, size, times in zip(*steps.sizes(classes, tail, codes, np.array(masks), beside), strict=True):
        found[int(of), int(size)] += int(times)
    assert sorted((*key, times) for key, times in found.items()) == sorted(expected)


def test_a_tail_adds_every_subset_up_from_all_cells():
    """Columns of two, one and three values: each subset's cells hold the sum over the columns left out."""
    tail = tail_of((2, 1, 3))
    size = np.zeros(len(tail.mask), dtype=np.int64)
    whole = np.arange(1, 7).reshape(3, 1, 2)
    size[: tail.cells] = whole.reshape(-1)
    for into, source in zip(tail.into, tail.source, strict=True):
        size[into] += size[source]
    for bits in product((0, 1), repeat=3):
        mask = sum(bit << i for i, bit in enumerate(bits))
        out = tuple(2 - i for i, bit in enumerate(bits) if not bit)
        assert size[tail.mask == mask].tolist() == whole.sum(axis=out).reshape(-1).tolist()


def test_classes_left_behind_are_told_by_their_size():
    """Of two classes of one person, one of 512 and one of 70,000 the last two are of at least 512."""
    dropped = NOTHING.plus(np.array([1, 512, 1, 70_000]), None)
    assert [part.tolist() for part in dropped.from_size(512)] == [[512, 70_000], [1, 1]]
    assert dropped.counted[:512].tolist() == [0, 2, *[0] * 510]
