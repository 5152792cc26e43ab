"""The metrics of QIDLearningLib on small tables that can be checked by hand.

A table of people is one line: its columns, then its records, one letter a value, ``-`` for NULL, ``3*xu`` for
three alike. Columns a and b are QIDs, s is the sensitive attribute or the target, w says who it is; where it
is written as W, persons are counted. A typed table is its columns and its records, of which y is measured by
a; a table of columns is measured by every column beside its treatment t, if the row says no other.
"""

import datetime as dt
import math

import numpy as np
import pandas as pd
import pytest

from hand_checked import cases
from measured_people import measured, measured_frame
from people import from_line
from qidguard.sdk import Grouping, NotMeasurable
from qidguard_qidlearning.metrics import METRICS
from qidguard_qidlearning.metrics.balance import COVARIATE_SHIFT
from qidguard_qidlearning.metrics.propensity_overlap import PROPENSITY_OVERLAP
from qidguard_qidlearning.metrics.target import GROUP_ENTROPY, MEAN_SQUARED_ERROR, RANGE_UTILITY
from qidguard_qidlearning.metrics.telling_apart import (
    COLUMN_COUNT,
    attribute_length_penalty,
)
from typed_records import typed, typed_figure

BY_NAME = {metric.name: metric for metric in METRICS}
about = pytest.approx
case = cases(METRICS)


def whole(*values):
    """Return a column of whole numbers, of which some may be missing."""
    return pd.array(values, dtype="Int64")


def figure_of(metric, table, options):
    """Measure a metric on a table of any of the three shapes."""
    metric, options = BY_NAME[metric], dict(options)
    if isinstance(table, str):
        return measured(metric, from_line(table), **options)
    if isinstance(table, tuple):
        return typed_figure(metric, typed(*table), **{"qids": "a", "attribute": "y", **options})
    beside = options.pop("attribute", "t")
    qids = options.pop("qids", [name for name in table if name != beside])
    return measured_frame(metric, pd.DataFrame(table), qids, beside, **options)


THREES = "ab " + " ".join(f"3*{a}{b}" for a in "abcdefg" for b in "uvw")
"""Classes of three, whose thirds leave no last digit behind."""
COLUMNS = {"a": [1, 2], "b": ["x", None], "c": [1, 1], "d": [None, None]}
CLASSES = [
    *case("ab 1X 2Y 1X 2Y", "first of the paper", distinction=0.5, separation=about(4 / 6)),
    *case("ab 1X 2Y 1Y 2X", "second of the paper", distinction=1, separation=1),
    *case("abw xu1 -u2 xu3 --4", "NULL makes a combination of its own", distinction=0.75),
    *case("ab xu xv yu yv", "one QID works like many", qids="a", distinction=0.5),
    # 1/n exactly, where a sum of thirds would miss it
    *case("ab 3*xu", "single class", distinction=1 / 3, mean_class_size=3, separation=0),
    *case(THREES, "each class", distinction=1 / 3),
    *case(THREES, "by b", qids="b", distinction=3 / 63),
    # 49 times 1/49 is a little less than 1 in floating point, so five classes of 49 would lose a digit
    *case({"a": list("vwxyz") * 49}, "classes are not added up", attribute=None, distinction=5 / 245),
    *case("abW 2*xu1 xu2 xu3 yu1", "1 is alone: (1 + 1/3 + 1/3) / 3", distinction=about(5 / 9)),
    *case("abW xu1 yu1 yv1", "one person is not three combinations", distinction=1),
    *case("ab 3*xu yv", "classes of 3 and 1", k_anonymity_per_class=1, mean_class_size=2),
    *case("ab 2*x- 3*xu", "who lacks a QID hides in a class", k_anonymity_per_class=2),
    *case("abW 2*xu1 xu2", "three records of two persons", k_anonymity_per_class=2),
    *case("abW 2*xu1 xu2 yu1", "1 and 2 share a class, 1 is alone: 2 / (1 + 1/2)", mean_class_size=2 / 1.5),
    *case("ab 2*x- xu", "two that lack a QID are one equal pair", separation=about(2 / 3)),
    # 1 is alone in class y, so apart from both others; 2 and 3 are with all three in class x
    *case("abW xu1 xu2 xu3 yu1", "1 is apart from two", separation=about(2 / 6)),
    # p is of all columns: those that are no QIDs count in the denominator, whatever they hold
    *case(COLUMNS, "1 of 4", qids=["a"], attribute=None, attribute_length_penalty=0.625),
    *case(COLUMNS, "2 of 4", qids=["b", "d"], attribute=None, attribute_length_penalty=0.5),
    *case(COLUMNS, "all", attribute=None, attribute_length_penalty=1),
]

