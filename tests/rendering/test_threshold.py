import math
from dataclasses import replace

import pytest

from example_report import threshold
from qidguard.core.verdict import Bound
from qidguard.rendering.threshold import distance, measured, subject, threshold_sentence


@pytest.mark.parametrize(("result", "sentence"), [
    (threshold("k-anonymity", 1, Bound.AT_LEAST, 5, unit="records"),
     "k-anonymity is 1 record, must be at least 5 (4 short), over age, sex, zip."),
    (threshold("k-anonymity", 7, Bound.AT_LEAST, 5),
     "k-anonymity is 7 entities, must be at least 5 (2 to spare), over age, sex, zip."),
    (threshold("risk", 0.465, Bound.AT_MOST, 0.09, unit="share"),
     "risk is 46.5%, must be at most 9% (37.5 percentage points over), over age, sex, zip."),
    (threshold("t-closeness", 0.2000001, Bound.AT_MOST, 0.2, unit="ratio", sensitive="income"),
     "t-closeness of income is 0.2000001, must be at most 0.2 (<0.0001 over), over age, sex, zip."),
    (threshold("beta", math.inf, Bound.AT_MOST, 2, unit="ratio", combination="geo", qids=("zip",)),
     "beta is infinite, must be at most 2 (infinite over), over zip (combination geo)."),
    (threshold("k-map", None, Bound.AT_LEAST, 5, reason="no population table was given."),
     "k-map has no number (no population table was given), must be at least 5, over age, sex, zip."),
    (threshold("l", math.nan, Bound.AT_LEAST, 2, unit="values"),
     "l has no number (the metric gave no number), must be at least 2, over age, sex, zip."),
])  # fmt: skip
def test_a_sentence_says_how_far_off(result, sentence):
    """Figure, demand, distance and columns stand in one sentence; no number is never a figure."""
    assert threshold_sentence(result) == sentence


def test_a_figure_that_equals_its_limit_up_to_rounding_reads_as_the_limit():
    """0.1 + 0.2 meets a limit of 0.3, so it prints as 30%."""
    result = threshold("risk", 0.1 + 0.2, Bound.AT_MOST, 0.3, unit="share")
    assert result.is_met
    assert (measured(result), distance(result)) == ("30%", "exactly at the limit")


def test_the_subject_names_parameters_in_order_and_escapes_them():
    """Parameters are sorted by name; what a plugin put in a title cannot act on a terminal."""
    result = threshold("x", 1, Bound.AT_LEAST, 2)
    figure = replace(
        result.measurement, title="a\x1b[2J", arguments={"k": 5, "c": 0.5, "mark": "*", "on": True}
    )
    assert subject(figure) == r"a\x1b[2J (c=0.5, k=5, mark=*, on=yes)"


def test_a_measurement_without_a_title_is_called_by_its_name():
    """The metric's name is spelled with spaces where nobody gave a title."""
    figure = replace(threshold("x", 1, Bound.AT_LEAST, 2).measurement, title="", metric="k_anonymity")
    assert subject(figure) == "k anonymity"
