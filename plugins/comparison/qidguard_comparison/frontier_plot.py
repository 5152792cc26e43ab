"""The risk–utility frontier: the risk that is left beside what was lost, a point a table."""

from typing import TYPE_CHECKING, Any

from qidguard.sdk import Plot
from qidguard_comparison.row import AVERAGE_RISK, HIGHEST_RISK, LOSS, MethodRow, position, unbeaten
from qidguard_comparison.scatter import (
    HOLDS,
    HOLDS_NOT,
    Place,
    Point,
    axis,
    label_layer,
    label_places,
    layered,
    line_layer,
    points_layer,
)

if TYPE_CHECKING:
    from qidguard_comparison.comparison import Comparison

WIDTH, HEIGHT = 560, 360
_TITLES = {
    AVERAGE_RISK: "average re-identification risk left",
    HIGHEST_RISK: "highest re-identification risk left",
}
_SPREAD = 5
"""Ratio of the largest to the smallest risk from which the axis is logarithmic."""
_NEAR = 20.0
"""Pixels above or below a point up to which a label needs no line to it."""


def frontier_plot(comparison: "Comparison", risk: str = AVERAGE_RISK) -> Plot:
    """Return the plot of a comparison.

    Args:
        comparison: The comparison; a row without both figures has no point.
        risk: The metric of the risk.

    Returns:
        Points with labels, the Pareto frontier as a line, and the policy's limit where it is on an axis.

    Units:
        Shares 0..1.

    Raises:
        KeyError: When the metric is no risk that is drawn.
    """
    rows = [row for row in (comparison.original, *comparison.methods) if position(row, risk) is not None]
    points = [position(row, risk) or (0.0, 0.0) for row in rows]
    risks = [y for _, y in points if y > 0]
    is_log = len(risks) == len(points) and max(risks) / min(risks) >= _SPREAD
    x_domain, y_domain = _domain([p[0] for p in points]), _risk_domain(risks, is_log=is_log)
    title = _TITLES[risk] + (" (logarithmic)" if is_log else "")
    x = axis("loss", "utility lost, NCP", x_domain, "~%")
    y = axis("risk", title, y_domain, "~%", **({"type": "log"} if is_log else {}))
    front = unbeaten(points)
    places = label_places(
        points,
        [row.label for row in rows],
        x_domain,
        y_domain,
        is_log=is_log,
        size=(WIDTH, HEIGHT),
        line=front,
    )
    records = [
        {
            "loss": point[0],
            "risk": point[1],
            "label": row.label,
            "policy": HOLDS if row.is_passed else HOLDS_NOT,
        }
        for row, point in zip(rows, points, strict=True)
    ]
    shown: list[dict[str, Any]] = [
        *_limit(comparison, risk, y_domain),
        line_layer(front, x, y, has_steps=True),
        points_layer(x, y, ("method", "NCP", "risk"), ".3~%", size=90, states=[HOLDS, HOLDS_NOT]),
        *_leaders(points, places, (x_domain, y_domain), is_log=is_log),
    ]
    for place in sorted(set(places)):
        named = [
            (point, row.label) for row, point, mine in zip(rows, points, places, strict=True) if mine == place
        ]
        shown.append(label_layer(named, place, x, y))
    subtitle = "the line joins what no other table beats in both"
    return Plot(
        title="Risk left and utility lost",
        alternative=_words(comparison, rows, points),
        chart=layered((WIDTH, HEIGHT), subtitle, records, shown),
    )


def _domain(values: list[float]) -> list[float]:
    high = max(values, default=0.0)
    return [-0.02 * (high or 1.0), min(1.05, 1.18 * high) if high else 1.0]


def _risk_domain(risks: list[float], *, is_log: bool) -> list[float]:
    if not risks:
        return [0.0, 1.0]
    if is_log:
        return [min(risks) / 1.6, max(risks) * 1.6]
    return [0.0, 1.12 * max(risks)]


def _leaders(
    points: list[Point],
    places: list[Place],
    domains: tuple[list[float], list[float]],
    *,
    is_log: bool,
) -> list[dict[str, Any]]:
    """Return thin lines from points to labels that stand too far away to be read without, as a layer."""
    (left, right), (low, high) = domains
    lines = []
    for (loss, risk), (_, dx, dy) in zip(points, places, strict=True):
        if abs(dy) < _NEAR:
            continue
        share = -dy * 0.75 / HEIGHT
        end = risk * (high / low) ** share if is_log else risk + share * (high - low)
        over = loss + dx * 0.75 / WIDTH * (right - left)
        lines.append({"loss": loss, "risk": risk, "over": over, "end": end})
    layer = {
        "data": {"values": lines},
        "mark": {"type": "rule", "strokeWidth": 0.8, "opacity": 0.6},
        "encoding": {
            "x": {"field": "loss", "type": "quantitative"},
            "x2": {"field": "over"},
            "y": {"field": "risk", "type": "quantitative"},
            "y2": {"field": "end"},
        },
    }
    return [layer] if lines else []


def _limit(comparison: "Comparison", risk: str, domain: list[float]) -> list[dict[str, Any]]:
    """Return the policy's limits that are on an axis: on the risk itself, and on the loss."""
    shown = []
    for metric, side in ((risk, "y"), (LOSS, "x")):
        if metric not in comparison.limits:
            continue
        limit = comparison.limits[metric]
        if side == "y" and not domain[0] <= limit <= domain[1]:
            continue
        shown.append(
            {
                "data": {"values": [{"limit": limit}]},
                "mark": {"type": "rule", "strokeWidth": 1.5, "strokeDash": [2, 3]},
                "encoding": {side: {"field": "limit", "type": "quantitative"}},
            }
        )
    return shown


def _words(comparison: "Comparison", rows: list[MethodRow], points: list[Point]) -> str:
    losses = "; ".join(
        f"{row.label} loses {loss * 100:.3g} % and leaves a risk of {risk * 100:.3g} %"
        + (", and the policy holds" if row.is_passed else "")
        for row, (loss, risk) in zip(rows, points, strict=True)
    )
    best = comparison.best
    return f"{losses}. " + ("The policy holds on none." if best is None else f"Least lost: {best.label}.")
