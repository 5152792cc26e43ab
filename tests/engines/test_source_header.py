"""The rule that tells a header from data."""

import pytest

NONE = "the file has no header; the columns are named column_0 to column_{}"
TWO, THREE = NONE.format(1), NONE.format(2)
ASSUMED = "the first line was taken for the column names: it has only texts"
UNNAMED = "column 1 has no name and is called column_0"
DECLARED = ('say "x"', "select", "a\nb", "😀", "A", "a")
HOSTILE = (
    """"say ""x""\",two words,"x,y","a\nb",😀,A,a,c0,'; DROP TABLE t; --,count(*)\n0,1,2,3,4,5,6,7,8,9\n"""
)
QUESTIONS = "q1,30d_mortality,2019Q1\nyes,no,low\nno,yes,high\n"


@pytest.mark.parametrize(
    ("text", "options", "names", "records", "note"),
    [
        ("age,city\n30,Rome\n30,city\n", {}, "age|city", 2, None),
        ("age,city\n?,Rome\n30,city\n", {"missing": ("?",)}, "age|city", 2, None),
        ("39,State-gov\n50,Private\n", {}, "column_0|column_1", 2, TWO),
        ("?,x\ny,z\n", {"missing": ("?",)}, "column_0|column_1", 2, TWO),
        ("buying,safety\nhigh,low\nlow,low\n", {}, "buying|safety", 2, ASSUMED),
        ("p,x,s\ne,x,s\np,b,s\n", {}, "column_0|column_1|column_2", 3, THREE),
        ("a,b,SECRET\na,y,z\n", {"has_header": True}, "a|b|SECRET", 1, None),
        ("a,b,SECRET\na,y,z\n", {"has_header": False}, "column_0|column_1|column_2", 2, THREE),
        ("1,2,3,4,5,6\n", {"columns": DECLARED}, "|".join(DECLARED), 1, None),
        ("age,city\n30,Rome\n", {"columns": ("a", "b"), "has_header": False}, "a|b", 2, None),
        (HOSTILE, {}, 'say "x"|two words|x,y|a\nb|😀|A|a|c0|\'; DROP TABLE t; --|count(*)', 1, None),
        (",age\n0,30\n1,41\n", {}, "column_0|age", 2, UNNAMED),
        ("a, b\n1,2\n", {}, "a| b", 1, None),
        ("a,b \n1,2\n", {"is_trimmed": True}, "a|b", 1, None),
        ("a,\tb\n1,2\n", {}, "a|\tb", 1, None),
        ("a,\tb\n1,2\n", {"is_trimmed": True}, "a|b", 1, None),
        (QUESTIONS, {}, "q1|30d_mortality|2019Q1", 2, ASSUMED),
    ],
)
def test_the_first_line_is_a_header_or_data(write, read, text, options, names, records, note):
    """Texts over numbers are names, numbers and texts that come again are data; what was assumed is noted."""
    found = read(write(text), **options)
    assert (found.names, len(found.rows)) == (tuple(names.split("|")), records)
    assert found.notes == (() if note is None else (note,))


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("a,b,SECRET\na,y,z\n", {}, "`header: true`"),
        ("n,2019\n1,5\n2,6\n", {}, "`header: true`"),
        ("1,2\n3,4\n", {"columns": ("a",)}, "gives 1 names"),
        ("1,2\n3,4\n", {"columns": ("a", "b", "c")}, "gives 3 names"),
        ("1,2\n3,4\n", {"columns": ("a", "a")}, "unique"),
        ("1,2\n3,4\n", {"columns": ()}, "at least one"),
        ("1,2\n3,4\n", {"columns": ("a", "")}, "no readable name"),
        ("1,2\n3,4\n", {"columns": ("a", "b"), "has_header": True}, "`columns:`"),
        ("age,city\n30,Rome\n", {"columns": ("age", "city")}, "`header: false`"),
        ("age,city\n30,Rome\n", {"columns": ("a", "b")}, "`header: false`"),
        ("age,city,age\n1,x,2\n", {}, "columns 1 and 3"),
        ("a, a\n1, 2\n", {}, "unique"),
        (",column_0\n0,30\n1,41\n", {}, "unique"),
    ],
)
def test_a_line_that_may_be_either_and_names_that_do_not_fit_are_refused(write, refuse, text, options, words):
    """Nobody guesses, no header is swallowed as a record, and equal names are told by their places."""
    assert words in refuse(write(text), **options)


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
def test_a_first_line_with_the_form_of_a_value_is_asked_about(write, refuse, read, cell, below):
    """A file of texts without a header: what is said names the column's place and no value."""
    path = write(f"Basel,{cell}\nBern,{below}\nBiel,{below.replace('8', '9')}\n")
    said = refuse(path)
    assert ("column 2 looks like a value" in said, cell in said) == (True, False)
    assert read(path, has_header=True).names == ("Basel", cell)
