"""What the budget of a discovery counts: everything, from the call on."""

import math
import time
from types import SimpleNamespace

import duckdb
import pandas as pd
import pytest

import qidguard
from qidguard.discovering import running
from qidguard.discovering.running import steps_to
from qidguard.measuring.subset_measurer import MANY_TIMES, MOST_CELLS, is_long_to_count
from qidguard.sdk import StoppedBy
from qidguard.search.problem import Pace
from qidguard.search.scoring import Scoring
from written_figures import make_measurer, sum_of

TABLE = pd.DataFrame({"p": [1, 1, 2, 3], "q": list("abab"), "r": list("xxyz")})


@pytest.fixture
def budgets(monkeypatch):
    """Return a discovery with so many seconds of its budget left, and what budget its search was given."""
    real = running.run_search

    def found(left, budget):
        given = []

        def heard(*arguments, **named):
            given.append(named["budget_seconds"])
            return real(*arguments, **named | {"budget_seconds": None})

        monkeypatch.setattr(running, "run_search", heard)
        monkeypatch.setattr(running, "seconds_left", lambda _: left)
        return qidguard.discover(TABLE, objective={"distinction": 1}, budget_seconds=budget).notes, given[0]

    return found


@pytest.mark.parametrize(
    ("left", "budget", "given", "is_said"),
    [(70.0, 100, 66.5, False), (0.0, 50, 5.0, True), (10.0, 50, 9.5, False)],
)
def test_what_was_spent_before_the_search_is_taken_from_its_budget(budgets, left, budget, given, is_said):
    """95 % of the rest are for the search; if nothing is left, a tenth, and that is said."""
    notes, found = budgets(left, budget)
    said = "Reading the table took longer than the whole budget of 50 seconds, so the search had 5 seconds"
    assert (found, sum(said in note for note in notes)) == (pytest.approx(given), is_said)


def test_the_budget_counts_from_the_call(monkeypatch):
    """What is left is the budget less what the clock shows since the call, and never below zero."""
    monkeypatch.setattr(running.time, "perf_counter", lambda: 1_030.0)

    def prepared(budget):
        return SimpleNamespace(asked=SimpleNamespace(budget_seconds=budget), started=1_000.0)

    assert [running.seconds_left(prepared(b)) for b in (100, 20, None)] == [70.0, 0.0, None]


def test_a_step_of_an_explanation_that_takes_too_long_is_left_out():
    """The first step is measured, the second is interrupted: what is left enters at once."""
    measurer = make_measurer({"m": len})
    measurer.measure_within = lambda sets, _: None if len(min(sets)) > 1 else measurer.measure(sets)
    scoring = Scoring(sum_of({"m": 1}), measurer.questions)
    way = steps_to(("p", "q", "r"), measurer, scoring, lambda: 1.0)
    assert [entry.columns for entry in way] == [("p",), ("q", "r")]


@pytest.mark.clock
def test_the_budget_is_kept_on_a_large_table(tmp_path):
    """In four times what reading and the budget take there is an answer."""
    path = tmp_path / "large.parquet"
    several = (2, 30, 1_000, 20_000)
    columns = (f"(hash(i * {2 * c + 1} + {c}) % {several[c % 4]})::INT AS c{c}" for c in range(40))
    with duckdb.connect() as database:
        database.execute(f"COPY (SELECT {', '.join(columns)} FROM range(400000) t(i)) TO '{path}'")
    started, read = time.perf_counter(), []
    found = qidguard.discover(
        path, budget_seconds=1.0, on_plan=lambda _: read.append(time.perf_counter() - started)
    )
    assert found.search.stopped_by is StoppedBy.BUDGET
    assert found.seconds <= 4 * (read[0] + 1.0)
    assert found.quasi_identifiers


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
    assert is_long_to_count(table, ("a", "b")) is is_long
