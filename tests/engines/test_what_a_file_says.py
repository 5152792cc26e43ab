"""Files of the trade say more than fields: titles, a delimiter, lines of nothing, numbers of a country."""

import gzip

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from qidguard.core.column import Recoded
from qidguard.core.errors import DataError, UserError
from qidguard.core.number_format import NumberFormat, shown_dates, shown_numbers
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.policy.source import ReadingSettings

NAMES = "age;sex;place;income"
ROWS = "".join(f"{30 + i // 4};{'mw'[i % 2]};0{1067 + i};{1200 + i},5{i}\n" for i in range(9))


def write(folder, text, name="x.csv", encoding="utf-8"):
    """Write a text as it stands."""
    path = folder / name
    data = text.encode(encoding)
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize(
    ("above", "lines"),
    [
        ("Patients, as of 2024;;;\n", 1),
        ("Patients, as of 2024;;;\n;;;\n", 2),
        ("Patients\n", 1),
        ("Patients\nsecond line\n\n", 3),
        ("Person;;Money;\n", 1),
        (";Person;Money;\n", 1),
        ("Person;;;Money\n", 1),
        ('"Patients; all";;;\n', 1),
        ("Wards 1;2;3;\n", 1),
        ("Person;Person;Place;Money\n", 1),
    ],
)
@pytest.mark.parametrize(("name", "encoding"), [("x.csv", "utf-8-sig"), ("x.csv.gz", "utf-8")])
def test_lines_above_the_names_are_refused_until_they_are_skipped(
    tmp_path, read, refuse, above, lines, name, encoding
):
    """A title is no header and a header is nobody; skipped, the table is that of a file without them."""
    path = write(tmp_path, above + NAMES + "\n" + ROWS, name, encoding)
    options = {"format": "csv", "delimiter": ";"}
    assert "`skip_lines:`" in refuse(path, **options)
    found = read(path, skip_lines=lines, **options)
    assert (found.names, len(found.rows)) == (tuple(NAMES.split(";")), 9)


def test_a_title_is_found_without_a_delimiter_that_is_declared(tmp_path, read, refuse):
    """One delimiter alone cuts all lines below alike."""
    path = write(tmp_path, "Patients\na|b\n1|2\n3|4\n")
    assert "The first record has fewer fields" in refuse(path)
    assert read(path, skip_lines=1).rows == [("1", "2"), ("3", "4")]


@pytest.mark.parametrize(
    "text",
    [
        ",age,sex\n0,30,m\n1,31,f\n",  # row numbers without a name
        "age,sex,\n30,m,\n31,f,\n",  # a delimiter at the end of each line
        "name,age\nBob,?\nAnn,31\n",
        ",age\n0,unknown\n1,31\n",
        "a,b\nx,y\nz,w\n",
    ],
)
def test_a_header_is_no_title(tmp_path, read, text):
    """What is common in headers raises no question."""
    assert len(read(write(tmp_path, text), missing=("?",)).rows) == 2


@pytest.mark.parametrize(
    ("line", "delimiter"), [("sep=;", ";"), ('"sep=,"', ","), ("SEP=\t", "\t"), ("sep=|\r", "|")]
)
def test_the_first_line_may_declare_the_delimiter(tmp_path, read, refuse, line, delimiter):
    """Excel writes it and hides it; another one that is declared beside it is a contradiction."""
    end = "\r\n" if line.endswith("\r") else "\n"
    lines = ["age,range;b", "3,5;x", "4,5;y"]
    text = end.join([line.strip("\r"), *(one.replace(",", ".").replace(";", delimiter) for one in lines), ""])
    for encoding in ("utf-8-sig", "utf-16"):
        path = write(tmp_path, text, encoding=encoding)
        found = read(path, encoding=encoding)
        assert (found.names, found.rows) == (("age.range", "b"), [("3.5", "x"), ("4.5", "y")])
    assert "declares the delimiter" in refuse(write(tmp_path, text), delimiter="/")
    assert read(write(tmp_path, "Title" + end + text), skip_lines=1).rows == found.rows


FRAME = pd.DataFrame({"age": [30.0, None, None, 41], "sex": ["m", None, "\u00a0", "f"]})


def database(folder):
    """Return a DuckDB file with the frame."""
    with duckdb.connect(str(folder / "x.duckdb")) as connection:
        connection.register("frame", FRAME)
        connection.execute("CREATE TABLE t AS SELECT * FROM frame")
    return folder / "x.duckdb"


