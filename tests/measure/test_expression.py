"""The small SQL over arrays against the database that it stands for."""

import random
from fractions import Fraction

import duckdb
import numpy as np
import pytest

from qidguard.measure.expression.evaluate import Rows, evaluate_rows, evaluate_runs
from qidguard.measure.expression.parse import parse
from qidguard.measure.expression.unsupported import Unsupported
from qidguard.measure.expression.vector import Kind, Vector, doubles, numbers

ROWS = 40

ROWWISE = [
    "i + 1", "i - j", "i * j", "i / j", "-i", "+i", "1.0 * i / j", "0.5 * i", "i * 0.25 + 1.5",
    "2.5 - 1.25", "x + i", "x * y", "x / y", "x / 0", "0.0 / 0", "x - 0.5", "ln(x)", "ln(abs(x))",
    "ln(i)", "abs(x)", "abs(-i)", "abs(-1.5)", "x < y", "x <= 0.5", "i = j", "i <> j", "i != 2",
    "i >= j AND x < y", "i > j OR x < y", "NOT (i > j OR x < y)", "i IN (1, 2, NULL)",
    "i NOT IN (1, 2)", "i BETWEEN 1 AND 3", "i NOT BETWEEN 1 AND 2", "i IS NULL", "x IS NOT NULL",
    "coalesce(x, 0)", "coalesce(i, j, -1)", "coalesce(NULL, 0.5)", "greatest(x, y)",
    "greatest(x, y, 0.0)", "least(i, j)", "least(i, 0.5)", "CASE WHEN i > 2 THEN 1 ELSE 0 END",
    "CASE WHEN i > 2 THEN 1 WHEN i > 1 THEN 0.5 END", "CASE WHEN x > 0 THEN 1.0 * i / j ELSE i END",
    "CASE WHEN i IS NULL THEN x END", "CAST(x AS DOUBLE)", "CAST(i AS DECIMAL(38, 18))",
    "CAST(x AS DECIMAL(38,18))", "CAST(i AS BIGINT)", "CAST(0.1 AS DOUBLE)",
    "CAST(x AS DECIMAL(38, 18)) + i", "i * CAST(x AS DECIMAL(38, 18))", "-CAST(x AS DECIMAL(38, 18))",
    "CAST(x AS DECIMAL(38, 18)) < CAST(y AS DECIMAL(38, 18))", "CAST(x AS DECIMAL(38, 18)) = 0.5",
    "CAST(CAST(x AS DECIMAL(38, 18)) AS DOUBLE)", "CAST(x AS DECIMAL(38, 18)) / 3",
    "abs(CAST(x AS DECIMAL(38, 18)))", "CAST(x AS DECIMAL(38, 18)) - CAST(y AS DECIMAL(38, 18)) <= 0",
    "1e3 * i", "i + NULL", "NULL = NULL", "greatest(CAST(x AS DECIMAL(38, 18)), 0)",
    "CAST(x AS DECIMAL(38, 18)) <> CAST(y AS DECIMAL(38, 18))", "true OR i > 1", "i > 1 AND false",
]  # fmt: skip

AGGREGATES = [
    "count(*)", "count(i)", "count(x)", "sum(i)", "sum(i * i)", "sum(0.5 * i)", "min(i)", "max(i)",
    "min(x)", "max(x)", "sum(CAST(x AS DECIMAL(38, 18)))", "-sum(CAST(x AS DECIMAL(38, 18)))",
    "max(CAST(x AS DECIMAL(38, 18)))", "min(CAST(x AS DECIMAL(38, 18)))",
    "sum(CAST(1.0 / i AS DECIMAL(38, 18)))", "max(i) - count(*)", "sum(i) / count(*)",
    "sum(CASE WHEN i > 2 THEN i ELSE 0 END)", "sum(i) * 2", "sum(CAST(i AS DECIMAL(38, 18)))", "sum(1)",
    "max(x + i)", "sum(CAST(i AS DECIMAL(38, 18))) / sum(i)", "coalesce(min(x), 0.0)",
    "sum(CAST(big AS DECIMAL(38, 18)))", "sum(CAST(small AS DECIMAL(38, 18)))", "max(ln(abs(big)))",
    "max(CAST(big AS DECIMAL(38, 18)))", "min(-CAST(big AS DECIMAL(38, 18)))",
]  # fmt: skip


@pytest.fixture(scope="module")
def rows():
    """Return a table of the database and the same rows as vectors, in runs."""
    chance = random.Random(7)  # noqa: S311 - no secret
    records = sorted((record(chance) for _ in range(ROWS)), key=lambda one: one[0])
    with duckdb.connect() as database:
        database.execute(
            "CREATE TABLE t (pos INTEGER, g INTEGER, i BIGINT, j BIGINT,"
            " x DOUBLE, y DOUBLE, big DOUBLE, small DOUBLE)"
        )
        database.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(pos, *one) for pos, one in enumerate(records)],
        )
        columns = list(zip(*records, strict=True))
        vectors = {name: whole(columns[at]) for name, at in (("i", 1), ("j", 2))}
        for name, at in (("x", 3), ("y", 4), ("big", 5), ("small", 6)):
            vectors[name] = doubles(np.array([np.nan if v is None else v for v in columns[at]]))
        groups = np.array(columns[0])
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        yield database, Rows(columns=vectors, times=np.ones(ROWS, dtype=np.int64), starts=starts)


