"""Published values in place of a snapshot's own: types, round trips, atomicity, no value in an error."""

import datetime as dt
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.engines.duckdb.snapshot import private_copy
from qidguard.sdk import DataError, EngineSettings, Needs, Original, QidguardError, ReadOptions, Recoded

NAN = float("nan")
INF = float("inf")
DAY = dt.date(2020, 2, 29)
MOMENT = dt.datetime(2020, 2, 29, 1, 2, 3, 4)  # noqa: DTZ001 - a moment without a zone is what is tested
MIDNIGHT = dt.datetime(2020, 2, 29)  # noqa: DTZ001 - the same
EVENING = dt.datetime(2020, 2, 28, 22)  # noqa: DTZ001 - the same
EAST = dt.timezone(dt.timedelta(hours=2))


def snapshot(source, place=None, **options):
    """Return a snapshot that keeps its files in a folder."""
    own = EngineSettings(threads=1, spill_directory=None if place is None else str(place))
    return ENGINE.snapshot(source, ReadOptions(**options), own)


def recoded(*values, codes=None):
    """Return one published value a record, or those of the codes."""
    places = np.arange(len(values)) if codes is None else np.array(codes)
    return Recoded(codes=places, values=tuple(values))


def every(records):
    """Return that all records are kept."""
    return np.ones(records, dtype=bool)


def told(column):
    """Return the texts of a column, record by record."""
    return [column.texts[code] for code in column.codes]


def written(taken, path):
    """Return the types and rows of what a snapshot publishes."""
    taken.write(path, taken.names, "parquet", seed=None)
    with duckdb.connect() as database:
        rows = database.execute(f"SELECT * FROM '{path}'").fetchall()
    path.unlink()
    return list(taken.types().values()), rows


SOURCES = {
    "int8": ([1, -2, None], pa.int8()),
    "int64": ([2**60 + 1, None, -1], pa.int64()),
    "uint64": ([2**64 - 1, 0, None], pa.uint64()),
    "float": ([0.1, -0.0, NAN], pa.float32()),
    "double": ([0.1 + 0.2, -0.0, NAN, INF, -INF, None, 5e-324], pa.float64()),
    "decimal": ([Decimal("1.50"), Decimal("-0.05"), None], pa.decimal128(38, 2)),
    "wide decimal": ([Decimal(10) ** 37, None], pa.decimal128(38, 0)),
    "date": ([DAY, None, dt.date(1, 1, 1)], pa.date32()),
    "moment": ([MOMENT, None], pa.timestamp("us")),
    "nanoseconds": ([1_582_938_123_000_000_001, None], pa.timestamp("ns")),
    "boolean": ([True, None, False], pa.bool_()),
    "text": (["", " a", "it's", '"', "é", "\x00", None, "1", "01", "*"], pa.string()),
    "nothing": ([None, None], pa.string()),
}


@pytest.mark.samples(2)
@pytest.mark.parametrize("kind", SOURCES)
def test_original_values_come_back_exactly(kind):
    """Types and content digest are those of the untouched snapshot, in any order of the published values."""
    values, arrow = SOURCES[kind]
    table = pa.table({"x": pa.array(values, type=arrow), "y": range(len(values))})
    with snapshot(table) as taken:
        column = taken.column("x")
        back = [Original(code) for code in reversed(range(len(column.texts)))]
        same = Recoded(codes=len(back) - 1 - column.codes, values=tuple(back))
        with taken.recode({"x": same}, every(len(values))) as after:
            facts = [
                (one.types(), one.content_digest(["x", "y"]), one.names, one.format, one.notes)
                for one in (taken, after)
            ]
            assert facts[0] == facts[1]
            assert after.column("x").codes.tolist() == column.codes.tolist()


def test_original_texts_come_back_letter_by_letter(tmp_path):
    """In a CSV 01, 1 and 1.0 are three texts."""
    (tmp_path / "x.csv").write_text("x,y\n1,a\n01,\n1.0,*\n,b\n", encoding="utf-8")
    with snapshot(tmp_path / "x.csv") as taken:
        columns = {
            c.name: Recoded(codes=c.codes, values=tuple(map(Original, range(len(c.texts)))))
            for c in taken.columns(["x", "y"])
        }
        with taken.recode(columns, every(4)) as after:
            found = [(one.content_digest(["x", "y"]), one.format) for one in (taken, after)]
    assert found[0] == found[1]


