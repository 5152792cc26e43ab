"""What a strategy says when it returns is checked where it comes in, and the result says what follows."""

import json
import math

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


@pytest.fixture
def answered(make_measurer, sum_of):
    """Return a search whose strategy evaluates some sets and says something."""

    def run(words=("a", "b"), declared=None, finish=None, **more):
        def search(problem, _arguments, _seed):
            problem.evaluate([frozenset(word) for word in words])
            return finish if finish is not None else Termination(**more)

        strategy = written_figures.Strategy(search)
        if declared is not None:
            strategy.words = declared
        measurer = make_measurer({"m": lambda qids: VALUES.get("".join(sorted(qids)), 0.5)})
        return run_search(
            measurer, sum_of({"m": 1.0}), strategy, candidates=("a", "b", "c"), largest=2, owner=OWNER
        )

    return run


def test_without_an_answer_the_fittest_set_is_the_best(answered):
    """As before: no choice, no classification, no tables, no plots."""
    found = answered()
    assert (found.best.qids, found.choice, found.classification) == (frozenset("a"), None, ())
    assert (found.tables, found.plots) == ((), ())


def test_the_chosen_set_is_the_best_with_its_own_fitness(answered):
    """It stands before fitter ones, and the fittest is told beside the reason."""
    found = answered(chosen=frozenset("b"), chosen_because="a is public", is_optimum=True)
    assert (found.best.qids, found.best.own_fitness) == (frozenset("b"), 2.0)
    assert [one.own_fitness for one in found.ranked] == [2.0, 3.0]
    assert (found.choice.reason, found.choice.fittest.qids) == ("a is public", frozenset("a"))
    assert not found.is_optimum
    assert found.evaluations == 2


def test_a_chosen_set_that_was_not_evaluated_is_evaluated(answered):
    """By the host, once; it counts."""
    found = answered(words=("a",), chosen={"a", "b"})
    assert (found.best.own_fitness, found.evaluations) == (1.0, 2)


def test_the_fittest_set_may_be_chosen(answered):
    """Then it is the optimum if that was proven."""
    found = answered(chosen=frozenset("a"), is_optimum=True)
    assert found.is_optimum
    assert found.choice.fittest == found.best


def test_a_chosen_set_alone_is_enough(answered):
    """A strategy with a rule of its own need not evaluate anything."""
    found = answered(words=(), chosen=("b",))
    assert (found.best.qids, found.evaluations) == (frozenset("b"), 1)


def test_a_chosen_set_without_a_fitness_is_not_measurable(answered):
    """The sentence says why there is none."""
    said = "the set that was chosen has no fitness: figure 0 of 1 columns does not exist"
    with pytest.raises(NotMeasurable, match=said):
        answered(chosen=("c",))


def test_a_classification_is_decided_by_statistics(answered):
    """In the order of the candidates, whoever the plugin says decided; its reasons stay."""
    why = Evidence(by=DecidedBy.LEXICON, sentence="its name", test="x")
    found = answered(classification=[RoleProposal.of("b", Role.INSENSITIVE, 1, why), proposed()])
    assert [(p.assignment.column, p.assignment.role) for p in found.classification] == [
        ("a", Role.SENSITIVE),
        ("b", Role.INSENSITIVE),
    ]
    assert {p.assignment.decided_by for p in found.classification} == {DecidedBy.STATISTICS}
    assert [e.sentence for e in found.classification[1].evidence] == ["its name"]


def test_tables_and_plots_come_through(answered):
    """Plain numbers, column names, sets of them, roles and the words that were declared."""
    rows = (
        ("a", np.float64(0.5)),
        ("a, b", np.int64(2)),
        ("sensitive", None),
        ("yes", True),
        ("b", math.nan),
    )
    found = answered(tables=[sizes(rows, note="shares of persons")], plots=(BARS,), declared=("yes",))
    [table] = found.tables
    assert table.rows == (("a", 0.5), ("a, b", 2), ("sensitive", None), ("yes", True), ("b", None))
    assert [type(row[1]) for row in table.rows[:2]] == [float, int]
    assert table.note == "shares of persons"
    assert found.plots == (BARS,)


MARK = "Zq7Wx9Kp"
WRONG = [
    ({"classification": 3}, "gives proposals of roles that are int, not a tuple"),
    ({"classification": ("a",)}, "classifies by str, not by RoleProposal"),
    ({"classification": (proposed(MARK),)}, "classifies a column that is no candidate"),
    ({"classification": (proposed(), proposed())}, "classifies the column 'a' twice"),
    ({"classification": (proposed(role=Role.ENTITY),)}, "as entity, which no search finds"),
    (
        {"classification": (proposed(reason="\x1b[31m"),)},
        "gives a reason with characters that cannot be printed",
    ),
    ({"classification": (proposed(reason="x" * 2_001),)}, "gives a reason of 2,001 characters"),
    (
        {"classification": (changed(proposed(), confidence=math.nan),)},
        "classifies by a proposal that is none",
    ),
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
def test_what_is_no_answer_is_a_fault_of_the_plugin(answered, given, what):
    """The sentence names the plugin and what is wrong, and repeats no text that may be a value."""
    with pytest.raises(PluginError) as raised:
        answered(**given)
    said = str(raised.value)
    assert (
        said.startswith(f"{OWNER}: search strategy 'fake' gives ")
        or " classifies " in said
        or " chooses " in said
    )
    assert what in said
    assert said.endswith("; mend the plugin")
    assert MARK not in said


class Sly(str):
    """A text that says something else when it is shown."""

    __slots__ = ()

    def __str__(self):
        return MARK


def test_a_text_of_a_kind_of_its_own_is_none(answered):
    """Only plain texts are taken: another one may change what it says."""
    for said in (
        {"chosen_because": Sly("x")},
        {"tables": (sizes(((Sly("a"), 1),)),)},
        {"chosen": (Sly("a"),)},
    ):
        with pytest.raises(PluginError):
            answered(**said)


def test_words_are_read_before_anything_is_searched(answered):
    """So that none of them can be a value of the table."""
    strategy_words = []
    with pytest.raises(PluginError, match="none of the words"):
        answered(declared=strategy_words, tables=(sizes((("yes", 1),)),))


def test_a_search_that_its_budget_ended_has_no_answer(make_measurer, sum_of, strategy_of):
    """The strategy did not come to say anything; the best set seen stands."""
    ticks = iter(range(100))

    def search(problem, _arguments, _seed):
        problem.evaluate([frozenset("a")])
        while True:
            problem.evaluate([frozenset("b")])

    found = run_search(
        make_measurer({"m": len}),
        sum_of({"m": 1.0}),
        strategy_of(search),
        candidates=("a", "b"),
        budget_seconds=20,
        clock=lambda: float(next(ticks)),
    )
    assert (found.stopped_by, found.choice, found.best.qids) == (StoppedBy.BUDGET, None, frozenset("a"))


ODD = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=4),
        st.binary(max_size=2),
        st.sampled_from(
            ["a", "b", "a, b", Role.SENSITIVE, Sly("a"), proposed(), sizes(), BARS, np.float64(1)]
        ),
    ),
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
