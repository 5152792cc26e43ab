"""Typed records beside people: numbers, dates and a treatment, measured by the engine.

Random records have the QIDs a (text), b (whole numbers) and d (dates), the target y (numbers), the
treatment t (0 and 1) and the entity w; each but w may be missing.
"""

import datetime as dt
from dataclasses import dataclass
from functools import cache

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import drawn_records, examples
from measured_people import OPENED, figure_of, open_frame
from qidguard.sdk import Grouping

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


def typed(columns, *rows):
    """Return typed records: the columns' letters, then one tuple a record; as W the entity is the person."""
    return Records(rows, "W" in columns, tuple(columns.lower()))


@cache
def typed_table(records):
    """Open typed records once for all tests."""
    return open_frame(records.frame(), OPENED, entity="w" if records.entity else None)


def typed_figure(metric, records, qids="ab", attribute=None, **arguments):
    """Measure a metric on typed records."""
    return figure_of(
        metric, typed_table(records), Grouping(qids=tuple(qids), sensitive=attribute), **arguments
    )


VALUES = (
    ["x", "y", None],
    [1, 2, 10, None],
    [dt.date(2020, 1, 1), dt.date(2021, 5, 5), None],
    [-1.5, 0.0, 0.1, 3.0, 1e6, None],
    [0, 1, None],
    ["1", "2", "3", "4"],
)
TYPED = st.lists(st.tuples(*map(st.sampled_from, VALUES)), min_size=1, max_size=12).map(tuple)
SURE = drawn_records(VALUES, tables=8, records=12)
"""Tables that every run draws alike, so that what a check must have met does not hang on hypothesis."""


def on_random_records(check, *, entities=(False, True)):
    """Call a check with random typed records, the same for every metric."""

    @settings(max_examples=examples(25, fewest=5), deadline=None, derandomize=True, database=None)
    @given(rows=TYPED)
    def every(rows):
        for entity in entities:
            check(Records(rows, entity))

    for rows in SURE:
        for entity in entities:
            check(Records(rows, entity))
    every()
