"""What published texts stand for and lose, and how that enters arithmetic, against lists written by hand."""

from datetime import date

import numpy as np
import pytest

from columns import column, covered, hierarchy
from qidguard.sdk import DataError, ValueType, interval_text, read_coverage, set_text

INTEGER = ValueType.INTEGER
AGES = [17, 18, 19, 25, 30, 41]
JOBS = ["clerk", "nurse", "priest", "smith"]
DAYS = [date(2020, 12, 31), date(2021, 1, 1), date(2021, 3, 31), date(2021, 4, 1), date(2029, 5, 1)]
WRITTEN = [
    # values, which of them are meant, every way to write that
    (AGES, [18], ["18", "18.0"]),
    (AGES, [18, 19, 25],
     ["[18, 25]", "[18-25]", "[18; 25]", "18-25", "18 – 25", "18..25", "18~25", "18 to 25"]),
    (AGES, [18, 19], ["[18, 25)", "[18, 25["]),
    (AGES, [19, 25], ["(18, 25]"]),
    (AGES, [19], ["]18, 25["]),
    (AGES, [17, 18], ["-5-18", "<= 18", "[-inf, 18]"]),
    (AGES, [25, 30, 41], [">= 25", "≥ 25", "25+", "[25, inf)"]),
    (AGES, [30, 41], [">25"]),
    (AGES, [17], ["< 18"]),
    (AGES, [25], ["20s"]),
    (AGES, [17, 30], ["{17, 30}", "17;30", "17|30"]),
    (AGES, [17, 19, 25, 30], ["{17, [19, 30]}"]),
    (AGES, [17, 30, 41], ["17,30,41"]),
    (AGES, [17, 18, 19], ["1*", "1**"]),
    (AGES, AGES, ["*"]),
    (AGES, [], ["-5--1", "24", "24.5"]),
    (JOBS, ["nurse"], ["nurse", "nur**"]),
    (JOBS, ["clerk", "smith"], ["{clerk, smith}", "clerk,smith", "clerk ~ smith"]),
    (JOBS, ["priest"], ["p*"]),
    (JOBS, ["clerk", "nurse", "smith"], ["*****"]),
    (JOBS, JOBS, ["*", "**"]),
    (DAYS, DAYS[1:2], ["2021-01-01"]),
    (DAYS, DAYS[1:4], ["2021"]),
    (DAYS, DAYS[2:3], ["2021-03"]),
    (DAYS, DAYS[1:3], ["2021-Q1", "2021-01-01 – 2021-03-31", "2021-01-01-2021-03-31"]),
    (DAYS, DAYS, ["2020s"]),
    (DAYS, DAYS[2:4], ["2021-W13"]),
    (DAYS, DAYS[:3], ["[2020-12-31, 2021-03-31]", "<= 2021-03"]),
    (DAYS, DAYS[:2], ["[2020-12-31, 2021-03-31)"]),
    (DAYS, DAYS[:4], ["2020-2021"]),
    (DAYS, DAYS[4:], ["> 2021"]),
    (DAYS, DAYS[1:], [">= 2021"]),
    (DAYS, DAYS[:1], ["< 2021"]),
    (DAYS, [DAYS[0], DAYS[3]], ["{2020-12-31, 2021-04}"]),
    (DAYS, [], ["2021-02-03"]),
    (["?", "17", "20"], [], ["18"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("values", "text", "meant"), [(values, text, meant) for values, meant, texts in WRITTEN for text in texts]
)
def test_each_way_to_write_an_interval_a_set_a_prefix_or_a_period_is_read(values, text, meant):
    """Numbers, texts and dates: a text covers what it says; a period covers its days and may be an end."""
    assert list(map(str, meant)) == covered(values, text)


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
        *((AGES, text) for text in ("young", "25-18", "[18, young]", "{17, young}", "17,24", "")),
        *((JOBS, text) for text in ("17-25", "clerk,baker", "x*", '{clerk, "nurse}', '{"clerk"nurse}', "12")),
        *((DAYS, text) for text in ("2021-13", "2021-02-30", "100")),
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
    for before, codes in ((["a", "b", None], [0, 2]), (["a", "b"], [2])):
        assert read_coverage(column(before), column([set_text([None, "b"])])).covered(1).tolist() == codes


BEFORE_NULL = ["a", "b", None]


@pytest.mark.parametrize(
    ("before", "after", "mark", "text", "covered_codes", "loss"),
    [
        # NULL published as often as it was there is itself; one more, and it may be anything
        (BEFORE_NULL, BEFORE_NULL, "*", None, [0], 0.0),
        (BEFORE_NULL, ["a", None, None], "*", None, [0, 1, 2], 1.0),
        # a table without NULL that gets one has a suppressed cell
        ([1, 2], [1, None], "*", None, [1, 2], 1.0),
        # a mark that was there before is itself; used for other cells it covers everything
        (["#", "a", "b"], ["#", "a", "b"], "#", "#", [1], 0.0),
        (["#", "a", "b"], ["#", "#", "b"], "#", "#", [1, 2, 3], 1.0),
        # the declared mark and the star both stand for a suppressed cell, which covers NULL too
        (BEFORE_NULL, ["#", "*"], "#", "#", [0, 1, 2], 1.0),
        (BEFORE_NULL, ["#", "*"], "#", "*", [0, 1, 2], 1.0),
    ],
)
def test_null_and_marks_stand_for_themselves_until_there_are_more_of_them(
    before, after, mark, text, covered_codes, loss
):
    """What hides another value may be anything and loses everything."""
    after = column(after) if any(isinstance(one, str) for one in after) else column(after, value_type=INTEGER)
    read = read_coverage(column(before), after, suppression_mark=mark)
    code = after.texts.index(text)
    assert (read.covered(code).tolist(), read.loss[code]) == (covered_codes, loss)


def test_a_cell_loses_by_what_it_hides():
    """A NULL beside more of them loses all but for those that were NULL; so does a mark."""
    more = read_coverage(column(BEFORE_NULL), column(["a", None, None]))
    assert more.loss_of([0, 0, 0], [1, 2, 0]).tolist() == [1.0, 1.0, 0.0]
    used = read_coverage(column(["#", "a", "b"]), column(["#", "#", "b"]), suppression_mark="#")
    assert used.loss_of([1, 1], [1, 2]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # between real numbers an open end has the same width
        ([1.5, 2.5, 5.5], {"[1.5, 2.5)": ([1], 0.25), "[1.5, 2.5]": ([1, 2], 0.25)}),
        # of categories: covered − 1 over the other values, NULL being one where it occurs
        (JOBS, {"{clerk, nurse}": ([1, 2], 1 / 3)}),
        ([*JOBS, None],
         {"clerk": ([1], 0), "{, clerk, nurse}": ([0, 1, 2], 2 / 4), "{clerk, nurse}": ([1, 2], 1 / 4)}),
        # in a column of text the values that are numbers lie in intervals, and losses count values
        (["?", "17", "20", "30"], {"[17, 25]": ([1, 2], 1 / 3), "{?, [17, 25]}": ([1, 2, 4], 2 / 3)}),
        # one value has nothing to lose but by suppression
        ([5, 5], {"*": ([1], 1), "5": ([1], 0), "[1, 9]": ([1], 0), "[5, 9]": ([1], 0)}),
    ],
)  # fmt: skip
def test_what_is_covered_and_what_that_loses(values, expected):
    """Numbers lose width, categories the number of values they may be, a suppressed cell everything."""
    read = read_coverage(column(values), column(list(expected)))
    found = {code: ([*map(int, read.covered(code))], read.loss[code]) for code in range(1, len(expected) + 1)}
    assert list(found.values()) == [expected[text] for text in sorted(expected)]
    assert read.counts[1:].tolist() == [len(codes) for codes, _ in found.values()]


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


WRONG = ["23", "[25, 29]", "99"]


@pytest.mark.parametrize(
    ("before", "after", "codes", "originals", "expected"),
    [
        # as many NULLs as before, but one of them hides a value: that cell loses everything
        (["a", "b", "c", None], [None, "b"], [0, 0], [1, 0], [1.0, 0.0]),
        (["#", "a", "b", "c"], ["#", "b"], [1, 1], [2, 1], [1.0, 0.0]),
        # a centroid costs its distance, and a wide miss is capped
        (AGES, WRONG, 1, [1, 4], pytest.approx([6 / 24, 2 / 24])),
        (AGES, WRONG, 3, [1, 4], pytest.approx([12 / 24, 4 / 24])),
        (AGES, WRONG, 2, 1, 1.0),
        # a wrong category costs what a pair costs
        (JOBS, ["nurse", "{clerk, nurse}"], [1, 2], [4, 4], pytest.approx([1 / 3, 2 / 3])),
        # NULL that became a number costs one of the other values
        ([1, 2, 5, None], ["2", "3"], [1, 2], [0, 0], pytest.approx([1 / 3, 1 / 3])),
        # a number that a column of texts does not have is, with its original, one of two values
        (["?", "17", "20"], ["18"], 1, 2, 0.5),
    ],
)
def test_loss_of_a_wrong_value_is_that_of_both(before, after, codes, originals, expected):
    """Published texts, by their codes, beside the originals that they stand for."""
    mark = {"suppression_mark": "#"} if "#" in before else {}
    read = read_coverage(column(before), column(after), **mark)
    assert np.asarray(read.loss_of(codes, originals)).tolist() == expected


def test_centers():
    """The middle of an interval or of what is covered; of a suppressed cell there is none."""
    texts = ["*", "18", "20.5", "[17, 30]", "{17, 25}"]
    read = read_coverage(column(AGES), column(texts))
    assert read.centers[2:].tolist() == [18, 20.5, 23.5, 21]
    assert np.isnan(read.centers[:2]).all()
    assert read_coverage(column(AGES), column(WRONG)).is_point[1:].tolist() == [True, True, False]


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


@pytest.mark.parametrize(
    ("values", "found", "expected"),
    [
        # the hierarchy tells a label where the text alone would be misread
        ("1239",
         hierarchy([[0, 1, 2, 1, 2], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0]],
                   (None, "5-10", "group 2 of 2"), (None, "any"), ("all",)),
         {"5-10": "13", "group 2 of 2": "29", "any": "1239", "all": "1239", "{any, 3}": "1239"}),
        # where levels share a label nobody can tell them apart, so it covers the larger group
        ("abcde",
         hierarchy([[0, 1, 1, 2, 3, 3], [0, 1, 1, 2, 2, 2], [0, 0, 0, 0, 0, 0]],
                   (None, "x", "y", "z"), (None, "y", "x"), ("*",)),
         {"x": "cde", "y": "ab", "z": "de"}),
        # two groups of one level with one label are published as one
        ("abc", hierarchy([[0, 1, 2, 3], [0, 0, 0, 0]], (None, "x", "x", "y"), ("*",)), {"x": "ab"}),
    ],
)  # fmt: skip
def test_a_label_covers_its_group(values, found, expected):
    """On every level, and as a member of a set."""
    column_of = [int(value) if value.isdecimal() else value for value in values]
    assert {text: "".join(covered(column_of, text, hierarchy=found)) for text in expected} == expected


def test_a_label_that_is_a_value_too():
    """Published more often than the original has the value, it is the label: for all of its cells."""
    found = hierarchy([[0, 1, 1, 2], [0, 0, 0, 0]], (None, "b", "c"), ("*",))
    before = column(["a", "b", "c", "c"])
    kept = read_coverage(before, column(["a", "b", "c", "c"]), found)
    assert [kept.covered(code).tolist() for code in (1, 2, 3)] == [[1], [2], [3]]
    used = read_coverage(before, column(["b", "b", "c", "c"]), found)
    assert [used.covered(code).tolist() for code in (1, 2)] == [[1, 2], [3]]
    assert used.loss_of([1, 1, 2], [1, 2, 3]).tolist() == [0.5, 0.5, 0.0]


def test_a_hierarchy_of_other_values():
    """A hierarchy bound to another column is refused, without a value in the sentence."""
    other = hierarchy([[0, 0, 0]], ("*",))
    with pytest.raises(DataError, match="that of 'q' groups 2 values where there are 3; bind it anew"):
        read_coverage(column(list("abc")), column(["*"]), other)
