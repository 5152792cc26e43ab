"""Searches of a real table: its figures, and what a strategy may know of it beside them."""

import gc
import io
import sys
import weakref

import pandas as pd
import pytest

from qidguard.anonymizing.example import CLASSES_QUESTION
from qidguard.core.column import ValueType
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.interfaces.progress_bar import ProgressBar
from qidguard.measuring.question import Question
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.sdk import (
    DecidedBy,
    Direction,
    EngineSettings,
    Evidence,
    GroupBy,
    Metric,
    Needs,
    NotMeasurable,
    Objective,
    Parameter,
    PluginError,
    ReadOptions,
    ResultTable,
    Role,
    RoleAssignment,
    RoleProposal,
    Statistic,
    Term,
    Termination,
    Unit,
    UserError,
    k_anonymity_task,
    rehearse,
)
from qidguard.search.questions import questions_of
from qidguard.search.run import run_search
from written_figures import WORDS, Strategy, metric, sum_of, without_times

VISITS = pd.DataFrame({"person": list("ppqqrr"), "age": [30, 31, 40, 40, 50, 51], "town": list("ABBBAA")})
LETTERS = pd.DataFrame({"a": [*"xxyy", None, "x"], "b": [1, 2, 1, 2, 1, 1], "c": list("pppqqp")})
WHY = Evidence(by=DecidedBy.LEXICON, sentence="its name")
ASK = RoleProposal.of("town", Role.SENSITIVE, 0.3, WHY)
KNOWN = RoleProposal.of("town", Role.QUASI_IDENTIFIER, 0.9, WHY)
OTHER = RoleProposal.of("person", Role.DIRECT_IDENTIFIER, 0.9, WHY)


def made(compute):
    """Return the measurer's figure of distinction, computed so."""
    statistics = Statistic(name="how_many", sql="count(*)"), Statistic(name="everyone", sql="sum(size)")
    distinct = Metric(
        name="distinct",
        title="Distinction",
        unit=Unit.SHARE,
        minimum=0,
        maximum=1,
        direction=Direction.LOWER_IS_SAFER,
        method=GroupBy(statistics=statistics, compute=compute),
        explanation=WORDS,
    )
    return Question(metric=distinct, arguments={}, owner="plugin 'x' of x-plugin 1.0")


DISTINCTION = made(lambda s, _: s["how_many"] / float(s["everyone"]))


def look_at_all(problem, seed):
    """Evaluate all sets, in an order that the seed turns round."""
    sets = [frozenset(some) for some in ("a", "b", "c", "ab", "ac", "bc", "abc")]
    problem.evaluate(sets[:: -1 if seed else 1])
    problem.report("everything", 1, 1)
    return Termination(is_optimum=True)


def found(
    look=look_at_all,
    frame=LETTERS,
    candidates="abc",
    *,
    figure=DISTINCTION,
    entity=None,
    threads=1,
    words=(),
    **more,
):
    """Search a table by a function of the problem and the seed."""
    strategy = Strategy(lambda problem, _arguments, seed: look(problem, seed))
    strategy.words = words
    with ENGINE.open(frame, ReadOptions(), Needs(entity=entity), EngineSettings(threads=threads)) as table:
        measurer = SubsetMeasurer(table, candidates, (figure,))
        objective = sum_of({figure.metric.name: 1.0})
        return run_search(measurer, objective, strategy, candidates=candidates, **more)


def known(ask, candidates=("age", "town"), **more):
    """Return what a strategy that asks gets of the table of visits."""
    seen = []

    def look(problem, _seed):
        seen.append(ask(problem))
        problem.evaluate([frozenset(problem.candidates)])
        return Termination()

    found(look, VISITS, candidates, figure=CLASSES_QUESTION, **more)
    return seen[0]


def test_fitness_is_counted_in_the_table():
    """The columns a and b make x1 x2 y1 y2 and NULL,1: five classes of six records; c splits none of them."""
    result = found()
    assert (result.best.qids, result.best.fitness) == ({"a", "b"}, pytest.approx(5 / 6))
    assert [sorted(e.qids) for e in result.ranked][:3] == [["a", "b"], ["a", "b", "c"], ["a", "c"]]


