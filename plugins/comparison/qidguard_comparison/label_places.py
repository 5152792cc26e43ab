"""Where the labels of points stand, so that they do not lie on one another."""

import math
from collections.abc import Sequence
from itertools import pairwise

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
