"""Tests of Parquet files, folders and globs as sources."""

import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def write(path, **columns):
    """Write a small Parquet file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    "name", ["x.parquet", "x[1]*.pq", "it's.parq", "no suffix", "back\\slash[1].parquet", "y=1.parquet"]
)
def test_a_file_is_read_whatever_its_name(tmp_path, read, name):
    """A name is never a pattern, and a file is known by its first bytes too."""
    found = read(write(tmp_path / "k=v" / name, a=[1, 2], A=["x", None], f=[math.nan, 0.5]))
    assert found.names == ("a", "A", "f")
    assert [row[:2] for row in found.rows] == [(1, "x"), (2, None)]
    assert math.isnan(found.rows[0][2])
    assert found.count == 2


def test_a_folder_is_one_table(tmp_path, read):
    """All Parquet files below are read; bookkeeping files are not, and others are counted in a note."""
    write(tmp_path / "t" / "part 1.parquet", a=[1])
    write(tmp_path / "t" / "deeper" / "2.PARQUET", a=[2])
    (tmp_path / "t" / "_SUCCESS").write_text("")
    (tmp_path / "t" / ".x.parquet.crc").write_text("")
    assert sorted(read(tmp_path / "t").rows) == [(1,), (2,)]
    assert read(tmp_path / "t").notes == ()
    (tmp_path / "t" / "README.md").write_text("")
    assert read(tmp_path / "t").notes == ("1 files of the folder are no Parquet files and were not read",)


def test_folders_of_keys_are_columns(tmp_path, read):
    """key=value folders give texts, as they are written."""
    write(tmp_path / "t" / "year=2020" / "m=01" / "x.parquet", a=[1])
    write(tmp_path / "t" / "year=2021" / "m=1" / "x.parquet", a=[2])
    found = read(tmp_path / "t")
    assert found.names[0] == "a"
    records = [dict(zip(found.names, row, strict=True)) for row in sorted(found.rows)]
    assert records == [{"a": 1, "year": "2020", "m": "01"}, {"a": 2, "year": "2021", "m": "1"}]


def test_a_pattern_is_a_pattern_only_where_no_such_file_is(tmp_path, read):
    """A glob matches files; a file of that literal name goes before."""
    write(tmp_path / "a1.parquet", a=[1])
    write(tmp_path / "a2.parquet", a=[2])
    assert sorted(read(str(tmp_path / "a*.parquet")).rows) == [(1,), (2,)]
    assert sorted(read(str(tmp_path / "**" / "*.parquet")).rows) == [(1,), (2,)]
    write(tmp_path / "a*.parquet", a=[3])
    assert read(str(tmp_path / "a*.parquet")).rows == [(3,)]


def test_markers_and_trimming_reach_texts(tmp_path, read):
    """Parquet texts are treated like any text."""
    path = write(tmp_path / "x.parquet", a=["?", " x "], b=[-9, 1], c=[1, 2])
    assert read(path, missing=("?", "-9"), is_trimmed=True).rows == [(None, None, 1), ("x", 1, 2)]


@pytest.mark.parametrize(
    "other",
    [
        {"a": [1]},
        {"a": [1], "b": ["x"], "c": [1]},
        {"a": [1.5], "b": ["x"]},
        {"b": ["x"], "a": [1]},
        {"A": [1], "b": ["x"]},
    ],
)
def test_files_of_two_schemas(tmp_path, refuse, other):
    """DuckDB would drop a column or round a number in silence; here two schemas are no table."""
    write(tmp_path / "t" / "1.parquet", a=[1], b=["SECRET"])
    write(tmp_path / "t" / "2.parquet", **other)
    sentence = refuse(tmp_path / "t")
    assert "'2.parquet' has other columns or types than '1.parquet'" in sentence


def test_files_are_told_by_their_folders(tmp_path, refuse, monkeypatch):
    """Of two files of one name the folders are said, and a folder given as a dot has a name."""
    write(tmp_path / "t" / "a" / "x.parquet", a=[1])
    write(tmp_path / "t" / "b" / "x.parquet", a=["s"])
    assert "'b/x.parquet' has other columns or types than 'a/x.parquet'" in refuse(tmp_path / "t")
    (tmp_path / "t" / "b" / "x.parquet").write_bytes(b"PAR1 and no more")
    monkeypatch.chdir(tmp_path / "t")
    assert "'t'" in refuse(".")


def test_a_folder_or_pattern_without_parquet(tmp_path, refuse):
    """A folder needs one Parquet file, and a pattern one match, all Parquet."""
    (tmp_path / "t").mkdir()
    assert "no Parquet file" in refuse(tmp_path / "t")
    assert "matches" in refuse(str(tmp_path / "t" / "*.parquet"))
    (tmp_path / "t" / "x.csv").write_text("a,b\n1,2\n")
    assert "pattern" in refuse(str(tmp_path / "t" / "*.csv"))
    assert "folder" in refuse(tmp_path / "t", format="csv")


def test_folders_of_different_keys(tmp_path, refuse):
    """Keys that are not the same for all files, or stand above the table, are no columns."""
    write(tmp_path / "t" / "year=2020" / "x.parquet", a=[1])
    write(tmp_path / "t" / "x.parquet", a=[1])
    assert "keys" in refuse(tmp_path / "t")
    write(tmp_path / "u=1" / "year=2020" / "x.parquet", a=[1])
    assert "key=value" in refuse(tmp_path / "u=1")
    write(tmp_path / "v" / "a=2020" / "x.parquet", a=[1])
    assert "unique" in refuse(tmp_path / "v")


@pytest.mark.parametrize("values", [[["SECRET"]], [{"x": "SECRET"}], [b"SECRET"]])
def test_a_nested_or_binary_column_is_named(tmp_path, refuse, values):
    """Only plain values can be grouped; columns behind a nested one keep their names."""
    path = write(tmp_path / "x.parquet", a=[1], c=values, d=[1])
    assert "'c'" in refuse(path)


def test_a_damaged_file(tmp_path, refuse):
    """No bytes, wrong bytes, a cut end and damaged pages."""
    good = write(tmp_path / "good.parquet", a=[f"SECRET {i}" for i in range(1000)]).read_bytes()
    path = tmp_path / "x.parquet"
    for content in (b"", b"a,b\n1,2\n", good[:-20], good[:100]):
        path.write_bytes(content)
        assert "'x.parquet'" in refuse(path)


def test_no_records_and_no_columns(tmp_path, refuse):
    """Names alone are no table."""
    assert "no records" in refuse(write(tmp_path / "x.parquet", a=pa.array([], pa.int64())))
    assert "'y.parquet'" in refuse(write(tmp_path / "y.parquet"))


def test_duplicate_names(tmp_path, refuse):
    """Parquet allows two columns of one name; a policy could not tell them apart."""
    pq.write_table(
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "x.parquet"
    )
    assert "unique" in refuse(tmp_path / "x.parquet")