@pytest.mark.slow
def test_threads_change_nothing():
    """The same seed gives the same result for any number of threads, and another order the same best set."""
    alone = without_times(found())
    assert [without_times(found(threads=threads)) for threads in (2, 3)] == [alone, alone]
    assert found(seed=1).ranked == alone.ranked


def test_a_metrics_fault_names_the_metrics_plugin():
    """Not the strategy's."""
    with pytest.raises(PluginError, match=r"plugin 'x' of x-plugin 1.0: metric 'distinct'"):
        found(figure=made(lambda *_: 1 / 0))


def test_what_was_measured_is_given_back_at_the_end():
    """Nothing waits for the garbage collector: the measurer of a large table can hold much memory."""
    strategy = Strategy(lambda problem, _arguments, seed: look_at_all(problem, seed))
    gc.disable()
    try:
        with ENGINE.open(LETTERS, ReadOptions(), Needs(), EngineSettings()) as table:
            measurer = SubsetMeasurer(table, "abc", (DISTINCTION,))
            kept = weakref.ref(measurer)
            run_search(measurer, sum_of({"distinct": 1.0}), strategy, candidates="abc")
            del measurer
            assert kept() is None
    finally:
        gc.enable()


def test_facts_and_proposals_are_those_of_the_candidates():
    """Facts in their order, with the table's own figures; the surest proposal first, rivals too."""
    facts, table = known(lambda problem: (problem.facts, problem.table), ("town", "age"))
    told = [(one.name, one.value_type, one.distinct) for one in facts]
    assert told == [("town", ValueType.TEXT, 2), ("age", ValueType.INTEGER, 5)]
    assert [one.name for one in table.columns] == ["person", "age", "town"]
    assert known(lambda problem: problem.proposals, proposals=[ASK, KNOWN, OTHER]) == (KNOWN, ASK)


def test_records_are_read_once_and_anonymizers_rehearsed_on_them():
    """All, a share, a number, named columns; the same size and seed draw the same; plugins are handed on."""

    def ask(problem):
        every = problem.records()
        assert problem.records(None, 5) is every
        first, again = problem.records(0.5, 7), problem.records(3, 7)
        assert first.codes(first.names).tolist() == again.codes(again.names).tolist()
        assert problem.records(columns=["town"]).names == ("town",)
        done = rehearse(every, "mondrian", k_anonymity_task(2, problem.candidates), host=problem.host)
        return every.records, every.names, done.grouped(problem.candidates).class_sizes.min() >= 2

    assert known(ask) == (6, ("age", "town"), True)
    mine = object()
    assert known(lambda problem: problem.host, host=mine) is mine


def test_whole_persons_are_drawn():
    """The entity column is held beside the candidates."""
    records = known(lambda problem: problem.records(2, 1), entity="person")
    assert (records.names, records.persons, records.records) == (("person", "age", "town"), 2, 4)


@pytest.mark.parametrize("ask", ["facts", "table", "records"])
def test_a_search_without_a_table_says_so(searched, ask):
    """Figures may come from anywhere; the sentence goes to whoever searches."""

    def look(problem):
        asked = getattr(problem, ask)
        return asked() if callable(asked) else asked

    with pytest.raises(NotMeasurable, match="this search has figures only and no table"):
        searched({"a": 1.0}, look)


