"""Range utility against numpy's range of the numbers of each class."""

import pytest

from qidguard_qidlearning.metrics.range_utility import RANGE_UTILITY


def test_by_hand(typed, typed_figure):
    """Class x spans 4, class y nothing; each is half of the records."""
    table = typed("ay", ("x", 1.0), ("x", 5.0), ("y", 7.0), ("y", 7.0))
    assert typed_figure(RANGE_UTILITY, table, "a", "y") == 2
    assert typed_figure(RANGE_UTILITY, table, "a", "y", statistic="minimum") == 0


def test_values_are_numbers_and_not_ranks(typed, typed_figure):
    """2 to 10 is 8, though they are neighbors in the column."""
    assert typed_figure(RANGE_UTILITY, typed("aby", ("x", 2, 0.0), ("x", 10, 0.0)), "a", "b") == 8


def test_missing_numbers_are_left_out(typed, typed_figure):
    """A class without a number has no range and no weight."""
    table = typed("ay", ("x", 1.0), ("x", None), ("x", 4.0), ("y", None))
    assert typed_figure(RANGE_UTILITY, table, "a", "y") == 3


@pytest.mark.samples(1)
@pytest.mark.parametrize("statistic", ["minimum", "maximum", "mean", "weighted_mean"])
def test_equals_python(statistic, on_random_records, typed_figure, over_classes):
    """It is max − min of each class, entities weighing once."""

    def check(records):
        classes = {}
        for row in records.rows:
            classes.setdefault(row[:2], []).append(row)
        numbers = [[r[3] for r in members if r[3] is not None] for members in classes.values()]
        values = [max(some) - min(some) if some else None for some in numbers]
        sizes = [len({r[5] for r in m}) if records.entity else len(m) for m in classes.values()]
        if any(numbers):
            expected = over_classes(statistic, values, sizes)
            actual = typed_figure(RANGE_UTILITY, records, "ab", "y", statistic=statistic)
            assert actual == pytest.approx(expected, rel=1e-12, abs=1e-12)

    on_random_records(check)


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(RANGE_UTILITY)
