"""Tests of published files: other readers find in them exactly what was asked for, in the order asked for."""

import csv
import datetime as dt
import math
from collections import Counter
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from examples import examples, holds_a_value
from qidguard import DataError, EngineSettings, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE

SETTINGS = EngineSettings(threads=2)
NASTY = ["", "NULL", "null", "01", " x", "x ", "\t", "a,b", 'say "hi"', '"', "a\nb", "a\r\nb", "a\rb"]
NASTY += ["'", "\\", "#1", "é", "\U0001f600", "\ufeff", "\u2028", "\x85", ";", "?", "-", "=1+1", "\\N"]
NASTY += ["\x1c", "nan"]
TEXT = st.one_of(
    st.none(),
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
)
INSTANTS = st.integers(-(2**63) + 2, 2**63 - 2)
COLUMNS = {
    "text": (pa.string(), TEXT),
    "more": (pa.string(), TEXT),
    "whole": (pa.int64(), st.none() | st.integers(-(2**63), 2**63 - 1)),
    "float": (pa.float64(), st.none() | st.floats()),
    "day": (pa.date32(), st.none() | st.dates()),
    "instant": (pa.timestamp("ns"), st.none() | INSTANTS),
    "truth": (pa.bool_(), st.none() | st.booleans()),
    "exact": (pa.decimal128(9, 2), st.none() | st.decimals(-999_999, 999_999, places=2)),
}
ROW = st.tuples(*(values for _, values in COLUMNS.values())).filter(holds_a_value)
ROWS = st.lists(ROW, min_size=1, max_size=6)


def table(rows: list[tuple[object, ...]]) -> pa.Table:
    """Return rows as a typed table."""
    columns = zip(*rows, strict=True)
    arrays = [pa.array(v, kind) for v, (kind, _) in zip(columns, COLUMNS.values(), strict=True)]
    return pa.table(arrays, names=[*COLUMNS])


def written(
    folder: Path, source: object, kind: str, *, seed: int | None = None, names: list[str] | None = None
) -> Path:
    """Return a new file with the columns of a source."""
    path = folder / f"{len(list(folder.iterdir()))}.{kind}"
    with ENGINE.snapshot(source, ReadOptions(), SETTINGS) as taken:
        taken.write(path, names or taken.names, kind, seed=seed)
    return path


def fields(path: Path) -> list[list[str]]:
    """Return what Python's own reader finds in a CSV."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))


def has_both(rows: list[tuple[object, ...]], column: int) -> bool:
    """Whether a column holds both NULL and the empty text."""
    return {None, ""} <= {row[column] for row in rows}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder for the files of a property."""
    return tmp_path_factory.mktemp("written")


def same(found: pa.Table, rows: list[tuple[object, ...]], seed: int | None) -> bool:
    """Whether a table holds every record once, in order where no seed is given."""
    assert found.schema.names == [*COLUMNS]
    told, expected = (
        [repr(row) for row in zip(*(_plain(c) for c in one.columns), strict=True)]
        for one in (found, table(rows))
    )
    return (told == expected) if seed is None else (Counter(told) == Counter(expected))


@pytest.mark.slow
@given(rows=ROWS, seed=st.none() | st.integers())
@settings(max_examples=examples(30, fewest=4), deadline=None)
def test_parquet_is_read_back_by_another_reader(folder, rows, seed):
    """Arrow finds every record once, NaN and infinities included, in order where no seed is given."""
    assert same(pyarrow.parquet.read_table(written(folder, table(rows), "parquet", seed=seed)), rows, seed)


@given(rows=ROWS, seed=st.none() | st.integers())
@settings(max_examples=examples(20, fewest=4), deadline=None)
def test_what_is_handed_over_in_memory_is_what_a_file_would_hold(rows, seed):
    """Every value to the last digit, in Arrow and pandas alike, and in the order of a file with that seed."""
    with ENGINE.snapshot(table(rows), ReadOptions(), SETTINGS) as taken:
        arrow, frame = (hand(taken.names, seed=seed) for hand in (taken.to_arrow, taken.to_pandas))
    assert list(frame) == [*COLUMNS]
    assert same(arrow, rows, seed)
    for name in COLUMNS:
        told, shown = arrow.column(name).to_pylist(), frame[name].tolist()
        if name == "float":  # pandas has one sign for a missing number and for NaN
            assert [repr(math.nan if value is None else value) for value in told] == list(map(repr, shown))
            continue
        known = [None if pd.isna(value) else value for value in shown]
        assert told == [value.date() if name == "day" and value else value for value in known]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [(["1", "20", None], "Int64"), (["01", "2", None], "str"), (["1.5", "2.0", None], "float64")],
)
def test_what_came_from_a_csv_has_in_memory_the_type_of_a_file(tmp_path, texts, kind):
    """A number where all texts come back from it, else the text itself."""
    source = tmp_path / "s.csv"
    source.write_text("a,b\n" + "".join(f"{text or ''},x\n" for text in texts))
    with ENGINE.snapshot(str(source), ReadOptions(), SETTINGS) as taken:
        frame = taken.to_pandas(["a"], seed=None)
    assert (list(frame), str(frame["a"].dtype)) == (["a"], kind)
    assert frame["a"].isna().tolist() == [False, False, True]


