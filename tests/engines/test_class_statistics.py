"""Statistics of classes in arrays against the database's own rows, one for each that a row stands for."""

import random

import duckdb
import numpy as np
import pytest

from qidguard.core.statistic import CLASSES, PERSONS, SMALLEST_CLASS, ClassValue, RowSource, Statistic
from qidguard.engines.classes import AttributeValues, Chunk, ChunkCells, ChunkPersons, Unsupported
from qidguard.engines.duckdb.class_statistics import TIMES, class_statistic, take_statistics, weighted

AGGREGATES = [
    "count(*)", "count(i)", "COUNT(x)", "sum(i)", "sum(i * i)", "sum(0.5 * i)", "min(i)", "max(i)",
    "min(x)", "max(x)", "sum(CAST(x AS DECIMAL(38, 18)))", "-sum(CAST(x AS DECIMAL(38, 18)))",
    "max(CAST(x AS DECIMAL(38, 18)))", "sum(CAST(1.0 / i AS DECIMAL(38, 18)))", "max(i) - count(*)",
    "sum(i) / count(*)", "sum(CASE WHEN i > 2 THEN i ELSE 0 END)", "sum(i) * 2", "sum(1)", "max(x + i)",
    "sum(CAST(i AS DECIMAL(38, 18))) / sum(i)", "coalesce(min(x), 0.0)", "max(ln(abs(x)))",
    "sum(CASE WHEN i IN (1, 2) AND NOT x IS NULL THEN 1 END)", "sum(CASE WHEN i BETWEEN 1 AND 3 THEN 1 END)",
    "greatest(count(i), count(x)) - least(min(i), 3)", "count(i) -- comment",
]  # fmt: skip


@pytest.fixture(scope="module")
def database():
    """Return a database with forty rows in four groups, values missing among them."""
    chance = random.Random(7)  # noqa: S311 - no secret
    with duckdb.connect() as opened:
        opened.execute(f"CREATE TABLE t (g INTEGER, i BIGINT, x DOUBLE, {TIMES} BIGINT)")
        opened.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?)",
            [
                (
                    chance.randrange(4),
                    chance.choice([None, 1, 2, 3, 4]),
                    chance.choice([None, 0.5, 0.0, chance.random(), -chance.random()]),
                    chance.randrange(1, 4),
                )
                for _ in range(40)
            ],
        )
        yield opened


@pytest.mark.parametrize("sql", AGGREGATES)
def test_a_row_that_stands_for_several_counts_as_often(database, sql):
    """The rewritten aggregate gives what as many rows give, in the very same type."""
    one_by_one = f"t JOIN range(3) ON range < {TIMES}"
    expected = database.execute(
        f"SELECT g, typeof(a), a FROM (SELECT g, ({sql}\n) AS a FROM {one_by_one} GROUP BY g) ORDER BY g"
    ).fetchall()
    found = weighted(database, sql, is_weighted=True).sql
    actual = database.execute(
        f"SELECT g, typeof(a), a FROM (SELECT g, ({found}) AS a FROM t GROUP BY g) ORDER BY g"
    ).fetchall()
    assert list(map(repr, expected)) == list(map(repr, actual))


@pytest.mark.parametrize(
    "sql",
    [
        "", "i +", "(i", "i i", "sqrt(i)", "avg(i)", "count(DISTINCT i)", "i % 2", "i || 'a'", "median(i)",
        "(SELECT 1)", "sum(i) OVER ()", "sum(i) FILTER (WHERE i > 1)", "list(i ORDER BY i)", "t.i", "*",
        "i; DROP TABLE t", "1) AS x, (2", "1) FROM t WHERE (true", "random()", "?", "sum(i, x)",
    ],
)  # fmt: skip
def test_what_is_not_known_to_come_out_the_same_is_refused(database, sql):
    """A text that is not understood wholly is left to the table, never guessed at."""
    with pytest.raises(Unsupported):
        weighted(database, sql, is_weighted=True)


def chunk(sizes, times, **more):
    """Return one set of classes."""
    return Chunk(
        sets=np.array([0]), starts=np.array([0]), size=np.array(sizes), times=np.array(times), **more
    )


