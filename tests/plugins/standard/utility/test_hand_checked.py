"""Measures of utility on small tables that can be checked by hand: an original, and what is published."""

from datetime import date
from math import log2

import numpy as np
import pytest

from hand_checked import cases
from levelled_tables import hierarchy
from qidguard.sdk import Hierarchy, NotMeasurable
from qidguard_standard.utility import UTILITY_METRICS
from two_tables import measured, view

BY_NAME = {metric.name: metric for metric in UTILITY_METRICS}
case = cases(UTILITY_METRICS)

AGES, JOBS = [20, 24, 30, 60], "xxyz"
PEOPLE = {"a": AGES, "c": JOBS}
GENERAL = {"a": ["[20, 24]", "[20, 24]", "*"], "c": ["{x, y}", "x", "{x, y}"]}
"""Of four people two are in an interval and a set, one cell and one record are suppressed."""
COVERED = {"a": ["[20, 24]", "*", "30"]}
FOUR, LAST = (PEOPLE, GENERAL), [True, True, True, False]
BITS = 1 + 1 + 2 + 2 + log2(1.5) + log2(3) + 2
"""Ages log2(2/1) twice and log2(4/1) twice; jobs log2(3/2), 0, log2(3/1) and log2(4/1)."""
SPREAD = 13.5**2 + 9.5**2 + 3.5**2 + 26.5**2
"""Of the ages, whose mean is 33.5."""
STARS = (PEOPLE | {"d": "ssss"}, dict.fromkeys("acd", "****"))
"""No cell says anything, of a constant column among others."""
NULLS = ({"c": ["x", "y", "z", "w", None]}, {"c": ["{, x}", "{x, y}", None, "w", None]})
"""NULL is one of five values; kept it costs nothing, in place of a value everything."""
HIDDEN = ({"c": ["x", None, "y", "z"]}, {"c": [None, "y", "z"]})
"""As many NULLs as before, for the record that had one is suppressed: the hidden value is lost wholly."""
SECOND = [True, False, True, True]
GAPS = {"a": [1, 3, None, 8]}
"""The mean is 4 and the sum of squares 9 + 1 + 16 = 26."""
FILLED = (GAPS, {"a": [1, 3, 4, 8]})
ROUNDED = ({"a": AGES}, {"a": [22, 22, 45, 45]})
SWAPPED = ({"c": JOBS}, {"c": "xyyz"})
CELLS = [
    # ages 4/40, 4/40, 1, 1; jobs (2−1)/(3−1), 0, 1/2, 1; without hierarchies the distortion counts the same
    *case(FOUR, "ranges", kept=LAST, ncp=(0.1 + 0.1 + 1 + 1 + 0.5 + 0 + 0.5 + 1) / 8),
    *case(FOUR, "ranges", kept=LAST, distortion_measure=(0.1 + 0.1 + 1 + 1 + 0.5 + 0 + 0.5 + 1) / 8),
    *case(FOUR, "jobs 2/3, 0, 2/3, 1", kept=LAST, gcp=(0.1 + 0.1 + 1 + 1 + 2 / 3 + 0 + 2 / 3 + 1) / 8),
    # two of the four ages are covered: 1/3
    *case(FOUR, "ages 1/3", kept=LAST, granularity=1 - (1 / 3 + 1 / 3 + 1 + 1 + 0.5 + 0 + 0.5 + 1) / 8),
    *case(FOUR, "one cell, three records", kept=LAST, originality=1 / 8, kept_share=3 / 4),
    *case(FOUR, "three of one, and a record of 4", kept=LAST, discernibility_with_suppression=3 + 4),
    *case(FOUR, "bits", kept=LAST, non_uniform_entropy=BITS),
    *case(FOUR, "of 4·2 and 1 + 1 + 2 + 2", kept=LAST, non_uniform_entropy_kept=1 - BITS / 14),
    # mean 33.5, mode x; ages 2² + 2² + 3.5² + 26.5²; jobs 1/2, 0, 1/2, 1
    *case(FOUR, "mean", kept=LAST, information_loss=(4 + 4 + 12.25 + 702.25 + 2) / (SPREAD + 2)),
    *case(STARS, "all is lost", ncp=1.0, gcp=1.0, distortion_measure=1.0, information_loss=1.0),
    *case(STARS, "nothing is kept", granularity=0.0, originality=0, non_uniform_entropy_kept=0.0),
    *case(STARS, "four alike", discernibility_with_suppression=16, non_uniform_entropy=14.0),
    *case(NULLS, "of five", ncp=(1 / 4 + 1 / 4 + 1) / 5, granularity=1 - (1 / 4 + 1 / 4 + 1) / 5),
    *case(NULLS, "two stay", originality=2 / 5, non_uniform_entropy=1 + 1 + log2(5)),
    # modes tie: the first by code is NULL, so all four letters deviate by 1
    *case(NULLS, "the mode is NULL", information_loss=(1 / 2 + 1 / 2 + 1) / 4),
    *case(HIDDEN, "two of four", kept=SECOND, ncp=2 / 4, granularity=2 / 4),
    # the mode is NULL: x deviates by 1, the suppressed NULL by 0, of 3 in all
    *case(HIDDEN, "x", kept=SECOND, information_loss=1 / 3),
    # numbers 1, 5, 9: 1 deviates from their mean by 16, of 32 in all
    *case(({"a": [1, None, 5, 9]}, {"a": [None, 5, 9]}), "1", kept=SECOND, information_loss=16 / 32),
    # 3 that became NULL counts (3 − 4)², 8 at 5.5 counts 2.5²
    *case((GAPS, {"a": [1, None, None, "[3, 8]"]}), "lost a number", information_loss=(1 + 6.25) / 26),
    # NULL published as 4, which does not occur: the pair of both costs one of three other values
    *case(FILLED, "NULL as 4", information_loss=(26 / 3) / 26, ncp=(1 / 3) / 4),
    # published means and modes lose as much as there is: equations 10 and 11 are then the same
    *case((PEOPLE, {"a": [33.5] * 4, "c": "xxxx"}), "mean and mode", information_loss=1.0),
    # rounded centroids enter rounded: (20 − 22)² + (24 − 22)² + (30 − 45)² and (60 − 45)², by 987
    *case(ROUNDED, "centroids", information_loss=(4 + 4 + 225 + 225) / 987, ncp=(2 + 2 + 15 + 15) / 40 / 4),
    # a swapped value costs the pair that holds both, and all its bits
    *case(SWAPPED, "the pair", ncp=(1 / 2) / 4, gcp=(2 / 3) / 4),
    *case(SWAPPED, "all its bits", non_uniform_entropy=1.0, information_loss=1 / 2),
    *case(({"a": [5, 5]}, {"a": [5, 5]}), "nothing is lost", information_loss=0),
    *case(({"a": [5, 5]}, {"a": [5, 7]}), "no spread to take a loss by", information_loss="its spread is 0"),
    # right generalizations cost the same where the order is unknown: 4/40, 1, 0, 1; two of four ages 2/4
    *case(({"a": AGES}, COVERED), "in order", kept=LAST, ncp=(0.1 + 1 + 0 + 1) / 4, gcp=(0.1 + 2) / 4),
    *case(({"a": AGES}, COVERED), "in none", aligned=False, ncp=(0.1 + 1 + 0 + 1) / 4, gcp=(0.1 + 2) / 4),
    *case(
        ({"a": AGES}, {"a": [20, 24, 31, 60]}),
        "a number of nobody",
        aligned=False,
        ncp="1 published numbers of column 'a' do not occur",
        gcp="1 published numbers of column 'a' do not occur",
    ),
]

