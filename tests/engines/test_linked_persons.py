"""Persons with their records of all tables: some of them, and those of two copies together."""

import numpy as np
import pandas as pd
import pytest

from qidguard import DataError
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.engines.linked import LinkedTables, MadeColumn, OpenedTable, linked_copy

PERSONS = pd.DataFrame({"id": ["a", "b", "c"], "sex": ["f", "m", "f"]})
VISITS = pd.DataFrame(
    {
        "no": [1, 2, 3, 4],
        "person": ["a", "c", "a", "b"],
        "day": ["2024-01-09", "2024-01-01", "2024-01-03", "2024-02-01"],
    }
)
TESTS = pd.DataFrame({"visit": [4, 2, 1, 4], "value": [40, 20, 10, 41]})
LATER = pd.DataFrame({"id": ["d"], "sex": ["m"]})
LATER_VISITS = pd.DataFrame({"no": [9], "person": ["d"], "day": ["2024-03-01"]})
LATER_TESTS = pd.DataFrame({"visit": [9], "value": [90]})


def snapshot(persons, visits, tests):
    """Return the snapshot of persons, their visits and the tests of these."""
    made = (MadeColumn(name="visits", way="count"),)
    visits = OpenedTable(
        name="visits", source=visits, key="no", references={"person": "people"}, dates=("day",), made=made
    )
    tests = OpenedTable(name="tests", source=tests, references={"visit": "visits"})
    tables = (OpenedTable(name="people", source=persons, key="id"), visits, tests)
    return ENGINE.snapshot(LinkedTables(tables=tables, shift_days=30), ReadOptions(), EngineSettings())


def read(copy):
    """Return persons with their visits, and of each table its values beside persons and parents."""
    people = list(zip(*(texts(copy, name) for name in ("id", "visits")), strict=True))
    found = []
    for child, column in zip(linked_copy(copy).children, ("no", "value"), strict=True):
        places = [child.persons.tolist(), *(places.tolist() for places in child.parents.values())]
        found.append(list(zip(texts(child.records, column), *places, strict=True)))
    return people, *found


def texts(copy, name):
    """Return the values of a column in the order of records."""
    column = copy.column(name)
    return [column.texts[code] for code in column.codes]


def test_some_persons_keep_their_records_and_places():
    """The second person's visit and tests are left, and lead to one another."""
    with snapshot(PERSONS, VISITS, TESTS) as whole:
        with linked_copy(whole).of_persons(np.array([False, True, False])) as some:
            people, visits, tests = read(some)
        assert people == [("b", "1")]
        assert visits == [("4", 0, 0)]
        assert tests == [("40", 0, 0), ("41", 0, 0)]
        assert read(whole)[0] == [("a", "2"), ("b", "1"), ("c", "1")]


def test_texts_of_a_csv_are_kept_as_texts(tmp_path):
    """A key of digits and a date without hyphens come back as they were written, and lead to the person."""
    visits = VISITS.assign(
        person=["01", "03", "01", "02"], day=["20240109", "20240101", "20240103", "20240201"]
    )
    before = in_files(tmp_path / "before", PERSONS.assign(id=["01", "02", "03"]), visits, TESTS)
    later = LATER_VISITS.assign(person="04", day="20240301")
    now = in_files(tmp_path / "now", LATER.assign(id="04"), later, LATER_TESTS)
    files = [tmp_path / f"{name}.parquet" for name in ("persons", "visits", "tests")]
    with before, linked_copy(before).of_persons(np.array([True, True, False])) as some:
        assert set(some.write(files[0], ("id", "sex"), "parquet", seed=None).values()) == {"VARCHAR"}
        for child, file in zip(linked_copy(some).children, files[1:], strict=True):
            child.records.write(file, child.records.names, "parquet", seed=None)
    with now, snapshot(*map(str, files)) as kept, now.with_records(kept) as both:
        assert texts(both, "id") == ["04", "01", "02"]
        visits = linked_copy(both).children[0]
        assert texts(visits.records, "day") == ["20240301", "20240109", "20240103", "20240201"]
        assert visits.persons.tolist() == [0, 1, 1, 2]


def in_files(folder, *tables):
    """Return the snapshot of three tables that are written as CSV."""
    folder.mkdir()
    paths = [folder / f"{place}.csv" for place in range(3)]
    for table, path in zip(tables, paths, strict=True):
        table.to_csv(path, index=False)
    return snapshot(*map(str, paths))


def test_a_table_may_have_no_record_of_some_persons():
    """Who joins persons with a table that is empty gets that of the others."""
    tests = TESTS[TESTS["visit"] != 2]
    with snapshot(PERSONS, VISITS, tests) as before, snapshot(LATER, LATER_VISITS, LATER_TESTS) as now:
        with linked_copy(before).of_persons(np.array([False, False, True])) as left:
            assert read(left)[2] == []
            both = now.with_records(left)
        with both:
            assert read(both) == ([("d", "1"), ("c", "1")], [("9", 0, 0), ("2", 1, 1)], [("90", 0, 0)])


@pytest.mark.slow
def test_persons_of_two_copies_are_published_together():
    """Every record leads to its own person and visit, pseudonyms and moved dates as for one copy."""
    with snapshot(PERSONS, VISITS, TESTS) as before, snapshot(LATER, LATER_VISITS, LATER_TESTS) as now:
        both = now.with_records(before)
    with both:
        people, visits, tests = read(both)
        assert people == [("d", "1"), ("a", "2"), ("b", "1"), ("c", "1")]
        assert visits == [("9", 0, 0), ("1", 1, 1), ("2", 3, 3), ("3", 1, 1), ("4", 2, 2)]
        assert tests == [("90", 0, 0), ("40", 2, 4), ("20", 3, 2), ("10", 1, 1), ("41", 2, 4)]
        with linked_copy(both).published(both, ("sex",)) as published:
            first, second, third = (table.records for table in published)
            persons, keys = texts(first, "id"), texts(second, "no")
            assert texts(second, "person") == [persons[place] for _, place, _ in visits]
            assert texts(third, "visit") == [keys[place] for _, _, place in tests]
            days = [*LATER_VISITS["day"], *VISITS["day"]]
            assert not any(one == other for one, other in zip(texts(second, "day"), days, strict=True))


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("visits", "tests", "said"),
    [
        (LATER_VISITS.assign(no=2), LATER_TESTS.assign(visit=2), "has 1 records of present persons with the"),
        (
            LATER_VISITS.assign(ward="x"),
            LATER_TESTS,
            "table 'visits': only one of the two tables has the col",
        ),
        (LATER_VISITS.assign(day="01.03.2024"), LATER_TESTS, "is to be moved as a date, and"),
        (LATER_VISITS, LATER_TESTS.assign(value=[True]), "table 'tests': 4 values of the column 'value' do"),
    ],
)
def test_what_cannot_stand_in_one_table_is_said(visits, tests, said):
    """A key of both, other columns, dates of another form and values of another type; never a value."""
    before, now = snapshot(PERSONS, VISITS, TESTS), snapshot(LATER, visits, tests)
    with before, now, pytest.raises(DataError, match=said):
        now.with_records(before)


def test_persons_alone_are_not_joined_to_persons_with_records():
    """They would be published without any."""
    alone = ENGINE.snapshot(PERSONS, ReadOptions(), EngineSettings())
    now = snapshot(LATER, LATER_VISITS, LATER_TESTS)
    with alone, now, pytest.raises(DataError, match="it has no records of the other tables"):
        now.with_records(alone)