def parquet(folder):
    """Return a Parquet file with the frame."""
    pq.write_table(pa.Table.from_pandas(FRAME), folder / "x.parquet")
    return folder / "x.parquet"


SOURCES = {
    "csv": lambda folder: write(folder, 'age,sex\n30.0,m\n,\n"", \u2003\n41.0,f\n'),
    "parquet": parquet,
    "duckdb": database,
    "pandas": lambda _: FRAME,
    "polars": lambda _: pl.from_pandas(FRAME),
    "arrow": lambda _: pa.Table.from_pandas(FRAME),
    "NaN of Arrow": lambda _: pa.table({"age": [30, float("nan"), float("nan"), 41], "sex": FRAME.sex}),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_a_record_without_any_value_is_no_record(tmp_path, read, refuse, kind):
    """It is an error that counts them, whatever the source; skipped, they are in no count."""
    source = SOURCES[kind](tmp_path)
    sentence = refuse(source)
    assert sentence.startswith("2 of the 4 records of ")
    assert "`skip_empty_records: true`" in sentence
    found = read(source, skip_empty_records=True)
    assert [(float(age), sex) for age, sex in found.rows] == [(30, "m"), (41, "f")]
    assert "2 records without any value were left out" in found.notes
    assert "No record of" in refuse(write(tmp_path, "a,b\n,\n,\n"), skip_empty_records=True, has_header=True)


HALF = "\ud800"


HALVES = pd.Index([HALF], dtype=object)


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        (pd.DataFrame({"q": pd.Series([HALF], dtype=object)}), {}, "Column 'q'"),
        (pd.DataFrame({"q": pd.Series(["a", HALF, None], dtype=pd.StringDtype("python"))}), {}, "Column 'q'"),
        (pd.DataFrame({"q": pd.Categorical.from_codes([0], categories=HALVES)}), {}, "Column 'q'"),
        (pd.DataFrame([[1]], columns=HALVES), {}, "name of column 1"),
        (pd.DataFrame({"q": ["a"]}), {"missing": (HALF,)}, "`missing:`"),
    ],
)
def test_half_a_character_is_refused_with_its_place(refuse, source, options, words):
    """Python's texts may hold a lone surrogate, which nothing can store."""
    sentence = refuse(source, **options)
    assert [part in sentence for part in (words, "surrogate")] == [True, True]


EURO = NumberFormat(decimal=",", thousands=".", unit=("EUR", "€", "*"))


@pytest.mark.parametrize(
    ("texts", "options", "plain"),
    [
        (["1,5", "-2", ",25", "1,5e3"], {"numbers": EURO}, ["1.5", "-2", ".25", "1.5e3"]),
        (["1.234,5 EUR", "€ 12.345.678", "-€3"], {"numbers": EURO}, ["1234.5", "12345678", "-3"]),
        (["11*", "3", "*", None], {"numbers": EURO}, ["11", "3", "*", None]),
        (["1,5", "1.5"], {"numbers": EURO}, None),
        (["1,5", "about 2"], {"numbers": EURO}, None),
        (["1,2,3", "1,2"], {"numbers": EURO}, None),
        (["1'000", "7"], {"numbers": NumberFormat(thousands="'")}, ["1000", "7"]),
        (["3/31/2024", "unknown"], {"dates": ("%m/%d/%Y",)}, ["2024-03-31", "unknown"]),
        (["31/3/2024", "3/1/2024"], {"dates": ("%m/%d/%Y", "%d/%m/%Y")}, ["2024-03-31", "2024-01-03"]),
        (["31/3/2024"], {"dates": ("%m/%d/%Y",)}, None),
        (["1,5", "10,5"], {"numbers": EURO, "order": {"a": ("1,5", "10,5")}}, None),
        (["1.2.24 13:05"], {"dates": ("%d.%m.%y %H:%M",)}, ["2024-02-01 13:05:00.000000"]),
    ],
)
def test_numbers_and_dates_are_read_as_they_are_declared(tmp_path, read, texts, options, plain):
    """In a column of which every text with a digit has the form; any other column stays as it is, whole."""
    path = tmp_path / "x.csv"
    pd.DataFrame({"a": texts, "b": "x"}).to_csv(path, index=False, sep="|")
    found = read(path, delimiter="|", has_header=True, **options)
    assert [row[0] for row in found.rows] == (texts if plain is None else plain)
    assert any(note.startswith("'a': read as") for note in found.notes) == (plain is not None)