ENTANGLED = "absW xup1 xuq2 xvp3 xvq2"
"""By a class x holds p twice and q once, though by a and b every class is even."""
SENSITIVE = [
    *case("abs 2*xup xuq yvr", "three and one", accuracy=0.75, distinct_values_utility=1.75),
    *case("abs 2*xu- xup yvp", "a class whose mode is NULL is guessed as NULL", accuracy=0.75),
    *case("absW 3*xup1 xuq2", "three records of one person: p and q are even", accuracy=0.5),
    *case("abs xup xu- 2*yvq", "one of four is missing", completeness_utility=0.75),
    *case("abs xup xu- 2*yvq", "x lacks half", statistic="minimum", completeness_utility=0.5),
    *case("abs xup xuq", "the first value is no NULL", completeness_utility=1, information_gain=0),
    *case("abs xu- yv-", "nowhere", completeness_utility=0),
    # zero, false and the empty text are values
    *(
        row
        for values in ([0, None, 2], [False, None, True], [0.0, None, -1.5], ["", None, "a"])
        for row in case(
            {"a": [*"xxx"], "s": pd.array(values)},
            str(values),
            attribute="s",
            completeness_utility=about(2 / 3),
        )
    ),
    # x is all q, of which the table has a quarter, and lacks p
    *case("abs xuq 3*yvp", "3/4 and 3/4", delta_presence=0.75, generalization_ratio=about(1.5)),
    # x lacks p, half of the table, and its own differ by an eighth each
    *case("abs xuq xur xus xut 4*yvp", "an absent value may differ most", delta_presence=0.5),
    *case("abs xup yv-", "NULL", information_gain=about(1), t_closeness_per_class=about(math.log(2))),
    # the class is the table, and rounding never makes a figure negative
    *case("abs xup 2*xuq", "single class", delta_presence=0, t_closeness_per_class=0),
    *case("abs xup 2*xuq", "single class", generalization_ratio=about(0, abs=1e-15)),
    *case("abs xup xuq yvr yvs", "sum and largest of four", generalization_ratio=1, delta_presence=0.25),
    *case("abs xup xu-", "NULL is a value", distinct_values_utility=2, l_diversity=2, gini_index=0.5),
    *case("abs xup xuq 2*yvr", "even and pure", gini_index=0.25, group_entropy=about(0.5)),
    *case("abs 3*xup yvq", "pure, also where thirds add up", gini_index=about(0, abs=1e-15)),
    *case(ENTANGLED, "even", qids="ab", group_entropy=about(1)),
    *case(ENTANGLED, "2/3 p", qids="a", group_entropy=about(0.9182958340544896)),
    # QIDs that determine the target: the whole entropy of an even one, one bit or ln 2 nats
    *case("abs 2*xup 2*yvq", "all", information_gain=about(1), t_closeness_per_class=about(math.log(2))),
    # the reverse form D(table ‖ class) would be infinite where a class lacks a value
    *case("abs xup yvp yvq yvr", "finite", t_closeness_per_class=about(math.log(2))),
]