LEVELS = Hierarchy(
    column="c",
    groups=np.array([[0, 1, 2, 3], [0, 1, 1, 2], [0, 1, 1, 1], [0, 0, 0, 0]], dtype=np.int32),
    labels=((None, "x", "y", "z"), (None, "xy", "z"), (None, "xyz"), ("*",)),
)
"""Of levels 0 to 3 the second counts 2/3; a value at level 0 nothing; a suppressed record 1."""
LETTERS = {"c": "xyzzz"}
TOWNS = ["aa", "ab", "ac", "ba", "bb"]
INITIALS = hierarchy(view({"a": TOWNS}, {"a": TOWNS}).changes.before.column("a"), lambda text: text[0] + ".")
PAIRED = ["aa,ab", "aa,ab", "ac", "ba", "bb"]
ACROSS = ["aa", "ab", "ac,ba", "ac,ba", "bb"]
GROUPS = ["a.", "a.", "a.", "b.", "b."]
TENS = ({"a": [10, 15, 20]}, {"a": ["[10, 15]", "[10, 15]", "20"]})


def towns(published, why, own, by_groups):
    """Return rows of five towns, which their first letters group: own width, and the group's in any order."""
    seen, tree = ({"a": TOWNS}, {"a": published}), {"hierarchies": {"a": INITIALS}}
    return [
        *case(seen, why, **tree, ncp=own, hierarchy_ncp=by_groups),
        *case(seen, f"{why}, in any order", **tree, aligned=False, hierarchy_ncp=by_groups),
    ]


