"""Tests of the digests: of a table's content, and of the bytes of a source."""

import json
import os
from collections import Counter
from hashlib import sha256

import duckdb
import fsspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from examples import examples, holds_a_value
from qidguard import DataError, EngineSettings, ReadOptions, UserError
from qidguard.engines.duckdb.engine import ENGINE

SETTINGS = EngineSettings(threads=1)
TEXTS = st.one_of(st.none(), st.sampled_from(["", "-", "1:", "0:-", "a", "NULL"]), st.text(max_size=3))
ROW = st.tuples(TEXTS, TEXTS, TEXTS).filter(holds_a_value)
ROWS = st.lists(ROW, min_size=1, max_size=6)
NAMES = ("a", "b", "c")


def content(source: object, *, names: tuple[str, ...] = NAMES, **options: object) -> str:
    """Return the content digest of a source."""
    with ENGINE.snapshot(source, ReadOptions(**options), SETTINGS) as taken:
        return taken.content_digest(names)


def table(rows: list[tuple[str | None, ...]]) -> pa.Table:
    """Return rows of texts as a table."""
    columns = zip(*rows, strict=True)
    return pa.table([pa.array(column, pa.string()) for column in columns], names=NAMES)


def by_hand(rows: list[tuple[str | None, ...]]) -> str:
    """Return the digest as its description says it."""
    sums = [0, 0, 0, 0]
    for row in rows:
        record = "".join("-" if text is None else f"{len(text.encode())}:{text}" for text in row)
        digits = sha256(record.encode()).hexdigest()
        sums = [total + int(digits[i * 16 : i * 16 + 16], 16) for i, total in enumerate(sums)]
    return sha256(json.dumps(["qidguard content 1", [*NAMES], len(rows), *sums]).encode()).hexdigest()


@given(rows=ROWS)
@settings(max_examples=examples(30, fewest=4), deadline=None)
def test_the_digest_is_what_its_description_says(rows):
    """Whoever holds the records can compute it without this program."""
    assert content(table(rows)) == by_hand(rows)


@pytest.mark.slow
@given(rows=ROWS, others=ROWS, seed=st.randoms())
@settings(max_examples=examples(40, fewest=4), deadline=None)
def test_digests_are_equal_where_the_records_are(rows, others, seed):
    """Two tables have one digest exactly where they are one multiset of records."""
    shuffled = seed.sample(rows, len(rows))
    assert content(table(shuffled)) == content(table(rows))
    assert (content(table(others)) == content(table(rows))) == (Counter(others) == Counter(rows))


@given(rows=ROWS, row=st.integers(0, 5), column=st.integers(0, 2), text=TEXTS)
@settings(max_examples=examples(30, fewest=4), deadline=None)
def test_any_changed_cell_changes_the_digest(rows, row, column, text):
    """A single cell, set to anything else, gives another digest."""
    assume(row < len(rows))
    changed = [list(r) for r in rows]
    assume(changed[row][column] != text)
    changed[row][column] = text
    assume(holds_a_value(changed[row]))
    assert content(table([tuple(r) for r in changed])) != content(table(rows))


def test_no_separator_can_be_imitated_and_duplicates_count():
    """Three equal records are not one; ab|c is not a|bc, and NULL is not a dash."""
    one, two = ("x", "y", "z"), ("x", "y", None)
    tables = [[one], [one] * 3, [one, two], [one, one, two], [one, two, two]]
    rows = [("ab", "c", ""), ("a", "bc", ""), ("a", "b", "c"), ("-", None, "")]
    tables += [[row] for row in (*rows, (None, "-", ""), ("1:a", "", ""), ("", "1:a", ""))]
    assert len({content(table(rows)) for rows in tables}) == 12