def test_a_seed_shuffles_what_is_handed_over_as_it_shuffles_a_file(tmp_path):
    """Forty records stand in the file's order, which is not the source's."""
    source = pa.table({"number": list(range(40))})
    in_file = pyarrow.parquet.read_table(written(tmp_path, source, "parquet", seed=5)).column(0).to_pylist()
    with ENGINE.snapshot(source, ReadOptions(), SETTINGS) as taken:
        handed = [taken.to_arrow(["number"], seed=5).column(0).to_pylist()]
        handed.append(taken.to_pandas(["number"], seed=5)["number"].tolist())
    assert handed == [in_file] * 2
    assert in_file != sorted(in_file) == list(range(40))


def _plain(column: pa.ChunkedArray) -> list[object]:
    instants = pa.types.is_timestamp(column.type)
    values = (column.cast(pa.int64()) if instants else column).to_pylist()
    # -0.0 is published as 0.0, as which it was counted
    return [value + 0.0 if isinstance(value, float) else value for value in values]


@pytest.mark.slow
@given(rows=ROWS, seed=st.none() | st.integers())
@settings(max_examples=examples(40, fewest=4), deadline=None)
def test_csv_is_read_back_by_another_reader(folder, rows, seed):
    """Python's reader finds every record once, each field with a text that says the same value."""
    if has_both(rows, 0) or has_both(rows, 1):
        with pytest.raises(DataError, match="holds both NULL and empty texts"):
            written(folder, table(rows), "csv", seed=seed)
        return
    names, *found = fields(written(folder, table(rows), "csv", seed=seed))
    assert names == [*COLUMNS]
    found = [_values(row) for row in found]
    expected = [_told(row) for row in rows]
    assert (found == expected) if seed is None else (Counter(found) == Counter(expected))


def _values(row: list[str]) -> str:
    text, more, whole, number, day, instant, truth, exact = row
    seconds, _, rest = instant.partition(".")
    return repr(
        (
            text,
            more,
            int(whole) if whole else "",
            float(number) if number else "",
            dt.date.fromisoformat(day) if day else "",
            (dt.datetime.fromisoformat(seconds), rest.ljust(9, "0")) if instant else "",
            {"true": True, "false": False, "": ""}[truth],
            Decimal(exact) if exact else "",
        )
    )


def _told(row: tuple[object, ...]) -> str:
    told = ["" if value is None else value for value in row]
    if told[3] != "":
        # -0.0 is published as 0.0, as which it was counted
        told[3] = math.nan if math.isnan(told[3]) else told[3] + 0.0
    if told[5] != "":
        seconds, rest = divmod(told[5], 10**9)
        told[5] = (dt.datetime(1970, 1, 1) + dt.timedelta(seconds=seconds), f"{rest:09}")  # noqa: DTZ001 - no zone
    if told[7] != "":
        told[7] = Decimal(told[7]).quantize(Decimal("0.01"))
    return repr(tuple(told))


@pytest.mark.slow
@given(rows=st.lists(st.tuples(TEXT, TEXT).filter(holds_a_value), min_size=1, max_size=8))
@settings(max_examples=examples(40, fewest=4), deadline=None)
def test_a_csv_is_read_again_as_what_was_published(folder, rows):
    """A published CSV, read as a source, has the content digest of what it was made from."""
    assume(not any("" in (row[i] for row in rows) for i in (0, 1)))
    given_table = pa.table([pa.array(c, pa.string()) for c in zip(*rows, strict=True)], names=["a", "b"])
    path = folder / "again.csv"
    path.unlink(missing_ok=True)
    with ENGINE.snapshot(given_table, ReadOptions(), SETTINGS) as taken:
        taken.write(path, ["a", "b"], "csv", seed=7)
        options = ReadOptions(has_header=True, delimiter=",", quote='"')
        with ENGINE.snapshot(path, options, SETTINGS) as again:
            assert again.content_digest(["a", "b"]) == taken.content_digest(["a", "b"])


HOSTILE = ["select", 'a "b"', "new\nline", "cr\r\nlf", "a,b", " sp ", "\ufeffbom", "#x", "'; DROP TABLE x;--"]
HOSTILE += ["é", "É", "\U0001f600", "c0", "position", "0", "a;b", "{x}", "%s", "\\", "*", "x" * 500]


@pytest.mark.samples(1)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("names", [HOSTILE, [f"column {i}" for i in range(1_100)]], ids=["hostile", "many"])
def test_hostile_and_many_names_are_kept(tmp_path, kind, names):
    """Quotes, line ends, blanks, keywords and any letters are names like any other, 1,100 of them too."""
    frame = pd.DataFrame([range(len(names))], columns=names)
    for order in (names, names[::-1]):
        path = written(tmp_path, frame, kind, names=order)
        if kind == "csv":
            found = fields(path)
        else:
            read = pyarrow.parquet.read_table(path)
            found = [read.schema.names, [str(column[0].as_py()) for column in read.columns]]
        assert found == [order, [str(names.index(name)) for name in order]]


