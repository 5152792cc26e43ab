"""k-anonymity with wildcards against comparing every two records."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.sdk import Codes, Grouping, NotMeasurable
from qidguard_standard.metrics.wildcard_k_anonymity import WILDCARD_K_ANONYMITY, matching_persons

STAR = 3
"""The code of the suppression mark in these tables."""

tables = st.integers(1, 4).flatmap(
    lambda columns: st.lists(st.tuples(*[st.integers(0, STAR)] * columns), min_size=1, max_size=8)
)


class View:
    """A table of codes."""

    def __init__(
        self,
        rows: list[tuple[int, ...]],
        entities: list[int] | None = None,
        mark: int = STAR,
        *,
        is_interrupted: bool = False,
    ) -> None:
        keyed = [(*row, 0 if entities is None else entities[i]) for i, row in enumerate(rows)]
        distinct = sorted(counts := Counter(keyed))
        self.is_interrupted = is_interrupted
        width = len(rows[0]) if rows else 1
        self.table = Codes(
            codes=np.array([row[:-1] for row in distinct], dtype=np.int32).reshape(len(distinct), width),
            records=np.array([counts[row] for row in distinct], dtype=np.int64),
            entity=None if entities is None else np.array([row[-1] for row in distinct]),
            suppressed=(mark,) * width,
        )

    def codes(self, qids: tuple[str, ...]) -> Codes:
        """Return the codes it was made with."""
        assert qids
        return self.table


def measure(view: Any) -> float:
    """Measure the metric."""
    return WILDCARD_K_ANONYMITY.method.measure(view, Grouping(qids=("age",)), {})


def is_match(row: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Compare two records value by value."""
    return all(a == b or STAR in {a, b} for a, b in zip(row, other, strict=True))


@given(rows=tables)
def test_every_count_equals_comparing_all_pairs(rows):
    """Each record is matched by as many records as comparing it with every other finds."""
    view: Any = View(rows)
    expected = [sum(is_match(row, other) for other in rows) for row in sorted(set(rows))]
    assert matching_persons(view, view.table).tolist() == expected
    assert measure(view) == min(expected)


@given(rows=tables)
def test_without_a_mark_it_is_k_anonymity(rows):
    """Where no mark occurs the figure is the size of the smallest class."""
    assert measure(View(rows, mark=-1)) == min(rows.count(row) for row in rows)


@given(rows=tables, data=st.data())
def test_entities_are_counted_once(rows, data):
    """Distinct entities are counted, or there is no number where one suppresses different columns."""
    entities = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    view: Any = View(rows, entities)
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


def test_matching_is_not_transitive():
    """1 and 2 both match the wildcard but not one another: two matches each, three for the wildcard."""
    view: Any = View([(1,), (2,), (STAR,)])
    assert matching_persons(view, view.table).tolist() == [2, 2, 3]
    assert measure(view) == 2


def test_all_suppressed_is_the_whole_table():
    """A table whose QIDs are all suppressed matches itself entirely."""
    assert measure(View([(STAR, STAR)] * 4)) == 4


def test_empty_table():
    """Without a record there is none to match."""
    with pytest.raises(NotMeasurable, match="no records"):
        measure(View([]))


def test_too_many_patterns():
    """More than 500 different sets of suppressed columns are refused with a remedy."""
    rows = [tuple(STAR if number >> bit & 1 else 0 for bit in range(9)) for number in range(501)]
    with pytest.raises(NotMeasurable, match="has 501; name fewer QIDs or use k_anonymity"):
        measure(View(rows))


def test_stops_when_asked():
    """A caller who asked to stop gets KeyboardInterrupt."""
    with pytest.raises(KeyboardInterrupt):
        measure(View([(1,)], is_interrupted=True))


def test_engine_finds_the_declared_mark():
    """Through DuckDB: (m, *) matches (m, 30) and (m, 40); NULL is no wildcard; undeclared it is a value."""
    frame = pd.DataFrame({"sex": ["m", "m", "m", "m"], "age": ["30", "40", "*", None]})
    grouping = Grouping(qids=("sex", "age"))
    with ENGINE.open(frame, ReadOptions(), Needs(suppression_mark="*"), EngineSettings()) as table:
        codes = table.codes(grouping.qids)
        assert sorted(matching_persons(table, codes).tolist()) == [2, 2, 2, 4]
        assert WILDCARD_K_ANONYMITY.method.measure(table, grouping, {}) == 2
    with ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings()) as table:
        assert WILDCARD_K_ANONYMITY.method.measure(table, grouping, {}) == 1
