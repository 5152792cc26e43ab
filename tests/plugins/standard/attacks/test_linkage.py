"""Linkage: which QIDs and targets are drawn, and a naive reader of random tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import set_text

SIX = {"a": [1, 2, 3, 4, 5, 6], "b": ["u", "v", "u", "v", "u", "v"]}


def test_some_qids_link_less_than_all(found):
    """The draw of one QID of two lies between b alone, by which a person is one of three, and both."""
    assert 1 / 3 < found("linkage", SIX, known=1).published.share < 1


def test_the_seed_draws_the_targets(found):
    """The same seed gives the same result, another one other targets; fewer targets are attacked."""
    rng = np.random.default_rng(0)
    table = {"a": rng.integers(0, 5, 200).tolist(), "b": rng.integers(0, 9, 200).tolist()}
    one, same, other = (found("linkage", table, targets=50, known=1, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one.published.trials == 50
    assert one.published != other.published
    assert one.people == pytest.approx(one.published.share * 200)


VALUES = "pqr"
CELLS = st.one_of(st.just("exact"), st.just("all"), st.sampled_from(VALUES))


@settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
@given(
    records=st.lists(
        st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES), CELLS, CELLS, st.booleans()),
        min_size=2,
        max_size=9,
    ).filter(lambda some: any(one[4] for one in some))
)
def test_a_naive_reader_finds_the_same(found, records):
    """Success is 1/s by sets of values compared one by one, whatever is generalized or suppressed."""
    present = [{one[c] for one in records} for c in (0, 1)]

    def cell(value, how, everything):
        if how == "all":
            return everything, "*"
        members = ({value, how} & everything) | {value}
        return members, set_text(sorted(members))

    published = [
        (i, [cell(one[c], one[2 + c], present[c]) for c in (0, 1)]) for i, one in enumerate(records) if one[4]
    ]
    expected = 0.0
    for i, one in enumerate(records):
        agreeing = [j for j, cells in published if all(one[c] in cells[c][0] for c in (0, 1))]
        expected += 1 / len(agreeing) if i in agreeing else 0
    result = found(
        "linkage",
        {name: [one[c] for one in records] for c, name in enumerate("ab")},
        {name: [cells[c][1] for _, cells in published] for c, name in enumerate("ab")},
        kept=[one[4] for one in records],
    )
    assert result.published.successes == pytest.approx(expected)
