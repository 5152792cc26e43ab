"""People in small tables, the metric measured on them by the engine, and the properties every metric shares.

Tables are written one record a string, one letter a value, ``-`` for NULL: columns a and b are QIDs, s is the
sensitive attribute, w says who it is. Oracles count these records directly, without SQL.
"""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import drawn_records, examples
from followed import history_of
from people import People
from qidguard.core.outside import Alone
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.sdk import Cells, Codes, Direction, Estimate, GroupBy, Grouping, JointClasses, NotMeasurable


def value_of(found):
    """Return the figure of an estimate, or the figure itself."""
    return found.value if isinstance(found, Estimate) else found


def _without_interval(metric):
    return {"resamples": 0} if any(one.name == "resamples" for one in metric.parameters) else {}


@pytest.fixture(scope="session")
def people():
    """Return a maker of tables: columns, then one string a record; ``entity=True`` counts persons by w."""

    def make(columns, *records, entity=False):
        rows = tuple(tuple(None if letter == "-" else letter for letter in r) for r in records)
        return People(tuple(columns), rows, entity)

    return make


@pytest.fixture(scope="session")
def opened():
    """Return a function that opens a table once for all tests."""
    tables = {}

    def open_table(table, population=None, earlier=None, mark=None):
        key = table, population, earlier, mark
        if key not in tables:
            frames = [
                None if t is None else pd.DataFrame(t.records, columns=list(t.columns), dtype="string")
                for t in (table, population)
            ]
            needs = Needs(
                columns=table.columns,
                rest=table.columns,
                entity="w" if table.entity else None,
                population=frames[1],
                population_entity="w" if population is not None and population.entity else None,
                sampling_fraction=0.1,
                suppression_mark=mark,
                history=None if earlier is None else history_of(table, earlier),
            )
            tables[key] = ENGINE.open(frames[0], ReadOptions(), needs, EngineSettings(threads=1))
        return tables[key]

    yield open_table
    for table in tables.values():
        table.close()


def _figure(table, metric, grouping, arguments):
    arguments = bind(metric.parameters, _without_interval(metric) | arguments)
    if isinstance(metric.method, GroupBy):
        return metric.method.compute(table.statistics(grouping, metric.method.needs(arguments)), arguments)
    return value_of(metric.method.measure(table, grouping, arguments))


@pytest.fixture(scope="session")
def measured(opened):
    """Return a function that measures a metric on people by the engine."""

    def measure(metric, table, qids="ab", *, population=None, earlier=None, mark=None, **given_arguments):
        grouping = Grouping(qids=tuple(qids), sensitive="s" if metric.attribute else None)
        return _figure(opened(table, population, earlier, mark), metric, grouping, given_arguments)

    return measure


@pytest.fixture(scope="session")
def people_like():
    """Return a maker of a table like another one, with other records."""

    def make(table, records):
        return People(table.columns, tuple(records), table.entity)

    return make


VALUES = (["x", "y", None], ["u", "v", None], ["p", "q", "r", None], ["1", "2", "3", "4"])
RECORDS = st.lists(st.tuples(*map(st.sampled_from, VALUES)), min_size=1, max_size=10).map(tuple)
SURE = drawn_records(VALUES, tables=6, records=10)
"""Tables that every run draws alike, so that what a check must have met does not hang on hypothesis."""


