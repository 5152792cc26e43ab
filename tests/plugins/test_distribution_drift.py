"""Distribution drift against fractions of counts."""

import re
from collections import Counter
from fractions import Fraction
from math import pi, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from followed import history, published
from qidguard.sdk import Grouping, PublishedColumn
from qidguard_standard.over_time.distribution_drift import DISTRIBUTION_DRIFT

VALUES = st.lists(st.sampled_from(["u", "v", "w", None]), max_size=9)


def measure(*releases):
    """Measure the last release, name → values, against the one before."""
    columns = [tuple(published(name, values) for name, values in some.items()) for some in releases]
    return measure_columns(*columns)


def measure_columns(*columns):
    """Measure the columns of the last release against those of the one before."""
    view = SimpleNamespace(history=history(*[{"p": "x"}] * len(columns), columns=columns))
    return DISTRIBUTION_DRIFT.method.measure(view, Grouping(qids=("a",)), {})


def total_variation(before, now):
    """Return ½ Σ|p − q| over the values, as a fraction."""
    if not before or not now:
        return int(len(before) != len(now))
    then, today = Counter(before), Counter(now)
    return (
        sum(
            abs(Fraction(then[value], len(before)) - Fraction(today[value], len(now)))
            for value in {*before, *now}
        )
        / 2
    )


def test_by_hand():
    """Of four records three were u and one v; now it is two and two: a quarter has moved."""
    assert measure({"a": "uuuv"}, {"a": "uuvv"}) == 0.25


def test_size_plays_no_part():
    """Three times the records in the same shares are no drift, not even by rounding."""
    assert measure({"a": "uvw"}, {"a": "uvw" * 3}) == 0


def test_the_column_that_moved_most_counts():
    """Column a stayed, b moved by a half."""
    assert measure({"a": "uv", "b": "uv"}, {"a": "uv", "b": "uu"}) == 0.5


def test_nothing_in_common_is_1():
    """Another spelling of every value is another distribution."""
    assert measure({"a": "uv"}, {"a": "UV"}) == 1


def test_missing_is_a_value_of_its_own():
    """Half of the values have become NULL."""
    assert measure({"a": ["u", "u"]}, {"a": ["u", None]}) == 0.5
    assert measure({"a": [None]}, {"a": [None]}) == 0


def test_a_column_without_records():
    """None in both is no drift; none in one of the two shares nothing with the other."""
    assert measure({"a": ""}, {"a": ""}) == 0
    assert measure({"a": ""}, {"a": "u"}) == 1
    assert measure({"a": "u"}, {"a": ""}) == 1


def test_columns_that_came_or_went_do_not_drift():
    """Only those of both are looked at; where there is none, nothing has drifted."""
    assert measure({"a": "uv"}, {"b": "uv"}) == 0


def test_before_the_first_release_nothing_has_drifted():
    """There is nothing to drift from."""
    assert measure({"a": "uv"}) == 0


def test_only_the_latest_release_counts():
    """Long ago everything was different."""
    assert measure({"a": "w"}, {"a": "u"}, {"a": "u"}) == 0


def test_a_single_class_and_a_table_of_the_engine(people, measured):
    """One class of four records, in which s moved by a quarter while w stayed."""
    before = people("absw", "xup1", "xup2", "xup3", "xuq4")
    table = people("absw", "xup1", "xup2", "xuq3", "xuq4")
    assert measured(DISTRIBUTION_DRIFT, table, earlier=(before,)) == 0.25


@given(before=VALUES, now=VALUES)
def test_equals_fractions_of_counts(before, now):
    """Three values and NULL fall into buckets of their own here, so the distance is that of the values."""
    assert measure({"a": before}, {"a": now}) == float(total_variation(before, now))


@given(before=st.lists(st.integers(0, 5000), min_size=1), now=st.lists(st.integers(0, 5000), min_size=1))
def test_buckets_never_add_to_the_distance(before, now):
    """Values that share a bucket can only hide a difference."""
    assert measure({"a": before}, {"a": now}) <= float(total_variation(before, now))


@given(before=VALUES, now=VALUES)
def test_is_the_same_both_ways(before, now):
    """A distance has no direction."""
    assert measure({"a": before}, {"a": now}) == measure({"a": now}, {"a": before})


def test_chance_is_as_large_as_the_explanation_says():
    """Between independent samples of equally frequent values the stated figures are met within a tenth."""
    chance = np.random.default_rng(3)
    words = DISTRIBUTION_DRIFT.explanation.good_value
    said = [float(share) for share in re.findall(r"0\.\d+", words)]
    cases = [(1024, 10_000), (1024, 100_000), (1024, 1_000_000), (10, 10_000)]
    for (values, records), figure in zip(cases, said, strict=True):
        expected = sqrt(values * 2 / records / (2 * pi))
        assert figure == round(expected, 2)
        found = []
        for _ in range(1 if values > 10 else 100):
            counts = [
                np.bincount(chance.integers(values, size=records), minlength=1025).astype(np.int64)
                for _ in range(2)
            ]
            columns = [(PublishedColumn(name="a", value_type="text", buckets=some),) for some in counts]
            found.append(measure_columns(*columns))
        assert sum(found) / len(found) == pytest.approx(expected, rel=0.1)


def test_a_billion_records_a_bucket_do_not_overflow():
    """Products of counts leave 64 bits; the figure stays exact."""
    counts = np.full(1025, 10**9, dtype=np.int64)
    other = counts.copy()
    other[0] = 0
    columns = [(PublishedColumn(name="a", value_type="text", buckets=some),) for some in (counts, other)]
    assert measure_columns(*columns) == 1 / 1025
