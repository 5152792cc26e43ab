"""Points with labels that do not lie on one another, and a line that joins what no other beats."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

HOLDS, HOLDS_NOT = "policy holds", "policy does not hold"

Point = tuple[float, float]
Axis = Mapping[str, Any]


def layered(
    size: tuple[int, int], subtitle: str, records: Sequence[Axis], layers: Sequence[Axis]
) -> dict[str, Any]:
    """Return layers over records as a chart."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": size[0],
        "height": size[1],
        "data": {"values": records},
        "title": {"subtitle": subtitle},
        "layer": layers,
    }


def axis(name: str, title: str, domain: Sequence[float], form: str, **scale: Any) -> dict[str, Any]:
    """Return an axis: a field, what is said of it, and the format of its numbers."""
    return {
        "field": name,
        "type": "quantitative",
        "title": title,
        "scale": {"domain": domain, "nice": False, **scale},
        "axis": {"format": form, "tickCount": 6, "labelOverlap": "greedy"},
    }


def points_layer(
    x: Axis, y: Axis, told: tuple[str, str, str], form: str, *, size: int, states: Sequence[str]
) -> dict[str, Any]:
    """Return points whose color is the state of the policy, filled where it holds.

    ``told`` is what a label, a loss and a risk are called under the pointer.
    """
    color = {"field": "policy", "type": "nominal", "title": None, "scale": {"domain": states}}
    filled = {"test": f"datum.policy === '{HOLDS}'", **color, "legend": None}
    numbers = [
        {"field": name, "type": "quantitative", "title": title, "format": form}
        for name, title in zip(("loss", "risk"), told[1:], strict=True)
    ]
    label, policy = ({"field": name, "type": "nominal"} for name in ("label", "policy"))
    return {
        "mark": {"type": "point", "size": size, "strokeWidth": 2, "opacity": 1},
        "encoding": {
            "x": x,
            "y": y,
            "color": {**color, "legend": {"orient": "top", "symbolType": "circle"}},
            "fill": {"condition": filled, "value": "transparent"},
            "tooltip": [{**label, "title": told[0]}, *numbers, policy],
        },
    }


def line_layer(front: Sequence[Point], x: Axis, y: Axis, *, has_steps: bool) -> dict[str, Any]:
    """Return a dashed line through points, from left to right."""
    steps = {"interpolate": "step-after"} if has_steps else {}
    return {
        "data": {"values": [{"loss": a, "risk": b} for a, b in front]},
        "mark": {"type": "line", **steps, "strokeDash": [5, 4], "strokeWidth": 1.5, "opacity": 0.7},
        "encoding": {"x": x, "y": y, "order": {"field": "loss", "type": "quantitative"}},
    }


def label_layer(
    named: Sequence[tuple[Point, str]], place: "Place", x: Axis, y: Axis, *, weight: str = "normal"
) -> dict[str, Any]:
    """Return texts that stand in one place beside their points."""
    align, dx, dy = place
    mark = {"type": "text", "align": align, "dx": dx, "dy": dy, "fontSize": 11, "baseline": "middle"}
    return {
        "data": {"values": [{"loss": loss, "risk": risk, "label": label} for (loss, risk), label in named]},
        "mark": {**mark, "fontWeight": weight},
        "encoding": {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}},
    }


_CHARACTER, _LINE, _GAP, _POINT = 6.2, 13.0, 9.0, 7.0
"""Pixels: the width of a character, the height of a line, from a point to its label, half a point."""

Place = tuple[str, float, float]
"""Alignment, and the way from the point in pixels."""

_TRIED: tuple[Place, ...] = (
    ("left", _GAP, 0.0),
    ("right", -_GAP, 0.0),
    ("left", _GAP, -_LINE),
    ("left", _GAP, _LINE),
    ("right", -_GAP, -_LINE),
    ("right", -_GAP, _LINE),
    ("center", 0.0, -1.2 * _LINE),
    ("center", 0.0, 1.2 * _LINE),
    *(("left", _GAP, sign * step * _LINE) for step in (2.0, 3.0, 4.0, 5.0) for sign in (-1.0, 1.0)),
    *(("right", -_GAP, sign * step * _LINE) for step in (2.0, 3.0, 4.0, 5.0) for sign in (-1.0, 1.0)),
)


def label_places(
    points: Sequence[tuple[float, float]],
    labels: Sequence[str],
    x_domain: Sequence[float],
    y_domain: Sequence[float],
    *,
    is_log: bool,
    size: tuple[int, int],
    line: Sequence[tuple[float, float]] = (),
) -> list[Place]:
    """Return a place for each label, the first of some that covers no point and no earlier label.

    Args:
        points: The points in units of the axes.
        labels: Their labels.
        x_domain: The lowest and the highest value of the x axis.
        y_domain: The same of the y axis.
        is_log: Whether the y axis is logarithmic.
        size: Width and height of the plot, pixels.
        line: The points of a line of steps, first to the right and then up or down, that labels avoid.

    Returns:
        Alignment and offset of each; where none is free, the one that covers least.

    Units:
        Pixels.

    Raises:
        ValueError: When there are not as many labels as points.

    Example:
        >>> label_places([(0.5, 0.5)], ["a"], [0, 1], [0, 1], is_log=False, size=(100, 100))
        [('left', 9.0, 0.0)]
    """
    width, height = size

    def pixel(point: tuple[float, float]) -> tuple[float, float]:
        low, high = (math.log(v) for v in y_domain) if is_log else y_domain
        at = math.log(point[1]) if is_log else point[1]
        x = (point[0] - x_domain[0]) / ((x_domain[1] - x_domain[0]) or 1.0) * width
        return x, height - (at - low) / ((high - low) or 1.0) * height

    where = [pixel(point) for point in points]
    taken = [(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in where]
    corners = [pixel(point) for point in line]
    for (x, y), (further, lower) in pairwise(corners):
        taken.append((x, y - 1, further, y + 1))
        taken.append((further - 1, min(y, lower), further + 1, max(y, lower)))
    places: list[Place] = []
    for (x, y), label in zip(where, labels, strict=True):
        boxes = [_box(x, y, label, place) for place in _TRIED]
        costs = [
            sum(_overlap(box, other) for other in taken) + 5 * _outside(box, width, height) for box in boxes
        ]
        best = costs.index(min(costs))
        taken.append(boxes[best])
        places.append(_TRIED[best])
    return places


_Box = tuple[float, float, float, float]


def _box(x: float, y: float, label: str, place: Place) -> _Box:
    align, dx, dy = place
    long = _CHARACTER * len(label)
    left = x + dx - {"left": 0.0, "right": long, "center": long / 2}[align]
    return left, y + dy - _LINE / 2, left + long, y + dy + _LINE / 2


def _overlap(box: _Box, other: _Box) -> float:
    wide = min(box[2], other[2]) - max(box[0], other[0])
    high = min(box[3], other[3]) - max(box[1], other[1])
    return max(0.0, wide) * max(0.0, high)


def _outside(box: _Box, width: int, height: int) -> float:
    inside = _overlap(box, (0.0, 0.0, float(width), float(height)))
    return (box[2] - box[0]) * (box[3] - box[1]) - inside
