"""Tests of the one group-by statement, against counting by hand in Python."""

from collections import Counter, defaultdict
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.statistic import (
    CLASSES,
    PERSONS,
    SMALLEST_CLASS,
    UNIQUES,
    ClassValue,
    RowSource,
    Statistic,
    persons_below,
)
from qidguard.engines.sql.statement import Layout, cells_sql, class_values_sql, statistics_query

DISTINCT = ClassValue(name="distinct_values", sql="count(*)")
LARGEST_SHARE = ClassValue(name="largest_share", sql="max(share)")
EMD = ClassValue(name="distance", sql="sum(greatest(share - table_share, 0))")
ALL = (
    CLASSES,
    SMALLEST_CLASS,
    PERSONS,
    UNIQUES,
    persons_below(3),
    Statistic(name="least_distinct", sql="min(distinct_values)", values=(DISTINCT,)),
    Statistic(name="largest_share", sql="max(largest_share)", values=(LARGEST_SHARE,)),
    Statistic(name="largest_distance", sql="max(distance)", values=(EMD,)),
)
ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 4)),
    min_size=1,
    max_size=25,
)
SNAPSHOTS = Path(__file__).parent / "snapshots"


def table(rows: list[tuple[int, ...]], name: str = "coded") -> duckdb.DuckDBPyConnection:
    """Return a connection with a coded table of two QIDs, a sensitive attribute and an entity."""
    connection = duckdb.connect()
    connection.execute(
        f"CREATE TABLE {name} (c0 INTEGER, c1 INTEGER, c2 INTEGER, entity INTEGER, records INTEGER)"
    )
    connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, 1)", rows)
    return connection


def by_hand(rows: list[tuple[int, ...]], *, entities: bool) -> dict[str, float]:
    """Return the statistics of ALL by counting persons in sets."""
    people = [(a, b, s, e if entities else i) for i, (a, b, s, e) in enumerate(rows)]
    classes: dict[tuple[int, int], set[int]] = defaultdict(set)
    cells: dict[tuple[int, int], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    whole: dict[int, set[int]] = defaultdict(set)
    for a, b, s, person in people:
        classes[a, b].add(person)
        cells[a, b][s].add(person)
        whole[s].add(person)
    smallest = {p: min(len(classes[a, b]) for a, b, _, other in people if other == p) for *_, p in people}
    total = sum(len(v) for v in whole.values())
    distances = []
    shares = []
    for values in cells.values():
        n = Counter({s: len(v) for s, v in values.items()})
        size = sum(n.values())
        shares.append(max(n.values()) / size)
        distances.append(sum(max(n[s] / size - len(v) / total, 0) for s, v in whole.items()))
    return {
        "classes": len(classes),
        "smallest_class": min(map(len, classes.values())),
        "persons": len(smallest),
        "uniques": sum(size == 1 for size in smallest.values()),
        "persons_below_3": sum(size < 3 for size in smallest.values()),
        "least_distinct": min(map(len, cells.values())),
        "largest_share": max(shares),
        "largest_distance": max(distances),
    }


@pytest.mark.parametrize("entities", [False, True])
@given(rows=ROWS)
@settings(max_examples=examples(60), deadline=None)
def test_statistics_equal_counting_by_hand(entities, rows):
    """Over random tables, with and without entities, the statement counts what Python counts."""
    layout = Layout(table="coded", keys=("c0 + 3 * c1",), value="c2", entity="entity" if entities else None)
    with table(rows) as connection:
        row = connection.execute(statistics_query(layout, ALL).sql).fetchall()[0]
    found = dict(zip([s.name for s in ALL], map(float, row), strict=True))
    assert found == pytest.approx(by_hand(rows, entities=entities))


@given(rows=ROWS)
@settings(max_examples=examples(30), deadline=None)
def test_one_packed_key_and_two_plain_keys_agree(rows):
    """How codes are packed into keys changes nothing."""
    packed = Layout(table="coded", keys=("c0 + 3 * c1",), value="c2")
    plain = Layout(table="coded", keys=("c0", "c1"), value="c2")
    with table(rows) as connection:
        left = connection.execute(statistics_query(packed, ALL).sql).fetchall()
        right = connection.execute(statistics_query(plain, ALL).sql).fetchall()
    assert left == right


def test_collapsed_rows_count_as_often_as_they_stand_for():
    """A row with records = 3 counts as three records."""
    layout = Layout(table="coded", keys=("c0",), value="c2")
    with table([(0, 0, 0, 0), (1, 0, 0, 1), (1, 0, 1, 1)]) as connection:
        connection.execute("UPDATE coded SET records = 3 WHERE c0 = 0")
        row = connection.execute(statistics_query(layout, (SMALLEST_CLASS, PERSONS)).sql).fetchall()[0]
        assert sorted(connection.execute(cells_sql(layout)).fetchall()) == [(0, 0, 3), (1, 0, 1), (1, 1, 1)]
    assert tuple(map(int, row)) == (2, 5)


def test_population_sizes_stand_beside_class_sizes():
    """Class 0 has 2 of 4 people of the population, class 1 has 1 of 1, class 2 is in the population only."""
    layout = Layout(table="coded", keys=("c0",), population="population")
    wanted = (
        Statistic(name="smallest_population", sql="min(population_size)"),
        Statistic(
            name="absent", sql="sum(CASE WHEN size = 0 THEN 1 ELSE 0 END)", source=RowSource.POPULATION
        ),
    )
    with table([(0, 0, 0, 0), (0, 0, 0, 1), (1, 0, 0, 2)]) as connection:
        connection.execute(
            "CREATE TABLE population AS SELECT c0, 1 AS records"
            " FROM (VALUES (0), (0), (0), (0), (1), (2)) v(c0)"
        )
        assert tuple(map(int, connection.execute(statistics_query(layout, wanted).sql).fetchall()[0])) == (
            1,
            1,
        )


def test_class_values_have_a_row_a_class():
    """The distinct sensitive values of every class, next to the class's size."""
    layout = Layout(table="coded", keys=("c0",), value="c2")
    with table([(0, 0, 0, 0), (0, 0, 1, 1), (1, 0, 0, 2)]) as connection:
        assert sorted(connection.execute(class_values_sql(layout, DISTINCT)).fetchall()) == [(1, 1), (2, 2)]


def test_one_name_with_two_meanings_is_refused():
    """Two class values of one name and different SQL cannot share a statement."""
    other = ClassValue(name="distinct_values", sql="max(n)")
    wanted = [ALL[5], Statistic(name="x", sql="max(distinct_values)", values=(other,))]
    with pytest.raises(ValueError, match="two meanings"):
        statistics_query(Layout(table="coded", keys=("c0",), value="c2"), wanted)


def test_cell_values_need_a_sensitive_attribute():
    """Without a sensitive attribute there are no cells to aggregate."""
    with pytest.raises(ValueError, match="sensitive attribute"):
        statistics_query(Layout(table="coded", keys=("c0",)), [ALL[6]])


@pytest.mark.parametrize("entity", [None, "entity"], ids=["records", "entities"])
def test_the_text_is_the_reviewed_one(entity):
    """The rendered SQL is what was reviewed; delete the snapshot file to write it anew."""
    layout = Layout(table="coded", keys=("c0 + 3 * c1",), value="c2", entity=entity)
    path = SNAPSHOTS / f"statistics_{'entities' if entity else 'records'}.sql"
    text = statistics_query(layout, ALL).sql + "\n"
    if not path.exists():
        path.write_text(text, encoding="utf-8")
        pytest.fail("a new snapshot was written; review it and run again")
    assert path.read_text(encoding="utf-8") == text
