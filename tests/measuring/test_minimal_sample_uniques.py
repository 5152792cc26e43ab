"""The search for minimal sample uniques against its definition, set by set."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import (
    Codes,
    NotMeasurable,
    find_minimal_sample_uniques,
    minimal_sample_uniques,
    sample_unique_rows,
)

tables = st.integers(1, 5).flatmap(
    lambda columns: st.lists(st.tuples(*[st.integers(0, 2)] * columns), min_size=1, max_size=8)
)


class View:
    """A table that is never, or at once, asked to stop."""

    def __init__(self, *, is_interrupted: bool = False) -> None:
        self.is_interrupted = is_interrupted


def collapse(rows: Iterable[tuple[int, ...]], entities: list[int] | None = None) -> Codes:
    """Collapse equal rows (of one entity), as an engine does."""
    keyed = [(*row, 0 if entities is None else entities[i]) for i, row in enumerate(rows)]
    distinct = sorted(counts := Counter(keyed))
    width = len(distinct[0]) - 1
    return Codes(
        codes=np.array([row[:-1] for row in distinct], dtype=np.int32),
        records=np.array([counts[row] for row in distinct]),
        entity=None if entities is None else np.array([row[-1] for row in distinct]),
        suppressed=(-1,) * width,
    )


def by_definition(codes: Codes, max_size: int) -> set[tuple[tuple[int, ...], int]]:
    """Find (columns, row) such that the row is alone there and on no smaller part."""
    rows, width = codes.codes.shape

    def is_unique(row: int, columns: tuple[int, ...]) -> bool:
        company = [r for r in range(rows) if all(codes.codes[r, c] == codes.codes[row, c] for c in columns)]
        if codes.entity is None:
            return sum(codes.records[r] for r in company) == 1
        return len({codes.entity[r] for r in company}) == 1

    return {
        (columns, row)
        for size in range(1, max_size + 1)
        for columns in combinations(range(width), size)
        for row in range(rows)
        if is_unique(row, columns)
        and not any(is_unique(row, part) for part in combinations(columns, size - 1) if part or rows == 1)
        and not (size == 1 and is_unique(row, ()))
    }


def searched(codes: Codes, max_size: int) -> list[tuple[tuple[int, ...], int]]:
    """Return what the search finds as (columns, row)."""
    view: Any = View()
    return [(m.columns, int(r)) for m in find_minimal_sample_uniques(view, codes, max_size) for r in m.rows]


@given(rows=tables, max_size=st.integers(1, 6))
def test_search_equals_definition(rows, max_size):
    """Over all small tables the search finds each minimal sample unique once and nothing else."""
    codes = collapse(rows)
    if codes.records.sum() == 1:
        return  # one record alone is its own fact below
    found = searched(codes, max_size)
    assert len(found) == len(set(found))
    assert set(found) == by_definition(codes, min(max_size, codes.codes.shape[1]))


@given(rows=tables, data=st.data())
def test_search_equals_definition_with_entities(rows, data):
    """With an entity column a record is unique where its class holds one entity."""
    entities = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    codes = collapse(rows, entities)
    if len(set(entities)) == 1:
        return  # one entity alone is its own fact below
    found = searched(codes, 9)
    assert len(found) == len(set(found))
    assert set(found) == by_definition(codes, codes.codes.shape[1])


def test_one_record_is_unique_on_every_column():
    """A table of one record has a minimal sample unique on each single column."""
    assert searched(collapse([(0, 7)]), 2) == [((0,), 0), ((1,), 0)]


def test_one_entity_is_unique_on_every_column():
    """A table of one entity with two visits is unique on each single column in both records."""
    assert set(searched(collapse([(0, 1), (0, 2)], [5, 5]), 2)) == {
        ((0,), 0),
        ((0,), 1),
        ((1,), 0),
        ((1,), 1),
    }


def test_twins_hold_none():
    """Two equal records are unique nowhere."""
    assert searched(collapse([(1, 1), (1, 1)]), 2) == []


def test_sample_unique_holds_one():
    """Whoever is unique on all columns holds a minimal sample unique, and no one else does."""
    codes = collapse([(0, 0, 1), (0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)])
    assert {row for _, row in searched(codes, 3)} == set(sample_unique_rows(codes).tolist())


def test_high_cardinality_columns_find_the_same():
    """Keys too wide for a table of counters are sorted instead, and nothing changes."""
    wide = np.arange(0, 400_000, 1000, dtype=np.int32)
    codes = Codes(
        codes=np.column_stack((wide, wide % 7, wide[::-1], np.zeros_like(wide))),
        records=np.ones(len(wide), dtype=np.int64),
        entity=None,
        suppressed=(-1,) * 4,
    )
    assert {columns for columns, _ in searched(codes, 4)} == {(0,), (2,)}


def test_too_many_subsets_say_which_size_works():
    """300 columns have two sizes' worth of subsets below the limit, and the message says so."""
    codes = collapse([tuple(range(300)), tuple(range(1, 301))])
    with pytest.raises(NotMeasurable, match="set max_size to 2 or name fewer"):
        searched(codes, 300)
    assert len(searched(codes, 2)) == 600


def test_search_stops_when_asked():
    """A search whose caller asked to stop ends with KeyboardInterrupt."""
    view: Any = View(is_interrupted=True)
    with pytest.raises(KeyboardInterrupt):
        list(find_minimal_sample_uniques(view, collapse([(0,), (1,)]), 1))


def test_all_of_a_table_come_by_size():
    """The same as the search finds, sorted by the number of columns."""

    class Table(View):
        def codes(self, _: tuple[str, ...]) -> Codes:
            return collapse([(1, 1), (1, 2), (2, 1)])

    view: Any = Table()
    found = minimal_sample_uniques(view, ("a", "b"), max_size=2)
    assert [(one.columns, one.rows.tolist()) for one in found] == [((0,), [2]), ((1,), [1]), ((0, 1), [0])]