TYPES = [
    (pa.int16(), [7, 8], (1, 2), "BIGINT", [1, 2]),
    (pa.int16(), [7, 8], (Original(1), 40_000), "BIGINT", [7, 40_000]),
    (pa.int16(), [7, 8], (Original(1), 2.5), "DOUBLE", [7.0, 2.5]),
    (pa.int16(), [7, 8], (Original(1), None), "SMALLINT", [7, None]),
    (pa.int16(), [7, 8], (Original(1), "[7, 8]"), "VARCHAR", ["7", "[7, 8]"]),
    (pa.int16(), [7, 8], (2.0, "*"), "VARCHAR", ["2", "*"]),
    (pa.int16(), [7, 8], (None, None), "SMALLINT", [None, None]),
    (pa.int16(), [7, 8], (None, 3), "BIGINT", [None, 3]),
    (pa.uint64(), [2**64 - 1, 8], (Original(2), 1), "HUGEINT", [2**64 - 1, 1]),
    (pa.int64(), [7, 8], (2**63, -1), "HUGEINT", [2**63, -1]),
    (pa.int64(), [7, 8], (2**200, -1), "VARCHAR", [str(2**200), "-1"]),
    (pa.float32(), [0.1, 8], (Original(1), 2.5), "DOUBLE", [0.1, 2.5]),
    (pa.float64(), [17, 8], (Original(2), 17), "DOUBLE", [17.0, 17.0]),
    (pa.float64(), [17, 8], (Original(2), 17, "no record has it"), "VARCHAR", ["17.0", "17.0"]),
    (pa.float64(), [17, 8], (17.0, 1e300, "no record has it"), "VARCHAR", ["17", "1e+300"]),
    (pa.float64(), [17, 8], (-0.0, -NAN), "DOUBLE", None),
    (pa.float64(), [17, 8], (None, INF), "DOUBLE", [None, INF]),
    (pa.decimal128(9, 2), [Decimal("0.10"), 8], (Original(1), 2.5), "DOUBLE", [0.1, 2.5]),
    (pa.date32(), [DAY, None], (Original(1), dt.date(2020, 1, 1)), "DATE", [DAY, dt.date(2020, 1, 1)]),
    (pa.date32(), [DAY, None], (MOMENT, DAY), "TIMESTAMP", [MOMENT, MIDNIGHT]),
    (pa.date32(), [DAY, None], (Original(1), "2020"), "VARCHAR", ["2020-02-29", "2020"]),
    (pa.timestamp("us"), [MOMENT, None], (Original(1), DAY), "TIMESTAMP", [MOMENT, MIDNIGHT]),
    (pa.timestamp("us"), [MOMENT, None], (MIDNIGHT.replace(tzinfo=EAST), None), "TIMESTAMP", [EVENING, None]),
    (pa.timestamp("ns"), [1, None], (Original(1), MOMENT), "TIMESTAMP_NS", None),
    (pa.bool_(), [True, None], (Original(1), False), "BOOLEAN", [True, False]),
    (pa.bool_(), [True, None], (Original(1), 0), "VARCHAR", ["true", "0"]),
    (pa.string(), ["a", "b"], (Original(1), "c"), "VARCHAR", ["a", "c"]),
    (pa.string(), ["a", "b"], (1, 2), "BIGINT", [1, 2]),
    (pa.string(), ["a", "b"], (True, "x"), "VARCHAR", ["true", "x"]),
]


@pytest.mark.samples(2)
@pytest.mark.parametrize(("arrow", "source", "values", "kind", "expected"), TYPES)
def test_the_type_is_that_of_all_published_values(tmp_path, arrow, source, values, kind, expected):
    """Numbers stay numbers and dates dates; once one is text, all are; a missing value changes nothing."""
    table = pa.table({"x": pa.array(source, type=arrow)})
    with snapshot(table) as taken, taken.recode({"x": recoded(*values, codes=[0, 1])}, every(2)) as after:
        types, rows = written(after, tmp_path / "x.parquet")
    assert types == [kind]
    assert expected in (None, [row[0] for row in rows])


