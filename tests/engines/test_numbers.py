"""The values of a column as numbers: what a metric beside a target or a treatment may reckon with."""

import math

import pandas as pd
import pytest

import qidguard
from qidguard.sdk import ClassValue, Grouping, NotMeasurable, Statistic

LARGEST = ClassValue(name="largest", sql="max(number)")
SUM = Statistic(name="sum_of_largest", sql="sum(largest)", values=(LARGEST,))


@pytest.fixture
def opened():
    """Return a function that opens columns as a table; it is closed after the test."""
    audits = []

    def open_columns(**columns):
        audits.append(qidguard.audit(pd.DataFrame(columns)))
        return audits[-1].table

    yield open_columns
    for audit in audits:
        audit.close()


def test_numbers_stand_at_their_codes(opened):
    """Code 0 is missing, and the values follow in their order."""
    found = opened(age=pd.array([7, None, 5, 7], dtype="Int64")).numbers("age").tolist()
    assert math.isnan(found[0])
    assert found[1:] == [5.0, 7.0]


def test_texts_that_hold_numbers_are_numbers(tmp_path):
    """A CSV's column of numbers is one, whatever its texts look like."""
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1.5,x\n-2,y\n")
    with qidguard.audit(path) as audit:
        assert audit.table.numbers("a").tolist()[1:] == [-2.0, 1.5]


def test_a_boolean_counts_zero_or_one(opened):
    """False is 0 and true is 1."""
    assert opened(flag=[True, False, True]).numbers("flag").tolist()[1:] == [0.0, 1.0]


def test_a_date_counts_days(opened):
    """A day later is one more."""
    days = pd.to_datetime(["1970-01-02", "1970-01-03"])
    assert opened(day=days).numbers("day").tolist()[1:] == [1.0, 2.0]


@pytest.mark.parametrize("odd", [math.inf, math.nan])
def test_what_is_not_finite_is_missing(odd, opened):
    """An infinite value or NaN has no number."""
    found = opened(x=[1.0, odd]).numbers("x")
    assert [v for v in found.tolist() if not math.isnan(v)] == [1.0]


def test_text_has_no_numbers(opened):
    """A column of text is refused by name."""
    table = opened(sex=["f", "m"], age=[1, 2])
    with pytest.raises(NotMeasurable, match="'sex' has no numbers: its values are texts"):
        table.numbers("sex")
    with pytest.raises(NotMeasurable, match="'sex' has no numbers: its values are texts"):
        table.statistics(Grouping(qids=("age",), sensitive="sex"), [SUM])


def test_a_class_value_reckons_with_numbers(opened):
    """The largest value of each class adds up; a class without one adds nothing."""
    table = opened(sex=["f", "f", "m", "d"], pay=pd.array([3, 5, 4, None], dtype="Int64"))
    assert table.statistics(Grouping(qids=("sex",), sensitive="pay"), [SUM]) == {"sum_of_largest": 9.0}
    found = table.class_values(Grouping(qids=("sex",), sensitive="pay"), LARGEST)
    assert sorted(v for v in found[:, 0].tolist() if not math.isnan(v)) == [4.0, 5.0]
