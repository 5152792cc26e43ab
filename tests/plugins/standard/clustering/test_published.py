"""What classes are published as: sets, intervals and centers, NULL and marks."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from qidguard.sdk import ColumnKind, ShortSets
from qidguard_standard.anonymizers.clustering.classes import members
from qidguard_standard.anonymizers.clustering.mondrian import Mondrian
from qidguard_standard.anonymizers.clustering.published import published_means, published_sets


def shown(clustering, publish, *values):
    """Return what one class of these values is published as, and a class of the first value alone."""
    table = clustering.Records(x=[*values, values[0]])
    classes = members(np.array([*(0 for _ in values), 1]))
    column = table.column("x")
    recoded = publish(column, classes, ShortSets(column=column, largest_set=3, mark="?"))
    texts = table.column("x").texts
    found = [recoded.values[code] for code in recoded.codes]
    assert len({recoded.codes[at] for at in range(len(values))}) == 1
    return [texts[v.code] if hasattr(v, "code") else v for v in (found[0], found[-1])]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([20, 25, 22], ["[20, 25]", "20"]),
        ([20, None, 22], ["?", "20"]),
        ([None, 20], ["?", None]),
        ([0.5, 1.25], ["[0.5, 1.25]", "0.5"]),
        ([20.0, float("inf"), 30.0], ["?", "20.0"]),
        ([date(2021, 3, 1), date(2020, 1, 5)], ["[2020-01-05, 2021-03-01]", "2021-03-01"]),
        (["b", "a", "c, d"], ['{a, b, "c, d"}', "b"]),
        (["b", "a", "c", "d"], ["?", "b"]),
        (["b", None], ["?", "b"]),
        (["b", "?"], ["?", "b"]),
        ([None, None], [None, None]),
    ],
)
def test_sets(clustering, values, expected):
    """A class shows a short set or an interval, and the mark where that takes more or some is missing."""
    assert shown(clustering, published_sets, *values) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([20, 25, 23], [23, "20"]),
        ([20, 21], [20, "20"]),
        ([20, None, 23], [None, "20"]),
        ([20.5, float("inf")], [None, "20.5"]),
        ([None, None, 23], [None, None]),
        ([0.5, 1.25], [0.875, "0.5"]),
        ([date(2020, 1, 1), date(2020, 1, 3)], [date(2020, 1, 2), "2020-01-01"]),
        (["b", "a", "a"], ["a", "b"]),
        (["b", "a"], ["a", "b"]),
        (["b", None, None], ["?", "b"]),
        (["b", "?", "b"], ["?", "b"]),
        ([None, None], [None, None]),
    ],
)
def test_means(clustering, values, expected):
    """A class shows its mean, halves rounded to even, or its mode; what some lack is missing or marked."""
    assert shown(clustering, published_means, *values) == expected


def test_codes_without_a_hierarchy_show_their_prefix(clustering):
    """Where the kind is known, too many codes for a set are a prefix; else they are suppressed."""
    codes = ["250.1", "250.2", "250.3", "401.1", "401.2", "401.3"]
    table = clustering.Records(x=codes, y=[1, 1, 1, 2, 2, 2])
    table._columns["x"] = replace(table.column("x"), kind=ColumnKind.CODE)
    done = clustering.run(Mondrian(), table, k=3, largest_set=2)
    assert [row[0] for row in clustering.shown(table, done)] == ["250*"] * 3 + ["401*"] * 3
    table = clustering.Records(x=codes, y=[1, 1, 1, 2, 2, 2])
    done = clustering.run(Mondrian(), table, k=3, largest_set=2)
    assert [row[0] for row in clustering.shown(table, done)] == ["*"] * 6


def test_many_categories_make_the_same_sets_as_few(clustering):
    """Beyond 64 values sets are found by sorting in place of bits."""
    values = [f"v{i * 31 % 90:02}" for i in range(400)]
    labels = np.arange(400) // 4
    table = clustering.Records(x=values)
    column = table.column("x")
    recoded = published_sets(column, members(labels), ShortSets(column=column, largest_set=4, mark="?"))
    expected = ["{" + ", ".join(sorted(values[4 * i : 4 * i + 4])) + "}" for i in range(100)]
    assert [recoded.values[code] for code in recoded.codes[::4]] == expected
    assert len(set(recoded.values)) == len(recoded.values)
