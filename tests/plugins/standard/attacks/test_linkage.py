"""Linkage: known answers, and a naive reader of random tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import NotMeasurable, set_text

SIX = {"a": [1, 2, 3, 4, 5, 6], "b": ["u", "v", "u", "v", "u", "v"]}


def test_unique_records_as_they_are_are_all_linked(found):
    """With all QIDs known and nothing changed, each of six unique persons is linked for sure."""
    result = found("linkage", SIX)
    assert result.published.share == 1
    assert result.people == 6
    assert result.published.trials == 6
    assert (result.excess, result.control) == (1, None)


def test_where_everything_is_suppressed_it_is_a_lottery(found):
    """Each of six persons is one of six."""
    result = found("linkage", SIX, {"a": ["*"] * 6, "b": ["*"] * 6})
    assert result.published.share == pytest.approx(1 / 6)
    assert result.people == pytest.approx(1)


def test_k_anonymity_keeps_its_promise(found):
    """In classes of 2 and 4 persons the mean is 2 classes of 6 persons, and at most 1/k."""
    after = {"a": ["[1, 2]"] * 2 + ["[3, 6]"] * 4, "b": ["*"] * 6}
    assert found("linkage", SIX, after).published.share == pytest.approx(2 / 6)
    assert found("linkage", SIX, after).published.share <= 1 / 2


def test_some_qids_link_less_than_all(found):
    """By b alone a person is one of three; the draw of one QID of two lies between."""
    assert found("linkage", SIX, qids="b").published.share == pytest.approx(1 / 3)
    some = found("linkage", SIX, known=1)
    assert 1 / 3 < some.published.share < 1
    assert found("linkage", SIX, known=5).published == found("linkage", SIX).published


def test_suppressed_persons_are_not_linked(found):
    """Of six persons the last two are not published: they are attacked in vain."""
    after = {name: values[:4] for name, values in SIX.items()}
    result = found("linkage", SIX, after, kept=[True] * 4 + [False] * 2)
    assert result.published.share == pytest.approx(4 / 6)


def test_a_column_that_is_not_published_tells_nothing(found):
    """Without a the attacker has b alone, without both nothing."""
    assert found("linkage", SIX, {"b": SIX["b"]}).published.share == pytest.approx(1 / 3)
    assert found("linkage", SIX, {"s": ["x"] * 6}).published.share == pytest.approx(1 / 6)


def test_null_is_a_value(found):
    """Two persons without an age are one class, apart from who has one."""
    before = {"a": [None, None, 3, 4], "b": ["u"] * 4}
    assert found("linkage", before).published.share == pytest.approx(3 / 4)
    after = {"a": [None, None, "[3, 4]", "[3, 4]"], "b": ["u"] * 4}
    assert found("linkage", before, after).published.share == pytest.approx(2 / 4)


def test_entities_are_counted_once(found):
    """Person p has both records of class u, so who is known to be there is p; of v it is q or r."""
    before = {"b": ["u", "u", "v", "v"], "w": ["p", "p", "q", "r"]}
    result = found("linkage", before, qids="b", entity="w")
    assert result.published.trials == 3
    assert result.published.successes == pytest.approx(1 + 1 / 2 + 1 / 2)
    assert result.people == pytest.approx(2)


def test_withheld_people_are_never_linked(found):
    """Whoever is named for them is another; the sentence says for how many somebody would be named."""
    withheld = {"a": [1, 2, 9, 9], "b": ["u", "v", "u", "u"]}
    result = found("linkage", SIX, withheld=withheld)
    assert result.control.share == 0
    assert result.control.trials == 4
    assert "wrongly, for 50.0% of the withheld" in result.sentence


def test_a_careful_attacker_names_nobody_in_a_large_class(found):
    """With most_agreeing=2 the class of four is left alone."""
    after = {"a": ["[1, 2]"] * 2 + ["[3, 6]"] * 4, "b": ["*"] * 6}
    assert found("linkage", SIX, after, most_agreeing=2).published.successes == pytest.approx(1)


def test_centroids_are_linked_by_distance(found):
    """Means of three are nearest to their own three, and name one of them: 1/3 each."""
    before = {"a": [10, 20, 30, 60, 70, 80], "b": ["u"] * 6}
    after = {"a": [20, 20, 20, 70, 70, 70], "b": ["u"] * 6}
    assert found("linkage", before, after).published.share == pytest.approx(1 / 3)
    # a centroid that no person has
    before["a"], after["a"] = [10, 20, 36, 60, 70, 83], [22, 22, 22, 71, 71, 71]
    assert found("linkage", before, after).published.share == pytest.approx(1 / 3)


def test_the_seed_draws_the_targets(found):
    """The same seed gives the same result, another one other targets; fewer targets are attacked."""
    rng = np.random.default_rng(0)
    table = {"a": rng.integers(0, 5, 200).tolist(), "b": rng.integers(0, 9, 200).tolist()}
    one, same, other = (found("linkage", table, targets=50, known=1, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one.published.trials == 50
    assert one.published != other.published
    assert one.people == pytest.approx(one.published.share * 200)


def test_it_takes_knowing_which_record_is_whose(found):
    """Without the alignment, QIDs or records there is no answer, and the sentence says why."""
    with pytest.raises(NotMeasurable, match="Whether a link is right is known only where"):
        found("linkage", SIX, kept=None)
    with pytest.raises(NotMeasurable, match="the policy names none"):
        found("linkage", SIX, qids="")
    with pytest.raises(NotMeasurable, match="published values of 'a' cannot be read"):
        found("linkage", {"a": list("uvwxyz")}, {"a": ["some place"] * 6}, qids="a")


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
