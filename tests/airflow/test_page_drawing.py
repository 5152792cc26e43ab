"""Drawings and words of the pages."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from qidguard.releasing.history.overview import Judgment, RunStatus, Tightest
from qidguard.sdk import threshold_words
from qidguard_provider.plugins.pages.app import soonest
from qidguard_provider.plugins.pages.drawing import EDGE, HALF_HEIGHT, STEP, bar, look, trend

pytestmark = pytest.mark.airflow

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MIDDLE = EDGE + HALF_HEIGHT


def judgment(status, room=None):
    """Return a verdict whose tightest figure has some room."""
    figure = None
    if room is not None:
        figure = Tightest(
            metric="k_anonymity",
            title="k-anonymity",
            sensitive=None,
            value=4,
            unit="records",
            bound="at_least",
            limit=5,
            is_met=room >= 0,
            room=room,
        )
    return Judgment(
        audit_id="a",
        at=NOW,
        status=status,
        sentence="",
        reasons=1,
        policy=None,
        release_id=None,
        is_excepted=False,
        tightest=figure,
        dag_id=None,
    )


def test_a_mark_stands_as_high_as_there_is_room():
    """On the middle there is none, at the top all, at the bottom the figure is as far off as can be."""
    runs = [judgment(RunStatus.PASSED, room) for room in (1.0, 0.5, 0.0, -0.5, -1.0)]
    drawn = trend(runs, 5)
    assert [mark.y for mark in drawn.marks] == [EDGE, EDGE + 9, MIDDLE, MIDDLE + 9, MIDDLE + HALF_HEIGHT]
    assert [mark.x for mark in drawn.marks] == [EDGE + STEP * n for n in range(5)]
    assert (drawn.width, drawn.height) == (2 * EDGE + 4 * STEP, 2 * MIDDLE)


def test_the_last_verdict_is_at_the_right():
    """However many there are, so that data sets can be compared."""
    (mark,) = trend([judgment(RunStatus.PASSED, 0.0)], 30).marks
    assert mark.x == EDGE + 29 * STEP


def test_a_verdict_without_a_figure_joins_no_line():
    """A failure stands at the bottom, a verdict of old that was good on the middle."""
    drawn = trend(
        [judgment(RunStatus.FAILED), judgment(RunStatus.PASSED), judgment(RunStatus.BLOCKED, -1)], 3
    )
    assert [mark.y for mark in drawn.marks] == [MIDDLE + HALF_HEIGHT, MIDDLE, MIDDLE + HALF_HEIGHT]
    assert drawn.line == f"{EDGE + 2 * STEP},{MIDDLE + HALF_HEIGHT}"


def test_the_drawing_says_in_words_what_it_shows():
    """For somebody who cannot see it."""
    drawn = trend([judgment(RunStatus.PASSED), judgment(RunStatus.BLOCKED, -0.2)], 2)
    assert drawn.words == (
        "1 of the last 2 runs ended well; the last one: blocked: k-anonymity 4 records, at least 5."
    )
    assert [mark.words for mark in drawn.marks] == [
        "2026-11-21 12:00 passed",
        "2026-11-21 12:00 blocked: k-anonymity 4 records, at least 5",
    ]


def test_standings_look_different_in_shape():
    """Good and bad never look the same, and an exception looks like neither."""
    assert {status.value: look(status) for status in RunStatus} == {
        "passed": "good",
        "blocked": "blocked",
        "failed": "failed",
        "published": "good",
        "published by exception": "excepted",
        "not published": "open",
        "cut off": "open",
        "unfinished": "open",
        "withdrawn": "open",
    }


@pytest.mark.parametrize(
    ("value", "limit", "expected"),
    [
        (5, 5, (180.0, 180.0)),
        (20, 5, (180.0, 45.0)),
        (0, 5, (0.0, 180.0)),
        (0, 0, (0.0, 0.0)),
        (None, 5, None),
        (-1, 5, None),
        (1, -5, None),
    ],
)
def test_a_bar_is_as_long_as_its_figure(value, limit, expected):
    """The larger of figure and limit takes nine tenths of 200; below zero there is no bar."""
    drawn = bar({"value": value, "limit": limit})
    assert (None if drawn is None else (drawn.figure, drawn.limit)) == expected


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"value": 1, "limit": 5, "unit": "records", "bound": "at_least"}, ("1 record", "at least 5")),
        ({"value": 0.2001, "limit": 0.2, "unit": "share", "bound": "at_most"}, ("20.01%", "at most 20%")),
        (
            {"value": None, "reason": "infinite\x1b", "limit": 1, "unit": "bits", "bound": "at_most"},
            ("infinite\\x1b", "at most 1"),
        ),
        (
            {"value": None, "reason": "", "limit": 1, "unit": "", "bound": "at_least"},
            ("not measured", "at least 1"),
        ),
    ],
)
def test_figures_are_written_with_their_unit(item, words):
    """With as many digits as tell a figure from its limit."""
    told = threshold_words(item)
    assert (told.measured, told.asked) == words


def test_a_summary_of_nothing_is_no_trend():
    """A caller may hand over no verdict at all."""
    assert trend([], 30).marks == ()
    assert soonest([], {"a": SimpleNamespace(at=None, words="paused")}) is None
