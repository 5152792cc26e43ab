"""Records of a table held in memory: what is held, and what a sample of it is."""

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.spelling import Normalized, Spelling
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.measuring.memory_records import memory_records
from qidguard.sdk import DataError, NotMeasurable, UserError, ValueType


@contextmanager
def opened(table, **needs):
    """Yield an opened table."""
    with ENGINE.open(table, ReadOptions(), Needs(**needs), EngineSettings(threads=1)) as found:
        yield found


def held(table, columns=None, **needs):
    """Return records in memory of a frame."""
    with opened(table, **needs) as found:
        return memory_records(found, tuple(table.columns) if columns is None else columns)


def rows(records, columns=None):
    """Return the records as tuples of texts, in their order."""
    found = [records.column(name) for name in columns or records.names]
    return [tuple(column.texts[column.codes[row]] for column in found) for row in range(records.records)]


def four() -> pd.DataFrame:
    """Return four records of two columns, one cell missing."""
    return pd.DataFrame({"age": [40, 30, 40, 41], "town": ["B", "A", None, "B"]})


def visits() -> pd.DataFrame:
    """Return ten persons with one to four visits each."""
    person = [f"p{i}" for i in range(10) for _ in range(1 + i % 4)]
    return pd.DataFrame({"person": person, "ward": [f"w{i % 3}" for i in range(len(person))]})


def test_every_record_is_held_with_its_values():
    """The records of the frame, their numbers and NULL with the code 0; the table may be closed."""
    found = held(four())
    assert sorted(rows(found), key=str) == [("30", "A"), ("40", "B"), ("40", None), ("41", "B")]
    age, town = found.column("age"), found.column("town")
    assert (age.value_type, town.value_type) == (ValueType.INTEGER, ValueType.TEXT)
    assert age.texts == (None, "30", "40", "41")
    assert np.array_equal(age.numbers, [np.nan, 30, 40, 41], equal_nan=True)
    assert town.numbers is None
    assert (found.codes(("town",))[:, 0] == 0).sum() == 1


def test_codes_of_a_sample_are_those_that_occur():
    """One record of four: one code, one text, one number."""
    age = held(four(), ("age",)).sample(1, 3).column("age")
    assert age.codes.tolist() == [1]
    assert len(age.texts) == 2
    assert age.numbers[1] == float(age.texts[1])


def test_nobody_may_write_to_a_column():
    """All rehearsals share the arrays."""
    age = held(four()).column("age")
    with pytest.raises(ValueError, match="read-only"):
        age.codes[0] = 2
    with pytest.raises(ValueError, match="read-only"):
        age.numbers[0] = 2


def test_columns_stand_in_the_order_of_the_table_whatever_order_they_are_named_in():
    """So that the order of names does not decide what a seed draws."""
    assert held(four(), ("town", "age")).names == ("age", "town")


