"""What published texts stand for, against lists written by hand."""

from datetime import date

import numpy as np
import pytest

from columns import column, covered
from qidguard.sdk import ValueType, read_coverage, set_text

AGES = [17, 18, 19, 25, 30, 41]
JOBS = ["clerk", "nurse", "priest", "smith"]
DAYS = [date(2020, 12, 31), date(2021, 1, 1), date(2021, 3, 31), date(2021, 4, 1), date(2029, 5, 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("18", [18]),
        ("18.0", [18]),
        ("[18, 25]", [18, 19, 25]),
        ("[18, 25)", [18, 19]),
        ("[18, 25[", [18, 19]),
        ("(18, 25]", [19, 25]),
        ("]18, 25[", [19]),
        ("[18-25]", [18, 19, 25]),
        ("[18; 25]", [18, 19, 25]),
        ("18-25", [18, 19, 25]),
        ("18 – 25", [18, 19, 25]),
        ("18..25", [18, 19, 25]),
        ("18~25", [18, 19, 25]),
        ("18 to 25", [18, 19, 25]),
        ("-5-18", [17, 18]),
        ("-5--1", []),
        (">= 25", [25, 30, 41]),
        (">25", [30, 41]),
        ("≥ 25", [25, 30, 41]),
        ("< 18", [17]),
        ("<= 18", [17, 18]),
        ("25+", [25, 30, 41]),
        ("[25, inf)", [25, 30, 41]),
        ("[-inf, 18]", [17, 18]),
        ("20s", [25]),
        ("{17, 30}", [17, 30]),
        ("{17, [19, 30]}", [17, 19, 25, 30]),
        ("17,30,41", [17, 30, 41]),
        ("17;30", [17, 30]),
        ("17|30", [17, 30]),
        ("1*", [17, 18, 19]),
        ("1**", [17, 18, 19]),
        ("*", AGES),
        ("24", []),
        ("24.5", []),
    ],
)
def test_numbers(text, expected):
    """Each way of writing an interval, a set or a prefix of numbers covers what it says."""
    assert [str(age) for age in expected] == covered(AGES, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nurse", ["nurse"]),
        ("{clerk, smith}", ["clerk", "smith"]),
        ("clerk,smith", ["clerk", "smith"]),
        ("clerk ~ smith", ["clerk", "smith"]),
        ("nur**", ["nurse"]),
        ("p*", ["priest"]),
        ("*", JOBS),
        ("*****", ["clerk", "nurse", "smith"]),
        ("**", JOBS),
    ],
)
def test_categories(text, expected):
    """Each way of writing a set or a prefix of texts covers what it says."""
    assert expected == covered(JOBS, text)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("2021-01-01", [1]),
        ("2021", [1, 2, 3]),
        ("2021-03", [2]),
        ("2021-Q1", [1, 2]),
        ("2020s", [0, 1, 2, 3, 4]),
        ("2021-W13", [2, 3]),
        ("[2020-12-31, 2021-03-31]", [0, 1, 2]),
        ("[2020-12-31, 2021-03-31)", [0, 1]),
        ("2021-01-01 – 2021-03-31", [1, 2]),
        ("2021-01-01-2021-03-31", [1, 2]),
        ("2020-2021", [0, 1, 2, 3]),
        ("> 2021", [4]),
        (">= 2021", [1, 2, 3, 4]),
        ("< 2021", [0]),
        ("<= 2021-03", [0, 1, 2]),
        ("{2020-12-31, 2021-04}", [0, 3]),
        ("2021-02-03", []),
    ],
)
def test_dates(text, places):
    """A period covers its days, and an end may be a period itself."""
    assert [str(DAYS[at]) for at in places] == covered(DAYS, text)


def test_moments():
    """A day covers its moments, and an open end leaves the moment out."""
    before = column([18687.0, 18687.5, 18688.0], value_type=ValueType.TIMESTAMP)
    texts = ["2021-03-01", "[2021-03-01 00:00:00, 2021-03-01 12:00:00)", "2021-03-01 12:00:00", "2021"]
    after = column(texts, value_type=ValueType.TEXT)
    read = read_coverage(before, after)
    found = {text: read.covered(code).tolist() for code, text in enumerate(after.texts) if text}
    assert dict(zip(texts, [[1, 2], [1], [2], [1, 2, 3]], strict=True)) == found


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (AGES, "young"),
        (AGES, "25-18"),
        (AGES, "[18, young]"),
        (AGES, "{17, young}"),
        (AGES, "17,24"),
        (JOBS, "17-25"),
        (JOBS, "clerk,baker"),
        (JOBS, "x*"),
        (JOBS, '{clerk, "nurse}'),
        (JOBS, '{"clerk"nurse}'),
        (JOBS, "12"),
        (DAYS, "2021-13"),
        (DAYS, "2021-02-30"),
        (DAYS, "1000"[:3]),
        (AGES, ""),
    ],
)
def test_unreadable(values, text):
    """What says nothing about the column's values is counted, covers nothing and has no loss."""
    read = read_coverage(column(values), column([text, text], value_type=ValueType.TEXT))
    assert (read.unreadable, read.covered(1).tolist(), np.isnan(read.loss[1])) == (1, [], True)
    assert np.isnan(read.loss_of(1, 1))


