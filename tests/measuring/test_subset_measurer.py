"""Figures of many subsets: whatever way they are measured, they are those of the engine's own SQL."""

# ruff: noqa: PD011 - the values are a SubsetFigures's, and no pandas

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import written_figures
from examples import examples
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.measuring import family
from qidguard.measuring.cost import Path
from qidguard.measuring.lattice import (
    chunks,
    levels,
    partition,
    steps,
    walk,
)
from qidguard.measuring.question import Question
from qidguard.measuring.subset_measurer import SubsetMeasurer, is_in_memory
from qidguard.sdk import (
    ClassValue,
    GroupBy,
    NotMeasurable,
    PluginError,
    RowSource,
    Statistic,
    TableFunction,
    Unit,
    exact_sum,
)


def metric(method, name="m"):
    """Return a metric that may have any figure."""
    return written_figures.metric(name, method=method, unit=Unit.RATIO)


COLUMNS = ("a", "b", "c", "d", "e", "f")
TABLE = pd.DataFrame(
    {
        "a": [1, 1, 1, 1, 2, 2, 2, 3],
        "b": ["x", "x", "y", "y", "x", "x", None, None],
        "c": [1, 1, 2, 2, 1, 1, 3, 3],  # b says it in letters: each determines the other
        "s": ["flu", "flu", "flu", "cold", "cold", None, None, None],
        "n": [10, 20, 20, 30, 40, 50, None, 60],
        "who": [1, 1, 2, 3, 4, 4, 5, 1],
    }
)


def figure(sql, *values, source=RowSource.CLASSES, attribute=None):
    """Return a figure that is one statistic; where it is NULL there is none."""
    statistic = Statistic(name="one", sql=sql, source=source, values=values)

    def compute(found, _):
        if found["one"] is None:
            raise NotMeasurable("it is NULL")
        return found["one"]

    of = metric(GroupBy(statistics=(statistic,), compute=compute))
    return Question(metric=of, arguments={}, attribute=attribute, owner="plugin 'p' 1.0")


def value(sql):
    """Return a class value."""
    return ClassValue(name="v", sql=sql)


SIZES = [
    figure("count(*)"),
    figure("min(size)"),
    figure("sum(size * size)"),
    figure("max(1.0 / size)"),
    figure("max(v)", value("max(size)")),
    figure("1", source=RowSource.PERSONS),
    figure("1.0 / size", source=RowSource.PERSONS),
    figure("CASE WHEN size < 3 THEN 1 ELSE 0 END", source=RowSource.PERSONS),
]
CELLS = [
    figure(sql, *values, attribute="s")
    for sql, *values in (
        ("min(v)", value("count(n)")),
        ("max(v)", value("max(share)")),
        ("min(v)", value(f"-{exact_sum('share * ln(share)')}")),
        ("max(v)", value(exact_sum("share * ln(share / table_share)"))),
        ("max(v)", value(exact_sum("abs(share - table_share)"))),
        (exact_sum("size * v"), value("max(n)")),
        ("max(v)", value("max(table_values) - count(n)")),
        ("sum(v)", value("sum(value * n)")),
        ("sum(v)", value("max(total)")),
        ("sum(v)", value("min(table_n)")),
    )
]
NUMBERS = [
    figure("max(v)", value(f"{exact_sum('n * number')} / max(total)"), attribute="n"),
    figure(exact_sum("v"), value("max(number) - min(number)"), attribute="n"),
    figure("sum(v)", value("count(number)"), attribute="n"),
]

