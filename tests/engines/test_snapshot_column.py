"""Columns of a snapshot with their values: codes, texts, numbers and types of whatever a source may hold."""

import datetime as dt
import math
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
from qidguard.sdk import DataError, EngineSettings, ReadOptions, ValueType

NAN = float("nan")
INF = float("inf")
ONE_THREAD = EngineSettings(threads=1)


def snapshot(source, **options):
    """Return a snapshot."""
    return ENGINE.snapshot(source, ReadOptions(**options), ONE_THREAD)


def read(values, kind=None, mark=None):
    """Return the column of these values of an Arrow table."""
    with snapshot(pa.table({"x": pa.array(values, type=kind)})) as taken:
        return taken.column("x", suppression_mark=mark)


def csv(folder, lines, **options):
    """Return a snapshot of a CSV with one more column, so that an empty field is a field."""
    (folder / "x.csv").write_text("x,y\n" + "".join(f"{line},0\n" for line in lines), encoding="utf-8")
    return snapshot(folder / "x.csv", **options)


def listed(column):
    """Return type, codes, texts and numbers of a column as plain values; NaN as None."""
    numbers = column.numbers
    shown = (
        None if numbers is None else [None if math.isnan(number) else number for number in numbers.tolist()]
    )
    return column.value_type.value, column.codes.tolist(), column.texts, shown


DAY = dt.date(1970, 1, 11)
MOMENT = dt.datetime(1970, 1, 2, 12)  # noqa: DTZ001 - a moment without a zone is what is tested

TYPED = {
    "integers": ([10, 9, None, 10], pa.int64(), ("integer", [2, 1, 0, 2], (None, "9", "10"), [None, 9, 10])),
    "small": ([-1, 1], pa.int8(), ("integer", [1, 2], (None, "-1", "1"), [None, -1, 1])),
    "unsigned": (
        [2**64 - 1, 0],
        pa.uint64(),
        ("integer", [2, 1], (None, "0", "18446744073709551615"), [None, 0, 2.0**64]),
    ),
    "floats": (
        [1.5, -0.0, 0.0, None, NAN, -NAN, INF, -INF],
        pa.float64(),
        (
            "number",
            [3, 2, 2, 0, 5, 5, 4, 1],
            (None, "-inf", "0.0", "1.5", "inf", "nan"),
            [None, None, 0, 1.5, None, None],
        ),
    ),
    "floats of four bytes": (
        [0.1, -0.0],
        pa.float32(),
        ("number", [2, 1], (None, "0.0", "0.1"), [None, 0, float(np.float32(0.1))]),
    ),
    "decimals": (
        [Decimal("10.50"), Decimal("9.00")],
        pa.decimal128(10, 2),
        ("number", [2, 1], (None, "9.00", "10.50"), [None, 9, 10.5]),
    ),
    "dates": (
        [DAY, None, dt.date(1969, 12, 31)],
        pa.date32(),
        ("date", [2, 0, 1], (None, "1969-12-31", "1970-01-11"), [None, -1, 10]),
    ),
    "moments": (
        [MOMENT, dt.datetime(1970, 1, 1)],  # noqa: DTZ001 - the same
        pa.timestamp("us"),
        ("timestamp", [2, 1], (None, "1970-01-01 00:00:00", "1970-01-02 12:00:00"), [None, 0, 1.5]),
    ),
    "Booleans": (
        [True, None, False],
        pa.bool_(),
        ("boolean", [2, 0, 1], (None, "false", "true"), [None, 0, 1]),
    ),
    "text": (
        ["b", "", "é", None, "B", "10", "9"],
        pa.string(),
        ("text", [5, 1, 6, 0, 4, 2, 3], (None, "", "10", "9", "B", "b", "é"), None),
    ),
    "nothing": ([None, None], pa.string(), ("empty", [0, 0], (None,), None)),
    "no numbers": ([None, None], pa.int64(), ("empty", [0, 0], (None,), None)),
}


@pytest.mark.samples(3)
@pytest.mark.parametrize("kind", TYPED)
def test_typed_columns(kind):
    """Codes in the natural order, NULL 0, and one code where a grouping makes one class."""
    values, arrow, expected = TYPED[kind]
    assert listed(read(values, arrow)) == expected


def test_a_moment_of_a_zone_is_a_moment():
    """Its numbers are days since 1970, whatever zone the process is in."""
    zone = dt.timezone(dt.timedelta(hours=2))
    moments = [dt.datetime(1970, 1, 2, 2, tzinfo=zone), dt.datetime(1970, 1, 2, tzinfo=dt.UTC), None]
    found = read(moments, pa.timestamp("us", tz="UTC"))
    assert (found.value_type, found.codes.tolist(), found.distinct) == (ValueType.TIMESTAMP, [1, 1, 0], 1)


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP"])
def test_infinite_dates_have_no_number(kind, tmp_path):
    """The database knows them; they are values without a place among the days."""
    with duckdb.connect(tmp_path / "x.duckdb") as database:
        values = f"('infinity'::{kind}), ('-infinity'::{kind}), ('1970-01-02'::{kind})"
        database.execute(f"CREATE TABLE t AS SELECT * FROM (VALUES {values}) AS v(x)")
    with snapshot(tmp_path / "x.duckdb") as taken:
        found = taken.column("x")
    assert found.codes.tolist() == [3, 1, 2]
    assert listed(found)[3] == [None, None, 1, None]