def test_names_that_differ_only_in_case(tmp_path):
    """CSV has both; DuckDB would rename one of them in Parquet, so that is refused."""
    frame = pd.DataFrame({"Id": [1], "ID": [2], "n": [3]})
    assert fields(written(tmp_path, frame, "csv")) == [["Id", "ID", "n"], ["1", "2", "3"]]
    assert written(tmp_path, frame, "parquet", names=["ID", "n"]).exists()
    with pytest.raises(DataError, match="'Id' and 'ID' differ only in case"):
        written(tmp_path, frame, "parquet")


def test_only_what_is_asked_for_is_in_the_file(tmp_path):
    """No dropped column, no metadata and no path is anywhere in the bytes."""
    frame = pd.DataFrame({"name": ["SECRET one", "SECRET two"], "n": [1, 2]})
    for kind in ("csv", "parquet"):
        path = written(tmp_path, frame, kind, names=["n"], seed=1)
        data = path.read_bytes()
        assert not any(word in data for word in (b"SECRET", b"name", b"qidguard", b"records.duckdb"))
    assert pyarrow.parquet.ParquetFile(path).metadata.metadata is None
    assert pyarrow.parquet.ParquetFile(path).metadata.row_group(0).column(0).compression == "ZSTD"


@pytest.mark.slow
def test_the_order_is_a_matter_of_the_seed_alone(tmp_path):
    """A seed gives one order at any number of threads, another seed another; none gives the source's."""
    frame = pd.DataFrame({"n": np.arange(200_000), "t": "x"})
    for kind in ("csv", "parquet"):
        files: dict[object, set[bytes]] = {}
        for seed in (None, 1, 2, -(2**70)):
            for threads in (1, 4):
                path = tmp_path / f"{seed}-{threads}.{kind}"
                with ENGINE.snapshot(frame, ReadOptions(), EngineSettings(threads=threads)) as taken:
                    taken.write(path, ["n", "t"], kind, seed=seed)
                files.setdefault(seed, set()).add(path.read_bytes())
        assert [len(found) for found in files.values()] == [1, 1, 1, 1]
        assert len(set.union(*files.values())) == 4
    found = [pd.read_parquet(tmp_path / f"{seed}-1.parquet")["n"].to_numpy() for seed in (None, 1, 2)]
    assert (found[0] == np.arange(200_000)).all()
    for shuffled in found[1:]:
        assert (np.sort(shuffled) == found[0]).all()
        # neighbors of an order that knows nothing of the other: their correlation is within 6 sigma of none
        assert abs(np.corrcoef(shuffled, found[0])[0, 1]) < 6 / math.sqrt(200_000)
    assert abs(np.corrcoef(found[1], found[2])[0, 1]) < 6 / math.sqrt(200_000)


def test_csv_is_plain(tmp_path):
    """Quotes only where they are needed, LF, UTF-8 without a mark; NULL is nothing and no text is quotes."""
    frame = pd.DataFrame(
        {"a": ["x", "1,5", 'q"', "é", None], "b": ["", "", "", "", ""], "c": [" x", "y", None, "z", "w"]}
    )
    expected = 'a,b,c\nx,""," x"\n"1,5","","y"\n"q""","",\né,"","z"\n,"","w"\n'
    assert written(tmp_path, frame, "csv").read_bytes() == expected.encode()


def test_a_csv_of_one_column(tmp_path):
    """NULL is written as quotes, since a blank line would be no record to most readers."""
    path = written(tmp_path, pd.DataFrame({"a": ["x", None, None]}), "csv")
    assert path.read_bytes() == b'a\nx\n""\n""\n'
    assert len(fields(path)) == 4
    assert pd.read_csv(path).isna()["a"].tolist() == [False, True, True]
    with ENGINE.snapshot(path, ReadOptions(has_header=True), SETTINGS) as again:
        assert again.codes(["a"])[:, 0].tolist() == [1, 0, 0]
    for values, expected in ((["", "x"], b'a\n""\nx\n'), ([1.5, None], b'a\n1.5\n""\n')):
        assert written(tmp_path, pd.DataFrame({"a": values}), "csv").read_bytes() == expected


def test_a_long_record_is_read_back(tmp_path):
    """A text of some megabytes, all of it quotes, is compared like any other."""
    frame = pd.DataFrame({"a": ['"' * 5_000_000, "x"], "b": [1, 2]})
    path = written(tmp_path, frame, "csv")
    assert path.stat().st_size > 10_000_000


def test_a_text_source_is_published_letter_by_letter(tmp_path):
    """Leading zeros, blanks and long numbers of a CSV are the same texts in both formats."""
    (tmp_path / "x.csv").write_text("zip,n\n01,1e5\n1, 2\n,0x\n", encoding="utf-8")
    for kind in ("csv", "parquet"):
        path = written(tmp_path, tmp_path / "x.csv", kind)
        rows = duckdb.sql(
            f"FROM '{path}'" if kind == "parquet" else f"FROM read_csv('{path}', all_varchar=true)"
        )
        assert rows.fetchall() == [("01", "1e5"), ("1", " 2"), (None, "0x")]
