"""The front as a plot: loss beside each figure of risk, a point a solution."""

import math
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import NotMeasurable
from qidguard.plot.plot import Plot
from qidguard.rendering.figure import figure, with_unit
from qidguard.trials.comparing.label_places import label_places

if TYPE_CHECKING:
    from qidguard.anonymizing.choosing import WeighedSolutions
    from qidguard.core.measurement import Measurement

WIDTH, HEIGHT = 460, 320
_HOLDS, _HOLDS_NOT, _NOBODY_KNOWS = "policy holds", "policy does not hold", "policy not measured"
_POLICY = {True: _HOLDS, False: _HOLDS_NOT, None: _NOBODY_KNOWS}


def pareto_plot(anonymizer: str, weighed: "WeighedSolutions") -> Plot:
    """Return one chart a figure of risk; a solution without both figures has no point."""
    charts = [_chart(weighed, at) for at in range(1, weighed.extent)]
    told = [chart for chart in charts if chart is not None]
    if not told:
        raise NotMeasurable("loss and risk could be measured of no solution, so there is nothing to draw")
    title = f"Solutions of {anonymizer}"
    if len(told) == 1:
        chart = told[0]
        return Plot(title=title, alternative=chart.alternative, chart=chart.vega_lite)
    return Plot.grid(told, title=title)


def _chart(weighed: "WeighedSolutions", risk: int) -> Plot | None:
    points = [_point(one.figures[0], one.figures[risk]) for one in weighed.solutions]
    shown = [at for at, point in enumerate(points) if point is not None]
    if not shown:
        return None
    places = {at: points[at] or (0.0, 0.0) for at in shown}
    loss_of, risk_of = (weighed.solutions[shown[0]].figures[at] for at in (0, risk))
    names = {at: words for at in shown if (words := _words_of(weighed, at))}
    x_domain, y_domain = (_domain([place[axis] for place in places.values()]) for axis in (0, 1))
    x, y = _axis("loss", loss_of, x_domain), _axis("risk", risk_of, y_domain)
    front = sorted(places[at] for at in weighed.front if at in places)
    records = [
        {
            "loss": places[at][0],
            "risk": places[at][1],
            "label": weighed.solutions[at].label,
            "policy": _POLICY[weighed.solutions[at].is_met],
        }
        for at in shown
    ]
    states = {record["policy"] for record in records}
    layers: list[dict[str, Any]] = [_line(front, x, y), _points(x, y, (loss_of, risk_of), states)]
    if names:
        spots = label_places(
            [places[at] for at in (*names, *(o for o in shown if o not in names))],
            [*names.values(), *[""] * (len(shown) - len(names))],
            x_domain,
            y_domain,
            is_log=False,
            size=(WIDTH, HEIGHT),
        )
        layers += [
            _label(places[at], words, spot, x, y)
            for (at, words), spot in zip(names.items(), spots, strict=False)
        ]
    return Plot(
        title=risk_of.title,
        alternative=_sentence(weighed, risk),
        chart={
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "width": WIDTH,
            "height": HEIGHT,
            "data": {"values": records},
            "title": {"subtitle": "the line joins what no other solution beats in loss and all risks"},
            "layer": layers,
        },
    )


def _point(loss: "Measurement", risk: "Measurement") -> tuple[float, float] | None:
    if loss.value is None or risk.value is None or not all(map(math.isfinite, (loss.value, risk.value))):
        return None
    return float(loss.value), float(risk.value)


def _words_of(weighed: "WeighedSolutions", at: int) -> str:
    words = [word for word, which in (("knee", weighed.knee), ("chosen", weighed.chosen)) if at == which]
    return f"{' and '.join(words)}: {weighed.solutions[at].label}" if words else ""


def _domain(values: list[float]) -> list[float]:
    low, high = min(values), max(values)
    room = 0.12 * (high - low) or 0.1 * abs(high) or 1.0
    return [low - room, high + room] if low < 0 or low > room else [-0.3 * room, high + room]


def _axis(field: str, told: "Measurement", domain: list[float]) -> dict[str, Any]:
    unit = f", {told.unit}" if told.unit not in {"share", "ratio", "score"} else ""
    return {
        "field": field,
        "type": "quantitative",
        "title": f"{told.title}{unit}",
        "scale": {"domain": domain, "nice": False, "zero": False},
        "axis": {
            "format": "~%" if told.unit == "share" else ",.9~g",
            "tickCount": 6,
            "labelOverlap": "greedy",
        },
    }


def _points(
    x: dict[str, Any], y: dict[str, Any], told: "tuple[Measurement, Measurement]", states: set[Any]
) -> dict[str, Any]:
    loss, risk = told
    tips = [
        {"field": "label", "type": "nominal", "title": "solution"},
        {"field": "loss", "type": "quantitative", "title": loss.title, "format": ".4~g"},
        {"field": "risk", "type": "quantitative", "title": risk.title, "format": ".4~g"},
        {"field": "policy", "type": "nominal"},
    ]
    domain = [_HOLDS, _HOLDS_NOT, *([_NOBODY_KNOWS] if _NOBODY_KNOWS in states else [])]
    scale = {"domain": domain}
    color = {"field": "policy", "type": "nominal", "title": None, "scale": scale}
    return {
        "mark": {"type": "point", "size": 70, "strokeWidth": 2, "opacity": 1},
        "encoding": {
            "x": x,
            "y": y,
            "color": {**color, "legend": {"orient": "top", "symbolType": "circle"}},
            "fill": {
                "condition": {"test": f"datum.policy === '{_HOLDS}'", **color, "legend": None},
                "value": "transparent",
            },
            "tooltip": tips,
        },
    }


def _line(front: list[tuple[float, float]], x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    return {
        "data": {"values": [{"loss": a, "risk": b} for a, b in front]},
        "mark": {"type": "line", "strokeDash": [5, 4], "strokeWidth": 1.5, "opacity": 0.7},
        "encoding": {"x": x, "y": y, "order": {"field": "loss", "type": "quantitative"}},
    }


def _label(
    at: tuple[float, float],
    words: str,
    spot: tuple[str, float, float],
    x: dict[str, Any],
    y: dict[str, Any],
) -> dict[str, Any]:
    align, dx, dy = spot
    return {
        "data": {"values": [{"loss": at[0], "risk": at[1], "label": words}]},
        "mark": {
            "type": "text",
            "align": align,
            "dx": dx,
            "dy": dy,
            "fontSize": 11,
            "baseline": "middle",
            "fontWeight": "bold",
        },
        "encoding": {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}},
    }


def _sentence(weighed: "WeighedSolutions", risk: int) -> str:
    def told(one: "Measurement") -> str:
        return "no number" if one.value is None else with_unit(figure(one.value, one.unit), one.unit)

    parts = []
    for word, at in (("The knee", weighed.knee), ("The chosen one", weighed.chosen)):
        if at is not None:
            one = weighed.solutions[at]
            parts.append(
                f"{word}, {one.label}, has {weighed.names[0]} {told(one.figures[0])} and"
                f" {weighed.names[risk]} {told(one.figures[risk])}."
            )
    met = sum(one.is_met is True for one in weighed.solutions)
    front = f"{len(weighed.front):,} on the front, {met:,} that meet the policy."
    return " ".join([f"{len(weighed.solutions):,} solutions,", front, *parts])
