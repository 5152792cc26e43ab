"""Minimal unique column combinations against their definition."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.measuring.minimal_sample_uniques import minimal_unique_combinations
from qidguard.sdk import Codes

NAMES = ("a", "b", "c", "d", "e")
tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.tuples(st.tuples(*[st.integers(0, 2)] * width), st.integers(0, 3)), min_size=1, max_size=9
    )
)


class Table:
    """A table that answers codes only."""

    def __init__(self, rows, *, has_entities=False):
        keys = sorted({(*row, who if has_entities else 0) for row, who in rows})
        times = [sum((*row, who if has_entities else 0) == key for row, who in rows) for key in keys]
        self._codes = Codes(
            codes=np.array([key[:-1] for key in keys], dtype=np.int32),
            records=np.array(times, dtype=np.int64),
            entity=np.array([key[-1] for key in keys]) if has_entities else None,
            suppressed=(-1,) * (len(keys[0]) - 1),
        )
        self.is_interrupted = False

    def codes(self, *_):
        """Return the codes."""
        return self._codes


def by_definition(rows, most, *, has_entities, is_deduplicated):
    """Return the minimal sets on which no class holds two persons."""
    width = len(rows[0][0])
    persons = [(row, who if has_entities else i) for i, (row, who) in enumerate(rows)]
    if is_deduplicated and not has_entities:
        persons = [(row, i) for i, row in enumerate({row for row, _ in rows})]
    found = []
    for size in range(1, most + 1):
        for some in combinations(range(width), size):
            classes: dict[tuple[int, ...], set[int]] = {}
            for row, who in persons:
                classes.setdefault(tuple(row[c] for c in some), set()).add(who)
            is_unique = all(len(members) == 1 for members in classes.values())
            if is_unique and not any(set(part) <= set(some) for part in found):
                found.append(some)
    return tuple(frozenset(NAMES[c] for c in some) for some in found)


@settings(max_examples=examples(150), deadline=None, derandomize=True, database=None)
@given(rows=tables, has_entities=st.booleans(), is_deduplicated=st.booleans(), max_size=st.integers(1, 6))
def test_the_search_equals_the_definition(rows, has_entities, is_deduplicated, max_size):
    """Over small tables the sets found, and their order, are those of the definition."""
    names = NAMES[: len(rows[0][0])]
    table: Any = Table(rows, has_entities=has_entities)
    found = minimal_unique_combinations(table, names, max_size=max_size, is_deduplicated=is_deduplicated)
    most = min(max_size, len(names))
    assert found == by_definition(rows, most, has_entities=has_entities, is_deduplicated=is_deduplicated)


def test_missing_values_agree_with_one_another():
    """Two records that both lack a value are not told apart by it."""
    import pandas as pd

    frame = pd.DataFrame({"a": [1, None, None], "b": [1, 2, 3]})
    with ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings()) as table:
        assert minimal_unique_combinations(table, ("a", "b")) == (frozenset("b"),)


@pytest.mark.slow
@pytest.mark.realdata
def test_adult_has_a_key_only_without_its_duplicates(data):
    """Adult has 24 equal records, so no key; without them ten columns are needed, in two versions."""
    path = data / "adult" / "adult.data"
    names = tuple(f"c{i}" for i in range(15))
    read = ReadOptions(format="csv", has_header=False, columns=names, is_trimmed=True)
    with ENGINE.open(path, read, Needs(columns=names), EngineSettings()) as table:
        assert minimal_unique_combinations(table, names) == ()
        found = minimal_unique_combinations(table, names, is_deduplicated=True)
    assert [len(some) for some in found] == [10, 10]
    assert found[0] ^ found[1] == {"c3", "c4"}  # education in words and as a number


@pytest.mark.parametrize(("columns", "max_size"), [((), None), (("a", "a"), None), (("a",), 0)])
def test_impossible_wishes_are_refused(columns, max_size):
    """No column, one named twice, or sets of no column."""
    table: Any = Table([((0,), 0)])
    with pytest.raises(ValueError, match="column"):
        minimal_unique_combinations(table, columns, max_size=max_size)


def test_an_interrupt_stops_the_search():
    """A table whose caller asked to stop ends the search."""
    table: Any = Table([((0, 1), 0), ((1, 1), 1)])
    table.is_interrupted = True
    with pytest.raises(KeyboardInterrupt):
        minimal_unique_combinations(table, ("a", "b"))