OF_HIERARCHIES = [
    # {x, z} is no label: its NCP loss, 1/2
    *case(
        (LETTERS, {"c": ["xy", "xyz", "z", "{x, z}"]}),
        "levels",
        kept=[True, True, True, True, False],
        hierarchies={"c": LEVELS},
        distortion_measure=(1 / 3 + 2 / 3 + 0 + 1 / 2 + 1) / 5,
    ),
    # a wrong label counts the loss of what it covers with the original, not its level
    *case(
        (LETTERS, {"c": ["xy", "xy", "xy", "z", "z"]}),
        "a wrong label",
        hierarchies={"c": LEVELS},
        distortion_measure=(1 / 3 + 1 / 3 + 1) / 5,
    ),
    *towns(TOWNS, "as they are", 0, 0),
    # two of five twice: 1/4; the group a. has three: 2/4
    *towns(PAIRED, "a set in a group", 2 / 4 / 5, 4 / 4 / 5),
    *towns(ACROSS, "a set across groups costs everything", 2 / 4 / 5, 2 / 5),
    *towns(GROUPS, "groups", (3 * 2 + 2 * 1) / 4 / 5, (3 * 2 + 2 * 1) / 4 / 5),
    *towns("*****", "suppressed", 1.0, 1.0),
    *case(({"a": TOWNS}, {"a": PAIRED}), "without a hierarchy the domain", hierarchy_ncp=2 / 5),
    *case(TENS, "numbers have their width", hierarchy_ncp=(1 / 2 + 1 / 2) / 3, ncp=(1 / 2 + 1 / 2) / 3),
]