rows = st.lists(
    st.tuples(
        st.tuples(*(st.sampled_from([None, 0, 1, 2, 3][: 2 + i % 4]) for i in range(len(COLUMNS)))),
        st.sampled_from([None, "x", "y", "z"]),
        st.sampled_from([None, 0, 1.5, -2, 1e6]),
        st.integers(0, 4),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=14,
)


def opened(frame, entity=None):
    """Return an opened table."""
    return ENGINE.open(frame, ReadOptions(), Needs(entity=entity), EngineSettings(threads=1))


def equal(expected, found):
    """Compare figure by figure: the very same number, or none on both sides."""
    np.testing.assert_array_equal(expected, found, strict=True)


SOME = settings(
    max_examples=examples(8, fewest=3), deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)  # fmt: skip


@pytest.fixture
def small_limits(monkeypatch):
    """Let everything that only large tables do happen to small ones: merging, sorting, listing, chunks."""
    monkeypatch.setattr(walk, "_WORTH_MERGING", 0)
    monkeypatch.setattr(walk, "_AHEAD", 1)
    monkeypatch.setattr(partition, "_DENSE", 0)
    monkeypatch.setattr(partition, "_DENSE_FREE", 0)
    monkeypatch.setattr(family, "_MOST_KEPT", 2)
    monkeypatch.setattr(family, "_LOOK", 1)
    monkeypatch.setattr(partition, "_LARGEST_COUNTED", 2)
    monkeypatch.setattr(chunks, "_COUNTED", 2)
    monkeypatch.setattr(steps, "_COUNTED", 2)
    monkeypatch.setattr(chunks, "_ENOUGH_SIZES", 10)
    monkeypatch.setattr(levels, "_MOST_CELLS", 60)
    monkeypatch.setattr(chunks, "_ENOUGH", 10)


@pytest.mark.slow
@SOME
@given(records=rows, width=st.integers(1, 4), has_entities=st.booleans(), at=st.integers(0, 2))
def test_every_way_gives_what_sql_gives(records, width, has_entities, at):
    """On any small table with NULLs, equal records and entities the three ways agree to the last digit."""
    check_ways(records, width, at, has_entities=has_entities)


@pytest.mark.slow
@SOME
@given(records=rows, width=st.integers(2, 5), has_entities=st.booleans(), at=st.integers(0, 2))
@pytest.mark.usefixtures("small_limits")
def test_what_large_tables_do_changes_nothing(records, width, has_entities, at):
    """Merged rows, sorted keys, listed classes, forgotten parents and small chunks give the same figures."""
    check_ways(records, width, at, has_entities=has_entities)


def check_ways(records, width, at, *, has_entities):
    """Hold every way against SQL on all subsets."""
    wide = [(*cells, s, n, who) for cells, s, n, who, times in records for _ in range(times)]
    frame = pd.DataFrame(wide, columns=[*COLUMNS, "s", "n", "who"])
    frame = frame.astype(dict.fromkeys(COLUMNS, "Int64") | {"s": "string", "n": "float64"})
    figures = (SIZES, SIZES + CELLS, CELLS + NUMBERS)[at]
    with opened(frame, "who" if has_entities else None) as table:
        ways = [SubsetMeasurer(table, COLUMNS[:width], figures, path=path) for path in Path]
        sql, *others = [way.every(range(1, width + 1)) for way in ways]
        for way, found in zip(ways[1:], others, strict=True):
            assert sql.sets.tolist() == found.sets.tolist()
            equal(sql.values, found.values)
            for row, j in np.argwhere(np.isnan(found.values)).tolist():
                qids = frozenset(found.names(row))
                assert ways[0].reason(qids, j) == way.reason(qids, j) != ""


def test_the_figures_above_are_measured_in_memory():
    """The test above compares two ways and not SQL with itself."""
    with opened(TABLE) as table:
        assert all(is_in_memory(table, one) for one in SIZES + CELLS + NUMBERS)


@pytest.mark.slow
def test_every_group_by_metric_that_is_installed_is_measured_in_memory():
    """What needs a population goes by SQL; every other statistic is in the small language."""
    with opened(TABLE) as table:
        left = []
        for of in load_host().metrics.values():
            if isinstance(of.method, TableFunction) or of.needs_population or of.needs_history:
                continue
            arguments = {p.name: p.default if p.default is not None else 2 for p in of.parameters}
            attribute = "n" if of.attribute is not None else None
            one = Question(metric=of, arguments=arguments, attribute=attribute)
            if one.statistics() and not is_in_memory(table, one):
                left.append(of.name)
        assert left == []


@pytest.mark.parametrize("path", list(Path))
def test_sets_by_hand(path):
    """A has classes of 4, 3 and 1; a and b have five classes of which two hold one record."""
    figures = [figure("count(*)"), figure("min(size)")]
    with opened(TABLE) as table:
        measurer = SubsetMeasurer(table, ("a", "b", "c"), figures, path=path)
        found = measurer.measure([frozenset("a"), frozenset("ab"), frozenset("a")])
        assert found.tolist() == [[3, 1], [5, 1], [3, 1]]
        assert measurer.evaluations == 2
        assert measurer.measure([frozenset("ab")]).tolist() == [[5, 1]]
        assert measurer.evaluations == 2
        assert measurer.measure([]).shape == (0, 2)


@pytest.mark.parametrize("path", list(Path))
def test_all_subsets_come_in_the_order_of_combinations(path):
    """Rows are by size and then as itertools gives them."""
    with opened(TABLE) as table:
        found = SubsetMeasurer(table, ("c", "a", "b"), [figure("count(*)")], path=path).every([2, 1])
    expected = [c for size in (1, 2) for c in combinations(("c", "a", "b"), size)]
    assert [found.names(row) for row in range(len(found.sets))] == expected
    assert found.values[:, 0].tolist() == [3, 3, 3, 5, 3, 5]


@pytest.mark.parametrize("path", list(Path))
def test_a_set_with_the_attribute_in_it_has_no_figure(path):
    """What is measured beside the set cannot be in it; the other sets keep their figures."""
    one = figure("min(v)", value("count(n)"), attribute="s")
    with opened(TABLE) as table:
        measurer = SubsetMeasurer(table, ("a", "s"), [one, figure("count(*)")], path=path)
        found = measurer.every([1, 2])
        assert np.isnan(found.values[:, 0]).tolist() == [False, True, True]
        assert found.values[:, 1].tolist() == [3, 3, 5]
        assert "'s' is in the set" in measurer.reason(frozenset({"a", "s"}), 0)
        assert measurer.reason(frozenset({"a"}), 0) == ""


@pytest.mark.slow
@pytest.mark.parametrize("path", list(Path))
def test_more_columns_than_bits(path):
    """Beyond 62 columns masks are Python's whole numbers and nothing changes."""
    wide = pd.DataFrame({f"c{i}": [0, 0, int(i == 69), i % 2] for i in range(70)})
    with opened(wide) as table:
        measurer = SubsetMeasurer(table, tuple(wide), [figure("count(*)")], path=path)
        sets = [frozenset({"c0", "c69"}), frozenset({"c2", "c4"}), frozenset(wide)]
        assert measurer.measure(sets)[:, 0].tolist() == [2, 1, 3]
        assert measurer.every([1]).values[:, 0].tolist() == [1 + i % 2 for i in range(70)]


def test_what_is_outside_the_language_rides_along_by_sql():
    """One figure that only the database can give does not stop the others from the lattice."""
    odd = figure("sum(sqrt(size))")
    of_table = Question(metric=metric(TableFunction(measure=lambda _, g, __: len(g.qids))), arguments={})
    with opened(TABLE) as table:
        assert not is_in_memory(table, odd)
        measurer = SubsetMeasurer(table, ("a", "b"), [figure("count(*)"), odd, of_table], path=Path.LATTICE)
        found = measurer.every([1, 2])
        sql = SubsetMeasurer(table, ("a", "b"), [odd], path=Path.SQL).every([1, 2])
    assert found.values[:, 0].tolist() == [3, 3, 5]
    equal(sql.values[:, 0], found.values[:, 1])
    assert found.values[:, 2].tolist() == [1, 1, 2]


@pytest.mark.parametrize("path", list(Path))
def test_a_figure_of_the_size_is_measured_once_for_each_size(path):
    """Sets of one size share it; another size has its own."""
    asked = []

    def measure(_, grouping, __):
        asked.append(grouping.qids)
        return len(grouping.qids) / 4

    of_size = replace(metric(TableFunction(measure=measure)), is_of_size=True)
    with opened(TABLE) as table:
        figures = [Question(metric=of_size, arguments={}), figure("count(*)")]
        found = SubsetMeasurer(table, ("a", "b", "c"), figures, path=path).every([1, 2, 3])
    assert found.values[:, 0].tolist() == [0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.75]
    assert [len(qids) for qids in asked] == [1, 2, 3]


def test_a_number_that_arrays_cannot_hold_is_asked_of_the_database():
    """4^31 is 2^62 and could wrap around in arrays; the database says it is a number of 64 bits still."""
    large = figure("sum(" + " * ".join(["(1.0 * size)"] * 10 + ["1e0"]) + ")")
    power = figure("max(" + " * ".join(["size"] * 31) + ")")
    with opened(TABLE) as table:
        found = SubsetMeasurer(table, ("a",), [power], path=Path.LATTICE).every([1]).values
        ways = [SubsetMeasurer(table, ("a", "b"), [large], path=p).every([1, 2]).values for p in Path]
    assert found.tolist() == [[4.0**31]]
    equal(ways[0], ways[1])
    equal(ways[0], ways[2])


@pytest.mark.samples(4)
@pytest.mark.parametrize("path", list(Path))
@pytest.mark.parametrize("wrong", [ZeroDivisionError("secret 4711"), "text", float("nan"), None, True])
def test_a_plugin_that_fails_is_named(path, wrong):
    """A crash, or an answer that is no number, names the plugin and tells no value."""

    def compute(*_):
        if isinstance(wrong, Exception):
            raise wrong
        return wrong

    statistics = (Statistic(name="one", sql="count(*)"),)
    of = metric(GroupBy(statistics=statistics, compute=compute))
    bad = Question(metric=of, arguments={}, owner="plugin 'p'")
    with opened(TABLE) as table:
        measurer = SubsetMeasurer(table, ("a", "b"), [bad], path=path)
        with pytest.raises(PluginError, match=r"^plugin 'p': metric 'm'") as raised:
            measurer.every([1])
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("path", list(Path))
def test_an_interrupt_stops_the_work(path):
    """A table whose caller asked to stop raises KeyboardInterrupt and keeps no half answer."""
    with opened(TABLE) as table:
        measurer = SubsetMeasurer(table, ("a", "b"), [figure("count(*)")], path=path)
        table.is_interrupted = True
        with pytest.raises(KeyboardInterrupt):
            measurer.every([1, 2])
        assert measurer.evaluations == 0
        table.is_interrupted = False
        assert measurer.every([1]).values[:, 0].tolist() == [3, 3]


@pytest.mark.slow
@pytest.mark.parametrize("path", list(Path))
def test_progress_goes_from_nothing_to_all(path):
    """Steps never go back; the first says 0 and the last all."""
    steps = []

    class Listener:
        def step(self, title, done, total):
            steps.append((done, total))

    with opened(TABLE) as table:
        SubsetMeasurer(table, ("a", "b", "c"), SIZES + CELLS, path=path, progress=Listener()).every([1, 2])
    assert (steps[0], steps[-1], steps) == ((0, 6), (6, 6), sorted(steps))


@pytest.mark.parametrize(
    ("columns", "sets", "said"),
    [
        (("a", "b"), [frozenset()], "column"),
        (("a", "b"), [frozenset({"a", "z"})], "column"),
        ((), [], "none named twice"),
        (("a", "a"), [], "none named twice"),
    ],
)
def test_a_set_that_cannot_be_is_refused(columns, sets, said):
    """Neither no column at all nor an unknown one is a set to measure; a measurer needs each column once."""
    with opened(TABLE) as table, pytest.raises(ValueError, match=said):
        SubsetMeasurer(table, columns, [figure("count(*)")]).measure(sets)


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize("path", [Path.LATTICE, Path.REFINEMENT])
def test_adult_equals_sql_on_a_sample_of_sets(data, path):
    """On a real table, with the distinct rows merged on the way, sizes and cells are those of SQL."""
    frame = pd.read_csv(data / "adult" / "adult_arx.csv", sep=";")
    columns = tuple(frame.columns[:8])
    figures = [
        *SIZES,
        figure("max(v)", value(exact_sum("share * ln(share / table_share)")), attribute="salary-class"),
        figure(exact_sum("size * v"), value("max(share)"), attribute="salary-class"),
    ]
    generator = np.random.default_rng(5)
    sets = [frozenset(np.array(columns)[generator.random(8) < 0.4]) or frozenset({"age"}) for _ in range(25)]
    with opened(frame) as table:
        sql = SubsetMeasurer(table, columns, figures, path=Path.SQL).measure(sets)
        equal(sql, SubsetMeasurer(table, columns, figures, path=path).measure(sets))