@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None, derandomize=True, database=None)
@given(
    ages=st.lists(st.one_of(st.none(), st.integers(1, 9)), min_size=1, max_size=15),
    seed=st.integers(0, 2**64),
    turn=st.randoms(use_true_random=False),
)
def test_the_order_of_the_rows_does_not_matter(ages, seed, turn):
    """A shuffled file gives the same sample of the same seed, in the same order."""
    table = pd.DataFrame({"age": pd.array(ages, dtype="Int64"), "town": [f"t{(a or 0) % 3}" for a in ages]})
    places = list(range(len(ages)))
    turn.shuffle(places)
    size = max(1, len(ages) // 2)
    first = held(table).sample(size, seed)
    again = held(table.iloc[places].reset_index(drop=True)).sample(size, seed)
    assert rows(first) == rows(again)


def test_a_smaller_sample_is_the_beginning_of_a_larger_one():
    """Of one seed, so that figures over sizes differ by what is added alone."""
    found = held(pd.DataFrame({"n": range(50)}))
    large = rows(found.sample(40, 8))
    assert rows(found.sample(0.2, 8)) == large[:10]
    assert large != rows(found.sample(40, 9))
    assert len(set(large)) == 40


@pytest.mark.parametrize(("size", "records"), [(0.25, 5), (0.01, 1), (1.0, 20), (7, 7), (1, 1), (99, 20)])
def test_a_size_is_a_share_or_a_number(size, records):
    """Of twenty records; at least one is drawn, and no more than there are."""
    assert held(pd.DataFrame({"n": range(20)})).sample(size, 0).records == records


@pytest.mark.samples(4)
@pytest.mark.parametrize(
    ("size", "seed", "said"),
    [
        (0, 0, "at least 1 person, not 0"),
        (-0.5, 0, "above 0 and up to 1, not -0.5"),
        (1.5, 0, "above 0 and up to 1, not 1.5"),
        (float("nan"), 0, "above 0 and up to 1, not nan"),
        (True, 0, "a share 0..1 or a number of persons, not True"),
        ("all", 0, "a share 0..1 or a number of persons, not 'all'"),
        (5, -1, "the seed must be at least 0, not -1"),
    ],
)
def test_another_size_or_seed_is_refused(size, seed, said):
    """The sentence says what it may be."""
    with pytest.raises(UserError, match=said):
        held(four()).sample(size, seed)


@pytest.mark.slow
@settings(max_examples=examples(20), deadline=None, derandomize=True, database=None)
@given(size=st.integers(1, 10), seed=st.integers(0, 2**32))
def test_whole_persons_are_drawn(size, seed):
    """As many persons as were asked for, each with all records; whatever columns are held."""
    every = held(visits(), entity="person")
    found = every.sample(size, seed)
    assert found.persons == size
    every_ward, ward = rows(every), rows(found)
    persons = [set(held_rows_of(every, found))]
    assert len(persons[0]) == size
    assert sorted(w for _, w in ward) == sorted(w for p, w in every_ward if p in persons[0])


def held_rows_of(every, found):
    """Return the numbers, among all persons, of those in a sample."""
    codes = every._coded["person"].codes
    return {str(code) for code in codes[found._place]}


def test_a_smaller_sample_of_persons_is_the_beginning_of_a_larger_one():
    """Of one seed: first come all records of the first person that was drawn."""
    found = held(visits(), entity="person")
    for seed in range(3):
        small, large = found.sample(3, seed), found.sample(8, seed)
        assert small._place.tolist() == large._place[: small.records].tolist()


def test_a_person_is_a_number_in_the_place_of_the_value():
    """Nobody needs to know who it is; the records of one person share it."""
    found = held(visits(), ("ward",), entity="person")
    assert found.names == ("person", "ward")
    assert found.column("person").texts[1:] == tuple(map(str, range(1, 11)))
    assert np.bincount(found.codes(("person",))[:, 0])[1:].tolist() == [1 + i % 4 for i in range(10)]


def test_the_same_persons_are_drawn_whatever_the_columns():
    """By the entity, not by what else is held of it."""
    table = visits().assign(kind="a")
    narrow, wide = held(table, ("kind",), entity="person"), held(table, ("kind", "ward"), entity="person")
    assert held_rows_of(narrow, narrow.sample(4, 5)) == held_rows_of(wide, wide.sample(4, 5))


def test_texts_that_are_normalized_to_one_have_one_code():
    """The first of them stands for both, as metrics take them for one value."""
    table = pd.DataFrame({"sex": ["m", "M", "f", "NA"]})
    ways = Normalized(column="sex", spellings=(Spelling.CASE, Spelling.MISSING))
    found = held(table, normalized=(ways,))
    assert found.column("sex").texts == (None, "M", "f")
    assert sorted(found.codes(("sex",))[:, 0].tolist()) == [0, 1, 1, 2]


def test_a_column_without_a_value_is_held():
    """All codes are 0."""
    found = held(pd.DataFrame({"a": pd.array([None, None], dtype="string"), "b": [1, 2]})).column("a")
    assert (found.codes.tolist(), found.texts, found.numbers) == ([0, 0], (None,), None)


def test_a_record_without_a_person_is_refused():
    """Nobody knows whose it is."""
    table = visits().assign(person=[None, *visits()["person"][1:]])
    with pytest.raises(DataError, match="1 records have no 'person'"):
        held(table, entity="person")


@pytest.mark.slow
def test_what_cannot_be_held_is_said():
    """No records, no such column, no column beside the entity, an engine without values."""
    with opened(four()) as table:
        known = {"columns": table.columns, "has_entities": False, "texts": table.texts}
        with pytest.raises(DataError, match="the table has no records"):
            memory_records(SimpleNamespace(**known, records=0), ("age",))
    with pytest.raises(DataError, match="no column 'x'"):
        held(four(), ("x",))
    with pytest.raises(DataError, match="the records have no column 'town'"):
        held(four(), ("age",)).column("town")
    with pytest.raises(UserError, match="beside the entity"):
        held(visits(), ("person",), entity="person")
    with opened(four()) as table, pytest.raises(NotMeasurable, match="engine gives no values"):
        memory_records(SimpleNamespace(columns=table.columns, has_entities=False), ("age",))


def test_a_guarded_table_is_held_too():
    """As discover opens it; a table that gives no values has none behind the guard either."""
    engine = load_host().engine("duckdb")
    with engine.open(visits(), ReadOptions(), Needs(entity="person"), EngineSettings(threads=1)) as table:
        assert memory_records(table, ("ward",)).persons == 10