def test_typed_columns_and_their_texts_have_one_digest(tmp_path):
    """A CSV of numbers, dates and truths has the digest of the typed table it was made from."""
    days = ["2020-01-01", "2020-01-01 00:00:00.5", None, "1900-01-01"]
    frame = pd.DataFrame({"a": [0.1, 1e300, None, -0.0], "b": pd.to_datetime(days, format="ISO8601")})
    frame["c"] = pd.Series([True, False, True, None], dtype="boolean")
    with ENGINE.snapshot(frame, ReadOptions(), SETTINGS) as taken:
        taken.write(tmp_path / "x.csv", NAMES, "csv", seed=3)
        digest = taken.content_digest(NAMES)
    assert content(tmp_path / "x.csv", has_header=True) == digest
    assert content(frame.assign(a=[0.1, 1e300, None, 0.0])) == digest
    assert content(frame.assign(a=[0.1, 1e300, 0.0, 0.0])) != digest


def test_names_and_their_order_are_part_of_the_digest():
    """Other columns, other names and another order of columns are other contents."""
    with ENGINE.snapshot(table([("1", "1", "1")]), ReadOptions(), SETTINGS) as taken:
        asked = [("a", "b"), ("b", "a"), ("a",), ("a", "c"), ("a", "b", "c")]
        assert len({taken.content_digest(names) for names in asked}) == 5
        assert taken.content_digest(["a", "b"]) == taken.content_digest(("a", "b"))
        with pytest.raises(DataError, match="no column 'd'"):
            taken.content_digest(["d"])
        for wrong in ([], ["a", "a"]):
            with pytest.raises(ValueError, match="column"):
                taken.content_digest(wrong)


@pytest.mark.slow
def test_many_threads_give_the_digest_of_one():
    """The sum does not depend on who adds what."""
    frame, digests = pd.DataFrame({"a": np.arange(300_000), "b": "x", "c": None}), set()
    for threads in (1, 4):
        with ENGINE.snapshot(frame, ReadOptions(), EngineSettings(threads=threads)) as taken:
            digests.add(taken.content_digest(NAMES))
    assert len(digests) == 1


def digest(source: object, **options: object) -> str:
    """Return the digest of a source."""
    return ENGINE.source_digest(source, ReadOptions(**options), SETTINGS)


def test_a_file_has_the_digest_of_its_bytes(tmp_path):
    """It is what sha256sum prints, for a path as text or as Path, and for what a URL gives."""
    data = b"a,b\n1,2\n" * 1_000_000
    path = tmp_path / "x.csv"
    path.write_bytes(data)
    expected = sha256(data).hexdigest()
    assert digest(path) == digest(str(path)) == ENGINE.source_digest(str(path), ReadOptions()) == expected
    with fsspec.open("memory://digest/x.csv", "wb") as file:
        file.write(data)
    assert digest("memory://digest/x.csv") == expected
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]


def test_a_source_that_changes_between_two_looks(tmp_path):
    """One byte, one more file and one more record each change the digest, and back again."""
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n1,2\n")
    first = digest(path)
    path.write_bytes(b"a,b\n1,3\n")
    assert digest(path) != first
    path.write_bytes(b"a,b\n1,2\n")
    assert digest(path) == first
    frame = pd.DataFrame({"a": [1, 2]})
    first = digest(frame)
    frame.loc[2] = 3
    assert digest(frame) != first
    assert first.startswith("content:")


def test_a_folder_has_the_digest_of_its_listing(tmp_path):
    """Names, sizes and hashes of the files that are read count; where the folder lies does not."""
    for folder in ("one", "two"):
        for name in ("b", "a"):
            path = tmp_path / folder / "year=2020" / f"{name}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            pa.parquet.write_table(pa.table({"n": [1, 2]}), path)
        (tmp_path / folder / "notes.txt").write_text(folder, encoding="utf-8")
    data = (tmp_path / "one/year=2020/a.parquet").read_bytes()
    listing = "".join(
        json.dumps([f"year=2020/{name}.parquet", len(data), sha256(data).hexdigest()]) + "\n" for name in "ab"
    )
    expected = sha256(listing.encode()).hexdigest()
    assert digest(tmp_path / "one") == digest(tmp_path / "two") == expected
    assert digest(str(tmp_path / "one" / "*" / "*.parquet")) == expected
    (tmp_path / "two/year=2020/b.parquet").rename(tmp_path / "two/year=2020/c.parquet")
    assert digest(tmp_path / "two") != expected
    (tmp_path / "one/year=2020/b.parquet").unlink()
    assert digest(tmp_path / "one") != expected