def test_nan_is_a_value_and_none_is_none():
    """What is published as NaN is one value, as every NaN is; a missing one is NULL; -0.0 is 0.0."""
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    with snapshot(frame) as taken, taken.recode({"x": recoded(NAN, -NAN, None, -0.0)}, every(4)) as after:
        assert told(after.column("x")) == ["nan", "nan", None, "0.0"]


READ = [25, 25.0, 0.1, 1e300, -0.0, True, DAY, MOMENT, "[1, 5]", None]
TEXTS = ["25", "25", "0.1", "1e+300", "0", "true", "2020-02-29", "2020-02-29 01:02:03.000004", "[1, 5]", None]


def test_a_text_source_gets_texts(tmp_path):
    """A CSV has no types, so every value is written as it reads."""
    (tmp_path / "x.csv").write_text("x,y\n" + "1,a\n" * 10 + "2,b\n", encoding="utf-8")
    published = {"x": recoded(*READ, Original(2))}
    with snapshot(tmp_path / "x.csv") as taken, taken.recode(published, every(11)) as after:
        assert after.types() == {"x": "VARCHAR", "y": "VARCHAR"}
        assert told(after.column("x")) == [*TEXTS, "2"]


def test_kept_records_keep_their_order_and_their_own_values():
    """A published code stands for each record of the source, suppressed ones too."""
    frame = pd.DataFrame({"x": [5, 6, 7, 8], "y": list("abcd")})
    kept = np.array([True, False, True, True])
    with snapshot(frame) as taken:
        before = taken.content_digest(["x", "y"])
        with taken.recode({"x": recoded("p", "q", codes=[0, 1, 0, 1])}, kept) as after:
            assert [*map(told, after.columns(["x", "y"]))] == [["p", "p", "q"], ["a", "c", "d"]]
            assert after.records == 3
        assert taken.content_digest(["x", "y"]) == before


def test_what_was_recoded_can_be_recoded_audited_and_copied():
    """It is a snapshot like any other."""
    with (
        snapshot(pd.DataFrame({"x": [1, 2], "y": [1, 1]})) as taken,
        taken.recode({"x": recoded("[1, 2]", codes=[0, 0])}, every(2)) as once,
        once.recode({"x": recoded(Original(1), codes=[0, 0])}, every(2)) as twice,
        snapshot(twice) as copied,
        ENGINE.open(copied, ReadOptions(), Needs(), EngineSettings(threads=1)) as table,
    ):
        assert [column.distinct for column in table.columns] == [1, 1]
        assert copied.content_digest(["x"]) == once.content_digest(["x"])


OUR_OWN = ("position", "place", "value", "published", "kept")
NAMES = ('a"b', "it's", "select", "Ünï", "a;--", "c0", "A", *OUR_OWN, *(f"x{i}" for i in range(290)))


