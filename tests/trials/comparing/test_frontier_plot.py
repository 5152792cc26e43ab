"""The plot of a comparison: its points, its line and labels that do not lie on one another."""

import pytest

from qidguard import NotMeasurable
from qidguard.trials.comparing.comparison import Comparison
from qidguard.trials.comparing.label_places import _box, _overlap, label_places
from qidguard.trials.comparing.row import MethodRow, Status


def row(label, loss, risk, *, is_passed=True):
    """Return a row with two figures."""
    return MethodRow(
        label=label,
        arguments={},
        status=Status.PASSED if is_passed else Status.BLOCKED,
        is_passed=is_passed,
        figures={"ncp": loss, "prosecutor_risk_average": risk},
    )


def comparison(*rows, limits=None):
    """Return a comparison with an original of risk 1."""
    original = MethodRow(
        label="as it is",
        arguments={},
        status=Status.AS_IT_IS,
        is_passed=False,
        figures={"ncp": 0.0, "prosecutor_risk_average": 1.0},
    )
    return Comparison(
        source="x.csv", policy="p", records=8, original=original, methods=rows, limits=limits or {}
    )


def layers(plot, kind):
    """Return the layers of a kind of mark."""
    return [layer for layer in plot.vega_lite["layer"] if layer["mark"]["type"] == kind]


def test_the_line_joins_what_no_other_beats():
    """(0, 1), (.1, .5), (.3, .1) are the frontier; (.2, .6) is beaten by (.1, .5)."""
    plot = comparison(row("a", 0.1, 0.5), row("b", 0.2, 0.6), row("c", 0.3, 0.1)).plot()
    [line] = layers(plot, "line")
    assert [(p["loss"], p["risk"]) for p in line["data"]["values"]] == [(0.0, 1.0), (0.1, 0.5), (0.3, 0.1)]


def test_every_table_has_a_point_and_a_label():
    """Two methods and the table as it is are three points and three labels."""
    plot = comparison(row("a", 0.1, 0.5), row("b", 0.2, 0.4)).plot()
    assert len(plot.vega_lite["data"]["values"]) == 3
    named = [p["label"] for layer in layers(plot, "text") for p in layer["data"]["values"]]
    assert sorted(named) == ["a", "as it is", "b"]


def test_risks_that_spread_are_drawn_on_a_logarithmic_axis():
    """1 beside .01 is a hundredfold; 1 beside .5 is not."""

    def scale(*rows):
        [points] = layers(comparison(*rows).plot(), "point")
        return points["encoding"]["y"]["scale"].get("type", "linear")

    assert scale(row("a", 0.1, 0.01)) == "log"
    assert scale(row("a", 0.1, 0.5)) == "linear"


def test_the_policys_limit_is_a_rule():
    """A limit on the loss stands at its place."""
    [rule] = layers(comparison(row("a", 0.1, 0.5), limits={"ncp": 0.08}).plot(), "rule")
    assert rule["data"]["values"] == [{"limit": 0.08}]


def test_nothing_to_draw_is_said():
    """Without a method that has both figures there is no plot."""
    bare = MethodRow(label="m", arguments={}, status=Status.FAILED, is_passed=False, figures={})
    with pytest.raises(NotMeasurable, match="nothing to draw"):
        comparison(bare).plot()


@pytest.mark.parametrize("count", [2, 6, 12])
def test_labels_do_not_lie_on_one_another(count):
    """Of points in a small corner no two labels overlap."""
    points = [(0.02 + 0.01 * i, 0.2 - 0.01 * (i % 5)) for i in range(count)]
    labels = [f"method_{i}" for i in range(count)]
    domains = ([0.0, 0.5], [0.0, 0.5])
    places = label_places(points, labels, *domains, is_log=False, size=(560, 360))
    pixels = [(x / 0.5 * 560, 360 - y / 0.5 * 360) for x, y in points]
    boxes = [_box(x, y, label, place) for (x, y), label, place in zip(pixels, labels, places, strict=True)]
    assert all(not _overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_drawn_in_both_themes(theme):
    """The picture is SVG with the words for who does not see it."""
    drawn = comparison(row("a", 0.1, 0.5)).plot().svg(theme=theme)
    assert "a loses 10 % and leaves a risk of 50 %, and the policy holds" in drawn
