"""The plot of class sizes: every class in one bar, k where classes may begin."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import elements
from examples import examples
from qidguard.sdk import k_anonymity_task, records_of, rehearse
from qidguard_standard.anonymizers import ANONYMIZERS
from qidguard_standard.anonymizers.clustering.class_sizes import class_size_plot
from qidguard_standard.anonymizers.clustering.partitioned import DrawsClassSizes


def bars(plot):
    """Return the bars of a plot."""
    return plot.vega_lite["layer"][0]["data"]["values"]


def test_each_size_has_a_bar():
    """Two classes of 5, one of 6, one of 9: three bars with their classes and persons, k at the first."""
    plot = class_size_plot(np.array([5, 9, 5, 6]), 5)
    assert [(bar["sizes"], bar["classes"], bar["persons"]) for bar in bars(plot)] == [
        ("5", 2, 10),
        ("6", 1, 6),
        ("9", 1, 9),
    ]
    assert plot.vega_lite["layer"][1]["data"]["values"] == [{"k": 4.5, "label": "k = 5"}]


@pytest.mark.parametrize(
    ("sizes", "k", "words"),
    [
        ([7], 2, "1 class of 7 persons; k = 2."),
        ([3, 3], 3, "2 classes of 3 persons; k = 3."),
        ([3, 3, 1200], 3, "3 classes of 3 to 1,200 persons, half of them of 3 or fewer; k = 3."),
    ],
)
def test_the_alternative_says_what_is_seen(sizes, k, words):
    """How many classes, from which size to which, their median, and k; and it can be drawn."""
    plot = class_size_plot(np.array(sizes), k)
    assert plot.alternative == words
    assert elements(plot.svg()).tag.endswith("svg")


@settings(max_examples=examples(50), deadline=None, derandomize=True, database=None)
@given(st.lists(st.integers(1, 5) | st.integers(1, 100_000), min_size=1, max_size=60), st.integers(1, 50))
def test_every_class_is_in_one_bar(sizes, k):
    """Bars hold all classes and persons, do not overlap, and are as many as fit."""
    found = bars(class_size_plot(np.array(sizes), k))
    assert sum(bar["classes"] for bar in found) == len(sizes)
    assert sum(bar["persons"] for bar in found) == sum(sizes)
    assert all(one["high"] <= other["low"] for one, other in itertools.pairwise(found))
    assert len(found) <= 60


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    "name", ["mdav", "anneal", "v_mdav", "k_member", "mondrian", "blocks", "zheng_l_diversity"]
)
def test_every_anonymizer_of_classes_draws_them(name):
    """What is drawn of a result are the class sizes of what is published, persons and not records."""
    method = next(one for one in ANONYMIZERS if one.name == name)
    assert isinstance(method, DrawsClassSizes)
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {"age": rng.integers(18, 60, 60), "ward": ["a", "b", "c"] * 20, "who": np.arange(60) // 2}
    )
    task = k_anonymity_task(4, ["age"], sensitive=["ward"], entity="who")
    done = rehearse(records_of(table), f"{name}[l=2]" if name == "zheng_l_diversity" else name, task)
    [plot] = method.plots(done, {"k": 0} | ({"l": 2} if name == "zheng_l_diversity" else {}))
    persons = pd.DataFrame({"age": done.column("age").codes, "who": done.column("who").codes})
    expected = persons.groupby("age")["who"].nunique()
    assert sum(bar["classes"] for bar in bars(plot)) == len(expected)
    assert sum(bar["persons"] for bar in bars(plot)) == expected.sum()
    assert plot.alternative.endswith("k = 4.")
