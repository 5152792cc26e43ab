"""Plots of Algorithm 2: privacy gain and information kept by dimension, and how stable the choice is."""

from typing import TYPE_CHECKING, Any

from qidguard.sdk import NotMeasurable, Plot
from qidguard_qir.dimension_text import mean
from qidguard_qir.dimensions import size_text

if TYPE_CHECKING:
    from qidguard_qir.dimensions import ChosenDimension, Dimensions

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, HEIGHT = 220, 180
PERCENT = "percent"
FIGURES = {"PG": "privacy_gain", "NUE": "kept"}
"""What a line is called → the figure of a gain that it shows."""


def gain_by_dimension(found: "Dimensions") -> Plot:
    """Return PG and NUE over the dimension, a panel for each k and size (the paper's Figures 4 and 6).

    Lines are means over the samples, bands reach from the lowest to the highest, and a rule stands at the
    chosen dimension. NotMeasurable where no rehearsal has a figure.
    """
    panels = [_panel(found, one) for one in found.chosen if _records(found, one)]
    if not panels:
        raise NotMeasurable("no rehearsal has a figure, so there is nothing to plot")
    said = "; ".join(_words(one) for one in found.chosen if one.dimension is not None)
    return Plot(
        title="Privacy gain and information kept by dimension",
        alternative=f"As quasi-identifiers join, privacy gain and the information kept: {said}.",
        chart=_side_by_side(panels, len({one.k for one in found.chosen})),
    )


def stability_of_choice(found: "Dimensions") -> Plot:
    """Return the share of the samples that choose each dimension, a panel for each k and size."""
    panels = [_bars(found, one) for one in found.chosen if one.dimension is not None]
    if not panels:
        raise NotMeasurable("no sample made a choice, so there is nothing to plot")
    said = "; ".join(_words(one) for one in found.chosen if one.dimension is not None)
    return Plot(
        title="Share of the samples that choose a dimension",
        alternative=f"How surely a dimension is chosen: {said}.",
        chart=_side_by_side(panels, len({one.k for one in found.chosen})),
    )


def _words(one: "ChosenDimension") -> str:
    return (
        f"k = {one.k}, sample {size_text(one.size)}: dimension {one.dimension} is chosen by "
        f"{100 * one.stability:.0f} % of the samples"
    )


def _side_by_side(panels: list[dict[str, Any]], columns: int) -> dict[str, Any]:
    return {"$schema": SCHEMA, "concat": panels, "columns": min(columns, 3), "spacing": 24}


def _subject(one: "ChosenDimension") -> dict[str, Any]:
    return {"text": f"k = {one.k}, sample {size_text(one.size)}", "anchor": "start", "fontSize": 12}


def _records(found: "Dimensions", one: "ChosenDimension") -> list[dict[str, Any]]:
    rows = []
    for at in range(1, len(found.qids) + 1):
        gains = found.of(one.size, one.k, at)
        for name, figure in FIGURES.items():
            values = [float(getattr(gain, figure)) for gain in gains]
            if values:
                rows.append(
                    {"dimension": at, "joined": found.qids[at - 1], "figure": name, PERCENT: mean(values),
                     "low": min(values), "high": max(values)}
                )  # fmt: skip
    return rows


def _x(found: "Dimensions") -> dict[str, Any]:
    return {
        "field": "dimension",
        "type": "ordinal",
        "title": "dimension",
        "scale": {"domain": list(range(1, len(found.qids) + 1))},
        "axis": {"labelAngle": 0},
    }


def _panel(found: "Dimensions", one: "ChosenDimension") -> dict[str, Any]:
    x = _x(found)
    scale = {"domainMax": 100, "domainMin": min(0.0, *(r["low"] for r in _records(found, one)))}
    y = {"field": PERCENT, "type": "quantitative", "title": PERCENT, "scale": scale}
    name = {"field": "figure", "type": "nominal", "title": None, "sort": list(FIGURES)}
    # one legend for both: that of the color, as solid as the lines
    color = {**name, "legend": {"symbolOpacity": 1, "symbolType": "circle"}}
    shape = {**name, "legend": None}
    joined = {"field": "joined", "type": "nominal", "title": "joined"}
    band = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": color}
    line = {"x": x, "y": y, "color": color}
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "area", "opacity": 0.2}, "encoding": band},
        {"mark": {"type": "line", "strokeWidth": 2}, "encoding": line},
        {
            "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
            "encoding": {**line, "shape": shape, "tooltip": [_tip(x), _tip(joined), _tip(y), _tip(color)]},
        },
    ]
    if one.dimension is not None:
        rule = {"type": "rule", "strokeDash": [4, 3]}
        chosen = {"values": [{"dimension": one.dimension}]}
        layers.insert(0, {"data": chosen, "mark": rule, "encoding": {"x": x}})
    return {
        "title": _subject(one),
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": _records(found, one)},
        "layer": layers,
    }


def _tip(channel: dict[str, Any]) -> dict[str, Any]:
    return {key: channel[key] for key in ("field", "type", "title") if key in channel}


def _bars(found: "Dimensions", one: "ChosenDimension") -> dict[str, Any]:
    x = _x(found)
    y = {
        "field": "share",
        "type": "quantitative",
        "title": "share of samples",
        "scale": {"domain": [0, 1]},
        "axis": {"format": ".0%", "tickCount": 5},
    }
    rows = [
        {"dimension": at, "share": one.shares.get(at, 0.0), "joined": name}
        for at, name in enumerate(found.qids, start=1)
    ]
    joined = {"field": "joined", "type": "nominal", "title": "joined"}
    return {
        "title": _subject(one),
        "width": WIDTH,
        "height": HEIGHT // 2,
        "data": {"values": rows},
        "mark": {"type": "bar"},
        "encoding": {"x": x, "y": y, "tooltip": [_tip(x), _tip(joined), _tip(y)]},
    }