def record(chance):
    """Return a run, two whole numbers, two floating-point ones, a large and a small one."""
    return (
        chance.randrange(4),
        chance.choice([None, 1, 2, 3, 4]),
        chance.choice([None, 1, 2, 5]),
        chance.choice([None, 0.5, 0.0, chance.random(), -chance.random()]),
        chance.choice([None, 0.5, chance.random(), -chance.random()]),
        chance.choice([chance.random() * 10 ** chance.randrange(19), -chance.random() * 1e6]),
        chance.random() * 10.0 ** -chance.randrange(10, 18),
    )


def whole(values):
    """Return whole numbers with NULL."""
    null = np.array([v is None for v in values])
    return Vector(Kind.INTEGER, np.array([v or 0 for v in values], dtype=np.int64), null)


def same(expected, found):
    """Compare number by number: equal to the last digit, NaN with NaN, NULL with NULL."""
    expected = [float(v) if isinstance(v, Fraction) or type(v).__name__ == "Decimal" else v for v in expected]
    found = numbers(found) if found.kind is not Kind.BOOLEAN else truths(found)
    assert list(map(repr, expected)) == list(map(repr, found))


def truths(vector):
    """Return truth values with None for NULL."""
    null = np.zeros(ROWS, dtype=bool) if vector.null is None else vector.null
    return [None if n else bool(v) for v, n in zip(vector.data.tolist(), null.tolist(), strict=True)]


@pytest.mark.parametrize("sql", ROWWISE)
def test_a_row_is_what_the_database_says(rows, sql):
    """Every operator and function gives the database's number, its NULL and its last digit."""
    database, given = rows
    expected = [value for (value,) in database.execute(f"SELECT {sql} FROM t ORDER BY pos").fetchall()]
    same(expected, evaluate_rows(parse(sql), given))


@pytest.mark.parametrize("sql", AGGREGATES)
def test_a_run_is_what_the_database_says(rows, sql):
    """Every aggregate gives the database's number for each group."""
    database, given = rows
    expected = [v for (v,) in database.execute(f"SELECT {sql} FROM t GROUP BY g ORDER BY g").fetchall()]
    same(expected, evaluate_runs(parse(sql), given))


@pytest.mark.parametrize("sql", AGGREGATES)
def test_a_row_that_stands_for_three_counts_three_times(rows, sql):
    """Rows with a multiplicity give what as many rows give."""
    database, given = rows
    expected = database.execute(f"SELECT {sql} FROM t CROSS JOIN range(3) GROUP BY g ORDER BY g").fetchall()
    thrice = Rows(columns=given.columns, times=given.times * 3, starts=given.starts)
    same([value for (value,) in expected], evaluate_runs(parse(sql), thrice))


@pytest.mark.parametrize(
    "sql",
    [
        "", "i +", "(i", "i i", "sqrt(i)", "avg(i)", "count(DISTINCT i)", "i % 2", "i // 2", "i || 'a'",
        "'text'", "(SELECT 1)", "sum(i) OVER ()", "sum(i) FILTER (WHERE i > 1)", "CAST(i AS VARCHAR)",
        "CAST(i AS DECIMAL(9, 2))", "i NOT 1", "1 < i < 3", "min(i, j)", "ln()", "CASE END",
        "i; DROP TABLE t", "i -- comment",
    ],
)  # fmt: skip
def test_what_is_outside_the_language_is_left_to_the_database(sql):
    """A text that is not understood wholly is refused, never guessed at."""
    with pytest.raises(Unsupported):
        parse(sql)


@pytest.mark.parametrize(
    "sql", ["sum(x)", "i", "sum(sum(i))", "sum(unknown)", "sum(i > 1)", "sum(CAST(1 / 0 AS DECIMAL(38, 18)))"]
)
def test_an_aggregate_that_arrays_cannot_hold_exactly_is_refused(rows, sql):
    """Sums of doubles depend on their order; a bare column, infinities and truth values have no sum."""
    with pytest.raises(Unsupported):
        evaluate_runs(parse(sql), rows[1])


def test_a_number_beyond_sixty_two_bits_is_refused(rows):
    """What could wrap around is left to the database, which has 128 bits or says so."""
    large = Vector(Kind.INTEGER, np.full(ROWS, 2**40, dtype=np.int64))
    given = Rows(columns={"i": large}, times=rows[1].times, starts=rows[1].starts)
    with pytest.raises(Unsupported):
        evaluate_runs(parse("sum(i * i)"), given)
    with pytest.raises(Unsupported):
        evaluate_rows(parse("3000000000 + i"), given)
