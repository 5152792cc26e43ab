"""What published texts stand for, against lists written by hand."""

from datetime import date

import numpy as np
import pytest

from columns import column
from qidguard import DataError, Hierarchy, ValueType, interval_text, read_coverage, set_text

AGES = [17, 18, 19, 25, 30, 41]
JOBS = ["clerk", "nurse", "priest", "smith"]
DAYS = [date(2020, 12, 31), date(2021, 1, 1), date(2021, 3, 31), date(2021, 4, 1), date(2029, 5, 1)]


def covered(values, published, **given):
    """Return the values that one published text covers."""
    before = column(values)
    read = read_coverage(before, column([published], value_type=ValueType.TEXT), **given)
    assert not read.unreadable
    return [before.texts[code] for code in read.covered(1)]


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
def test_a_value_that_looks_like_a_generalisation_is_itself(value):
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


def hierarchy(groups, *labels):
    """Return a hierarchy of levels 1… over given groups of codes."""
    codes = len(groups[0])
    return Hierarchy(
        column="q",
        groups=np.array([np.arange(codes), *groups], dtype=np.int32),
        labels=((None, *map(str, range(codes - 1))), *labels),
    )


def test_labels():
    """A label covers its group, and the hierarchy tells it where the text alone would be misread."""
    found = hierarchy(
        [[0, 1, 2, 1, 2], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0]],
        (None, "5-10", "group 2 of 2"),
        (None, "any"),
        ("all",),
    )
    values = [1, 2, 3, 9]
    assert covered(values, "5-10", hierarchy=found) == ["1", "3"]
    assert covered(values, "group 2 of 2", hierarchy=found) == ["2", "9"]
    assert covered(values, "any", hierarchy=found) == ["1", "2", "3", "9"]
    assert covered(values, "all", hierarchy=found) == ["1", "2", "3", "9"]
    assert covered(values, "{any, 3}", hierarchy=found) == ["1", "2", "3", "9"]


def test_a_label_of_two_levels_is_the_widest():
    """Where levels share a label nobody can tell them apart, so it covers the larger group."""
    found = hierarchy(
        [[0, 1, 1, 2, 3, 3], [0, 1, 1, 2, 2, 2], [0, 0, 0, 0, 0, 0]],
        (None, "x", "y", "z"),
        (None, "y", "x"),
        ("*",),
    )
    assert covered(list("abcde"), "x", hierarchy=found) == ["c", "d", "e"]
    assert covered(list("abcde"), "y", hierarchy=found) == ["a", "b"]
    assert covered(list("abcde"), "z", hierarchy=found) == ["d", "e"]


def test_a_label_that_is_a_value_too():
    """Published more often than the original has the value, it is the label: for all of its cells."""
    found = hierarchy([[0, 1, 1, 2], [0, 0, 0, 0]], (None, "b", "c"), ("*",))
    before = column(["a", "b", "c", "c"])
    kept = read_coverage(before, column(["a", "b", "c", "c"]), found)
    assert [kept.covered(code).tolist() for code in (1, 2, 3)] == [[1], [2], [3]]
    used = read_coverage(before, column(["b", "b", "c", "c"]), found)
    assert [used.covered(code).tolist() for code in (1, 2)] == [[1, 2], [3]]
    assert used.loss_of([1, 1, 2], [1, 2, 3]).tolist() == [0.5, 0.5, 0.0]


def test_a_label_of_two_groups_covers_both():
    """Two groups of one level with one label are published as one."""
    found = hierarchy([[0, 1, 2, 3], [0, 0, 0, 0]], (None, "x", "x", "y"), ("*",))
    assert covered(list("abc"), "x", hierarchy=found) == ["a", "b"]


def test_a_hierarchy_of_other_values():
    """A hierarchy bound to another column is refused, without a value in the sentence."""
    other = hierarchy([[0, 0, 0]], ("*",))
    with pytest.raises(DataError, match="that of 'q' groups 2 values where there are 3; bind it anew"):
        read_coverage(column(list("abc")), column(["*"]), other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("18", 0),
        ("[17, 29]", 12 / 24),
        ("[0, 29]", 12 / 24),  # clipped to 17
        ("[17, 30)", 12 / 24),  # whole numbers: the same as [17, 29]
        ("{17, 25}", 8 / 24),
        ("17,18,25", 8 / 24),
        ("{, 17}", 1 / 6),
        ("{, [17, 29]}", 12 / 24 + 1 / 6),
        ("{, [17, 41]}", 1),
        (">= 30", 11 / 24),
        ("[50, 60]", 0),
        ("20", 0),
        ("*", 1),
    ],
)
def test_loss_of_numbers(text, expected):
    """Width over the range 17..41; NULL beside numbers is one of the other 6 of 7 values."""
    read = read_coverage(column([*AGES, None]), column([text], value_type=ValueType.TEXT))
    assert expected == pytest.approx(read.loss[1], abs=1e-15)


