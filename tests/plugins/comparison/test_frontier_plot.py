"""The plot of a comparison: its points, its line and labels that do not lie on one another."""

from dataclasses import replace

import pytest

from qidguard import NotMeasurable
from qidguard_comparison import Comparison, MethodRow
from qidguard_comparison.row import Status
from qidguard_comparison.scatter import _box, _overlap, label_places


def row(label, loss, risk, status=Status.PASSED):
    """Return a row with two figures."""
    figures = {"ncp": loss, "prosecutor_risk_average": risk}
    passed = status is Status.PASSED
    return MethodRow(label=label, arguments={}, status=status, is_passed=passed, figures=figures)


def comparison(*rows, limits=None):
    """Return a comparison with an original of risk 1."""
    original = row("as it is", 0.0, 1.0, Status.AS_IT_IS)
    told = {"source": "x.csv", "policy": "p", "records": 8, "limits": limits or {}}
    return Comparison(original=original, methods=rows, **told)


def layers(plot, kind):
    """Return the layers of a kind of mark."""
    return [layer for layer in plot.vega_lite["layer"] if layer["mark"]["type"] == kind]


def test_every_table_is_a_point_with_a_label_and_a_line_joins_what_no_other_beats():
    """(0, 1), (.1, .5), (.3, .1) are the frontier; (.2, .6) is beaten by (.1, .5); a limit is a rule."""
    found = comparison(row("a", 0.1, 0.5), row("b", 0.2, 0.6), row("c", 0.3, 0.1), limits={"ncp": 0.08})
    plot = found.plot()
    [line], [rule] = layers(plot, "line"), layers(plot, "rule")
    assert [(p["loss"], p["risk"]) for p in line["data"]["values"]] == [(0.0, 1.0), (0.1, 0.5), (0.3, 0.1)]
    assert rule["data"]["values"] == [{"limit": 0.08}]
    assert len(plot.vega_lite["data"]["values"]) == 4
    named = [p["label"] for layer in layers(plot, "text") for p in layer["data"]["values"]]
    assert sorted(named) == ["a", "as it is", "b", "c"]
    assert "a loses 10 % and leaves a risk of 50 %, and the policy holds" in plot.svg()


def test_risks_that_spread_are_drawn_on_a_logarithmic_axis():
    """1 beside .01 is a hundredfold; 1 beside .5 is not."""

    def scale(*rows):
        [points] = layers(comparison(*rows).plot(), "point")
        return points["encoding"]["y"]["scale"].get("type", "linear")

    assert scale(row("a", 0.1, 0.01)) == "log"
    assert scale(row("a", 0.1, 0.5)) == "linear"


def test_nothing_to_draw_is_said():
    """Without a method that has both figures there is no plot."""
    bare = replace(row("m", 0, 0, Status.FAILED), figures={})
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
