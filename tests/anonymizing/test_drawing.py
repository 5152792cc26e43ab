"""Plots of an anonymizer: asked for, checked, and never left out in silence."""

import pytest

from plugged import OWNER, chosen
from qidguard.anonymizing.example import rehearsed_example
from qidguard.anonymizing.run import drawn
from qidguard.core.errors import NotMeasurable, PluginError
from qidguard.sdk import Plot

BARS = Plot(title="Bars", alternative="A bar.", chart={"mark": "bar"})


class Draws:
    """Draws what it is told to."""

    name = "draws"

    def __init__(self, given):
        self.given = given

    def plots(self, done, arguments):
        """Return or raise it."""
        if isinstance(self.given, Exception):
            raise self.given
        return [self.given] * arguments["times"] if isinstance(self.given, Plot) else self.given


def draw(given, times=2):
    """Ask for plots of four records."""
    return drawn(chosen(Draws(given), {"times": times}), rehearsed_example())


def test_plots_are_those_that_are_drawn():
    """Any sequence of plots will do, an empty one too; who has no such method draws none."""
    assert draw(BARS) == (BARS, BARS)
    assert draw([]) == ()
    assert drawn(chosen(object()), rehearsed_example()) == ()


@pytest.mark.parametrize(
    ("given", "times", "said"),
    [
        (ValueError("Ulm"), 2, "ValueError"),
        (NotMeasurable("nothing in Ulm"), 2, "NotMeasurable"),
        (({"mark": "bar"},), 2, "drew dict, not Plot"),
        (None, 2, "drew NoneType, not Plot"),
        (BARS, 51, "51 plots, more than 50"),
    ],
)
def test_what_fails_or_floods_is_an_error_of_its_plugin(given, times, said):
    """It names the plugin, the anonymizer and the kind of fault, and no value of the table."""
    with pytest.raises(PluginError, match=said) as caught:
        draw(given, times)
    assert str(caught.value).startswith(OWNER)
    assert "'draws'" in str(caught.value)
    assert "Ulm" not in str(caught.value)
