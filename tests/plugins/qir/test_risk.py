"""Algorithm 1, lines 2–26: held against counting and against the host's own metrics."""

from collections import defaultdict
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qidguard
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


@pytest.mark.slow
@settings(max_examples=examples(20, fewest=4))
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("pqr")), min_size=1, max_size=9))
def test_random_tables_agree_with_counting(rows):
    """Risk and g-distinct are means over persons of the size of their smallest class."""
    frame = pd.DataFrame(rows, columns=["a", "w"])
    for entity in (None, "w"):
        sizes = by_person(frame.a, list(frame.w) if entity else range(len(frame)))
        [found] = attribute_risks(frame, ["a"], entity=entity)
        mean = sum((Fraction(1, size) for size in sizes.values()), Fraction(0)) / len(sizes)
        assert found.risk == pytest.approx(float(mean), rel=1e-15)
        for g in (1, 2, 3):
            assert found.distinct_persons(g) == sum(size <= g for size in sizes.values())


@pytest.mark.samples(1)
@pytest.mark.parametrize("entity", [None, "who"])
def test_it_is_the_same_thing_under_the_host_s_own_names(entity):
    """Risk is prosecutor_risk_average and g-distinct is share_below_k with k = g + 1, to the last digit."""
    policy = {
        "qidguard": 1,
        "name": "p",
        "roles": {"quasi_identifiers": ["town"]} | ({"entity": entity} if entity else {}),
        "unnamed_columns": "insensitive",
        "thresholds": [
            {"metric": "prosecutor_risk_average", "at_most": 0.1},
            {"metric": "share_below_k", "parameters": {"k": 2}, "at_most": 0.1},
            {"metric": "persons_below_k", "parameters": {"k": 3}, "at_most": 1},
        ],
    }
    with qidguard.audit(VISITS, policy=policy) as audit:
        theirs = [one.measurement.value for one in audit.verdict.thresholds]
    [town] = attribute_risks(VISITS, ["town"], entity=entity)
    assert [town.risk, town.g_distinct(1), town.distinct_persons(2)] == pytest.approx(theirs, rel=1e-15)


@pytest.mark.parametrize("entity", [None, "who"])
def test_the_risk_of_a_set(entity):
    """Town and sex together; the columns' order does not matter."""
    persons = VISITS.who if entity else range(6)
    sizes = by_person(zip(VISITS.town.fillna("-"), VISITS.sex, strict=True), list(persons))
    mean = sum(1 / size for size in sizes.values()) / len(sizes)
    assert joint_risk(VISITS, ["town", "sex"], entity=entity) == pytest.approx(mean, rel=1e-15)
    assert joint_risk(VISITS, ["sex", "town"], entity=entity) == pytest.approx(mean, rel=1e-15)


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


def test_the_expected_risk_stands_beside():
    """Three towns would give it for six persons; measured it is what it is."""
    [town] = attribute_risks(VISITS, ["town"])
    assert town.expected(3) == expected_risk(6, 3)


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


def test_no_records_and_no_counting_engine_have_no_risk():
    """Both are NotMeasurable with the reason."""
    with pytest.raises(NotMeasurable, match="'a' has no records"):
        AttributeRisk(class_sizes=ClassSizes(column="a", sizes=(), classes=(), persons=()))

    class Plain:
        columns = ()
        statistics = None

    with pytest.raises(NotMeasurable, match="cannot count the classes of single columns"):
        attribute_risks(Plain())
