"""Records in classes that arrays hold: every figure is the one that the engine gives by its own SQL."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import written_figures
from examples import examples
from qidguard.core.metric import Direction
from qidguard.core.order import OrderedBy, ValueOrder
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.measuring.lattice.chunks import cell_chunks
from qidguard.measuring.lattice.levels import whole_level
from qidguard.measuring.lattice.partition import NOTHING, Partition
from qidguard.measuring.lattice.records import LatticeRecords
from qidguard.measuring.question import Question
from qidguard.measuring.runner import figure_of
from qidguard.sdk import (
    ClassValue,
    GroupBy,
    GroupedRecords,
    Grouping,
    NotMeasurable,
    PluginError,
    Role,
    Statistic,
    TableFunction,
    Unit,
)

METRICS = load_host().metrics
ANY = settings(
    max_examples=examples(12), deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip

tables = st.lists(
    st.tuples(
        st.fixed_dictionaries(
            {
                "a": st.sampled_from([1, 2, 3, None]),
                "b": st.sampled_from(["x", "y", None]),
                "s": st.sampled_from([10, 20, 20, 50, 70, None]),
                "who": st.sampled_from([1, 2, 3, 4]),
            }
        ),
        st.integers(1, 4),
    ),
    min_size=1,
    max_size=9,
).map(lambda groups: [record for record, times in groups for _ in range(times)])


def opened(table, *, entity):
    """Return the records as an opened table."""
    frame = pd.DataFrame({name: pd.Series([r[name] for r in table]) for name in ("a", "b", "s", "who")})
    needs = Needs(columns=("a", "b", "s"), entity="who" if entity else None)
    return ENGINE.open(frame, ReadOptions(), needs, EngineSettings(threads=1))


def coded(table, name):
    """Return a column's codes in natural order, NULL 0, and the values."""
    values = [None, *sorted({r[name] for r in table} - {None})]
    return np.array([values.index(r[name]) for r in table]), values


def grouped(table, *, entity, by_weight=False):
    """Return the same records in the classes of a and b."""
    (a, _), (b, values), (s, numbers) = (coded(table, name) for name in "abs")
    who = coded(table, "who")[0]
    rows = np.stack([a * len(values) + b, s, who], axis=1)
    weights = None
    if by_weight:
        rows, weights = np.unique(rows, axis=0, return_counts=True)
    return GroupedRecords(
        rows[:, 0],
        weights=weights,
        attribute=rows[:, 1],
        attribute_numbers=np.array([np.nan, *map(float, numbers[1:])]),
        attribute_order=ValueOrder(by=OrderedBy.NUMBERS),
        entity=rows[:, 2] if entity else None,
    )


def answer(work):
    """Return a figure, or that there is none."""
    try:
        return work()
    except NotMeasurable:
        return None


OF_CLASSES = {
    "alpha_k_anonymity", "average_class_size", "beta_likeness", "delta_disclosure", "discernibility",
    "distinct_l_diversity", "entropy_l_diversity", "k_anonymity", "marketer_risk", "persons_below_k",
    "persons_homogeneous", "prosecutor_risk_average", "prosecutor_risk_max", "prosecutor_share_above",
    "recursive_l_diversity", "sample_uniques", "share_below_k", "share_homogeneous", "share_unique",
    "t_closeness", "t_closeness_kl", "t_closeness_ordered",
}  # fmt: skip
"""Metrics that classes alone must do for."""


