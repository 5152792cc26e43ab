"""Choices beside one another, with gains written by hand in place of an anonymizer."""

import pytest

from drawn_records import Drawn
from qidguard.sdk import NotMeasurable, UserError
from qidguard_qir.compared_choices import COLUMNS
from qidguard_qir.comparison import compare_in
from qidguard_qir.example import compared
from qidguard_qir.gain import Gain

CHOICES = {"QIR": ("age", "sex"), "SQI": ("age",)}
QIDS = ("age", "sex", "site")


def table():
    """Return four records."""
    return Drawn.of(age=["1", "2", "3", "4"], sex=list("ffmm"), site=["x"] * 4)


class Written:
    """Removes ten percent of the risk for each anonymized column, over as many as an attacker knows."""

    label = "written"

    def __init__(self, smallest=50, fails=()):
        self.smallest, self.fails, self.asked = smallest, fails, []

    def over(self, records, qids, k, seed, known):
        """Return the written gains."""
        self.asked.append((records.drawn_by, qids, k, seed))
        if (qids, k) in self.fails:
            raise NotMeasurable("it cannot")
        return tuple(
            Gain(
                persons=4, smallest_before=1, smallest_after=self.smallest, risk_before=1.0,
                risk_after=1 - len(qids) / (10 * len(columns)), bits_lost=20.0 * len(qids), bits_whole=100.0,
            )
            for columns in known
        )  # fmt: skip


def test_every_choice_at_every_k_and_size():
    """Two choices at two k on all records, then at one k on two sizes: eight runs in this order."""
    written = Written()
    found = compare_in(
        table(), CHOICES, written, qids=QIDS, k=(4, 6), sizes=(0.5, None), sizes_k=(10,), seed=3
    )
    both = list(CHOICES.values())
    expected = [
        *(((), qids, k, 3) for k in (4, 6) for qids in both),
        *(((size, 3), qids, 10, 3) for size in (0.5, None) for qids in both),
    ]
    assert expected == written.asked
    assert (len(found.by_k), len(found.by_size), found.is_interrupted) == (4, 4, False)


def test_figures_are_of_the_choice_and_of_all():
    """PG of two columns is 10 % over themselves, and 2/30 over the three that an attacker may know."""
    found = compare_in(table(), CHOICES, Written(), qids=QIDS, k=(4,), sizes=())
    first = dict(zip(COLUMNS, found.rows()[0], strict=True))
    assert first["pg_percent"] == pytest.approx(10.0)
    assert first["pg_over_all_percent"] == pytest.approx(100 * 2 / 30)
    assert (first["columns"], first["size"], first["nue_percent"]) == ("age, sex", "all", 60.0)


def test_averages_are_means_of_what_has_a_figure():
    """At k = 5 and 15 QIR has 80 and 60 %: 70 % in the mean; a run without a figure is left out."""
    assert [one.privacy_gain for one in compared().averages()] == pytest.approx([70.0, 40.0])
    some = compare_in(
        table(), CHOICES, Written(fails=((("age",), 6),)), qids=QIDS, k=(4, 6), sizes=()
    ).averages()
    assert [(one.choice, one.runs, one.over) for one in some] == [("QIR", 2, "all k"), ("SQI", 1, "all k")]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (Written(fails=((("age",), 4),)), "SQI, k = 4, size all: it cannot"),
        (Written(smallest=3), "SQI, k = 4, size all: it leaves a class of 3, fewer than k = 4"),
    ],
    ids=["cannot", "below k"],
)
def test_what_cannot_be_anonymized_is_a_row_with_the_reason(written, words):
    """The row has no figure, the reason stands in text and frame; without any there is no plot or mean."""
    found = compare_in(table(), CHOICES, written, qids=QIDS, k=(4,), sizes=())
    assert words in found.headline
    assert found.to_frame()["reason"].iloc[1] == words.partition(": ")[2]
    assert found.to_frame()["pg_percent"].isna().iloc[1]
    if written.smallest < 4:
        assert {one.privacy_gain for one in found.averages()} == {None}
        with pytest.raises(NotMeasurable):
            found.plots()


@pytest.mark.parametrize("before", [0, 2])
def test_ctrl_c_keeps_what_is_done(before):
    """Ctrl-C before the first figure ends it; later the rows that are done come back."""

    class Interrupted(Written):
        def over(self, *asked):
            """Be interrupted after some runs."""
            if len(self.asked) == before:
                raise KeyboardInterrupt
            return super().over(*asked)

    if not before:
        with pytest.raises(KeyboardInterrupt):
            compare_in(table(), CHOICES, Interrupted(), qids=QIDS, k=(4, 6), sizes=())
    else:
        found = compare_in(table(), CHOICES, Interrupted(), qids=QIDS, k=(4, 6), sizes=())
        assert (len(found.by_k), found.is_interrupted) == (2, True)
        assert "after 2 of 4 runs" in str(found)


def test_four_plots():
    """PG and NUE over k and over sizes are the paper's four figures, a line for each choice."""
    plots = compare_in(
        table(), CHOICES, Written(), qids=QIDS, k=(4, 6), sizes=(0.5, 0.9), sizes_k=(10, 20)
    ).plots()
    assert list(plots) == ["pg_by_k", "nue_by_k", "pg_by_size", "nue_by_size"]
    points = plots["pg_by_k"].vega_lite["data"]["values"]
    assert [(p["choice"], p["k"]) for p in points] == [("QIR", 4), ("SQI", 4), ("QIR", 6), ("SQI", 6)]
    panels = plots["nue_by_size"].vega_lite["concat"]
    assert [panel["title"]["text"] for panel in panels] == ["k = 10", "k = 20"]
    assert "QIR 60.0 to 60.0 percent; SQI 80.0 to 80.0 percent" in plots["nue_by_k"].alternative


@pytest.mark.parametrize(
    ("choices", "k", "words"),
    [
        ({}, (4,), "at least one choice"),
        ({"QIR": ()}, (4,), "'QIR' holds no column"),
        (CHOICES, (1,), "at least 2"),
    ],
    ids=["no choice", "no column", "k = 1"],
)
def test_what_is_refused(choices, k, words):
    """No choice, one without a column, and a k that is no anonymity are errors that say so."""
    with pytest.raises(UserError, match=words):
        compare_in(table(), choices, Written(), qids=QIDS, k=k, sizes=())
