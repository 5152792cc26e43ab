"""A metric measured by the engine on people, in tables that are opened once for all tests, and on frames.

People are written one record a string, one letter a value, ``-`` for NULL: columns a and b are QIDs, s is the
sensitive attribute, w says who it is. Oracles count these records directly, without SQL.
"""

import itertools
from contextlib import ExitStack
from functools import cache

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import drawn_records, examples
from followed import history_of
from people import People
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.sdk import Estimate, GroupBy, Grouping

OPENED, FRAMES = ExitStack(), ExitStack()
"""What is open until the last test is over, and until the last of a module is."""
_OF_MODULE = {}


def open_frame(frame, until=FRAMES, **needs):
    """Open a frame or a file until the last test of the module is over."""
    return until.enter_context(ENGINE.open(frame, ReadOptions(), Needs(**needs), EngineSettings(threads=1)))


def close_frames():
    """Close what the tests of a module opened."""
    FRAMES.close()
    _OF_MODULE.clear()


@cache
def opened(table, population=None, earlier=None, mark=None):
    """Open a table of people once for all tests."""
    frames = [
        None if t is None else pd.DataFrame(t.records, columns=list(t.columns), dtype="string")
        for t in (table, population)
    ]
    return open_frame(
        frames[0],
        OPENED,
        columns=table.columns,
        rest=table.columns,
        entity="w" if table.entity else None,
        population=frames[1],
        population_entity="w" if population is not None and population.entity else None,
        sampling_fraction=0.1,
        suppression_mark=mark,
        history=None if earlier is None else history_of(table, earlier),
    )


def figure_of(metric, table, grouping, **arguments):
    """Measure a metric on an open table, without an interval."""
    without_interval = {"resamples": 0} if any(one.name == "resamples" for one in metric.parameters) else {}
    arguments = bind(metric.parameters, without_interval | arguments)
    if isinstance(metric.method, GroupBy):
        return metric.method.compute(table.statistics(grouping, metric.method.needs(arguments)), arguments)
    found = metric.method.measure(table, grouping, arguments)
    return found.value if isinstance(found, Estimate) else found


def measured(metric, table, qids="ab", *, population=None, earlier=None, mark=None, **arguments):
    """Measure a metric on people by the engine."""
    grouping = Grouping(qids=tuple(qids), sensitive="s" if metric.attribute else None)
    return figure_of(metric, opened(table, population, earlier, mark), grouping, **arguments)


def measured_frame(metric, frame, qids, sensitive=None, **arguments):
    """Measure a metric on a DataFrame or a file, which is opened once for all figures of it."""
    if id(frame) not in _OF_MODULE:
        _OF_MODULE[id(frame)] = frame, open_frame(frame)
    grouping = Grouping(qids=tuple(qids), sensitive=sensitive)
    return figure_of(metric, _OF_MODULE[id(frame)][1], grouping, **arguments)


VALUES = (["x", "y", None], ["u", "v", None], ["p", "q", "r", None], ["1", "2", "3", "4"])
RECORDS = st.lists(st.tuples(*map(st.sampled_from, VALUES)), min_size=1, max_size=10).map(tuple)
SURE = drawn_records(VALUES, tables=6, records=10)
"""Tables that every run draws alike, so that what a check must have met does not hang on hypothesis."""


def on_random_people(check, *, metric, entities=True):
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


def agrees(metric, oracle, **arguments):
    """Check that the engine's figure equals the oracle's on random records and entities."""

    def check(table, beside):
        expected = oracle(table, **beside)
        actual = measured(metric, table, **beside, **arguments)
        assert expected == pytest.approx(actual, rel=1e-12, abs=1e-12)

    on_random_people(check, metric=metric)
