import datetime as dt
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree

from measured_people import figure_of, open_frame
from qidguard.engines.duckdb.table import DuckdbTable
from qidguard.sdk import Grouping, NotMeasurable
from qidguard_qidlearning.metrics import own_information
from qidguard_qidlearning.metrics.own_information import OWN_INFORMATION, Spread

CORRECTION = 1 / (2 * math.log(2))


def told(columns, *, entity=None, **arguments):
    """Measure own information on columns of values."""
    frame = pd.DataFrame(columns)
    names = tuple(name for name in frame.columns if name != entity)
    table = open_frame(frame, columns=names, entity=entity)
    return figure_of(OWN_INFORMATION, table, Grouping(qids=names), **arguments)


def bits(*columns):
    """Return the corrected entropy of some columns together, counted in plain Python."""
    sizes = Counter(zip(*columns, strict=True)).values()
    n = sum(sizes)
    return -sum(s / n * math.log2(s / n) for s in sizes) + (len(sizes) - 1) / n * CORRECTION


def test_one_column_tells_its_entropy():
    """Two values in four of eight records each: one bit, and Miller's 1 / (2·8·ln 2)."""
    assert told({"a": list("xxxxyyyy")}) == pytest.approx(1 + CORRECTION / 8)
    assert told({"a": list("xxxx")}) == 0


def test_a_function_of_another_column_adds_nothing():
    """The county of a town; also a copy of it under other names, and whichever comes first."""
    town = list("aabbccdd") * 5
    county = ["x" if t in "ab" else "y" for t in town]
    alone = told({"town": town})
    assert told({"town": town, "county": county}) == pytest.approx(alone)
    assert told({"county": county, "town": town}) == pytest.approx(alone)
    assert told({"town": town, "copy": [t.upper() for t in town]}) == pytest.approx(alone)


def test_what_two_columns_share_is_counted_once():
    """Columns that depend on each other: the entropy of their best dependence tree (Chow & Liu 1968)."""
    rng = np.random.default_rng(4)
    a = rng.integers(0, 4, 500)
    b = np.where(rng.random(500) < 0.7, a, rng.integers(0, 4, 500))
    c = np.where(rng.random(500) < 0.5, b, rng.integers(0, 4, 500))
    columns = {"a": a.tolist(), "b": b.tolist(), "c": c.tolist(), "d": rng.integers(0, 3, 500).tolist()}
    shared = np.zeros((4, 4))
    for (i, one), (j, other) in combinations(enumerate(columns.values()), 2):
        shared[i, j] = bits(one) + bits(other) - bits(one, other)
    tree = minimum_spanning_tree(-np.clip(shared, 1e-12, None)).sum()
    expected = sum(bits(column) for column in columns.values()) + tree
    assert expected == pytest.approx(told(columns), abs=1e-9)


def test_a_column_in_which_many_are_alone_tells_nothing():
    """Ten measurements of ten people; a share that the parameter allows counts."""
    sex, weight = list("mf") * 5, [60.5 + i for i in range(10)]
    assert told({"sex": sex, "weight": weight}) == told({"sex": sex})
    assert told({"weight": weight}) == 0
    assert told({"weight": weight}, most_alone=1.0) > 3
    pairs = [60.5 + i // 2 for i in range(10)]
    assert told({"weight": pairs}) > 2


def test_a_date_tells_though_many_are_alone():
    """Others know days of birth; it takes nothing from the sex, which it determines by chance only."""
    days = [dt.date(1990, 1, 1) + dt.timedelta(days=i) for i in range(38)]
    birth, sex = [*days, days[1], days[0]], list("mf") * 20
    both = told({"birth": birth, "sex": sex})
    assert told({"birth": birth}) > 5
    assert both == pytest.approx(told({"birth": birth}) + told({"sex": sex}))
    year = [day.replace(month=1, day=1) for day in birth]
    assert told({"birth": birth, "year": year}) == pytest.approx(told({"birth": birth}))


def test_null_is_a_value_and_entities_are_the_persons():
    """A NULL is as good as a letter; four people with two records each tell what their four records do."""
    assert told({"a": ["x", None] * 8}) == told({"a": ["x", "y"] * 8})
    once = {"a": list("xxyy"), "b": list("pqpq")}
    twice = {name: values * 2 for name, values in once.items()} | {"who": [1, 2, 3, 4] * 2}
    assert told(twice, entity="who", most_alone=1.0) == told(once, most_alone=1.0)


def test_the_order_of_records_and_columns_changes_nothing():
    """Neither rows nor columns in another order; over nobody nothing is spread."""
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 4, (200, 4)), columns=list("abcd"))
    found = told(frame)
    assert told(frame.sample(frac=1, random_state=1)) == found
    assert told(frame[list("dbca")]) == pytest.approx(found, rel=1e-12)
    with pytest.raises(NotMeasurable, match="no records"):
        Spread.of(np.zeros(0, np.int64))


@pytest.mark.slow
@pytest.mark.parametrize("entity", [None, "who"])
def test_many_pairs_are_counted_as_the_engine_counts_them(monkeypatch, entity):
    """The engine counts the first 50 pairs of fifteen columns, the rest come from codes: no digit differs.

    Entities are counted by the engine always.
    """
    rng = np.random.default_rng(3)
    columns = {f"c{i}": rng.integers(0, 2 + i, 300).tolist() for i in range(15)}
    columns["c12"] = [None if value == 0 else value for value in columns["c12"]]
    frame = pd.DataFrame(columns | {"who": rng.integers(0, 200, 300)})
    frame = pd.concat([frame, frame.head(120)])
    asked, found = [], []
    count = DuckdbTable.class_sizes
    monkeypatch.setattr(DuckdbTable, "class_sizes", lambda *a: asked.append(a[1]) or count(*a))
    for by_engine in (50, 10_000):
        monkeypatch.setattr(own_information, "PAIRS_BY_ENGINE", by_engine)
        asked.clear()
        figure = told(frame if entity else frame[[*columns]], entity=entity, most_alone=1.0)
        found.append((figure, len(asked)))
    assert found[0][0] == found[1][0]
    assert [calls for _, calls in found] == [15 + (105 if entity else 50), 15 + 105]