@pytest.mark.parametrize("names", [NAMES[:12], pytest.param(NAMES, marks=pytest.mark.slow)], ids=len)
def test_names_are_only_names(names):
    """Quotes, words of SQL and names of our own change nothing, and three hundred columns change at once."""
    frame = pd.DataFrame({name: [1, 2] for name in names})
    columns = {name: recoded(name, Original(2)) for name in names}
    with snapshot(frame) as taken, taken.recode(columns, every(2)) as after:
        found = after.columns(names)
    assert [one.texts for one in found] == [(None, *sorted([x, "2"], key=str.encode)) for x in names]


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("columns", "error", "said"),
    [
        ({"z": recoded(1, 2)}, DataError, "no column 'z'"),
        ({"x": recoded(1)}, ValueError, "'x' are not one for each record"),
        ({"x": recoded(Original(3), codes=[0, 0])}, ValueError, "'x' is an original one that there is not"),
        ({"x": recoded(Original(-1), codes=[0, 0])}, ValueError, "'x' is an original one that there is not"),
        ({"x": recoded("SECRET\ud800", codes=[0, 0])}, ValueError, "'x' is no Unicode"),
        ({"y": recoded(1, 2), "x": recoded("SECRET\ud800", codes=[0, 0])}, ValueError, "'x' is no Unicode"),
    ],
)
def test_a_mistake_leaves_nothing_behind(tmp_path, columns, error, said):
    """Whatever cannot be published is one sentence without a value, and no file stays."""
    with snapshot(pd.DataFrame({"x": ["SECRET1", "SECRET2"], "y": [1, 2]}), tmp_path) as taken:
        before = sorted(tmp_path.rglob("*"))
        digest = taken.content_digest(["x", "y"])
        with pytest.raises(error, match=said) as caught:
            taken.recode(columns, every(2))
        assert "SECRET" not in str(caught.value)
        assert caught.value.__cause__ is None
        assert sorted(tmp_path.rglob("*")) == before
        assert taken.content_digest(["x", "y"]) == digest
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mask", [[True], [1, 0], [[True], [True]]])
def test_what_is_kept_is_one_truth_value_a_record(mask):
    """Anything else is a mistake of the caller, and a table without records is never published."""
    with snapshot(pd.DataFrame({"x": [1, 2]})) as taken:
        with pytest.raises(ValueError, match="truth value"):
            taken.recode({"x": recoded(1, 2)}, np.array(mask))
        with pytest.raises(DataError, match="No record is kept"):
            taken.recode({"x": recoded(1, 2)}, ~every(2))


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError("Query interrupted"), None])
def test_an_interrupt_leaves_nothing_behind(tmp_path, monkeypatch, error):
    """Ctrl-C or a failure half-way removes what was begun; what the database says of a value is not told."""
    with snapshot(pd.DataFrame({"x": [1, 2]}), tmp_path) as taken:
        before = sorted(tmp_path.rglob("*"))

        def fail(connection, *_args, **_named):
            if error is None:
                connection.duckdb.execute("SELECT CAST('SECRET' AS INTEGER)")
            raise error

        monkeypatch.setattr(private_copy, "copy_staged", fail)
        expected = QidguardError if error is None else (KeyboardInterrupt, MemoryError)
        with pytest.raises(expected) as caught:
            taken.recode({"x": recoded(1, 2)}, every(2))
        assert "SECRET" not in str(caught.value)
        assert sorted(tmp_path.rglob("*")) == before
        assert taken.column("x").codes.tolist() == [1, 2]


CELL = st.one_of(st.none(), st.integers(-5, 5), st.floats(), st.dates(), st.booleans(), st.text(max_size=3))


@pytest.mark.slow
@settings(max_examples=examples(15, fewest=4), derandomize=True, database=None, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=1, max_size=6).flatmap(
        lambda source: st.tuples(
            st.just(source),
            st.lists(st.one_of(CELL, st.sampled_from(range(4)).map(Original)), min_size=1, max_size=5),
            st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=len(source), max_size=len(source)),
        )
    )
)
def test_each_record_gets_its_own_value(drawn):
    """Records of one published value are one class, and a missing value is one."""
    source, values, cells = drawn
    frame = pd.DataFrame({"x": pd.array(source, dtype="Int64"), "n": range(len(source))})
    kept = np.array([is_kept for is_kept, _ in cells])
    kept[0] = True
    codes = np.array([place % len(values) for _, place in cells])
    with snapshot(frame) as taken:
        distinct = taken.column("x").distinct
        values = [Original(min(v.code, distinct)) if isinstance(v, Original) else v for v in values]
        with taken.recode({"x": Recoded(codes=codes, values=tuple(values))}, kept) as after:
            found = after.column("x")
            assert after.column("n").texts[1:] == tuple(str(n) for n in np.flatnonzero(kept))
            assert after.column("n").codes.tolist() == list(range(1, int(kept.sum()) + 1))
        assert taken.records == len(source)
        null = [v is None or (isinstance(v, Original) and v.code == 0) for v in values]
    assert [null[code] for code in codes[kept]] == (found.codes == 0).tolist()
    by_published = {}
    for code, now in zip(codes[kept], found.codes, strict=True):
        assert by_published.setdefault(int(code), int(now)) == now


@pytest.mark.slow
def test_a_million_records():
    """Eight columns of a million records hold their seven intervals."""
    generator = np.random.default_rng(1)
    frame = pd.DataFrame({f"x{i}": generator.integers(0, 70, 1_000_000) for i in range(8)})
    tens = tuple(f"[{i}0, {i}9]" for i in range(7))
    columns = {name: Recoded(codes=frame[name].to_numpy() // 10, values=tens) for name in frame}
    kept = generator.random(1_000_000) < 0.9
    with snapshot(frame) as taken, taken.recode(columns, kept) as after:
        assert after.column("x7").distinct == 7
