"""What the kit reads of a plot: whatever it shows, and no setting of the chart."""

import pytest

from qidguard.sdk import Plot
from qidguard_testing.checks.told import _words_in

SETTINGS = {
    "mark": {"type": "bar", "tooltip": False},
    "encoding": {"x": {"field": "size", "type": "quantitative", "scale": {"nice": False, "zero": True}}},
    "data": {"values": [{"size": 12_345, "classes": 2}]},
}


def told(chart, alternative="Two classes."):
    """Return every text that the kit looks at."""
    return [text for where, text in _words_in(Plot(title="Sizes", alternative=alternative, chart=chart))]


def test_settings_that_are_true_or_false_are_no_values():
    """A chart that sets "nice" to false shows no record whose flag is false."""
    assert not {"true", "false"} & set(told(SETTINGS))


@pytest.mark.parametrize(("chart", "value"), [
    ({"data": {"values": [{"size": 12_345}]}}, "12345"),
    ({"data": {"values": [{"flag": False}]}}, "false"),
    ({"data": {"values": [{"Ünïcode": 2}]}}, "Ünïcode"),
    ({"encoding": {"x": {"title": "of Ünïcode"}}}, "of Ünïcode"),
    ({"encoding": {"x": {"scale": {"domain": [True, False]}}}}, "false"),
    ({"encoding": {"x": {"datum": False}}}, "false"),
    ({"title": {"text": "x", "subtitle": "in 1960-01-01"}}, "in 1960-01-01"),
])  # fmt: skip
def test_what_is_shown_is_read(chart, value):
    """A number, a text, a Boolean or a name, in the data or in the words around it."""
    assert value in told({**SETTINGS, **chart})


def test_title_and_alternative_are_read():
    """What stands above a plot and what is said of it are looked at as well."""
    assert {"Sizes", "Most live in Ünïcode."} <= set(told(SETTINGS, "Most live in Ünïcode."))
