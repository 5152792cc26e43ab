"""Algorithm 1, lines 2–26: held against counting and against the host's own metrics."""

import math
from collections import defaultdict
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.engines.duckdb.table import DuckdbTable
from qidguard.sdk import (
    ClassSizes,
    NotMeasurable,
    PluginError,
    Preprocessing,
    Spelling,
    UserError,
    open_table,
)
from qidguard_qir.risk import AttributeRisk, attribute_risks, expected_risk, joint_risk

VISITS = pd.DataFrame(
    {
        "who": ["a", "a", "b", "c", "d", "e"],
        "town": ["Ulm", "Bonn", "Ulm", "ulm", None, "?"],
        "sex": ["f", "f", "m", "m", "f", "f"],
    }
)


def by_person(keys, persons):
    """Return the size of each person's smallest class."""
    members = defaultdict(set)
    for key, person in zip(keys, persons, strict=True):
        members[key].add(person)
    return {p: min(len(who) for who in members.values() if p in who) for p in set(persons)}


def test_risk_and_g_distinct_of_records():
    """Six records, five towns (Ulm twice; NULL and ? are values): risk 5/6, four are alone."""
    _, town, sex = attribute_risks(VISITS)
    assert (town.persons, town.classes, town.risk) == (6, 5, 5 / 6)
    assert [town.g_distinct(g) for g in (1, 2, 9)] == [4 / 6, 1, 1]
    assert [sex.distinct_persons(g) for g in (1, 2, 3, 4)] == [0, 2, 2, 6]
    assert sex.risk_percent == 100 * 2 / 6


def test_persons_are_counted_where_there_is_an_entity():
    """Five persons: a is alone in Bonn, b shares Ulm with a; the entity itself is no column to classify."""
    town, sex = attribute_risks(VISITS, entity="who")
    assert [town.column, sex.column] == ["town", "sex"]
    assert town.risk == pytest.approx((1 + 1 / 2 + 1 + 1 + 1) / 5, rel=1e-15)
    assert (town.persons, town.g_distinct(1), sex.risk) == (5, 4 / 5, 2 / 5)


@settings(max_examples=examples(20, fewest=4))
@given(
    st.lists(
        st.tuples(st.sampled_from(["x", "y", None]), *map(st.sampled_from, ("uv", "pqr"))),
        min_size=1,
        max_size=9,
    )
)
def test_random_tables_agree_with_counting(rows):
    """Risk and g-distinct are means over persons of the size of their smallest class; of a set, too."""
    frame = pd.DataFrame(rows, columns=["a", "b", "w"])
    for entity in (None, "w"):
        persons = list(frame.w) if entity else range(len(frame))
        sizes, of_both = (
            by_person(keys, persons) for keys in ([row[:1] for row in rows], [row[:2] for row in rows])
        )
        [found] = attribute_risks(frame, ["a"], entity=entity)
        means = [
            float(sum((Fraction(1, size) for size in some.values()), Fraction(0)) / len(some))
            for some in (sizes, of_both)
        ]
        joint = [joint_risk(frame, columns, entity=entity) for columns in (["a", "b"], ["b", "a"])]
        assert [found.risk, *joint] == pytest.approx([means[0], means[1], means[1]], rel=1e-15)
        assert found.expected(3) == expected_risk(len(sizes), 3)
        for g in (1, 2, 3):
            assert found.distinct_persons(g) == sum(size <= g for size in sizes.values())


def test_what_is_prepared_is_counted_so():
    """Ulm and ulm are one town, ? is NULL; the other columns stay as they are, in their order."""
    spelled = Preprocessing(spellings=(Spelling.CASE, Spelling.MISSING))
    found = attribute_risks(VISITS, ["sex", "town", "who"], preprocessing={"town": spelled})
    assert [(one.column, one.classes) for one in found] == [("sex", 2), ("town", 3), ("who", 5)]


def test_it_works_on_an_opened_table():
    """The same figures, and the table stays open."""
    with open_table(VISITS) as table:
        assert attribute_risks(table) == attribute_risks(VISITS)
        assert joint_risk(table, ["sex"]) == 2 / 6


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: attribute_risks(VISITS, ["city"]), "no column 'city'"),
        (lambda: attribute_risks(VISITS, ["sex", "sex"]), "'sex' is named twice"),
        (
            lambda: attribute_risks(VISITS, ["sex"], preprocessing={"town": Preprocessing()}),
            "'town' is to be",
        ),
        (lambda: joint_risk(VISITS, []), "at least one column"),
        (lambda: attribute_risks(VISITS)[0].g_distinct(0), "g must be a whole number of at least 1, not 0"),
        (lambda: attribute_risks(VISITS)[0].g_distinct(True), "g must be a whole number"),
    ],
)
def test_mistakes_are_sentences(call, words):
    """Each says the rule and the value."""
    with pytest.raises(UserError, match=words):
        call()


def test_an_engine_that_cannot_count_and_one_that_fails_are_told_apart(monkeypatch):
    """Without the method there is no figure; a fault in it is the engine's, without a value of the table."""
    with open_table(VISITS) as table:
        monkeypatch.setattr(DuckdbTable, "column_class_sizes", lambda *_: 1 / 0)
        with pytest.raises(PluginError, match="ZeroDivisionError"):
            attribute_risks(table)
        monkeypatch.delattr(DuckdbTable, "column_class_sizes")
        with pytest.raises(NotMeasurable, match="cannot count the classes of single columns"):
            attribute_risks(table)
    with pytest.raises(NotMeasurable, match="'a' has no records"):
        AttributeRisk(class_sizes=ClassSizes(column="a", sizes=(), classes=(), persons=()))


def as_printed(n, b, j=1):
    """Equation 2 in exact numbers."""
    return Fraction(j, n) * Fraction(b) ** (1 - n) * (Fraction(b) ** n - Fraction(b - 1) ** n)


@given(n=st.integers(1, 60), b=st.integers(1, 60), j=st.integers(1, 5))
def test_it_is_the_printed_formula(n, b, j):
    """Held against exact fractions, to a few units in the last digit."""
    assert expected_risk(n, b, found=j) == pytest.approx(float(as_printed(n, b, j)), rel=4e-15)


@pytest.mark.parametrize(
    ("n", "b"), [(10**9, 10**12), (10**12, 10**9), (10**9, 10**9), (10**9, 2), (1, 10**12)]
)
def test_large_numbers_neither_overflow_nor_lose_digits(n, b):
    """Held against the series of (1 − 1/b)ⁿ in exact fractions, in logarithms where that is short."""
    logarithm = -sum(Fraction(n, k * b**k) for k in range(1, 80 if b == 2 else 6))
    emptied = math.exp(float(logarithm))
    exact = float(Fraction(b, n)) * (1 - emptied if emptied < 0.5 else -math.expm1(float(logarithm)))
    assert expected_risk(n, b) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, math.nan, "9"])
def test_it_refuses_what_is_no_number_of_persons(wrong):
    """The sentence names the argument and the value."""
    with pytest.raises(UserError, match=r"persons must be a whole number of at least 1, not "):
        expected_risk(wrong, 2)
    with pytest.raises(UserError, match="cells must be"):
        expected_risk(2, wrong)
    with pytest.raises(UserError, match="found must be"):
        expected_risk(2, 2, found=wrong)