def test_loss_of_a_label_counts_what_it_covers():
    """Of 17, 18, 19 in a group the width is 2, whatever the label's own ends."""
    found = hierarchy([[0, 1, 1, 1, 2, 2, 2], [0] * 7], (None, "10-19", "20-99"), ("*",))
    read = read_coverage(column(AGES), column(["10-19", "20-99"]), found)
    assert pytest.approx(read.loss[1:].tolist()) == [2 / 24, 16 / 24]


def test_loss_of_real_numbers():
    """Between real numbers an open end has the same width."""
    read = read_coverage(column([1.5, 2.5, 5.5]), column(["[1.5, 2.5)", "[1.5, 2.5]"]))
    assert (read.counts[1:].tolist(), read.loss[1:].tolist()) == ([1, 2], [0.25, 0.25])


def test_loss_of_categories():
    """Covered − 1 over the other values, NULL being one where it occurs."""
    texts = ["{clerk, nurse}", "{, clerk, nurse}", "clerk"]
    read = read_coverage(column([*JOBS, None]), column(texts))
    assert read.loss[1:].tolist() == [0, 2 / 4, 1 / 4]  # in the order of texts: clerk, {, clerk…, {clerk…
    assert read_coverage(column(JOBS), column(texts[:1])).loss[1:].tolist() == [1 / 3]


def test_loss_of_a_wrong_value_is_that_of_both():
    """A centroid costs its distance, a wrong category what a pair costs, and a wide miss is capped."""
    ages = read_coverage(column(AGES), column(["23", "[25, 29]", "99"]))
    code = {text: at for at, text in enumerate(("", "23", "99", "[25, 29]"))}
    assert pytest.approx(ages.loss_of(code["23"], [1, 4]).tolist()) == [6 / 24, 2 / 24]
    assert pytest.approx(ages.loss_of(code["[25, 29]"], [1, 4]).tolist()) == [12 / 24, 4 / 24]
    assert ages.loss_of(code["99"], 1) == 1.0
    assert ages.is_point[1:].tolist() == [True, True, False]
    jobs = read_coverage(column(JOBS), column(["nurse", "{clerk, nurse}"]))
    assert pytest.approx(jobs.loss_of([1, 2], [4, 4]).tolist()) == [1 / 3, 2 / 3]


def test_a_missing_value_published_as_a_number():
    """NULL that became a number costs one of the other values."""
    read = read_coverage(column([1, 2, 5, None]), column(["2", "3"]))
    assert pytest.approx(read.loss_of([1, 2], [0, 0]).tolist()) == [1 / 3, 1 / 3]


def test_centres():
    """The middle of an interval or of what is covered; of a suppressed cell there is none."""
    texts = ["*", "18", "20.5", "[17, 30]", "{17, 25}"]
    read = read_coverage(column(AGES), column(texts))
    assert read.centres[2:].tolist() == [18, 20.5, 23.5, 21]
    assert np.isnan(read.centres[:2]).all()


def test_rounded_numbers_match_by_text():
    """The end of an interval that is an original text is that value, though its number is a rounded one."""
    before = column([30.100000381469727, 1.0, 9.0])
    before.__dict__["texts"] = (None, "1.0", "9.0", "30.1")
    read = read_coverage(before, column([interval_text("9.0", "30.1")]))
    assert read.covered(1).tolist() == [2, 3]


def test_an_original_number_written_otherwise_is_the_same_value():
    """20 for 20.0 is no change; a label of a group is not the value, even of one."""
    read = read_coverage(column([20.0, 30.5]), column(["20", "30.50", "{20, 30.5}"]))
    assert read.same[1:].tolist() == [1, 2, -1]


def test_texts_that_are_mostly_numbers():
    """In a column of text the values that are numbers lie in intervals, and losses count values."""
    read = read_coverage(column(["?", "17", "20", "30"]), column(["[17, 25]", "{?, [17, 25]}"]))
    assert [read.covered(code).tolist() for code in (1, 2)] == [[1, 2], [1, 2, 4]]
    assert pytest.approx(read.loss[1:].tolist()) == [1 / 3, 2 / 3]


def test_a_number_that_a_column_of_texts_does_not_have():
    """It covers nothing, and with its original it is one of two values."""
    read = read_coverage(column(["?", "17", "20"]), column(["18"]))
    assert (read.covered(1).tolist(), read.loss_of(1, 2)) == ([], 0.5)


def test_an_empty_domain():
    """A column of NULL only can be published as it is; everything else is suppressed or unreadable."""
    before = column([None, None], value_type=ValueType.EMPTY)
    assert [read_coverage(before, before).covered(0).tolist()] == [[0]]
    read = read_coverage(before, column(["*", "7"]))
    assert (read.is_suppressed[1:].tolist(), read.unreadable) == ([True, False], 1)


def test_spread_wants_a_weight_a_value():
    """Weights of another number are refused."""
    read = read_coverage(column(JOBS), column(["*"]))
    with pytest.raises(ValueError, match="one weight for each of 2 published values"):
        read.spread([1.0])


def test_values_reach_no_representation():
    """What is printed of a coverage or a failed reading holds none of the table's values."""
    read = read_coverage(column(["secret one", "secret two"]), column(["secret three"]))
    assert "secret" not in repr(read)
