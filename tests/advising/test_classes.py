"""Persons in too small classes are those that pandas counts, on any level and by any key."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.advising import classes
from qidguard.advising.classes import ClassLimit, DistinctRows

ALL = ClassLimit(columns=(0, 1, 2), persons=3)


@st.composite
def tables(draw):
    """Return codes of three columns, persons or None, and a sensitive attribute."""
    size = draw(st.integers(1, 40))
    code = st.integers(0, 3)
    rows = draw(st.lists(st.tuples(code, code, code, code), min_size=size, max_size=size))
    persons = draw(st.none() | st.lists(st.integers(0, 12), min_size=size, max_size=size))
    codes = np.array(rows, dtype=np.int32)
    return codes[:, :3], None if persons is None else np.array(persons), codes[:, 3:]


def counted(codes, person, sensitive, limit):
    """Return persons and records below a limit, and persons alone, by pandas."""
    table = pd.DataFrame(codes[:, list(limit.columns)])
    table["person"] = np.arange(len(codes)) if person is None else person
    table["sa"] = sensitive[:, 0]
    keys = list(range(len(limit.columns)))
    groups = table.groupby(keys) if keys else table.groupby(lambda _: 0)
    few = groups["person"].transform("nunique") < limit.persons
    for _, wanted in limit.distinct:
        few |= groups["sa"].transform("nunique") < wanted
    one = groups["person"].transform("nunique") == 1
    return table[few]["person"].nunique(), int(few.sum()), table[one]["person"].nunique()


LIMITS = (
    ALL,
    ClassLimit(columns=(0, 2), persons=2),
    ClassLimit(columns=(), persons=5),
    ClassLimit(columns=(1, 2), persons=2, distinct=((0, 2),)),
)


@settings(max_examples=examples(25))
@given(tables())
def test_counts_are_those_of_pandas(table):
    """Persons and records below, and persons alone, with and without an entity column and values to count."""
    codes, person, sensitive = table
    rows = DistinctRows.of(codes, person=person, sensitive=sensitive)
    for limit in LIMITS:
        found = rows.count([limit], has_alone=True)
        assert (found.persons, found.records, found.alone) == counted(codes, person, sensitive, limit)


@settings(max_examples=examples(25))
@given(tables(), st.lists(st.integers(0, 1), min_size=12, max_size=12), st.booleans())
def test_settled_rows_count_the_same_on_coarser_levels(table, groups, has_values):
    """What is left of large classes is enough for whatever they are joined with; records count with them."""
    codes, person, sensitive = table
    rows = DistinctRows.of(codes, person=person, sensitive=sensitive if has_values else None)
    limits = [LIMITS[0], LIMITS[3] if has_values else LIMITS[1]]
    coarser = [np.array(groups[4 * place : 4 * place + 4], dtype=np.int32) for place in range(3)]
    whole, few = rows.moved(coarser).count(limits), rows.settled(limits).moved(coarser).count(limits)
    assert (whole.persons, whole.records) == (few.persons, few.records)


@settings(max_examples=examples(25))
@given(tables())
def test_drawn_keys_count_as_numbers_do(table):
    """Where columns have too many combinations of values, drawn keys stand for classes."""
    codes, person, sensitive = table
    rows = DistinctRows.of(codes, person=person, sensitive=sensitive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classes, "_LARGEST", 16)
        patch.setattr(classes, "_DRAWN", 1 << 62)
        found = rows.count([ALL])
        exact = rows.count([ALL], is_exact=True)
    wanted = rows.count([ALL])
    assert (found.persons, found.records) == (wanted.persons, wanted.records)
    assert (exact.persons, exact.records) == (wanted.persons, wanted.records)


def test_two_limits_count_a_person_once():
    """Somebody who is in a small class over either set of columns is one person below."""
    codes = np.array([[0, 0], [0, 1], [1, 1], [1, 1]], dtype=np.int32)
    limits = [ClassLimit(columns=(0,), persons=2), ClassLimit(columns=(1,), persons=2)]
    assert DistinctRows.of(codes).count(limits).persons == 1
    assert DistinctRows.of(codes).count([ClassLimit(columns=(0, 1), persons=2)]).persons == 2
