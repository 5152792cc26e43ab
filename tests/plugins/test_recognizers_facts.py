"""Recognizers that look at facts in place of names."""

from dataclasses import replace
from typing import Any

import pytest

from qidguard.sdk import ColumnFacts, ColumnShape, DecidedBy, Role, ValueType
from qidguard_standard.recognizers import Content, Facts, Lexicon


def facts(
    value_type: ValueType = ValueType.TEXT,
    name: str = "x",
    *,
    records: int = 200,
    distinct: int = 2,
    **more: Any,
) -> ColumnFacts:
    """Return the facts of a column; the name x says nothing."""
    given = {"missing": 0} | more
    return ColumnFacts(name=name, value_type=value_type, records=records, distinct=distinct, **given)


SEX = facts(name="sex")


@pytest.mark.parametrize(
    ("column", "is_proposed"),
    [
        (facts(records=20, distinct=20), True),
        (facts(records=25, distinct=20, missing=5), True),
        (facts(records=21, distinct=20), False),
        (facts(records=8, distinct=8), False),
        (facts(ValueType.INTEGER, records=100, distinct=100), True),
        (facts(ValueType.INTEGER, records=99, distinct=99), False),
        (facts(ValueType.NUMBER, records=1000, distinct=1000), False),
        (facts(ValueType.EMPTY, records=1000, distinct=0, missing=1000), False),
        (facts(records=0, distinct=0), False),
    ],
)
def test_values_that_never_repeat_are_asked_of_a_person(column: ColumnFacts, *, is_proposed: bool) -> None:
    """All distinct, enough of them, and no measured number."""
    found = [(p.assignment.role, p.assignment.decided_by, p.is_sure) for p in Facts().propose([column])]
    assert found == [(Role.DIRECT_IDENTIFIER, DecidedBy.STATISTICS, False)] * is_proposed


SHAPE = ColumnShape(
    looked_at=200, shortest=8, typical=8, longest=8, is_same_length=True,
    digits=1.0, letters=0.0, blanks=0.0, words=1.0,
)  # fmt: skip
"""The shape of 200 values of eight characters, all of them digits."""


def shape(**fields: Any) -> ColumnShape:
    """Return that shape but for what is given."""
    return replace(SHAPE, **fields)


DIFFER = {"is_same_length": False}
NUMBER, TEXT = ValueType.INTEGER, ValueType.TEXT
KEYS = {
    "long and as long as each other": (NUMBER, shape(low=10_000_000, high=90_000_000), False, True),
    "short and as long as each other": (NUMBER, shape(low=20_000, high=90_000), False, False),
    "without a gap": (NUMBER, shape(is_same_length=False), True, True),
    "so close that amounts would repeat": (NUMBER, shape(low=0, high=2_000, **DIFFER), False, True),
    "far apart": (NUMBER, shape(low=10_000, high=500_000, **DIFFER), False, False),
    "on both sides of zero": (NUMBER, shape(low=-500, high=500, **DIFFER), False, False),
    "of nobody knows what": (NUMBER, None, False, False),
    "one word with figures": (TEXT, shape(digits=0.4, letters=0.6, **DIFFER), False, True),
    "names": (TEXT, shape(digits=0.0, letters=0.9, words=2.0, **DIFFER), False, True),
    "sentences": (TEXT, shape(digits=0.0, letters=0.8, words=8.0, **DIFFER), False, False),
}


@pytest.mark.parametrize("what", KEYS)
def test_values_of_persons_that_never_repeat_are_sure_unless_they_may_be_amounts(what: str) -> None:
    """Salaries of a few hundred people may all differ; a table of things has numbers of its own."""
    value_type, form, is_consecutive, is_key = KEYS[what]
    column = facts(value_type, distinct=200, shape=form, is_consecutive=is_consecutive)
    order = replace(column, name="order_number")
    assert [found.is_sure for found in Facts().propose([column, order, SEX])] == [is_key, False]
    assert [found.is_sure for found in Facts().propose([column, order])] == [False, False]


@pytest.mark.parametrize("is_about_persons", [False, True])
@pytest.mark.parametrize("distinct", [1, 3])
@pytest.mark.parametrize("value_type", list(ValueType))
def test_dates_are_qids_of_persons(value_type: ValueType, distinct: int, *, is_about_persons: bool) -> None:
    """Dates and moments that differ are sure in a table that speaks of persons, and else a question."""
    other = facts(NUMBER, "birth_date" if is_about_persons else "y")
    found = Content().propose([facts(value_type, distinct=distinct), other])
    proposals = [
        (p.assignment.role, p.assignment.decided_by, p.is_sure) for p in found if p.assignment.column == "x"
    ]
    is_date = value_type in {ValueType.DATE, ValueType.TIMESTAMP} and distinct > 1
    assert proposals == [(Role.QUASI_IDENTIFIER, DecidedBy.CONTENT, is_about_persons)] * is_date


@pytest.mark.slow
def test_names_weigh_more_than_facts() -> None:
    """Every proposal of the lexicon is surer than one from facts."""
    named = [("weight", 50), ("lat", 9), ("race", 5), ("notes", 9)]
    found = [Lexicon().propose([facts(name=name, records=100, distinct=n)]) for name, n in named]
    weakest = min(p.confidence for some in found for p in some)
    for column in (facts(kind, records=100, distinct=100) for kind in (ValueType.TEXT, ValueType.DATE)):
        proposed = [*Content().propose([column]), *Facts().propose([column])]
        assert all(p.confidence < weakest for p in proposed)


@pytest.mark.parametrize(("distinct", "is_proposed"), [(190, True), (189, False)])
def test_texts_that_hardly_ever_repeat_are_names_or_the_like(distinct: int, *, is_proposed: bool) -> None:
    """Of 200 names of persons a few are the same."""
    name = facts(distinct=distinct, shape=shape(words=2.0, letters=0.9))
    assert [found.is_sure for found in Facts().propose([name, SEX])] == [True] * is_proposed
