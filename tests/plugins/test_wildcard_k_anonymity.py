"""k-anonymity with wildcards against comparing every two records."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import Grouping, NotMeasurable
from qidguard_standard.metrics.class_sizes import WILDCARD_K_ANONYMITY, matching_persons
from seen_classes import Coded

STAR = 3
"""The code of the suppression mark in these tables."""

tables = st.integers(1, 4).flatmap(
    lambda columns: st.lists(st.tuples(*[st.integers(0, STAR)] * columns), min_size=1, max_size=8)
)


def measure(view):
    """Measure the metric."""
    return WILDCARD_K_ANONYMITY.method.measure(view, Grouping(qids=view.qids), {})


def is_match(row, other):
    """Compare two records value by value."""
    return all(a == b or STAR in {a, b} for a, b in zip(row, other, strict=True))


@given(rows=tables)
def test_every_count_equals_comparing_all_pairs(rows):
    """Each record is matched by as many records as comparing it with every other finds."""
    view = Coded(rows, mark=STAR)
    expected = [sum(is_match(row, other) for other in rows) for row in sorted(set(rows))]
    assert matching_persons(view, view.table).tolist() == expected
    assert measure(view) == min(expected)


@given(rows=tables)
def test_without_a_mark_it_is_k_anonymity(rows):
    """Where no mark occurs the figure is the size of the smallest class."""
    assert measure(Coded(rows)) == min(rows.count(row) for row in rows)


@given(rows=tables, data=st.data())
def test_entities_are_counted_once(rows, data):
    """Distinct entities are counted, or there is no number where one suppresses different columns."""
    entities = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    view = Coded(rows, entities, mark=STAR)
    patterns = {(entity, tuple(v == STAR for v in row)) for row, entity in zip(rows, entities, strict=True)}
    if len(patterns) > len(set(entities)):
        with pytest.raises(NotMeasurable, match="differ in which QIDs are suppressed"):
            measure(view)
        return
    expected = min(
        len({entity for other, entity in zip(rows, entities, strict=True) if is_match(row, other)})
        for row in rows
    )
    assert measure(view) == expected


def test_too_many_patterns():
    """More than 500 different sets of suppressed columns are refused with a remedy."""
    rows = [tuple(STAR if number >> bit & 1 else 0 for bit in range(9)) for number in range(501)]
    with pytest.raises(NotMeasurable, match="has 501; name fewer QIDs or use k_anonymity"):
        measure(Coded(rows, mark=STAR))


def test_stops_when_asked():
    """A caller who asked to stop gets KeyboardInterrupt."""
    with pytest.raises(KeyboardInterrupt):
        measure(Coded([(1,)], is_interrupted=True))