def _on_random_people(check, *, metric, entities=True):
    """Run a check on random tables; the same ones for every metric, so that each is opened once.

    The check takes a table and what the metric needs beside it: a population that holds it, or two earlier
    releases that some of its people were in.
    """

    def look(records, others):
        for entity in (False, True) if entities else (False,):
            table = People(tuple("absw"), records, entity)
            beside = {}
            if metric.needs_population:
                # other people have other names
                rest = tuple((a, b, s, f"other {w}") for a, b, s, w in others)
                beside["population"] = People(tuple("absw"), records + rest, entity)
            if metric.needs_history:
                before = records[1:] + others, others + records[: len(records) // 2]
                beside["earlier"] = tuple(People(tuple("absw"), some, entity) for some in before)
            check(table, beside)

    @settings(max_examples=examples(30, fewest=5), deadline=None, derandomize=True, database=None)
    @given(records=RECORDS, others=RECORDS)
    def run(records, others):
        look(records, others)

    for records, others in itertools.pairwise(SURE):
        look(records, others)
    run()


@pytest.fixture(scope="session")
def on_random_people():
    """Return the runner itself: it calls a check with random tables and what a metric needs beside them."""
    return _on_random_people


@pytest.fixture(scope="session")
def agrees(measured):
    """Return a check: the engine's figure equals the oracle's on random records and entities."""

    def compare(metric, oracle, **arguments):
        def check(table, beside):
            expected = oracle(table, **beside)
            actual = measured(metric, table, **beside, **arguments)
            assert expected == pytest.approx(actual, rel=1e-12, abs=1e-12)

        _on_random_people(check, metric=metric)

    return compare


@pytest.fixture(scope="session")
def never_less_safe_when_coarser(measured):
    """Return a check: measured over fewer QIDs, the figure is as safe or safer."""

    def compare(metric, *, entities, **arguments):
        def check(table, beside):
            fine = measured(metric, table, "ab", **beside, **arguments)
            for qids in "ab":
                coarse = measured(metric, table, qids, **beside, **arguments)
                if not math.isclose(fine, coarse, rel_tol=1e-12, abs_tol=1e-12):
                    assert (coarse > fine) == (metric.direction is Direction.HIGHER_IS_SAFER)

        _on_random_people(check, metric=metric, entities=entities)

    return compare


@pytest.fixture(scope="session")
def has_no_value_when_empty():
    """Return a check: over an empty table the metric is not measurable, and says so."""

    def check(metric, **given_arguments):
        arguments = bind(metric.parameters, given_arguments)
        none = np.zeros(0, dtype=np.int64)
        cells = Cells(class_id=none, value=none, n=none, size=none, table_n=none, has_missing=False)
        nobody = none.astype(np.bool_)
        joint = JointClasses(joint=none, is_now=nobody, is_before=nobody, is_absent=nobody)
        codes = Codes(codes=none.astype(np.int32).reshape(0, 1), records=none, entity=None, suppressed=(-1,))
        history = SimpleNamespace(joint_classes=lambda *_, **__: joint, size_changes=lambda *_, **__: ())

        def measure():
            if isinstance(metric.method, GroupBy):
                names = [statistic.name for statistic in metric.method.needs(arguments)]
                return metric.method.compute(dict.fromkeys(names), arguments)
            nothing = Alone(alone=0, persons=0)
            view = SimpleNamespace(
                cells=lambda _: cells,
                history=history,
                alone=lambda _: nothing,
                codes=lambda _: codes,
                class_sizes=lambda _: none,
                sampling_fraction=0.1,
                has_entities=False,
            )
            return metric.method.measure(view, Grouping(qids=("a",), sensitive="s"), arguments)

        with pytest.raises(NotMeasurable, match="no records"):
            measure()

    return check


ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex"
    " capital-gain capital-loss hours-per-week native-country income"
)
"""The columns of Adult, whose files have no header."""


@pytest.fixture(scope="session")
def measured_frame():
    """Return a function that measures a metric on a DataFrame."""
    tables = {}

    def measure(metric, frame, qids, *, sensitive=None, **given_arguments):
        if id(frame) not in tables:
            needs = Needs(columns=tuple(frame.columns))
            tables[id(frame)] = frame, ENGINE.open(frame, ReadOptions(), needs, EngineSettings())
        grouping = Grouping(qids=tuple(qids), sensitive=sensitive)
        return _figure(tables[id(frame)][1], metric, grouping, given_arguments)

    yield measure
    for _, table in tables.values():
        table.close()


@pytest.fixture(scope="session")
def adult(data):
    """Return Adult's train and test records together; ``?`` is a value."""
    options = {"names": ADULT.split(), "skipinitialspace": True, "dtype": "string", "comment": "|"}
    parts = [pd.read_csv(data / "adult" / name, **options) for name in ("adult.data", "adult.test")]
    table = pd.concat(parts, ignore_index=True)
    table["income"] = table["income"].str.rstrip(".")
    return table


@pytest.fixture(scope="session")
def complete_adult(adult):
    """Return Adult without the records that have a ``?``."""
    return adult[~(adult == "?").any(axis=1)].reset_index(drop=True)


@pytest.fixture(scope="session")
def adult_arx(data):
    """Return the version of Adult that comes with ARX."""
    return pd.read_csv(data / "adult" / "adult_arx.csv", sep=";", dtype="string")


@pytest.fixture(scope="session")
def german(data):
    """Return the three QIDs of German that the MO-OBAM paper uses."""
    table = pd.read_csv(data / "german" / "german.data", sep=r"\s+", header=None, dtype="string")
    return pd.DataFrame({"age": table[12], "personal_status": table[8], "job": table[16]})