def test_a_text_that_holds_a_value_the_strategy_has_seen_is_not_shown():
    """Wherever a strategy writes freely; figures, names of columns and words declared before are shown."""
    heads = ("town of basel", "n")
    tables = (ResultTable(name="t", title="All of Basel", columns=heads, rows=(("age", 1),), note="basel!"),)
    said = RoleAssignment(
        column="age", role=Role.SENSITIVE, decided_by=DecidedBy.STATISTICS, reason="who lives in BASEL"
    )
    told = {"reason": "Basel ended it", "chosen": ("age",), "chosen_because": "age tells Muri, 40 of 41"}

    def look(problem, _seed):
        problem.records()
        proposals = (RoleProposal(assignment=said, confidence=0.5),)
        return Termination(classification=proposals, tables=tables, **told)

    rows = pd.DataFrame({"age": range(12), "town": ["Bern"] * 10 + ["Basel", "Muri"]})
    result = found(look, rows, ("age", "town"), figure=CLASSES_QUESTION, words=("Muri",))
    instead = "not shown, for it holds a value of the table"
    [shown] = result.tables
    assert (result.reason, shown.title, shown.note) == (instead, instead, instead)
    assert shown.columns == (f"1, {instead}", "n")
    assert result.classification[0].assignment.reason == instead
    assert result.choice.reason == told["chosen_because"]


def test_what_is_left_of_the_budget_is_told(searched):
    """For work that a strategy does beside evaluating; without a budget there is no end to it."""
    seen, ticks = [], iter(range(100))

    def look(problem):
        problem.evaluate([frozenset("a")])
        seen.append(problem.seconds_left)

    for budget in (None, 1000):
        searched({"a": 1.0}, look, budget_seconds=budget, clock=lambda: float(next(ticks)))
    assert seen[0] is None
    assert 980 < seen[1] < 1000


STATISTIC = Parameter(name="statistic", type=str, default="mean", choices=("mean", "maximum"))
METRICS = [
    metric("distinction"),
    metric("delta_distinction", change_of="distinction"),
    metric("accuracy", attribute=Role.TARGET, parameters=(STATISTIC,)),
    metric("journalist", needs_population=True),
    metric("isolated", needs_history=True),
]


def questions(*terms, divisors=(), beside=None):
    """Return the questions of an objective of these terms."""
    by_name = {one.name: (one, "plugin 'x'") for one in METRICS}
    objective = Objective(name="x", title="X", terms=terms, divisors=divisors)
    return questions_of(objective, by_name.__getitem__, beside or {})


def test_each_term_has_its_figure_divisors_last():
    """Arguments are checked, the target stands beside, the owner is kept; a change has what changes."""
    loud = Term(metric="accuracy", arguments={"statistic": "maximum"})
    terms = (loud, Term(metric="accuracy", attribute="grade"), Term(metric="delta_distinction"))
    asked = questions(*terms, divisors=(Term(metric="distinction"),), beside={Role.TARGET: "outcome"})
    assert [(f.metric.name, dict(f.arguments), f.attribute, f.owner) for f in asked] == [
        ("accuracy", {"statistic": "maximum"}, "outcome", "plugin 'x'"),
        ("accuracy", {"statistic": "mean"}, "grade", "plugin 'x'"),
        ("distinction", {}, None, "plugin 'x'"),
        ("distinction", {}, None, "plugin 'x'"),
    ]


@pytest.mark.parametrize(
    ("term", "sentence"),
    [
        (Term(metric="accuracy"), "'accuracy' is measured beside a target column; name one"),
        (Term(metric="distinction", attribute="x"), "beside no column; do not name 'x'"),
        (Term(metric="accuracy", attribute="x", arguments={"q": 1}), "'accuracy': unknown parameter 'q'"),
        (Term(metric="journalist"), "needs a population table, which a search has not"),
        (Term(metric="isolated"), "needs earlier releases, which a search has not"),
    ],
)
def test_what_cannot_be_measured_in_a_search_is_said(term, sentence):
    """Before anything is measured."""
    with pytest.raises(UserError, match=sentence):
        questions(term)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_a_title_that_changes_behind_its_colon_stays_one_line(monkeypatch):
    """The best fitness so far moves on within the search's line; other work has a line of its own."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar() as bar:
        bar.step("loading", 1, 1)
        for done, title in enumerate(("greedy", "greedy: best 0.1234", "greedy: best 0.9312")):
            bar.step(title, done, 3)
        bar._progress.refresh()
        shown = [task for task in bar._progress.tasks if task.visible]
    assert [(task.description, task.completed) for task in shown] == [("greedy: best 0.9312", 2)]
    assert "greedy: best 0.9312" in stream.getvalue()
