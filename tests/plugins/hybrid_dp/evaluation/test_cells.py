"""Originality, losses, minorities and statistics of tables that can be checked by eye."""

import numpy as np
import pandas as pd
import pytest

from qidguard.sdk import NotMeasurable, records_of
from qidguard_hybrid_dp.evaluation.example import published_by_hand
from qidguard_hybrid_dp.evaluation.loss import partition_loss
from qidguard_hybrid_dp.evaluation.minorities import readable_minorities
from qidguard_hybrid_dp.evaluation.originality import originality, same_cells
from qidguard_hybrid_dp.evaluation.statistics_kept import number_statistics

TREE = {"north": ["a", "b"], "south": ["c", "d"]}
BEFORE = {"age": [20, 30, 40, 50], "land": ["a", "b", "c", "d"]}


def in_order(done, values):
    """Return what belongs to each record in the order of rows."""
    row = done.before.column("row")
    return np.asarray(values)[np.argsort(row.numbers[row.codes][done.changes.kept])].tolist()


@pytest.mark.parametrize(
    ("before", "changed", "kept", "share", "by_column"),
    [
        # a number stays itself beside intervals, which are text; an interval around it is not it
        (BEFORE, {"age": ["20", "[25, 35]", "[40, 40]", 51], "land": ["a", "north", "*", "d"]}, None, 3 / 8,
         {"age": [True, False, False, False], "land": [True, False, False, True]}),
        # records that are suppressed count in no share: of three published ones one has its age
        (BEFORE, {"age": [20, 31, 41, 50]}, [True, True, True, False], 1 / 3, {"age": [True, False, False]}),
        # each published cell is held against its own original
        (BEFORE, {"age": [20, 30, 40, 51]}, [True, False, True, True], 2 / 3, {"age": [True, True, False]}),
    ],
)  # fmt: skip
def test_a_cell_is_kept_where_its_value_is_the_same(before, changed, kept, share, by_column):
    """In the published records, column by column."""
    done = published_by_hand(before, changed, list(changed), kept=kept)
    found = originality(done.changes, list(changed))
    assert {name: in_order(done, cells) for name, cells in found.kept.items()} == by_column
    assert found.by_column == pytest.approx({name: np.mean(cells) for name, cells in by_column.items()})
    assert found.share == pytest.approx(share)


def test_a_missing_cell_that_stays_missing_is_kept():
    """Two of four towns are NULL before; one of them and one other are published so."""
    before, after = (
        records_of(pd.DataFrame({"row": range(4), "town": town}))
        for town in (["a", None, None, "b"], ["a", None, "c", None])
    )
    assert before.column("row").codes.tolist() == after.column("row").codes.tolist()
    same = same_cells(before.column("town"), after.column("town"), np.ones(4, dtype=np.bool_))
    row = before.column("row")
    assert same[np.argsort(row.numbers[row.codes])].tolist() == [True, True, False, False]


def test_it_is_the_share_that_pandas_counts():
    """An independent count of equal cells in two frames gives the same."""
    draw = np.random.default_rng(4)
    before = {"age": draw.integers(20, 40, 200).tolist(), "land": draw.choice(list("abcd"), 200).tolist()}
    after = {
        "age": (np.array(before["age"]) + draw.integers(-1, 2, 200)).tolist(),
        "land": np.where(draw.random(200) < 0.3, "*", before["land"]).tolist(),
    }
    found = originality(published_by_hand(before, after, ["age", "land"]).changes, ["age", "land"])
    expected = (pd.DataFrame(before) == pd.DataFrame(after)).mean()
    assert found.by_column == pytest.approx(expected.to_dict())


def test_distortion_adds_up_levels_over_levels():
    """Levels 0, 1, 2 and 0 of two above the exact one: 0 + ½ + 1 + 0 = 1.5, a cell .375.

    The second and third record lose all of it, the others nothing.
    """
    done = published_by_hand(BEFORE, {"land": ["a", "north", "*", "d"]}, ["land"], trees={"land": TREE})
    found = partition_loss(done.changes, ["land"], "all")
    assert (found.records, found.distortion, found.categorical) == (4, 1.5, 0.375)
    assert (found.changed, found.distance) == (None, None)
    row = done.before.column("row")
    inside = np.isin(np.asarray(row.numbers)[row.codes], [1, 2])
    assert partition_loss(done.changes, ["land"], "violating", inside).categorical == 0.75
    assert partition_loss(done.changes, ["land"], "other", ~inside).distortion == 0


def test_numbers_lose_by_change_and_by_distance():
    """Of ages over 30 years one moves by 3; an interval counts by its middle, 5 away."""
    done = published_by_hand(BEFORE, {"age": ["20", "33", "40", "[40, 50]"]}, ["age"])
    found = partition_loss(done.changes, ["age"], "all")
    assert found.changed == 0.5
    assert found.distance == pytest.approx((0 + 0.1 + 0 + 5 / 30) / 4)


def test_a_category_without_a_hierarchy_has_no_level():
    """It says which one, and what to do."""
    done = published_by_hand(BEFORE, {"land": ["a", "*", "*", "d"]}, ["land"])
    with pytest.raises(NotMeasurable, match="'land' needs its hierarchy"):
        partition_loss(done.changes, ["land"], "all")


def test_a_minority_is_readable_where_its_own_value_stands():
    """Of two rare values one is hidden, one wrong: none readable, both gone; the major ones stay."""
    before = {"land": ["a", "a", "a", "c", "d"]}
    done = published_by_hand(before, {"land": ["a", "a", "*", "south", "c"]}, ["land"], trees={"land": TREE})
    column = done.before.column("land")
    names = ["" if text is None else "super major" if text == "a" else "minor" for text in column.texts]
    found = readable_minorities(done.changes, "land", names)
    assert [(one.category, one.distinct, one.records, one.gone, one.readable) for one in found] == [
        ("super major", 1, 3, 0, pytest.approx(2 / 3)),
        ("minor", 2, 2, 2, 0.0),
    ]


def test_statistics_of_numbers_are_those_of_numpy():
    """Mean and quantiles as differences, the spread as a quotient, histograms by their variation."""
    true = np.array([20.0, 20.0, 30.0, 40.0])
    moved = np.array([20.0, 24.0, 30.0, 60.0])
    found = number_statistics("age", true, moved, (20, 40))
    assert found.mean == pytest.approx(6)
    assert found.spread == pytest.approx(moved.std() / true.std())
    assert found.quantiles[2] == pytest.approx(2)
    assert (found.outside, found.unchanged) == (1, 0.5)
    assert found.variation == pytest.approx(0.25)
    assert found.after.sum() == pytest.approx(1)


def test_missing_numbers_are_left_out_and_an_empty_column_has_no_statistics():
    """NaN on one side counts as not kept; NaN throughout gives NaN, no error."""
    nan = float("nan")
    found = number_statistics("age", np.array([20.0, 30.0]), np.array([nan, 30.0]), (20, 40))
    assert (found.unchanged, found.mean) == (0.5, 5.0)
    assert np.isnan(number_statistics("age", np.array([nan]), np.array([nan]), (20, 40)).mean)


@pytest.mark.parametrize(
    ("true", "bounds", "words"), [([1.0], (0, 1), "the same records"), ([1.0, 2.0], (1, 1), "hold a range")]
)
def test_what_cannot_be_compared_is_refused(true, bounds, words):
    """Other lengths, or bounds without a range."""
    with pytest.raises(ValueError, match=words):
        number_statistics("age", np.array(true), np.array([1.0, 2.0]), bounds)