@pytest.mark.parametrize(
    "value", ["5-10", "[5, 10]", "{a, b}", "a,b", ">= 5", "*", "10*", "5+", '"', "", " "]
)
def test_a_value_that_looks_like_a_generalization_is_itself(value):
    """Values come first: such a text covers the one value, and nothing is lost."""
    before = column(["5", "7", "10", "101", "a", "b", value])
    read = read_coverage(before, before)
    place = before.texts.index(value)
    assert [place] == read.covered(place).tolist()
    assert (float(read.loss[1:].max()), read.unreadable) == (0.0, 0)


@pytest.mark.parametrize(
    "value", ["a, b", "[x", 'say "so"', "", " a", "{a}", "[17, 25]", "a]", "(", ",", '"']
)
def test_a_hostile_member_of_a_set_is_read_back(value):
    """What ``set_text`` writes, the reader takes apart again, quotes and all."""
    values = ["a", "b", "so", value]
    expected = sorted({value, "b"})
    assert expected == covered(values, set_text([value, "b"]))
    assert expected == covered([*values, None], set_text(["b", value]))


def test_a_missing_member():
    """An empty place of a set is NULL, where NULL occurs."""
    read = read_coverage(column(["a", "b", None]), column([set_text([None, "b"])]))
    assert read.covered(1).tolist() == [0, 2]
    read = read_coverage(column(["a", "b"]), column([set_text([None, "b"])]))
    assert read.covered(1).tolist() == [2]


def test_missing_values_stand_for_themselves_until_there_are_more_of_them():
    """NULL published as often as it was there is itself; one more, and it may be anything."""
    before = column(["a", "b", None])
    kept = read_coverage(before, column(["a", "b", None]))
    more = read_coverage(before, column(["a", None, None]))
    assert (kept.covered(0).tolist(), kept.loss[0]) == ([0], 0.0)
    assert (more.covered(0).tolist(), more.loss[0]) == ([0, 1, 2], 1.0)
    assert more.loss_of([0, 0, 0], [1, 2, 0]).tolist() == [1.0, 1.0, 0.0]


def test_missing_values_where_there_were_none():
    """A table without NULL that gets one has a suppressed cell."""
    read = read_coverage(column([1, 2]), column([1, None], value_type=ValueType.INTEGER))
    assert (read.covered(0).tolist(), read.loss[0]) == ([1, 2], 1.0)


def test_a_missing_value_in_place_of_another_one_that_is_gone():
    """As many NULLs as before, but one of them hides a value: that cell loses everything."""
    read = read_coverage(column(["a", "b", "c", None]), column([None, "b"]))
    assert read.loss_of([0, 0], [1, 0]).tolist() == [1.0, 0.0]
    marked = read_coverage(column(["#", "a", "b", "c"]), column(["#", "b"]), suppression_mark="#")
    assert marked.loss_of([1, 1], [2, 1]).tolist() == [1.0, 0.0]


def test_a_mark_that_the_original_holds():
    """A mark that was there before is itself; used for other cells it covers everything."""
    before = column(["#", "a", "b"])
    assert read_coverage(before, before, suppression_mark="#").covered(1).tolist() == [1]
    used = read_coverage(before, column(["#", "#", "b"]), suppression_mark="#")
    assert (used.covered(1).tolist(), used.loss_of([1, 1], [1, 2]).tolist()) == ([1, 2, 3], [0.0, 1.0])


def test_the_declared_mark_and_the_star():
    """Both stand for a suppressed cell, which covers NULL too and loses everything."""
    read = read_coverage(column(["a", "b", None]), column(["#", "*"]), suppression_mark="#")
    assert [read.covered(code).tolist() for code in (1, 2)] == [[0, 1, 2]] * 2
    assert read.loss[1:].tolist() == [1.0, 1.0]


def test_a_column_of_one_value():
    """It has nothing to lose but by suppression."""
    one = column([5, 5])
    read = read_coverage(one, column(["*", "5", "[5, 9]", "[1, 9]"]))
    assert dict(zip(("*", "5", "[1, 9]", "[5, 9]"), read.loss[1:].tolist(), strict=True)) == {
        "*": 1.0,
        "5": 0.0,
        "[1, 9]": 0.0,
        "[5, 9]": 0.0,
    }