@pytest.mark.parametrize(
    ("texts", "options", "kind"),
    [
        (["3", "11"], {"numbers": NumberFormat()}, "BIGINT"),
        (["3,5", "11"], {"numbers": EURO}, "DOUBLE"),
        (["01067", "11"], {"numbers": NumberFormat()}, "VARCHAR"),  # codes are no numbers
        (["9" * 19, "1"], {"numbers": NumberFormat()}, "VARCHAR"),
        (["0.1234567890123456", "1"], {"numbers": NumberFormat()}, "VARCHAR"),
        (["3", "*"], {"numbers": NumberFormat()}, "VARCHAR"),
        (["31.12.2024", None], {"dates": ("%d.%m.%Y",)}, "DATE"),
    ],
)
def test_texts_of_a_typed_table_become_values_where_none_is_lost(read, texts, options, kind):
    """Two texts that differ are never made one number unless they are equal as numbers."""
    found = read(pd.DataFrame({"a": texts, "b": "x"}), **options)
    assert found.types[0] == kind


@pytest.mark.parametrize(
    ("columns", "numbers"),
    [
        ([["900,50", "1100,00"], ["m", "w"]], NumberFormat(decimal=",")),
        ([["1.234,5", "7"]], NumberFormat(decimal=",", thousands=".")),
        ([["1,234.5", "7"]], NumberFormat(thousands=",")),
        ([["3 EUR", "11 EUR"]], NumberFormat(unit=("EUR",))),
        ([["3,000", "4,000"]], None),  # three, or three thousand
        ([["900,50"], ["1,234.5"]], None),
        ([["1.5", "2.5"]], None),  # numbers as everywhere
        ([["E11,9"]], None),
        ([[]], None),
    ],
)
def test_a_draft_declares_what_leaves_no_doubt(columns, numbers):
    """How numbers are written is told by those that no other way would write so."""
    assert shown_numbers(columns) == numbers


def test_which_number_is_the_day_is_told_by_one_above_twelve():
    """Dots are written between day, month and year everywhere; slashes are not."""
    assert shown_dates([["1.2.2024"], ["13/2/24"], ["2-13-2024"]]) == ("%d.%m.%Y", "%d/%m/%y", "%m-%d-%Y")
    assert shown_dates([["1/2/2024"], ["13/13/2024"], ["1.2.2024", "x7"], ["31/1/2024", "1/31/2024"]]) == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"numbers": {"decimal": "x"}}, "no letter, digit or sign"),
        ({"numbers": {"decimal": ",", "thousands": ","}}, "both before the fraction and between"),
        ({"numbers": {"unit": ["m2"]}}, "holds a digit"),
        ({"dates": "dd.mm.yyyy"}, "for example %d.%m.%Y"),
        ({"dates": ["%d.%m.%Y", "%Q"]}, "is no date format"),
        ({"skip_lines": -1}, "0 or more"),
    ],
)
def test_a_form_that_cannot_be_told_is_refused(given, words):
    """In the policy, and for numbers in Python alike."""
    with pytest.raises(ValueError, match=words):
        ReadingSettings.model_validate(given)
    if "numbers" in given:
        marks = {name: tuple(mark) if name == "unit" else mark for name, mark in given["numbers"].items()}
        with pytest.raises(UserError, match=words):
            NumberFormat(**marks)


def test_a_new_record_may_hold_no_value():
    """New records are nobody's, so that one without a value hides nobody; a record that was emptied would."""
    source = pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]})
    texts = Recoded(codes=np.array([0, 1], dtype=np.int32), values=(None, "z"))
    with ENGINE.snapshot(source, ReadOptions(), EngineSettings()) as taken:
        columns = {"a": texts, "b": texts}
        with taken.new_table(columns) as made, made.keep(np.array([True, True])) as kept:
            for copy in (made, kept):
                with ENGINE.open(copy, ReadOptions(), Needs(), EngineSettings()) as table:
                    assert table.records == 2
        emptied = taken.recode(columns, np.array([True, True]))
        with emptied, pytest.raises(DataError, match="1 of the 2"):
            ENGINE.open(emptied, ReadOptions(), Needs(), EngineSettings())
