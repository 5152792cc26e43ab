"""The mean squared error against numpy's variance of the numbers of each class."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from qidguard import NotMeasurable
from qidguard_qidlearning.metrics.mean_squared_error import MEAN_SQUARED_ERROR


def class_values(records, value):
    """Return the value of the numbers of each class, and its size; None without a number."""
    classes = {}
    for row in records.rows:
        classes.setdefault(row[:2], []).append(row)
    values, sizes = [], []
    for members in classes.values():
        cells = {(r[3], r[5]) for r in members} if records.entity else [(r[3], r[5]) for r in members]
        numbers = [y for y, _ in cells if y is not None]
        values.append(value(numbers) if numbers else None)
        sizes.append(len({r[5] for r in members}) if records.entity else len(members))
    return values, sizes


def test_by_hand(typed, typed_figure):
    """Class x has 1 and 3 (error 1), class y 7 and 7 (error 0)."""
    table = typed("ay", ("x", 1.0), ("x", 3.0), ("y", 7.0), ("y", 7.0))
    assert typed_figure(MEAN_SQUARED_ERROR, table, "a", "y") == 0.5
    assert typed_figure(MEAN_SQUARED_ERROR, table, "a", "y", statistic="maximum") == 1


def test_missing_numbers_are_left_out(typed, typed_figure):
    """Of class x 1 and 3 remain; class y has no number and no weight."""
    table = typed("ay", ("x", 1.0), ("x", 3.0), ("x", None), ("y", None))
    assert typed_figure(MEAN_SQUARED_ERROR, table, "a", "y") == pytest.approx(1)
    assert typed_figure(MEAN_SQUARED_ERROR, table, "a", "y", statistic="mean") == pytest.approx(1)


def test_no_number_at_all(typed, typed_figure):
    """Then there is no figure."""
    with pytest.raises(NotMeasurable, match="no records with a number"):
        typed_figure(MEAN_SQUARED_ERROR, typed("ay", ("x", None), ("y", None)), "a", "y")


@pytest.mark.parametrize("value", [0.1, 12345.678, -1e-9])
def test_constant_class(value, typed, typed_figure):
    """It has no error at all, where a difference of sums would leave a last digit."""
    table = typed("ay", *[("x", value)] * 7)
    assert typed_figure(MEAN_SQUARED_ERROR, table, "a", "y") == 0


def test_entities(typed, typed_figure):
    """Entity 1's three visits with 0 are one person, against one with 2: error 1."""
    rows = [("x", 0.0, "1")] * 3 + [("x", 2.0, "2")]
    assert typed_figure(MEAN_SQUARED_ERROR, typed("ayw", *rows, entity=True), "a", "y") == pytest.approx(1)


def test_dates_count_in_days_and_booleans_as_one(frame_figure):
    """Two days apart: error 1; true and false: error 1/4."""
    days = [dt.date(2024, 2, 28), dt.date(2024, 3, 1)]
    frame = pd.DataFrame({"a": ["x", "x"], "day": days, "flag": [True, False]})
    assert frame_figure(MEAN_SQUARED_ERROR, frame, ["a"], "day") == pytest.approx(1)
    assert frame_figure(MEAN_SQUARED_ERROR, frame, ["a"], "flag") == pytest.approx(0.25)


def test_digits_lost_to_a_large_mean(frame_figure):
    """The relative error is what the explanation says, 10⁻¹⁵·(mean/deviation)²."""
    numbers = 20_000 + np.random.default_rng(3).normal(size=1000)
    frame = pd.DataFrame({"a": ["x"] * 1000, "y": numbers})
    actual = frame_figure(MEAN_SQUARED_ERROR, frame, ["a"], "y")
    assert actual == pytest.approx(numbers.var(), rel=1e-15 * 20_000**2)


@pytest.mark.samples(1)
@pytest.mark.parametrize("statistic", ["minimum", "maximum", "mean", "weighted_mean"])
def test_equals_numpy(statistic, on_random_records, typed_figure, over_classes):
    """It is the variance of the numbers of each class, divided by n."""

    def check(records):
        values, sizes = class_values(records, np.var)
        if all(value is None for value in values):
            return
        expected = over_classes(statistic, values, sizes)
        actual = typed_figure(MEAN_SQUARED_ERROR, records, "ab", "y", statistic=statistic)
        assert actual == pytest.approx(expected, rel=1e-9, abs=1e-9)

    on_random_records(check)


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(MEAN_SQUARED_ERROR)
