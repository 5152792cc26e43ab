"""Typed tables beside those of the folder above: numbers, a treatment, and the paper's medical example.

Random typed tables have the QIDs a (text), b (whole numbers) and d (dates), the target y (numbers), the
treatment t (0 and 1) and the entity w; each but w may be missing.
"""

import datetime as dt
import math
from dataclasses import dataclass

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import drawn_records, examples
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.sdk import GroupBy, Grouping

TYPES = {"a": "string", "b": "Int64", "d": "object", "y": "Float64", "t": "Int64", "w": "string"}


@dataclass(frozen=True)
class Records:
    """Typed records; ``entity`` says whether persons are the values of w."""

    rows: tuple[tuple, ...]
    entity: bool = False
    columns: tuple[str, ...] = tuple(TYPES)

    def frame(self):
        """Return the records as a DataFrame."""
        table = pd.DataFrame(list(self.rows), columns=list(self.columns), dtype=object)
        return table.astype({name: TYPES[name] for name in self.columns})


@pytest.fixture(scope="session")
def typed():
    """Return a maker of typed records: the columns' letters, then one tuple a record."""

    def make(columns, *rows, entity=False):
        return Records(rows, entity, tuple(columns))

    return make


@pytest.fixture(scope="session")
def typed_table():
    """Return a function that opens typed records, each table once."""
    tables = {}

    def open_table(records):
        if records not in tables:
            needs = Needs(entity="w" if records.entity else None)
            tables[records] = ENGINE.open(records.frame(), ReadOptions(), needs, EngineSettings(threads=1))
        return tables[records]

    yield open_table
    for table in tables.values():
        table.close()


def _figure(table, metric, qids, attribute, given_arguments):
    grouping = Grouping(qids=tuple(qids), sensitive=attribute)
    arguments = bind(metric.parameters, given_arguments)
    if isinstance(metric.method, GroupBy):
        return metric.method.compute(table.statistics(grouping, metric.method.needs(arguments)), arguments)
    return metric.method.measure(table, grouping, arguments)


@pytest.fixture(scope="session")
def typed_figure(typed_table):
    """Return a function that measures a metric on typed records."""

    def measure(metric, records, qids="ab", attribute=None, **given_arguments):
        return _figure(typed_table(records), metric, qids, attribute, given_arguments)

    return measure


@pytest.fixture(scope="session")
def frame_figure():
    """Return a function that measures a metric on a DataFrame or a file, opened for this figure alone."""

    def measure(metric, frame, qids, attribute=None, **given_arguments):
        with ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings(threads=1)) as table:
            return _figure(table, metric, qids, attribute, given_arguments)

    return measure


DAYS = [dt.date(2020, 1, 1), dt.date(2021, 5, 5), None]

VALUES = (
    ["x", "y", None],
    [1, 2, 10, None],
    DAYS,
    [-1.5, 0.0, 0.1, 3.0, 1e6, None],
    [0, 1, None],
    ["1", "2", "3", "4"],
)
TYPED = st.lists(st.tuples(*map(st.sampled_from, VALUES)), min_size=1, max_size=12).map(tuple)
SURE = drawn_records(VALUES, tables=8, records=12)
"""Tables that every run draws alike, so that what a check must have met does not hang on hypothesis."""


@pytest.fixture(scope="session")
def on_random_records():
    """Return a runner that calls a check with random typed records, the same for every metric."""

    def run(check, *, entities=(False, True)):
        @settings(max_examples=examples(25, fewest=5), deadline=None, derandomize=True, database=None)
        @given(rows=TYPED)
        def every(rows):
            for entity in entities:
                check(Records(rows, entity))

        for rows in SURE:
            for entity in entities:
                check(Records(rows, entity))
        every()

    return run


@pytest.fixture(scope="session")
def over_classes():
    """Return an oracle: a figure over the values and sizes of the classes, those without a value left out."""

    def figure(statistic, values, sizes):
        pairs = [(v, n) for v, n in zip(values, sizes, strict=True) if v is not None]
        if statistic == "minimum":
            return min(v for v, _ in pairs)
        if statistic == "maximum":
            return max(v for v, _ in pairs)
        if statistic == "mean":
            return math.fsum(v for v, _ in pairs) / len(pairs)
        return math.fsum(v * n for v, n in pairs) / sum(n for _, n in pairs)

    return figure


@pytest.fixture(scope="session")
def agrees_over_classes(agrees, over_classes):
    """Return a check: an extreme and a mean are the oracle's over its class values."""

    def compare(metric, value_of_class, statistics=("maximum", "weighted_mean")):
        for statistic in statistics:

            def oracle(table, statistic=statistic):
                classes = list(table.classes().values())
                values = [value_of_class(table, members) for members in classes]
                return over_classes(statistic, values, [table.size(members) for members in classes])

            agrees(metric, oracle, statistic=statistic)

    return compare


@pytest.fixture(scope="session")
def medical():
    """Return Table 3 of the paper: ten patients."""
    h, d, good, bad = "Hypertension", "Diabetes", "Improved", "Not Improved"
    rows = [
        (34, "M", h, "A", good),
        (28, "F", d, "B", bad),
        (45, "F", h, "A", good),
        (34, "M", d, "B", good),
        (29, "M", h, "A", bad),
        (60, "F", h, "A", good),
        (34, "M", d, "B", good),
        (41, "F", h, "A", bad),
        (54, "F", d, "B", good),
        (39, "M", h, "A", bad),
    ]
    return pd.DataFrame(rows, columns=["Age", "Gender", "Diagnosis", "Treatment", "Outcome"])
