"""What classes are published as: sets, intervals and centers, NULL and marks."""

from datetime import date

import numpy as np
import pytest

from qidguard_standard.anonymizers.clustering.classes import members
from qidguard_standard.anonymizers.clustering.published import published_means, published_sets


def shown(clustering, publish, *values):
    """Return what one class of these values is published as, and a class of the first value alone."""
    table = clustering.Records(x=[*values, values[0]])
    classes = members(np.array([*(0 for _ in values), 1]))
    recoded = publish(table.column("x"), classes, "?")
    texts = table.column("x").texts
    found = [recoded.values[code] for code in recoded.codes]
    assert len({recoded.codes[at] for at in range(len(values))}) == 1
    return [texts[v.code] if hasattr(v, "code") else v for v in (found[0], found[-1])]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([20, 25, 22], ["[20, 25]", "20"]),
        ([20, None, 22], ["{, [20, 22]}", "20"]),
        ([None, 20], ["{, 20}", None]),
        ([0.5, 1.25], ["[0.5, 1.25]", "0.5"]),
        ([20.0, float("inf"), 30.0], ["{inf, [20.0, 30.0]}", "20.0"]),
        ([date(2021, 3, 1), date(2020, 1, 5)], ["[2020-01-05, 2021-03-01]", "2021-03-01"]),
        (["b", "a", "c, d"], ['{a, b, "c, d"}', "b"]),
        (["b", None], ["{, b}", "b"]),
        (["b", "?"], ["?", "b"]),
        ([None, None], [None, None]),
    ],
)
def test_sets(clustering, values, expected):
    """A class shows all of its values in the one way that the project writes them."""
    assert shown(clustering, published_sets, *values) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([20, 25, 23], [23, "20"]),
        ([20, 21], [20, "20"]),
        ([20, None, 23], [22, "20"]),
        ([None, None, 23], [None, None]),
        ([0.5, 1.25], [0.875, "0.5"]),
        ([date(2020, 1, 1), date(2020, 1, 3)], [date(2020, 1, 2), "2020-01-01"]),
        (["b", "a", "a"], ["a", "b"]),
        (["b", "a"], ["a", "b"]),
        (["b", None, None], [None, "b"]),
        ([None, None], [None, None]),
    ],
)
def test_means(clustering, values, expected):
    """A class shows its mean, halves rounded to even, or its mode; what most lack is missing."""
    assert shown(clustering, published_means, *values) == expected


def test_many_categories_make_the_same_sets_as_few(clustering):
    """Beyond 64 values sets are found by sorting in place of bits."""
    values = [f"v{i * 31 % 90:02}" for i in range(400)]
    labels = np.arange(400) // 4
    table = clustering.Records(x=values)
    recoded = published_sets(table.column("x"), members(labels), "?")
    expected = ["{" + ", ".join(sorted(values[4 * i : 4 * i + 4])) + "}" for i in range(100)]
    assert [recoded.values[code] for code in recoded.codes[::4]] == expected
    assert len(set(recoded.values)) == len(recoded.values)
