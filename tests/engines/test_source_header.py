"""Tests of the rule that tells a header from data."""

import pytest


def write(folder, text):
    """Write a text as it stands."""
    path = folder / "x.csv"
    path.write_bytes(text.encode())
    return path


def test_a_column_that_is_numeric_below_proves_a_header(tmp_path, read):
    """A text over numbers is a name, and needs no note."""
    found = read(write(tmp_path, "age,city\n30,Rome\n30,city\n"))
    assert (found.names, found.notes) == (("age", "city"), ())
    found = read(write(tmp_path, "age,city\n?,Rome\n30,city\n"), missing=("?",))
    assert (found.names, found.notes) == (("age", "city"), ())


def test_a_first_line_with_a_number_is_data(tmp_path, read):
    """Numbers are no names: the columns are numbered from 0 and a note says so."""
    found = read(write(tmp_path, "39,State-gov\n50,Private\n"))
    assert found.names == ("column_0", "column_1")
    assert found.rows == [("39", "State-gov"), ("50", "Private")]
    assert found.notes == ("the file has no header; the columns are named column_0 to column_1",)


def test_a_first_line_with_a_missing_marker_is_data(tmp_path, read):
    """A declared marker is no name."""
    found = read(write(tmp_path, "?,x\ny,z\n"), missing=("?",))
    assert found.rows == [(None, "x"), ("y", "z")]


def test_a_first_line_of_new_texts_over_texts_is_a_header_with_a_note(tmp_path, read):
    """Most files have a header; that it was assumed is said."""
    found = read(write(tmp_path, "buying,safety\nhigh,low\nlow,low\n"))
    assert found.names == ("buying", "safety")
    assert found.notes == ("the first line was taken for the column names: it has only texts",)


def test_a_first_line_whose_texts_come_again_is_data(tmp_path, read):
    """A name seldom is a value of its own column; where most of the line comes again, it is data."""
    found = read(write(tmp_path, "p,x,s\ne,x,s\np,b,s\n"))
    assert found.names == ("column_0", "column_1", "column_2")
    assert len(found.rows) == 3


def test_a_line_that_may_be_either_is_asked_for(tmp_path, refuse, read):
    """One text of three comes again, or a number stands among names: nobody guesses."""
    path = write(tmp_path, "a,b,SECRET\na,y,z\n")
    assert "`header: true`" in refuse(path)
    assert len(read(path, has_header=True).rows) == 1
    assert len(read(path, has_header=False).rows) == 2
    assert "`header: true`" in refuse(write(tmp_path, "n,2019\n1,5\n2,6\n"))


def test_declared_names_replace_a_missing_header(tmp_path, read):
    """The names of a file without a header may be anything that is unique, and no note is needed."""
    names = ('say "x"', "select", "a\nb", "😀", "A", "a")
    found = read(write(tmp_path, "1,2,3,4,5,6\n"), columns=names)
    assert found.names == names
    assert found.rows == [("1", "2", "3", "4", "5", "6")]
    assert found.notes == ()


def test_declared_names_that_do_not_fit(tmp_path, refuse):
    """Too few, too many, twice the same, none, or names for a file that has its own."""
    path = write(tmp_path, "1,2\n3,4\n")
    for columns in (("a",), ("a", "b", "c")):
        assert f"gives {len(columns)} names" in refuse(path, columns=columns)
    assert "unique" in refuse(path, columns=("a", "a"))
    assert "at least one" in refuse(path, columns=())
    assert "no readable name" in refuse(path, columns=("a", ""))
    assert "`columns:`" in refuse(path, columns=("a", "b"), has_header=True)


def test_declared_names_over_a_line_of_names(tmp_path, refuse, read):
    """A header that is there is not swallowed as a record when names are declared too."""
    path = write(tmp_path, "age,city\n30,Rome\n")
    assert "`header: false`" in refuse(path, columns=("age", "city"))
    assert "`header: false`" in refuse(path, columns=("a", "b"))
    assert len(read(path, columns=("a", "b"), has_header=False).rows) == 2


def test_a_header_may_hold_anything(tmp_path, read):
    """Quotes, blanks, SQL words, emoji, line ends and equal names in another case are all reachable."""
    line = '"say ""x""",two words,select,😀,"a\nb",a,A,"x,y",c0,\'; DROP TABLE t; --,count(*)'
    text = f"{line}\n1,2,3,4,5,6,7,8,9,10,11\n"
    found = read(write(tmp_path, text))
    assert found.names[:7] == ('say "x"', "two words", "select", "😀", "a\nb", "a", "A")
    assert found.names[7:] == ("x,y", "c0", "'; DROP TABLE t; --", "count(*)")
    assert found.rows == [("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11")]


def test_two_columns_of_one_name(tmp_path, refuse, read):
    """Exact duplicates are an error that says where; a difference in case makes two names."""
    sentence = refuse(write(tmp_path, "age,city,age\n1,x,2\n"))
    assert "columns 1 and 3" in sentence
    assert read(write(tmp_path, "age,AGE\n1,2\n")).names == ("age", "AGE")
    assert "unique" in refuse(write(tmp_path, "a, a\n1, 2\n"))


def test_a_name_that_is_empty_is_numbered(tmp_path, read, refuse):
    """The unnamed first column of a frame with an index is reachable, and a note says how."""
    found = read(write(tmp_path, ",age\n0,30\n1,41\n"))
    assert found.names == ("column_0", "age")
    assert found.notes == ("column 1 has no name and is called column_0",)
    assert "unique" in refuse(write(tmp_path, ",column_0\n0,30\n1,41\n"))


@pytest.mark.parametrize("name", [" b", "b ", "\tb"])
def test_blanks_of_a_name_stay_unless_trimmed(tmp_path, read, name):
    """Names are read like fields."""
    path = write(tmp_path, f"a,{name}\n1,2\n")
    assert read(path).names == ("a", name)
    assert read(path, is_trimmed=True).names == ("a", "b")


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("cell", "below"),
    [
        ("1971-03-04", "born"),
        ("04.03.1971", "born"),
        ("ann@example.org", "mail"),
        ("P0012345", "id"),
        ("+41 61 555 01 02", "phone"),
        ("CH93 0076 2011 6238 5295 7", "iban"),
        ("123e4567-e89b-12d3-a456-426614174000", "uuid"),
        ("A-17", "B-18"),
    ],
)
def test_a_first_line_with_the_form_of_a_value_is_asked_about_and_not_repeated(
    tmp_path, refuse, read, cell, below
):
    """A file of texts without a header: what is said names the column's place and no value."""
    path = write(tmp_path, f"Basel,{cell}\nBern,{below}\nBiel,{below.replace('8', '9')}\n")
    said = refuse(path)
    assert "column 2 looks like a value" in said
    assert cell not in said
    assert read(path, has_header=True).names == ("Basel", cell)


def test_names_with_digits_are_names(tmp_path, read):
    """What only holds a number is no value: questions, quarters, days."""
    path = write(tmp_path, "q1,30d_mortality,2019Q1\nyes,no,low\nno,yes,high\n")
    assert read(path).names == ("q1", "30d_mortality", "2019Q1")
