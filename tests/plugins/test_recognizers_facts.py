"""Recognizers that look at facts in place of names."""

import pytest

from qidguard.sdk import ColumnFacts, DecidedBy, Role, ValueType
from qidguard_standard.recognizers import RECOGNIZERS, Dates, Lexicon, UniqueValues


def facts(value_type: ValueType, *, records: int, distinct: int, missing: int = 0) -> ColumnFacts:
    """Return the facts of a column whose name says nothing."""
    return ColumnFacts(name="x", value_type=value_type, records=records, distinct=distinct, missing=missing)


@pytest.mark.parametrize(
    ("column", "is_proposed"),
    [
        (facts(ValueType.TEXT, records=20, distinct=20), True),
        (facts(ValueType.TEXT, records=25, distinct=20, missing=5), True),
        (facts(ValueType.TEXT, records=21, distinct=20), False),
        (facts(ValueType.TEXT, records=8, distinct=8), False),
        (facts(ValueType.INTEGER, records=100, distinct=100), True),
        (facts(ValueType.INTEGER, records=99, distinct=99), False),
        (facts(ValueType.NUMBER, records=1000, distinct=1000), False),
        (facts(ValueType.EMPTY, records=1000, distinct=0, missing=1000), False),
        (facts(ValueType.TEXT, records=0, distinct=0), False),
    ],
)
def test_values_that_never_repeat_are_a_direct_identifier(column: ColumnFacts, is_proposed) -> None:
    """All distinct, enough of them, and no measured number."""
    proposals = UniqueValues().propose([column])
    assert is_proposed == bool(proposals)
    for proposal in proposals:
        assert proposal.assignment.role is Role.DIRECT_IDENTIFIER
        assert proposal.assignment.decided_by is DecidedBy.STATISTICS
        assert "other_unique_id" in proposal.assignment.reason


@pytest.mark.parametrize("value_type", list(ValueType))
def test_dates_are_qids(value_type: ValueType) -> None:
    """Dates and timestamps are proposed from their content, other types are not."""
    proposals = Dates().propose([facts(value_type, records=8, distinct=3)])
    assert bool(proposals) == (value_type in {ValueType.DATE, ValueType.TIMESTAMP})
    for proposal in proposals:
        assert proposal.assignment.role is Role.QUASI_IDENTIFIER
        assert proposal.assignment.decided_by is DecidedBy.CONTENT


@pytest.mark.slow
def test_names_weigh_more_than_facts() -> None:
    """Every proposal of the lexicon is surer than one from facts."""
    weakest = min(
        p.confidence
        for name, distinct in (("weight", 50), ("lat", 9), ("race", 5), ("notes", 9))
        for p in Lexicon().propose(
            [ColumnFacts(name=name, value_type=ValueType.TEXT, records=100, distinct=distinct, missing=0)]
        )
    )
    for column in (
        facts(ValueType.TEXT, records=100, distinct=100),
        facts(ValueType.DATE, records=100, distinct=100),
    ):
        for recognizer in (Dates(), UniqueValues()):
            assert all(p.confidence < weakest for p in recognizer.propose([column]))


def test_recognizers_have_names_of_their_own() -> None:
    """The host lists them by name."""
    assert [r.name for r in RECOGNIZERS] == [
        "content",
        "identifier_content",
        "lexicon",
        "dates",
        "unique_values",
        "kinds",
    ]
    assert all(r.title for r in RECOGNIZERS)
