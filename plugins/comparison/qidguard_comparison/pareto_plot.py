"""The front as a plot: loss beside each figure of risk, a point a solution."""

import math
from typing import TYPE_CHECKING, Any

from qidguard.sdk import Measurement, NotMeasurable, Plot, figure_words
from qidguard_comparison.scatter import (
    HOLDS,
    HOLDS_NOT,
    Point,
    axis,
    label_layer,
    label_places,
    layered,
    line_layer,
    points_layer,
)

if TYPE_CHECKING:
    from qidguard.sdk import WeighedMethod

WIDTH, HEIGHT = 460, 320
_NOBODY_KNOWS = "policy not measured"
_POLICY = {True: HOLDS, False: HOLDS_NOT, None: _NOBODY_KNOWS}


def pareto_plot(method: "WeighedMethod") -> Plot:
    """Return one chart a figure of risk; a solution without both figures has no point."""
    charts = [_chart(method, at) for at in range(1, method.choice.extent)]
    told = [chart for chart in charts if chart is not None]
    if not told:
        raise NotMeasurable("loss and risk could be measured of no solution, so there is nothing to draw")
    title = f"Solutions of {method.anonymizer}"
    if len(told) == 1:
        chart = told[0]
        return Plot(title=title, alternative=chart.alternative, chart=chart.vega_lite)
    return Plot.grid(told, title=title)


def _chart(method: "WeighedMethod", risk: int) -> Plot | None:
    weighed = method.choice
    points = [_point(one.figures[0], one.figures[risk]) for one in weighed.solutions]
    shown = [at for at, point in enumerate(points) if point is not None]
    if not shown:
        return None
    places = {at: points[at] or (0.0, 0.0) for at in shown}
    loss_of, risk_of = (weighed.solutions[shown[0]].figures[at] for at in (0, risk))
    names = {at: words for at in shown if (words := _words_of(method, at))}
    x_domain, y_domain = (_domain([place[side] for place in places.values()]) for side in (0, 1))
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
    states = [HOLDS, HOLDS_NOT, *{_NOBODY_KNOWS} & {record["policy"] for record in records}]
    told = ("solution", loss_of.title, risk_of.title)
    layers = [
        line_layer(front, x, y, has_steps=False),
        points_layer(x, y, told, ".4~g", size=70, states=states),
    ]
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
            label_layer([(places[at], words)], spot, x, y, weight="bold")
            for (at, words), spot in zip(names.items(), spots, strict=False)
        ]
    subtitle = "the line joins what no other solution beats in loss and all risks"
    chart = layered((WIDTH, HEIGHT), subtitle, records, layers)
    return Plot(title=risk_of.title, alternative=_sentence(method, risk), chart=chart)


def _point(loss: Measurement, risk: Measurement) -> Point | None:
    if loss.value is None or risk.value is None or not all(map(math.isfinite, (loss.value, risk.value))):
        return None
    return float(loss.value), float(risk.value)


def _words_of(method: "WeighedMethod", at: int) -> str:
    weighed = method.choice
    words = [word for word, which in (("knee", weighed.knee), ("chosen", weighed.chosen)) if at == which]
    return f"{' and '.join(words)}: {weighed.solutions[at].label}" if words else ""


def _domain(values: list[float]) -> list[float]:
    low, high = min(values), max(values)
    room = 0.12 * (high - low) or 0.1 * abs(high) or 1.0
    return [low - room, high + room] if low < 0 or low > room else [-0.3 * room, high + room]


def _axis(field: str, told: Measurement, domain: list[float]) -> dict[str, Any]:
    unit = f", {told.unit}" if told.unit not in {"share", "ratio", "score"} else ""
    form = "~%" if told.unit == "share" else ",.9~g"
    return axis(field, f"{told.title}{unit}", domain, form, zero=False)


def _sentence(method: "WeighedMethod", risk: int) -> str:
    def told(one: Measurement) -> str:
        return figure_words(one.value, one.unit)

    weighed = method.choice
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