DAYS = {"a": ["x", "x"], "day": [dt.date(2024, 2, 28), dt.date(2024, 3, 1)], "flag": [True, False]}
ERRORS = ("ay", ("x", 1.0), ("x", 3.0), ("y", 7.0), ("y", 7.0))
GAPS = ("ay", ("x", 1.0), ("x", 3.0), ("x", None), ("y", None))
SPANS = ("ay", ("x", 1.0), ("x", 5.0), ("y", 7.0), ("y", 7.0))
NUMBERS = [
    *case(ERRORS, "errors 1 and 0", mean_squared_error=0.5),
    *case(GAPS, "class y has no number and no weight", mean_squared_error=about(1)),
    *case(GAPS, "class y is left out", statistic="mean", mean_squared_error=about(1)),
    # no error at all, where a difference of sums would leave a last digit
    *case(("ay", *[("x", 0.1)] * 7), "constant 0.1", mean_squared_error=0),
    *case(("ay", *[("x", 12345.678)] * 7), "constant 12345.678", mean_squared_error=0),
    *case(("ay", *[("x", -1e-9)] * 7), "constant -1e-9", mean_squared_error=0),
    # three visits of 1 with 0 are one person, against one with 2
    *case(("ayW", *[("x", 0.0, "1")] * 3, ("x", 2.0, "2")), "entities", mean_squared_error=about(1)),
    *case(DAYS, "two days apart", qids=["a"], attribute="day", mean_squared_error=about(1)),
    *case(DAYS, "true and false", qids=["a"], attribute="flag", mean_squared_error=about(0.25)),
    *case(SPANS, "4 and nothing, each half of the records", range_utility=2),
    # though they are neighbors in the column
    *case(("aby", ("x", 2, 0.0), ("x", 10, 0.0)), "numbers, no ranks", attribute="b", range_utility=8),
    *case(("ay", ("x", 1.0), ("x", None), ("x", 4.0), ("y", None)), "y has no weight", range_utility=3),
]

FOUR = [0, 0, 1, 1]
SIX = [0, 0, 0, 1, 1, 1]
EQUAL = {"a": ["x", None, "y"] * 2, "b": whole(1, 1, None, 1, 1, None), "c": [7] * 6, "t": SIX}
"""Two groups of the same records."""
SAME = about(0, abs=1e-6)
GAP = {"b": whole(0, 2, None, 3, 5, None), "t": SIX}
TREATED = [
    *case(EQUAL, "equal groups", balance_test=SAME, covariate_shift=SAME, propensity_overlap=SAME),
    # means 1 and 4, each variance 2 over 2 records: 3 / √(1 + 1)
    *case({"b": [0, 2, 3, 5], "t": FOUR}, "by hand", balance_test=about(3 / math.sqrt(2))),
    *case({"a": [*"xyxy"], "b": [0, 2, 3, 5], "t": FOUR}, "worst", balance_test=about(3 / math.sqrt(2))),
    # nothing varies, also for a number without an exact mean
    *case({"b": [0.1] * 6, "t": SIX}, "constant", balance_test=0),
    *case(GAP, "missing numbers are left out", balance_test=about(3 / math.sqrt(2))),
    *case({"b": ["x", None, "x", "x"], "t": FOUR}, "in text NULL is a level", balance_test=about(1)),
    # all treated above all control: KS 1; half of P is not in P_treated and the other half doubles: D 1
    *case({"b": [1, 2, 3, 4], "t": FOUR}, "apart in numbers", covariate_shift=about(2)),
    # x, y, z against y only: total variation 2/3, whereas a KS over letters would be 1/3
    *case({"a": [*"xyzy"], "t": [0, 0, 0, 1]}, "text", covariate_shift=about(2 / 3 + 1 / 4 + 1 / 2 + 1 / 4)),
    # the treated lack b: no KS, but D sees that they are the group of NULL
    *case({"b": whole(1, 1, None, None), "t": FOUR}, "NULL", covariate_shift=about(1)),
    *case({"b": [1, 2, 1, 2], "t": FOUR}, "every score is a half", propensity_overlap=SAME),
    *case({"a": ["x"] * 4, "b": [3] * 4, "t": FOUR}, "constant QIDs", propensity_overlap=0),
]


@pytest.mark.parametrize(("metric", "table", "options", "figure"), [*CLASSES, *SENSITIVE, *NUMBERS, *TREATED])
def test_small_table(metric, table, options, figure):
    """The figure is the one that is counted by hand."""
    assert figure_of(metric, table, options) == figure