NINES = {"a": [1, 9, 1, 9]}
"""The mean is 5 and the deviation 4."""
DAYS = [date(2021, 1, 1), date(2021, 1, 3)]
MOVED = {"d": [DAYS[1], DAYS[1]]}
TEXT, NOTHING = ({"c": "xy"}, {"c": "xy"}), ({"a": [1, 2]}, {"a": "**"})
NONE = "None of the quasi-identifiers holds numbers"
NO_NUMBER = "'a' has no published number"
LONE = "single number in the original"
COMPLETE = ({"a": [1, 2, 3, None], "b": [1, 2, 3, 9]}, {"a": ["1", "2", "*", None], "b": [1, 2, 9, 9]})
MIXED = {"c": ["x", "x", "y", None]}
CROSS = {"a": "xy", "b": "uv"}
THREE = {"a": "xyy", "b": "uvv"}
TRIPLE = {"a": "xy", "b": "uv", "c": "pq"}
STATISTICS = [
    # [1, 11] is 5 within 1..9; what is suppressed is left out
    *case((NINES, {"a": ["[1, 11]", "*", None, "6"]}), "a half more than 5", mean_shift=1 / 8),
    *case((NINES, {"a": [3, 9]}), "6", kept=[True, True, False, False], mean_shift=1 / 4),
    # a date that moved by its standard deviation counts 1, beside a column that moved less
    *case(({"a": [0, 10], "d": DAYS}, {"a": [1, 10], **MOVED}), "the worst is last", mean_shift=1.0),
    *case(({"d": DAYS, "a": [0, 10]}, {**MOVED, "a": [1, 10]}), "the worst is first", mean_shift=1.0),
    *case(({"d": DAYS}, {"d": ["2021-01", "2021-01"]}), "the month of both", mean_shift=0.0),
    *case(({"a": [5, 5]}, {"a": [5, 5]}), "a constant stays", mean_shift=0, quantile_shift=0),
    *case(({"a": [5, 5]}, {"a": [5, 6]}), "a constant moves", mean_shift=LONE, quantile_shift=LONE),
    *case(TEXT, "text", mean_shift=NONE, quantile_shift=NONE, correlation_shift=NONE, marginal_ks=NONE),
    *case(NOTHING, "no published number", mean_shift=NO_NUMBER, quantile_shift=NO_NUMBER),
    *case(NOTHING, "no published number", marginal_ks=1, marginal_total_variation=1),
    # the median of 1..5 is 3; published as 1, 1, 5, 5, 5 it is 5: half of the range
    *case(({"a": [1, 2, 3, 4, 5]}, {"a": [1, 1, 5, 5, 5]}), "median", parts=2, quantile_shift=2 / 4),
    # of two records that are complete in both columns the correlation is 1, as before
    *case(COMPLETE, "incomplete records are left out", correlation_shift=0.0),
    *case(({"a": [1, 2]}, {"a": [1, 2]}), "one column", correlation_shift="a correlation takes two"),
    # 1, 1, 1, 3 as four times [1, 3] is half 1, half 3; NULL is left out
    *case(({"a": [1, 1, 1, 3, None]}, {"a": ["[1, 3]"] * 4 + [None]}), "spread evenly", marginal_ks=1 / 4),
    # x, x, y, NULL as x, {x, y} twice, NULL: 1/2, 1/4, 1/4 stay
    *case((MIXED, {"c": ["x", "{x, y}", "{x, y}", None]}), "sets", marginal_total_variation=0.0),
    *case((MIXED, {"c": ["x", "x", "x", "*"]}), "y and NULL", marginal_total_variation=1 / 2),
    *case(({"a": [1, 3]}, {"a": [1, 2]}), "a number elsewhere", marginal_total_variation=1 / 2),
    # marginals that are kept say nothing of the table: two of two cells swapped are all of it
    *case((CROSS, {"a": "xy", "b": "vu"}), "swapped", marginal_total_variation=0, two_way_total_variation=1),
    # a set counts evenly: 1/4 in each of the four cells, of which two had 1/2
    *case((CROSS, {"a": ["x,y"] * 2, "b": ["u,v"] * 2}), "sets", two_way_total_variation=0.5),
    # a record with a suppressed cell is left out of the table: 1 where each half was
    *case((CROSS, {"a": "x*", "b": "uv"}), "a suppressed cell", two_way_total_variation=0.5),
    *case((CROSS, {"a": "**", "b": "uv"}), "no record is left", two_way_total_variation=1),
    # of the two that are left each has a half, where it had a third and two thirds
    *case((THREE, THREE | {"a": "xy*"}), "two are left", two_way_total_variation=1 / 6),
    *case((TRIPLE, TRIPLE | {"c": "qp"}), "two of three pairs moved wholly", two_way_total_variation=2 / 3),
    *case(({"a": [1]}, {"a": [1]}), "one column", two_way_total_variation="two quasi-identifiers"),
]


@pytest.mark.parametrize(("metric", "tables", "options", "figure"), [*CELLS, *OF_HIERARCHIES, *STATISTICS])
def test_small_table(metric, tables, options, figure):
    """The figure is the one that is counted by hand; what has none says why."""
    parameters = {name: options[name] for name in options if name == "parts"}
    seen = view(*tables, **{name: options[name] for name in options if name not in parameters})
    if isinstance(figure, str):
        with pytest.raises(NotMeasurable, match=figure):
            measured(BY_NAME[metric], seen, **parameters)
        return
    found = measured(BY_NAME[metric], seen, **parameters)
    assert found == (figure if isinstance(figure, int) else pytest.approx(figure, abs=1e-12))
