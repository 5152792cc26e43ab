"""What a strategy may know of the table beside figures: facts, proposals and records in memory."""

from contextlib import closing
from functools import partial

import pandas as pd
import pytest

from qidguard.anonymizing.example import CLASSES_QUESTION
from qidguard.core.column import ValueType
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.sdk import (
    DecidedBy,
    Evidence,
    NotMeasurable,
    ResultTable,
    Role,
    RoleAssignment,
    RoleProposal,
    SearchResult,
    Termination,
    k_anonymity_task,
    rehearse,
)
from qidguard.search.run import run_search

WHY = Evidence(by=DecidedBy.LEXICON, sentence="its name")
ASK = RoleProposal.of("town", Role.SENSITIVE, 0.3, WHY)
KNOWN = RoleProposal.of("town", Role.QUASI_IDENTIFIER, 0.9, WHY)
OTHER = RoleProposal.of("person", Role.DIRECT_IDENTIFIER, 0.9, WHY)


def frame() -> pd.DataFrame:
    """Return six visits of three persons."""
    return pd.DataFrame({"person": list("ppqqrr"), "age": [30, 31, 40, 40, 50, 51], "town": list("ABBBAA")})


def found(strategy_of, sum_of, look, candidates=("age", "town"), entity=None, **more) -> SearchResult:
    """Search a table by a strategy that looks at the problem and evaluates one set."""

    def search(problem, _arguments, _seed):
        look(problem)
        problem.evaluate([frozenset(problem.candidates)])
        return Termination()

    with closing(
        ENGINE.open(frame(), ReadOptions(), Needs(entity=entity), EngineSettings(threads=1))
    ) as table:
        measurer = SubsetMeasurer(table, candidates, [CLASSES_QUESTION])
        objective = sum_of({"classes": 1.0})
        return run_search(measurer, objective, strategy_of(search), candidates=candidates, **more)


@pytest.fixture
def looked(strategy_of, sum_of):
    """Return a search that looks at the problem."""
    return partial(found, strategy_of, sum_of)


def test_facts_stand_in_the_order_of_the_candidates(looked):
    """Of the candidates alone, with the table's own figures."""
    seen = []
    looked(lambda problem: seen.append((problem.facts, problem.table)), candidates=("town", "age"))
    [(facts, table)] = seen
    assert [(one.name, one.value_type, one.distinct) for one in facts] == [
        ("town", ValueType.TEXT, 2),
        ("age", ValueType.INTEGER, 5),
    ]
    assert [one.name for one in table.columns] == ["person", "age", "town"]


def test_proposals_are_those_for_candidates_the_surest_first(looked):
    """Rivals too; what is proposed for another column is left out."""
    seen = []
    looked(lambda problem: seen.append(problem.proposals), proposals=[ASK, KNOWN, OTHER])
    assert seen == [(KNOWN, ASK)]


def test_records_are_read_once_and_anonymizers_rehearsed_on_them(looked):
    """All, a share, a number, named columns; the same size and seed draw the same."""
    seen = []

    def look(problem):
        every = problem.records()
        assert problem.records(None, 5) is every
        first, again = problem.records(0.5, 7), problem.records(3, 7)
        assert first.codes(first.names).tolist() == again.codes(again.names).tolist()
        assert problem.records(columns=["town"]).names == ("town",)
        done = rehearse(every, "mondrian", k_anonymity_task(2, problem.candidates), host=problem.host)
        seen.append((every.records, every.names, done.grouped(problem.candidates).class_sizes.min() >= 2))

    looked(look)
    assert seen == [(6, ("age", "town"), True)]


def test_whole_persons_are_drawn(looked):
    """The entity column is held beside the candidates."""
    seen = []
    looked(lambda problem: seen.append(problem.records(2, 1)), entity="person")
    [records] = seen
    assert (records.names, records.persons, records.records) == (("person", "age", "town"), 2, 4)


def test_the_plugins_are_handed_on(looked):
    """So that a rehearsal takes the same ones as the search."""
    seen = []
    mine = object()
    looked(lambda problem: seen.append(problem.host), host=mine)
    assert seen == [mine]


@pytest.mark.parametrize("ask", ["facts", "table", "records"])
def test_a_search_without_a_table_says_so(make_measurer, sum_of, strategy_of, ask):
    """Figures may come from anywhere; the sentence goes to whoever searches."""

    def search(problem, _arguments, _seed):
        asked = getattr(problem, ask)
        return asked() if callable(asked) else asked

    measurer = make_measurer({"m": len})
    with pytest.raises(NotMeasurable, match="this search has figures only and no table"):
        run_search(measurer, sum_of({"m": 1.0}), strategy_of(search), candidates=["a"])


def test_a_text_that_holds_a_value_the_strategy_has_seen_is_not_shown(strategy_of, sum_of):
    """Wherever a strategy writes freely; figures, names of columns and words declared before are shown."""

    def search(problem, _arguments, _seed):
        problem.records()
        table = ResultTable(
            name="t", title="All of Basel", columns=("town of basel", "n"), rows=(("age", 1),), note="basel!"
        )
        said = RoleAssignment(
            column="age", role=Role.SENSITIVE, decided_by=DecidedBy.STATISTICS, reason="who lives in BASEL"
        )
        return Termination(
            reason="Basel ended it",
            chosen=("age",),
            chosen_because="age tells town of Muri, 40 of 41",
            classification=(RoleProposal(assignment=said, confidence=0.5),),
            tables=(table,),
        )

    rows = pd.DataFrame({"age": range(12), "town": ["Bern"] * 10 + ["Basel", "Muri"]})
    with closing(ENGINE.open(rows, ReadOptions(), Needs(), EngineSettings(threads=1))) as table:
        measurer = SubsetMeasurer(table, ("age", "town"), [CLASSES_QUESTION])
        objective = sum_of({"classes": 1.0})
        strategy = strategy_of(search)
        strategy.words = ("Muri",)
        result = run_search(measurer, objective, strategy, candidates=("age", "town"))
    instead = "not shown, for it holds a value of the table"
    [shown] = result.tables
    assert (result.reason, shown.title, shown.note) == (instead, instead, instead)
    assert shown.columns == (f"1, {instead}", "n")
    assert result.classification[0].assignment.reason == instead
    assert result.choice.reason == "age tells town of Muri, 40 of 41"


def test_what_is_left_of_the_budget_is_told(make_measurer, sum_of, strategy_of):
    """For work that a strategy does beside evaluating; without a budget there is no end to it."""
    seen = []

    def search(problem, _arguments, _seed):
        problem.evaluate([frozenset("a")])
        seen.append(problem.seconds_left)
        return Termination()

    ticks = iter(range(100))
    for budget in (None, 1000):
        measurer = make_measurer({"m": len})
        run_search(
            measurer,
            sum_of({"m": 1.0}),
            strategy_of(search),
            candidates=["a"],
            budget_seconds=budget,
            clock=lambda: float(next(ticks)),
        )
    assert seen[0] is None
    assert 980 < seen[1] < 1000