@pytest.mark.samples(3)
@pytest.mark.parametrize(
    ("lines", "kind", "texts", "numbers"),
    [
        (["10", "9", "01", "1", "", "9"], "integer", ("01", "1", "9", "10"), [None, 1, 1, 9, 10]),
        (["1.50", "1e1", "-2"], "number", ("-2", "1.50", "1e1"), [None, -2, 1.5, 10]),
        (["2020-02-01", "1970-01-02"], "date", ("1970-01-02", "2020-02-01"), [None, 1, 18293]),
        (["5-1-12", "16-2-12"], "text", ("16-2-12", "5-1-12"), None),  # no days of the years 5 and 16
        (["true", "false"], "text", ("false", "true"), None),
        (["1", "x"], "text", ("1", "x"), None),
        (["", ""], "empty", (), None),
    ],
)
def test_texts_are_typed_by_all_their_values(tmp_path, lines, kind, texts, numbers):
    """The type is that of every value, in whose order they stand, and the text itself stays as it is."""
    with csv(tmp_path, lines) as taken:
        found = listed(taken.column("x"))
    assert (found[0], found[2], found[3]) == (kind, (None, *texts), numbers)
    assert [found[2][code] or "" for code in found[1]] == lines


def test_texts_that_are_moments_have_the_numbers_of_moments(tmp_path):
    """The hours of a day are parts of it, in the order of time."""
    with csv(tmp_path, ["2020-02-01 18:00:00", "2020-02-01 06:00:00", "1970-01-02"]) as taken:
        found = taken.column("x")
    assert found.is_numeric
    assert found.codes.tolist() == [3, 2, 1]
    assert found.numbers[1:].tolist() == [1, 18293.25, 18293.75]


@pytest.mark.parametrize("before", [0, 1500])
def test_the_mark_takes_no_part_in_the_type(tmp_path, before):
    """Suppressed cells leave a column one of numbers, wherever the first of them stands."""
    lines = ["10", "9"] * (before // 2) + ["*", "10", "9"]
    with csv(tmp_path, lines) as taken:
        marked, plain = taken.column("x", suppression_mark="*"), taken.column("x")
    assert listed(marked)[0] == "integer"
    assert (marked.texts, listed(marked)[3]) == ((None, "9", "10", "*"), [None, 9, 10, None])
    assert listed(plain)[0] == "text"
    assert plain.texts == (None, "*", "10", "9")


def test_a_mark_is_a_text_like_any_other(tmp_path):
    """A quote in it is a character; a typed column keeps its type."""
    with csv(tmp_path, ["1", "it's", "2"]) as taken:
        assert taken.column("x", suppression_mark="it's").value_type is ValueType.INTEGER
    assert listed(read(["1", "*"], pa.string(), mark="*"))[0] == "text"
    assert listed(read([1, 2], pa.int64(), mark="1"))[3] == [None, 1, 2]


HOSTILE = ['a"b', "it's", "select", "Ünï cødé", "a;--", " a ", "a\nb"]
HOSTILE += ["c0", "A", "position", "place", "value"]


def test_names_are_only_names_and_several_columns_are_those_one_by_one():
    """Quotes, words of SQL, names of our own and of different case stay apart, in the order asked for."""
    names = [*HOSTILE, *(f"x{i}" for i in reversed(range(40)))]
    frame = pd.DataFrame({name: [place, 0] for place, name in enumerate(names)})
    with snapshot(frame) as taken:
        together = taken.columns(names)
        assert [(one.name, one.texts[one.codes[0]]) for one in together] == [
            (name, str(place)) for place, name in enumerate(names)
        ]
        for column in together[:3] + together[-3:]:
            assert listed(column) == listed(taken.column(column.name))
        assert taken.columns([]) == ()
        with pytest.raises(DataError, match="no column 'a'"):
            taken.column("a")
        with pytest.raises(ValueError, match="named twice"):
            taken.columns(["x1", "x1"])


KINDS = (
    st.integers(-(2**40), 2**40),
    st.floats(),
    st.text("ab ,'\"\u00e9", max_size=2),
    st.dates(),
    st.booleans(),
)
VALUE = st.one_of(*(st.lists(st.none() | kind, min_size=1, max_size=8) for kind in KINDS))


@settings(max_examples=examples(20, fewest=4), derandomize=True, database=None, deadline=None)
@given(VALUE)
def test_codes_agree_with_a_grouping(values):
    """A code is a group: as many records as GROUP BY counts, in the order of ORDER BY; every text occurs."""
    table = pa.table({"x": pa.array(values)}) if any(v is not None for v in values) else None
    if table is None:
        table = pa.table({"x": pa.array(values, type=pa.int64())})
    with snapshot(table) as taken:
        found = taken.column("x")
        assert taken.codes(["x"])[:, 0].tolist() == found.codes.tolist()
    with duckdb.connect() as database:
        database.register("given", table)
        expected = database.execute(
            "SELECT x IS NULL, count(*) FROM given GROUP BY x ORDER BY x NULLS FIRST"
        ).fetchall()
    counts = np.bincount(found.codes, minlength=len(found.texts)).tolist()
    assert [n for is_null, n in expected if not is_null] == counts[1:]
    assert sum(n for is_null, n in expected if is_null) == counts[0]
    assert None not in found.texts[1:]
    assert len(set(found.texts)) == len(found.texts)
    if found.is_numeric:
        finite = found.numbers[1:][np.isfinite(found.numbers[1:])]
        assert (np.diff(finite) >= 0).all()


@pytest.mark.slow
def test_a_million_records():
    """A column of few values, held against pandas."""
    generator = np.random.default_rng(1)
    frame = pd.DataFrame({"n": generator.integers(0, 70, 1_000_000)})
    with ENGINE.snapshot(frame, ReadOptions(), EngineSettings(threads=2)) as taken:
        found = taken.column("n")
    assert found.codes.tolist() == (frame["n"] + 1).tolist()