def taken(statistic, of, values=None, *, has_attribute=False, has_entities=False):
    """Return a statistic of the only set of a chunk."""
    ready = class_statistic(statistic, has_attribute=has_attribute, has_entities=has_entities)
    [[found]] = take_statistics([ready], (of, values))
    return found


def over(sql, *values, source=RowSource.CLASSES):
    """Return a statistic."""
    return Statistic(name="s", sql=sql, source=source, values=values)


def test_classes_are_counted_as_often_as_they_stand_for():
    """Three classes of 2 and one of 5 are four classes of eleven persons."""
    of = chunk([2, 5], [3, 1])
    assert [taken(s, of) for s in (CLASSES, SMALLEST_CLASS, PERSONS)] == [4, 2, 11.0]
    assert taken(over("1.0 / size", source=RowSource.PERSONS), of) == 4.0


def test_entities_are_persons():
    """Of three entities two have a smallest class of 2."""
    of = chunk(
        [2, 3],
        [1, 1],
        persons=ChunkPersons(starts=np.array([0]), size=np.array([2, 3]), times=np.array([2, 1])),
    )
    assert taken(over("size", source=RowSource.PERSONS), of, has_entities=True) == 7.0
    assert taken(PERSONS, of, has_entities=True) == 3.0


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("max(n)", 2), ("count(*)", 2), ("sum(n)", 3), ("max(total)", 3), ("max(value)", 7),
        ("max(share)", 2 / 3), ("max(table_n)", 6), ("max(table_share)", 0.6),
        ("min(table_values)", 3), ("max(number)", 1.5), ("count(number)", 1), ("max(size)", 3),
    ],
)  # fmt: skip
def test_class_values_are_over_cells(sql, expected):
    """A class of three: two have the value of code 7, which is 1.5, and one has none."""
    values = AttributeValues(
        code=np.array([0, 3, 7]), persons=np.array([3, 1, 6]), number=np.array([np.nan, 0.5, 1.5])
    )
    cells = ChunkCells(starts=np.array([0]), n=np.array([1, 2]), value=np.array([0, 2]))
    value = ClassValue(name="v", sql=sql)
    assert taken(over("min(v)", value), chunk([3], [1], cells=cells), values, has_attribute=True) == expected


@pytest.mark.parametrize(
    "sql", ["sum(1.0 / size)", "size", "sum(sum(size))", "sum(unknown)", "'text'", "sum(size > 1)"]
)
def test_what_depends_on_the_order_of_rows_or_is_no_number_is_refused(sql):
    """Sums of floating-point numbers differ with the order; a bare column and a text are no figures."""
    with pytest.raises(Unsupported):
        class_statistic(over(sql), has_attribute=False, has_entities=False)


def test_a_cell_is_not_counted_where_there_is_no_attribute():
    """The table's own SQL refuses it too."""
    with pytest.raises(Unsupported):
        class_statistic(
            over("min(v)", ClassValue(name="v", sql="count(*)")), has_attribute=False, has_entities=False
        )


def test_a_number_that_the_database_cannot_hold_is_left_to_the_table():
    """A product beyond 64 bits is an error there, and no figure here."""
    with pytest.raises(Unsupported):
        taken(over("max(size * size)"), chunk([2**40], [1]))


@pytest.mark.slow
def test_chunk_after_chunk_is_its_own():
    """No statement sees the arrays of another one before it."""
    generator = np.random.default_rng(1)
    ready = [
        class_statistic(s, has_attribute=False, has_entities=False)
        for s in (CLASSES, SMALLEST_CLASS, PERSONS)
    ]
    for _ in range(200):
        lengths = generator.integers(1, 50, generator.integers(1, 20))
        starts = np.cumsum(lengths) - lengths
        size, times = generator.integers(1, 9, lengths.sum()), generator.integers(1, 4, lengths.sum())
        of = Chunk(sets=np.arange(len(starts)), starts=starts, size=size, times=times)
        expected = [
            np.add.reduceat(times, starts).tolist(),
            np.minimum.reduceat(size, starts).tolist(),
            np.add.reduceat(size * times, starts).tolist(),
        ]
        assert expected == take_statistics(ready, (of, None))
