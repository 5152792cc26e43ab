"""What a strategy says when it returns is checked where it comes in, and the result says what follows."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import written_figures
from examples import examples
from qidguard.sdk import (
    DecidedBy,
    Evidence,
    NotMeasurable,
    Plot,
    PluginError,
    ResultTable,
    Role,
    RoleAssignment,
    RoleProposal,
    StoppedBy,
    Termination,
)
from qidguard.search.answer import UnfitError, checked_answer
from qidguard.search.run import run_search

VALUES = {"a": 3.0, "b": 2.0, "ab": 1.0, "c": math.nan}
"""Set → fitness, over three columns; c alone has none."""
OWNER = "plugin 'mine' of mine 1.0"
BARS = Plot(title="Bars", alternative="Bars.", chart={"mark": "bar", "data": {"values": []}})


def proposed(column="a", role=Role.SENSITIVE, confidence=0.75, by=DecidedBy.CONTENT, reason="it tells"):
    """Return a proposal of a role."""
    assignment = RoleAssignment(column=column, role=role, decided_by=by, reason=reason)
    return RoleProposal(assignment=assignment, confidence=confidence)


def sizes(rows=(("a", 0.25),), **more):
    """Return a table of two columns."""
    fields = {"name": "sizes", "title": "Sizes", "columns": ("column", "risk, share"), "rows": rows}
    return ResultTable(**(fields | more))


def changed(whole, **fields):
    """Return something checked when it was made, in which other things stand now."""
    for name, value in fields.items():
        object.__setattr__(whole, name, value)
    return whole


def answered(words=("a", "b"), declared=None, **more):
    """Search by a strategy that evaluates some sets and says something."""

    def search(problem, _arguments, _seed):
        problem.evaluate([frozenset(word) for word in words])
        return Termination(**more)

    strategy = written_figures.Strategy(search)
    if declared is not None:
        strategy.words = declared
    measurer = written_figures.make_measurer({"m": lambda qids: VALUES.get("".join(sorted(qids)), 0.5)})
    objective = written_figures.sum_of({"m": 1.0})
    return run_search(measurer, objective, strategy, candidates=("a", "b", "c"), largest=2, owner=OWNER)


CHOSEN = [
    # evaluated, said → the best set, its fitness, the fittest beside it, sets, proven
    ("a b", {}, ("a", 3.0, None, 2, False)),
    ("a b", {"chosen": frozenset("b"), "is_optimum": True}, ("b", 2.0, "a", 2, False)),
    ("a", {"chosen": {"a", "b"}}, ("ab", 1.0, "a", 2, False)),
    ("a b", {"chosen": frozenset("a"), "is_optimum": True}, ("a", 3.0, "a", 2, True)),
    ("", {"chosen": ("b",)}, ("b", 2.0, "b", 1, False)),
]


@pytest.mark.parametrize(("words", "said", "expected"), CHOSEN)
def test_the_chosen_set_is_the_best_with_its_own_fitness(words, said, expected):
    """It stands before fitter ones; the fittest is told; the host evaluates it if need be."""
    found = answered(words.split(), chosen_because="a is public" if said else "", **said)
    fittest = found.choice and "".join(found.choice.fittest.qids)
    best = "".join(sorted(found.best.qids))
    assert (best, found.best.own_fitness, fittest, found.evaluations, found.is_optimum) == expected
    assert (found.choice and found.choice.reason) == ("a is public" if said else None)
    assert (found.classification, found.tables, found.plots) == ((), (), ())
    assert found.ranked[0] == found.best


def test_a_chosen_set_without_a_fitness_is_not_measurable():
    """The sentence says why there is none."""
    said = "the set that was chosen has no fitness: figure 0 of 1 columns does not exist"
    with pytest.raises(NotMeasurable, match=said):
        answered(chosen=("c",))


def test_a_classification_is_decided_by_statistics():
    """In the order of the candidates, whoever the plugin says decided; its reasons stay."""
    why = Evidence(by=DecidedBy.LEXICON, sentence="its name", test="x")
    found = answered(classification=[RoleProposal.of("b", Role.INSENSITIVE, 1, why), proposed()])
    said = [(p.assignment.column, p.assignment.role, p.assignment.decided_by) for p in found.classification]
    by = DecidedBy.STATISTICS
    assert said == [("a", Role.SENSITIVE, by), ("b", Role.INSENSITIVE, by)]
    assert [e.sentence for e in found.classification[1].evidence] == ["its name"]


def test_tables_and_plots_come_through():
    """Plain numbers, column names, sets of them, roles and the words that were declared."""
    half, two = ("a", np.float64(0.5)), ("a, b", np.int64(2))
    rows = (half, two, ("sensitive", None), ("yes", True), ("b", math.nan))
    found = answered(tables=[sizes(rows, note="shares of persons")], plots=(BARS,), declared=("yes",))
    [table] = found.tables
    assert table.rows == (("a", 0.5), ("a, b", 2), ("sensitive", None), ("yes", True), ("b", None))
    assert [type(row[1]) for row in table.rows[:2]] == [float, int]
    assert (table.note, found.plots) == ("shares of persons", (BARS,))


MARK = "Zq7Wx9Kp"
WRONG = [
    ({"classification": 3}, "gives proposals of roles that are int, not a tuple"),
    ({"classification": ("a",)}, "classifies by str, not by RoleProposal"),
    ({"classification": (proposed(MARK),)}, "classifies a column that is no candidate"),
    ({"classification": (proposed(), proposed())}, "classifies the column 'a' twice"),
    ({"classification": (proposed(role=Role.ENTITY),)}, "as entity, which no search finds"),
    ({"classification": (proposed(reason="\x1b[31m"),)}, "gives a reason with characters that cannot be"),
    ({"classification": (proposed(reason="x" * 2_001),)}, "gives a reason of 2,001 characters"),
    ({"classification": (changed(proposed(), confidence=math.nan),)}, "classifies by a proposal that is"),
    ({"classification": (changed(proposed(), assignment=MARK),)}, "classifies by a proposal that is none"),
    ({"chosen": "ab"}, "chooses str, not a set of columns"),
    ({"chosen": frozenset()}, "chooses a set of 0 columns, and a set may have 1..2"),
    ({"chosen": frozenset("abc")}, "chooses a set of 3 columns, and a set may have 1..2"),
    ({"chosen": frozenset([MARK])}, "chooses a column that is no candidate"),
    ({"chosen": (["a"],)}, "chooses a column that is no candidate"),
    ({"chosen_because": 3}, "gives chosen_because that is int, not text"),
    ({"tables": ("a",)}, "gives as table 1 str, not ResultTable"),
    ({"tables": (sizes(),) * 21}, "gives 21 tables, more than 20"),
    ({"tables": (sizes((("a", 1),) * 10_001),)}, "gives 10,001 rows of table 1, more than 10,000"),
    ({"tables": (sizes(((MARK, 1),)),)}, "a text that is no column name, no role and none of the words"),
    ({"tables": (sizes((("a, " + MARK, 1),)),)}, "a text that is no column name, no role and none of the"),
    ({"tables": (sizes((("a", math.inf),)),)}, "a number that is infinite"),
    ({"tables": (sizes((("a", 2**63),)),)}, "a number beyond 64 bits"),
    ({"tables": (changed(sizes(), rows=(("a", b"x"),)),)}, "gives in table 1 a cell that is bytes"),
    ({"tables": (changed(sizes(), rows=(("a",),)),)}, "with a row of another length"),
    ({"tables": (changed(sizes(), name="../x"),)}, "gives table 1 without a plain name"),
    ({"tables": (changed(sizes(), name=3),)}, "gives a name of table 1 that is int, not text"),
    ({"tables": (changed(sizes(), columns=("a", "a")),)}, "without headings that each stand once"),
    ({"tables": (changed(sizes(), columns=("a", 3)),)}, "gives a heading of table 1 that is int, not text"),
    ({"tables": (sizes(title="x" * 201),)}, "gives a title of table 1 of 201 characters"),
    ({"tables": (sizes(note="a\ud800"),)}, "gives a note of table 1 with characters that cannot be printed"),
    ({"tables": (sizes(), sizes())}, "gives two tables of the name 'sizes'"),
    ({"plots": (MARK,)}, "gives as a plot str, not Plot"),
    ({"plots": BARS}, "gives plots that are Plot, not a tuple"),
    ({"plots": (BARS,) * 51}, "gives 51 plots, more than 50"),
    ({"declared": "yes"}, "gives words that are str, not a tuple"),
    ({"declared": ("x" * 61,)}, "gives words of 61 characters, more than 60"),
    ({"declared": (3,)}, "gives words that is int, not text"),
]


@pytest.mark.parametrize(("given", "what"), WRONG)
def test_what_is_no_answer_is_a_fault_of_the_plugin(given, what):
    """The sentence names the plugin and what is wrong, and repeats no text that may be a value."""
    with pytest.raises(PluginError) as raised:
        answered(**given)
    said = str(raised.value)
    assert re.match(f"{OWNER}: search strategy 'fake' (gives|classifies|chooses) .*; mend the plugin$", said)
    assert (what in said, MARK in said) == (True, False)


class Sly(str):
    """A text that says something else when it is shown."""

    __slots__ = ()

    def __str__(self):
        return MARK


@pytest.mark.parametrize(
    "said",
    [{"chosen_because": Sly("x")}, {"tables": (sizes(((Sly("a"), 1),)),)}, {"chosen": (Sly("a"),)}],
)
def test_a_text_of_a_kind_of_its_own_is_none(said):
    """Only plain texts are taken: another one may change what it says."""
    with pytest.raises(PluginError):
        answered(**said)


def test_a_search_that_its_budget_ended_has_no_answer(search_by):
    """The strategy did not come to say anything; the best set seen stands."""
    ticks = iter(range(100))

    def look(problem):
        while True:
            problem.evaluate([frozenset("a")])
            problem.evaluate([frozenset("b")])

    more = {"candidates": ("a", "b"), "budget_seconds": 20, "clock": lambda: float(next(ticks))}
    found = search_by(look, {"m": len}, **more)
    assert (found.stopped_by, found.choice, found.best.qids) == (StoppedBy.BUDGET, None, frozenset("a"))


MADE = ["a", "b", "a, b", Role.SENSITIVE, Sly("a"), proposed(), sizes(), BARS, np.float64(1), True, None]
PLAINLY = st.integers() | st.floats() | st.text(max_size=4) | st.binary(max_size=2) | st.sampled_from(MADE)
ODD = st.recursive(
    PLAINLY,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=2), inner, max_size=2),
    ),
    max_leaves=6,
)
"""Whatever a plugin without a type checker may give."""


@settings(max_examples=examples(400, fewest=25), deadline=None, derandomize=True, database=None)
@given(
    fields=st.dictionaries(
        st.sampled_from(["classification", "chosen", "chosen_because", "tables", "plots"]), ODD, max_size=3
    ),
    parts=st.dictionaries(st.sampled_from(["name", "title", "columns", "rows", "note"]), ODD, max_size=2),
)
def test_whatever_is_said_is_an_answer_or_a_fault(fields, parts):
    """Never another error; and an answer holds plain values that JSON knows, and no unknown column."""
    tables = {"tables": (changed(sizes(), **parts),)} if parts else {}
    try:
        answer = checked_answer(
            Termination(**(tables | fields)), candidates=("a", "b"), columns=("a", "b"), words=(), largest=2
        )
    except UnfitError:
        return
    json.dumps([[table.to_dict()] for table in answer.tables], allow_nan=False).encode()
    assert answer.chosen is None or answer.chosen <= {"a", "b"}
    assert {p.assignment.column for p in answer.classification} <= {"a", "b"}
    assert {type(cell) for table in answer.tables for row in table.rows for cell in row} <= PLAIN


PLAIN = {str, int, float, bool, type(None)}
