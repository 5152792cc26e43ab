"""Plots of privacy gain and information kept: by dimension, and of choices beside one another."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qidguard.sdk import NotMeasurable, Plot
from qidguard_qir.dimension_text import mean
from qidguard_qir.dimensions import size_text

if TYPE_CHECKING:
    from qidguard_qir.compared_choices import ChoiceComparison, ComparedRun
    from qidguard_qir.dimensions import ChosenDimension, Dimensions

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FIGURES = {"PG": ("privacy_gain", "Privacy gain"), "NUE": ("kept", "Information kept (NUE)")}
"""What a line is called → the figure of a gain that it shows, and its name in full."""
_SMALL = {"width": 220, "height": 180}
_LARGE = {"width": 380, "height": 240}
_LEVEL = {"labelAngle": 0}
_JOINED = {"field": "joined", "type": "nominal", "title": "joined"}


def gain_by_dimension(found: "Dimensions") -> Plot:
    """Return PG and NUE over the dimension, a panel for each k and size (the paper's Figures 4 and 6).

    Lines are means over the samples, bands reach from the lowest to the highest, and a rule stands at the
    chosen dimension. NotMeasurable where no rehearsal has a figure.
    """
    panels = [_panel(found, one, rows) for one in found.chosen if (rows := _means(found, one))]
    if not panels:
        raise NotMeasurable("no rehearsal has a figure, so there is nothing to plot")
    return Plot(
        title="Privacy gain and information kept by dimension",
        alternative=f"As quasi-identifiers join, privacy gain and the information kept: {_said(found)}.",
        chart=_panels(panels, _many(found)),
    )


def stability_of_choice(found: "Dimensions") -> Plot:
    """Return the share of the samples that choose each dimension, a panel for each k and size."""
    panels = [_bars(found, one) for one in found.chosen if one.dimension is not None]
    if not panels:
        raise NotMeasurable("no sample made a choice, so there is nothing to plot")
    return Plot(
        title="Share of the samples that choose a dimension",
        alternative=f"How surely a dimension is chosen: {_said(found)}.",
        chart=_panels(panels, _many(found)),
    )


def _said(found: "Dimensions") -> str:
    return "; ".join(
        f"k = {one.k}, sample {size_text(one.size)}: dimension {one.dimension} is chosen by "
        f"{100 * one.stability:.0f} % of the samples"
        for one in found.chosen
        if one.dimension is not None
    )


def _many(found: "Dimensions") -> int:
    return min(len({one.k for one in found.chosen}), 3)


def _means(found: "Dimensions", one: "ChosenDimension") -> list[dict[str, Any]]:
    return [
        {"dimension": at, "joined": joined, "figure": name, "percent": mean(values),
         "low": min(values), "high": max(values)}
        for at, joined in enumerate(found.qids, start=1)
        for name, (figure, _) in FIGURES.items()
        if (values := [float(getattr(gain, figure)) for gain in found.of(one.size, one.k, at)])
    ]  # fmt: skip


def _dimension(found: "Dimensions") -> dict[str, Any]:
    scale = {"domain": list(range(1, len(found.qids) + 1))}
    return {"field": "dimension", "type": "ordinal", "title": "dimension", "scale": scale, "axis": _LEVEL}


def _panel(found: "Dimensions", one: "ChosenDimension", rows: list[dict[str, Any]]) -> dict[str, Any]:
    x = _dimension(found)
    scale = {"domainMax": 100, "domainMin": min(0.0, *(row["low"] for row in rows))}
    y = {"field": "percent", "type": "quantitative", "title": "percent", "scale": scale}
    # one legend for color and shape: that of the color, as solid as the lines
    legend = {"symbolOpacity": 1, "symbolType": "circle"}
    color = {"field": "figure", "type": "nominal", "title": None, "sort": list(FIGURES), "legend": legend}
    band = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": color}
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "area", "opacity": 0.2}, "encoding": band},
        *_lines({"x": x, "y": y, "color": color}, tip=(x, _JOINED, y, color)),
    ]
    if one.dimension is not None:
        rule = {"type": "rule", "strokeDash": [4, 3]}
        chosen = {"values": [{"dimension": one.dimension}]}
        layers.insert(0, {"data": chosen, "mark": rule, "encoding": {"x": x}})
    return {"title": _subject(one), **_SMALL, "data": {"values": rows}, "layer": layers}


def _bars(found: "Dimensions", one: "ChosenDimension") -> dict[str, Any]:
    x = _dimension(found)
    scale, axis = {"domain": [0, 1]}, {"format": ".0%", "tickCount": 5}
    y = {"field": "share", "type": "quantitative", "title": "share of samples", "scale": scale, "axis": axis}
    rows = [
        {"dimension": at, "share": one.shares.get(at, 0.0), "joined": name}
        for at, name in enumerate(found.qids, start=1)
    ]
    return {
        "title": _subject(one),
        **_SMALL,
        "height": _SMALL["height"] // 2,
        "data": {"values": rows},
        "mark": {"type": "bar"},
        "encoding": {"x": x, "y": y, "tooltip": _tips(x, _JOINED, y)},
    }


def plots_of_choices(found: "ChoiceComparison") -> dict[str, Plot]:
    """Return PG and NUE over k and over sizes by name (Figures 7 to 10); NotMeasurable without a figure."""
    plots = {}
    for over, runs, draw in (("k", found.by_k, _over_k), ("size", found.by_size, _over_sizes)):
        some = [run for run in runs if run.gain is not None]
        for short, (figure, words) in FIGURES.items() if some else ():
            plots[f"{short.lower()}_by_{over}"] = draw(found, _percents(some, figure), words)
    if not plots:
        raise NotMeasurable("no run has a figure, so there is nothing to plot")
    return plots


def _percents(runs: Sequence["ComparedRun"], figure: str) -> list[dict[str, Any]]:
    return [
        {
            "choice": run.choice,
            "k": run.k,
            "size": size_text(run.size),
            "percent": float(getattr(run.gain, figure)),
        }
        for run in runs
    ]


def _over_k(found: "ChoiceComparison", rows: list[dict[str, Any]], words: str) -> Plot:
    x = {"field": "k", "type": "quantitative", "title": "k", "scale": {"zero": False}}
    return Plot(
        title=f"{words} at several k",
        alternative=f"{words} on {found.records:,} records: {_ranges(found, rows)}.",
        chart={"$schema": SCHEMA, **_by_choice(found, rows, x)},
    )


def _over_sizes(found: "ChoiceComparison", rows: list[dict[str, Any]], words: str) -> Plot:
    order = list(dict.fromkeys(row["size"] for row in rows))
    x = {"field": "size", "type": "ordinal", "title": "size of the data", "sort": order, "axis": _LEVEL}
    panels = [
        {"title": _title(f"k = {k}"), **_by_choice(found, [row for row in rows if row["k"] == k], x)}
        for k in dict.fromkeys(row["k"] for row in rows)
    ]
    return Plot(
        title=f"{words} at several sizes of the data",
        alternative=f"{words} on parts of {found.records:,} records: {_ranges(found, rows)}.",
        chart=_panels(panels, 2),
    )


def _by_choice(found: "ChoiceComparison", rows: list[dict[str, Any]], x: dict[str, Any]) -> dict[str, Any]:
    scale = {"domain": [min(0.0, *(row["percent"] for row in rows)), 100]}
    y = {"field": "percent", "type": "quantitative", "title": "percent", "scale": scale}
    color = {"field": "choice", "type": "nominal", "title": None, "sort": list(found.choices)}
    plain = [{key: one[key] for key in ("field", "type")} for one in (color, x, y)]
    layers = _lines({"x": x, "y": y, "color": color}, tip=plain)
    return {**_LARGE, "data": {"values": rows}, "layer": layers}


def _ranges(found: "ChoiceComparison", rows: Sequence[dict[str, Any]]) -> str:
    figures = {name: [row["percent"] for row in rows if row["choice"] == name] for name in found.choices}
    return "; ".join(
        f"{name} {min(some):.1f} to {max(some):.1f} percent" for name, some in figures.items() if some
    )


def _lines(encoding: dict[str, Any], *, tip: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return lines with points on them, which color and shape tell apart by one legend."""
    shape = {**encoding["color"], "legend": None}
    point = {"type": "point", "filled": True, "size": 45, "opacity": 1}
    return [
        {"mark": {"type": "line", "strokeWidth": 2}, "encoding": encoding},
        {"mark": point, "encoding": {**encoding, "shape": shape, "tooltip": _tips(*tip)}},
    ]


def _tips(*channels: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{key: one[key] for key in ("field", "type", "title") if key in one} for one in channels]


def _panels(panels: list[dict[str, Any]], columns: int) -> dict[str, Any]:
    return {"$schema": SCHEMA, "concat": panels, "columns": columns, "spacing": 24}


def _subject(one: "ChosenDimension") -> dict[str, Any]:
    return _title(f"k = {one.k}, sample {size_text(one.size)}")


def _title(text: str) -> dict[str, Any]:
    return {"text": text, "anchor": "start", "fontSize": 12}