@pytest.mark.slow
def test_every_metric_has_the_figure_of_the_engine():
    """Whatever metric: the engine's figure to the last digit, or none where classes do not say enough."""
    compared = set()

    @ANY
    @given(table=tables, entity=st.booleans(), by_weight=st.booleans())
    def holds(table, entity, by_weight):
        ours = grouped(table, entity=entity, by_weight=by_weight)
        with opened(table, entity=entity) as opened_table:
            for metric in METRICS.values():
                given_ones = {p.name: 2 for p in metric.parameters if p.default is None}
                arguments = bind(metric.parameters, given_ones)
                attribute = None if metric.attribute is None else "s"
                figure = Question(metric=metric, arguments=arguments, attribute=attribute)
                actual = answer(lambda m=metric, given=arguments: ours.figure(m, given))
                if actual is None and metric.name not in OF_CLASSES:
                    continue
                expected = answer(lambda f=figure: figure_of(opened_table, f, ("a", "b"), None).value)
                assert expected == actual, metric.name
                if actual is not None:
                    compared.add(metric.name)

    holds()
    assert compared >= OF_CLASSES


@pytest.mark.slow
@ANY
@given(table=tables, entity=st.booleans(), by_weight=st.booleans())
def test_class_sizes_and_class_values_are_those_of_the_engine(table, entity, by_weight):
    """Sizes and class values come by the class's number and are, as a multiset, the engine's."""
    records = grouped(table, entity=entity, by_weight=by_weight)
    with opened(table, entity=entity) as opened_table:
        for sql in ("count(n)", "max(n)", "max(share * size)", "min(number)"):
            value = ClassValue(name="v", sql=sql)
            expected = opened_table.class_values(Grouping(qids=("a", "b"), sensitive="s"), value)
            actual = np.column_stack([records.class_values(value), records.class_sizes])
            assert sorted(map(repr, expected.tolist())) == sorted(map(repr, actual.tolist()))


def test_a_missing_entity_is_one_person():
    """Code 0 counts like any other entity."""
    records = GroupedRecords(np.array([0, 0, 0]), entity=np.array([0, 0, 1]))
    assert records.class_sizes.tolist() == [2]


def test_classes_come_in_the_order_of_their_numbers_without_gaps():
    """Classes 7, 2 and 5 are 2, 5, 7; their sizes count distinct persons where there are entities."""
    records = GroupedRecords(np.array([7, 2, 2, 5, 7, 7]), entity=np.array([9, 1, 1, 3, 4, 9]))
    assert records.class_sizes.tolist() == [1, 1, 2]
    assert GroupedRecords(np.array([7, 2, 5]), weights=np.array([3, 1, 2])).class_sizes.tolist() == [1, 2, 3]


def test_without_records_there_is_no_figure():
    """An empty table has no classes and no figure."""
    none = GroupedRecords(np.zeros(0, dtype=np.int64))
    assert none.class_sizes.tolist() == []
    assert none.class_values(ClassValue(name="v", sql="max(size)")).tolist() == []
    with pytest.raises(NotMeasurable, match="no records"):
        none.figure(_of_classes(lambda *_: 1), {})


def _metric(method, **more):
    facts = {"unit": Unit.RATIO, "minimum": 0, "maximum": 9, "direction": Direction.LOWER_IS_SAFER}
    return written_figures.metric("m", method=method, **facts, **more)


def _of_view(measure):
    return _metric(TableFunction(measure=measure))


def _of_classes(compute, *statistics, **more):
    return _metric(GroupBy(statistics=statistics, compute=compute), **more)


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        (_of_classes(lambda *_: 1, attribute=Role.TARGET), "attribute; give one"),
        (_of_view(lambda view, g, _: view.codes(g.qids)), "measure the table itself"),
        (_of_view(lambda view, *_: view.columns), "measure the table itself"),
        (_of_view(lambda view, *_: view.numbers("a")), "measure the table itself"),
        (_of_view(lambda view, *_: view.class_sizes(("a", "b"))), "measure the table itself"),
        (_of_view(lambda view, g, _: view.cells(g)), "measure the table itself"),
        (_of_classes(lambda *_: 1, Statistic(name="q", sql="median(size)")), "outside what arrays can"),
    ],
)
def test_what_classes_do_not_say_is_not_measurable(metric, reason):
    """The reason says what lacks and where to measure instead."""
    with pytest.raises(NotMeasurable, match=reason):
        GroupedRecords(np.array([0, 1])).figure(metric, {})


