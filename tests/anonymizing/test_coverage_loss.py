"""What a published cell loses, and how it enters arithmetic, by hand."""

import numpy as np
import pytest

from columns import column, hierarchy
from qidguard.sdk import ValueType, interval_text, read_coverage

AGES = [17, 18, 19, 25, 30, 41]
JOBS = ["clerk", "nurse", "priest", "smith"]


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


def test_centers():
    """The middle of an interval or of what is covered; of a suppressed cell there is none."""
    texts = ["*", "18", "20.5", "[17, 30]", "{17, 25}"]
    read = read_coverage(column(AGES), column(texts))
    assert read.centers[2:].tolist() == [18, 20.5, 23.5, 21]
    assert np.isnan(read.centers[:2]).all()


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
