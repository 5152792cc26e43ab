"""The values of a column as numbers: what a metric beside a target or a treatment may reckon with."""

import math

import pandas as pd
import pytest

import qidguard
from qidguard.sdk import ClassValue, Grouping, NotMeasurable, Statistic

LARGEST = ClassValue(name="largest", sql="max(number)")
SUM = Statistic(name="sum_of_largest", sql="sum(largest)", values=(LARGEST,))


def numbers(values):
    """Return the numbers at the codes of a column."""
    with qidguard.audit(pd.DataFrame({"x": values})) as audit:
        return audit.table.numbers("x").tolist()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pd.array([7, None, 5, 7], dtype="Int64"), [5.0, 7.0]),
        ([True, False, True], [0.0, 1.0]),
        (pd.to_datetime(["1970-01-02", "1970-01-03"]), [1.0, 2.0]),
        ([1.0, math.inf], [1.0]),
        ([1.0, math.nan], [1.0]),
    ],
)
def test_numbers_stand_at_their_codes(values, expected):
    """Code 0 is missing, and the values follow in their order; truths count 0 or 1, dates days."""
    found = numbers(values)
    assert (math.isnan(found[0]), [v for v in found if not math.isnan(v)]) == (True, expected)


def test_texts_that_hold_numbers_are_numbers(tmp_path):
    """A CSV's column of numbers is one, whatever its texts look like."""
    (tmp_path / "table.csv").write_text("a,b\n1.5,x\n-2,y\n")
    with qidguard.audit(tmp_path / "table.csv") as audit:
        assert audit.table.numbers("a").tolist()[1:] == [-2.0, 1.5]


def test_a_class_value_reckons_with_numbers():
    """The largest of each class adds up, a class without one adds nothing; text is refused by name."""
    pay = pd.array([3, 5, 4, None], dtype="Int64")
    of_pay = Grouping(qids=("sex",), sensitive="pay")
    said = "'sex' has no numbers: its values are texts"
    with qidguard.audit(pd.DataFrame({"sex": ["f", "f", "m", "d"], "pay": pay})) as audit:
        table = audit.table
        assert table.statistics(of_pay, [SUM]) == {"sum_of_largest": 9.0}
        found = table.class_values(of_pay, LARGEST)[:, 0].tolist()
        assert sorted(v for v in found if not math.isnan(v)) == [4.0, 5.0]
        with pytest.raises(NotMeasurable, match=said):
            table.numbers("sex")
        with pytest.raises(NotMeasurable, match=said):
            table.statistics(Grouping(qids=("pay",), sensitive="sex"), [SUM])