def test_a_pattern_is_relative_to_the_folder_above_it(tmp_path, monkeypatch):
    """A pattern without a folder is one of the current folder."""
    pa.parquet.write_table(pa.table({"n": [1]}), tmp_path / "a.parquet")
    monkeypatch.chdir(tmp_path)
    assert digest("*.parquet") == digest(tmp_path / "*.parquet") == digest(tmp_path)


def test_a_database_has_the_digest_of_its_file_and_its_log(tmp_path):
    """A write-ahead log beside the file is part of the data; a file of that name beside a CSV is not."""
    path = tmp_path / "x.duckdb"
    with duckdb.connect(path) as database:
        database.execute("CREATE TABLE t AS SELECT 1 AS n")
    alone = digest(path)
    assert alone == sha256(path.read_bytes()).hexdigest()
    log = tmp_path / "x.duckdb.wal"
    log.write_bytes(b"more")
    both = digest(path)
    log.write_bytes(b"most")
    assert len({alone, both, digest(path)}) == 3
    (tmp_path / "x.csv").write_text("a\n1\n", encoding="utf-8")
    (tmp_path / "x.csv.wal").write_text("a\n1\n", encoding="utf-8")
    assert digest(tmp_path / "x.csv") == sha256(b"a\n1\n").hexdigest()


def test_what_has_no_bytes_has_the_digest_of_its_content():
    """A frame, an Arrow table, a data set, a relation and a snapshot of them all say the same."""
    given = pa.table({"n": [1, 2], "t": ["x", "?"]})
    with ENGINE.snapshot(given, ReadOptions(missing=("?",)), SETTINGS) as taken, duckdb.connect() as database:
        expected = "content:" + taken.content_digest(["n", "t"])
        assert digest(taken) == expected
        database.register("given", given)
        forms = [given.to_pandas(), given, given.to_batches()[0], pyarrow.dataset.dataset(given)]
        forms.append(database.table("given"))
        assert {digest(form, missing=("?",)) for form in forms} == {expected}
        assert digest(given) != expected
    zeros = pa.table({"x": [-0.0, float("nan")]})
    with ENGINE.snapshot(zeros, ReadOptions(), SETTINGS) as taken:
        assert digest(taken) == digest(zeros) == digest(pa.table({"x": [0.0, -float("nan")]}))


def test_a_reader_is_not_consumed():
    """A reader that can be read once has no digest before it is read; its snapshot has one."""
    given = pa.table({"n": [1, 2]})
    reader = given.to_reader()
    assert digest(reader) == digest(reader) == "none"
    with ENGINE.snapshot(reader, ReadOptions(), SETTINGS) as taken:
        assert taken.records == 2
        assert digest(taken) == digest(given)
    assert digest(reader) == "none"


@pytest.mark.parametrize(
    ("source", "error", "said"),
    [
        ("{}/x.csv", DataError, "does not exist"),
        ("{}/*.parquet", DataError, "No file matches"),
        ("memory://digest/nothing.csv", DataError, "Nothing is found"),
        (42, UserError, "not a int"),
        ("{}/pipe.csv", DataError, "neither a file nor a folder"),
    ],
)
def test_what_cannot_be_digested_is_one_sentence(tmp_path, source, error, said):
    """No such file, nothing at an address, no source at all, and a file that nobody may read."""
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(error, match=said):
        digest(source.format(tmp_path) if isinstance(source, str) else source)
    nowhere = EngineSettings(spill_directory=str(tmp_path / "nowhere"))
    with pytest.raises(UserError, match="nowhere"):
        ENGINE.source_digest("memory://digest/x.csv", ReadOptions(), nowhere)