HUGE = {"a": ["x", "x"], "y": [1.0, -1.1e9]}
"""Sums of squares of such numbers would overflow."""
TEXT = {"a": ["x", "x"], "y": ["low", "high"]}
REFUSED = [
    *case("ab xu", "one record makes no pair", separation="has only one"),
    *case("abW xu1 yu1", "nor does one entity with two", separation="has only one"),
    *case("ab xu", "alone", delta_distinction="change of distinction within a search.*; ask for distinction"),
    *case("ab xu", "alone", delta_separation="change of separation within a search.*; ask for separation"),
    *case(("ay", ("x", None), ("y", None)), "no number", mean_squared_error="no records with a number"),
    *case(HUGE, "huge", attribute="y", mean_squared_error="larger unit", range_utility="larger unit"),
    *case(
        TEXT,
        "text",
        attribute="y",
        mean_squared_error="'y' has no numbers",
        range_utility="'y' has no numbers",
    ),
    *case({"b": [1, 1, 2, 2], "t": FOUR}, "numbers without spread", balance_test="t is infinite"),
    *case({"b": [*"xxyy"], "t": FOUR}, "text without spread", balance_test="t is infinite"),
    *case({"b": [1.0, 2.0, 3.0], "t": [0, 0, 1]}, "one number", balance_test="two records with a value"),
    *case({"b": [*"xyx"], "t": [0, 0, 1]}, "one text", balance_test="two records with a value"),
]


@pytest.mark.parametrize(("metric", "table", "options", "reason"), REFUSED)
def test_no_figure(metric, table, options, reason):
    """What has no figure says why."""
    with pytest.raises(NotMeasurable, match=reason):
        figure_of(metric, table, options)


def test_no_negative_zero():
    """A pure class has no bit, which is written as 0.0."""
    assert str(measured(GROUP_ENTROPY, from_line("abs xup xup"))) == "0.0"


def test_digits_lost_to_a_large_mean():
    """The relative error is what the explanation says, 10⁻¹⁵·(mean/deviation)²."""
    numbers = 20_000 + np.random.default_rng(3).normal(size=1000)
    frame = pd.DataFrame({"a": ["x"] * 1000, "y": numbers})
    actual = measured_frame(MEAN_SQUARED_ERROR, frame, ["a"], "y")
    assert actual == about(numbers.var(), rel=1e-15 * 20_000**2)


@pytest.mark.parametrize("statistic", ["mean", "weighted_mean"])
@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e8])
def test_small_and_large_terms_add_up(statistic, scale):
    """Ranges of tiny and of huge numbers are added up without loss and without overflow."""
    low, high = [1.0, 2.0, 0.0, 0.5], [4.0, 9.0, 0.25, 0.75]
    frame = pd.DataFrame({"a": list("wxyz") * 2, "y": [v * scale for v in low + high]})
    expected = math.fsum(h * scale - v * scale for v, h in zip(low, high, strict=True)) / 4
    assert measured_frame(RANGE_UTILITY, frame, ["a"], "y", statistic=statistic) == about(expected, rel=1e-9)


def test_numbers_that_look_different_are_equal(tmp_path):
    """01 and 1 are two values of a QID but one number: no KS between them, only D."""
    table = tmp_path / "table.csv"
    table.write_text("b,t\n01,0\n01,0\n1,0\n1,1\n1,1\n01,1\n", encoding="utf-8")
    assert measured_frame(COVARIATE_SHIFT, table, ["b"], "t") == about(1 / 3)


def test_the_more_records_show_it_the_nearer_to_one():
    """Propensity overlap grows with the number of records that show that b decides."""
    frame = pd.DataFrame({"b": [0, 1], "t": [0, 1]})
    figures = [
        measured_frame(PROPENSITY_OVERLAP, pd.concat([frame] * n, ignore_index=True), ["b"], "t")
        for n in (2, 20, 2000)
    ]
    assert figures == sorted(figures)
    assert figures[-1] > 0.97


@pytest.mark.parametrize("chosen", [0, 5])
def test_qids_are_columns_of_the_table(chosen):
    """No set is empty or larger than the table."""
    with pytest.raises(ValueError, match="1 to 4 of the table's columns"):
        attribute_length_penalty(chosen, 4)


@pytest.mark.parametrize("qids", ["a", "ab", "abcde"])
def test_columns_are_counted_without_a_look_at_the_table(qids):
    """The column count is that of the QIDs, whatever they hold."""
    assert COLUMN_COUNT.method.measure(None, Grouping(qids=tuple(qids)), {}) == len(qids)
