"""The values of a column, and what is published in their place: what is refused when they are made."""

import datetime as dt

import numpy as np
import pytest

from qidguard.sdk import ColumnValues, Original, Recoded, ValueType


def column(kind, numbers=None):
    """Return a column of two values and a missing one."""
    return ColumnValues(
        name="x", value_type=kind, codes=np.array([1, 0, 2, 1]), texts=(None, "1", "2"), numbers=numbers
    )


def test_counts_of_a_column():
    """Records are all, NULL included; distinct values are those that are there."""
    found = column(ValueType.TEXT)
    assert (found.records, found.distinct) == (4, 2)


@pytest.mark.parametrize(
    ("kind", "has_numbers", "expected"),
    [
        (ValueType.INTEGER, True, True),
        (ValueType.NUMBER, True, True),
        (ValueType.DATE, True, True),
        (ValueType.TIMESTAMP, True, True),
        (ValueType.BOOLEAN, True, False),
        (ValueType.TEXT, False, False),
        (ValueType.EMPTY, False, False),
        (ValueType.INTEGER, False, False),
    ],
)
def test_arithmetic_makes_sense_for_numbers_and_dates(kind, has_numbers, expected):
    """Not for a Boolean, whose numbers are only names, and not without numbers."""
    assert column(kind, np.array([np.nan, 1, 2]) if has_numbers else None).is_numeric is expected


def test_values_do_not_print():
    """A column in a traceback or a log shows its name and type only."""
    shown = repr(column(ValueType.TEXT, np.array([np.nan, 731.0, 2])))
    assert "731" not in shown
    assert "texts" not in shown
    assert repr(Recoded(codes=np.array([0]), values=("SECRET",))) == "Recoded()"


MOMENT = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


def test_what_may_be_published():
    """Original values, texts, numbers, Booleans, dates, moments, and nothing at all."""
    values = (Original(3), "x", 1, 1.5, True, dt.date(2020, 1, 1), MOMENT, None)
    for kind in (np.int8, np.uint64, np.int64):
        recoded = Recoded(codes=np.arange(8, dtype=kind), values=values)
        assert recoded.values == values
    assert Recoded(codes=np.zeros(0, dtype=np.int64), values=()).values == ()


@pytest.mark.parametrize(
    ("codes", "values", "said"),
    [
        ([0, 1], ("a", "b"), "one whole number a record"),
        (np.array([[0]]), ("a",), "one whole number a record"),
        (np.array([0.0]), ("a",), "one whole number a record"),
        (np.array([True]), ("a", "b"), "one whole number a record"),
        (np.array([-1]), ("a",), "outside the published values"),
        (np.array([1]), ("a",), "outside the published values"),
        (np.array([0]), (), "outside the published values"),
        (np.array([0]), (b"SECRET",), "no bytes"),
        (np.array([0]), ([1],), "no list"),
        (np.array([0]), (np.int64(1),), "no int64"),
    ],
)
def test_what_may_not_be_published(codes, values, said):
    """One code a record, each of a value, and values that a table can hold; the sentence shows no value."""
    with pytest.raises(ValueError, match=said) as caught:
        Recoded(codes=codes, values=values)
    assert "SECRET" not in str(caught.value)