def test_arithmetic_needs_the_numbers_of_the_attribute():
    """A class value over numbers is not measurable where nobody gave them."""
    records = GroupedRecords(np.array([0]), attribute=np.array([1]))
    with pytest.raises(NotMeasurable, match="no numbers"):
        records.class_values(ClassValue(name="v", sql="max(number)"))


@pytest.mark.parametrize("fault", [99, float("nan"), "x", KeyError("secret")])
def test_a_metric_that_gives_no_number_in_its_range_is_an_error_of_its_plugin(fault):
    """As on the engine, a wrong figure never counts as one; what an exception says is not repeated."""

    def compute(*_):
        if isinstance(fault, Exception):
            raise fault
        return fault

    with pytest.raises(PluginError, match=r"'m' .*; mend the plugin") as caught:
        GroupedRecords(np.array([0])).figure(_of_classes(compute), {})
    assert "secret" not in str(caught.value)
    assert ("failed with KeyError" in str(caught.value)) == isinstance(fault, Exception)


@pytest.mark.parametrize(
    "arrays",
    [
        {"class_of": np.array([0, -1])},
        {"class_of": np.array([0.0, 1.0])},
        {"class_of": np.array([0, 1]), "weights": np.array([1, 0])},
        {"class_of": np.array([0, 1]), "attribute": np.array([1])},
        {"class_of": np.array([0, 1]), "entity": np.array([[1], [2]])},
    ],
)
def test_wrong_arrays_are_refused(arrays):
    """Lengths, kinds and least values are checked when they are given."""
    with pytest.raises(ValueError, match="must be"):
        GroupedRecords(**arrays)


@pytest.mark.parametrize(("rows", "kind"), list(product([1, 100_000], [np.int16, np.int32, np.uint8])))
def test_any_whole_numbers_serve(rows, kind):
    """Codes of any width give the same figures."""
    codes = (np.arange(rows) % 7).astype(kind)
    assert GroupedRecords(codes, attribute=codes).class_sizes.sum() == rows


def test_a_class_of_fifty_thousand_has_its_separation():
    """The square of its size is beyond 31 bits: (n² − Σ size²) / (n (n − 1)) with n = 50,003."""
    ours = GroupedRecords(np.repeat([0, 1], [50_000, 3]))
    separation = METRICS["separation"]
    expected = (50_003**2 - 50_000**2 - 3**2) / (50_003 * 50_002)
    assert ours.figure(separation, bind(separation.parameters, {})) == expected


def test_classes_values_and_entities_beyond_sixty_four_bits_are_counted():
    """Where their product passes what 64 bits hold, the cells are those of small numbers."""
    group, value = np.array([0, 0, 0, 2**17 - 1, 2**17 - 1]), np.array([0, 0, 5, 5, 5])
    who = np.array([0, 0, 2, 3, 1])

    def cells(values):
        records = LatticeRecords(
            columns=(group,), cardinalities=(2**17,), weights=None, attribute=value,
            attribute_codes=np.broadcast_to(np.int64(0), (values,)), entity=who, entities=4,
        )  # fmt: skip
        level = whole_level(records)
        whole = Partition(level.first, None, group, 2**17, level, NOTHING)
        found = next(cell_chunks(records, iter([(whole, [(0, 0)])]))).cells
        return found.n.tolist(), found.value.tolist()

    assert cells(8) == ([1, 1, 2], [0, 5, 5])
    assert cells(2**45) == cells(8)


def test_sizes_count_classes_with_nothing_to_learn():
    """A class whose values are all suppressed has its size, and no part in what is measured of values."""
    records = GroupedRecords(np.array([0, 0, 1]), attribute=np.array([1, 3, 2]), suppressed=2)
    assert records.class_sizes.tolist() == [2, 1]
    found = {n: records.figure(METRICS[n], {}) for n in ("k_anonymity", "distinct_l_diversity")}
    assert found == {"k_anonymity": 1, "distinct_l_diversity": 2}
