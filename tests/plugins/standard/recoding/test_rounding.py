"""Rounding by hand, in whole numbers and decimals, and its expected value."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard_standard.anonymizers.recoding.rounding import Rounding

ROUNDING = Rounding()


def test_the_nearest_multiple_is_published_and_halves_go_upwards(table, anonymized):
    """Base 10: 14 → 10, 15 → 20, −15 → −10; whole numbers stay whole and NULL stays NULL."""
    found = anonymized(ROUNDING, table(x=[14, 15, -15, 0, None]), ("x",), base="x=10")
    assert found.shown["x"] == ["10", "20", "-10", "0", None]
    assert found.done.guarantees == ()
    assert found.done.notes == ("'x' is rounded to base 10 to the nearest multiple",)


def test_decimals_are_exact(table, anonymized):
    """Base 0.1 of 0.25 is 0.3 and of 0.35 is 0.4, which binary fractions would miss."""
    assert anonymized(ROUNDING, table(x=[0.25, 0.35]), ("x",), base="x=0.1").shown["x"] == ["0.3", "0.4"]


def test_large_numbers_keep_their_digits(table, anonymized):
    """A number that a double cannot hold is rounded exactly."""
    some = table(x=[2**62 + 1, 1])
    assert anonymized(ROUNDING, some, ("x",), base="x=2").shown["x"] == [str(2**62 + 2), "2"]


def test_columns_have_bases_of_their_own(table, anonymized):
    """A JSON object serves for hostile names."""
    some = table(**{"a, b=c": [7], "d": [7]})
    shown = anonymized(ROUNDING, some, ("a, b=c", "d"), base='{"a, b=c": 5, "d": 2}').shown
    assert shown == {"a, b=c": ["5"], "d": ["8"]}


@settings(derandomize=True, database=None, max_examples=examples(40), deadline=None)
@given(
    cells=st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=20),
    base=st.integers(1, 1000),
    is_random=st.booleans(),
)
def test_a_rounded_number_is_a_multiple_and_near(table, anonymized, cells, base, is_random):
    """Nearer than half a base, at random than a base; a multiple stays."""
    shown = anonymized(ROUNDING, table(x=cells), ("x",), base=f"x={base}", is_random=is_random).shown["x"]
    for cell, text in zip(cells, shown, strict=True):
        away = abs(int(text) - cell)
        assert int(text) % base == 0
        assert away < base if is_random else 2 * away <= base
        assert away == 0 or cell % base


def test_random_rounding_is_unbiased_and_seeded(table, anonymized):
    """13 to base 10 is 20 in 30 % of 10,000 records, within six standard deviations; the seed decides."""
    some = table(x=[13] * 10_000)
    first = anonymized(ROUNDING, some, ("x",), base="x=10", is_random=True, seed=1).shown["x"]
    up = first.count("20")
    assert up + first.count("10") == 10_000
    assert abs(up - 3_000) < 6 * math.sqrt(10_000 * 0.3 * 0.7)
    assert first == anonymized(ROUNDING, some, ("x",), base="x=10", is_random=True, seed=1).shown["x"]
    assert first != anonymized(ROUNDING, some, ("x",), base="x=10", is_random=True, seed=2).shown["x"]
