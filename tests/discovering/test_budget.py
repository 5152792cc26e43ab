"""What the budget of a discovery counts: everything, from the call on."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest

import qidguard
from qidguard.discovering import running
from qidguard.measuring.subset_measurer import MANY_TIMES, MOST_CELLS, _is_long_to_count
from qidguard.search.problem import Pace

TABLE = pd.DataFrame({"p": [1, 1, 2, 3], "q": list("abab"), "r": list("xxyz")})


def test_what_was_spent_before_the_search_is_taken_from_its_budget(monkeypatch):
    """Reading took 30 of 100 seconds: 95 % of the rest are for the search, 5 % for telling it."""
    given = []
    real = running.run_search

    def heard(*arguments, **named):
        given.append(named["budget_seconds"])
        return real(*arguments, **named | {"budget_seconds": None})

    monkeypatch.setattr(running, "run_search", heard)
    monkeypatch.setattr(running, "seconds_left", lambda _: 70.0)
    qidguard.discover(TABLE, objective={"distinction": 1}, budget_seconds=100)
    assert given == [pytest.approx(66.5)]


def test_the_budget_counts_from_the_call(monkeypatch):
    """What is left is the budget less what the clock shows since the call, and never below zero."""
    monkeypatch.setattr(running.time, "perf_counter", lambda: 1_030.0)

    def prepared(budget):
        return SimpleNamespace(asked=SimpleNamespace(budget_seconds=budget), started=1_000.0)

    assert [running.seconds_left(prepared(b)) for b in (100, 20, None)] == [70.0, 0.0, None]


def test_a_piece_is_no_larger_than_what_the_time_is_enough_for():
    """Two sets a second: in three seconds six are begun, at the end one, without an end all."""
    pace = Pace(sets=8, set_seconds=0.5)
    assert [pace.within(seconds) for seconds in (3.0, 0.1, 100.0, math.inf)] == [6, 1, 8, 8]


@pytest.mark.parametrize(
    ("records", "groups", "is_long"),
    [
        (MOST_CELLS, MOST_CELLS * MANY_TIMES, True),
        (MOST_CELLS, 2, False),
        (MOST_CELLS // 2, MOST_CELLS * MANY_TIMES, False),
    ],
)
def test_distinct_rows_of_a_large_table_are_not_counted_in_a_hurry(records, groups, is_long):
    """Only of many cells whose values are enough to tell all records apart."""
    facts = [SimpleNamespace(name="a", groups=groups), SimpleNamespace(name="b", groups=2)]
    table = SimpleNamespace(records=records, columns=facts)
    assert _is_long_to_count(table, ("a", "b")) is is_long
