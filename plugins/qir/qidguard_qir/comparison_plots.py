"""Plots of a comparison of choices: the paper's Figures 7 to 10."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qidguard.sdk import NotMeasurable, Plot
from qidguard_qir.dimension_plots import SCHEMA
from qidguard_qir.dimensions import size_text

if TYPE_CHECKING:
    from qidguard_qir.compared_choices import ChoiceComparison, ComparedRun

WIDTH, HEIGHT = 380, 240
FIGURES = {"pg": ("privacy_gain", "Privacy gain"), "nue": ("kept", "Information kept (NUE)")}
"""The short name of a figure → its attribute, and what it is called."""


def plots_of(found: "ChoiceComparison") -> dict[str, Plot]:
    """Return the plots by name; NotMeasurable where no run has a figure."""
    plots = {}
    for short, (figure, words) in FIGURES.items():
        if any(run.gain is not None for run in found.by_k):
            plots[f"{short}_by_k"] = _over_k(found, figure, words)
    for short, (figure, words) in FIGURES.items():
        if any(run.gain is not None for run in found.by_size):
            plots[f"{short}_by_size"] = _over_sizes(found, figure, words)
    if not plots:
        raise NotMeasurable("no run has a figure, so there is nothing to plot")
    return plots


def _over_k(found: "ChoiceComparison", figure: str, words: str) -> Plot:
    rows = _rows(found.by_k, figure)
    x = {"field": "k", "type": "quantitative", "title": "k", "scale": {"zero": False}}
    return Plot(
        title=f"{words} at several k",
        alternative=f"{words} on {found.records:,} records: {_said(found, rows)}.",
        chart={**_lines(found, rows, x), "width": WIDTH, "height": HEIGHT},
    )


def _over_sizes(found: "ChoiceComparison", figure: str, words: str) -> Plot:
    rows = _rows(found.by_size, figure)
    order = list(dict.fromkeys(row["size"] for row in rows))
    x = {
        "field": "size",
        "type": "ordinal",
        "title": "size of the data",
        "sort": order,
        "axis": {"labelAngle": 0},
    }
    panels = []
    for k in dict.fromkeys(row["k"] for row in rows):
        some = [row for row in rows if row["k"] == k]
        subject = {"text": f"k = {k}", "anchor": "start", "fontSize": 12}
        panel = {**_lines(found, some, x), "title": subject, "width": WIDTH, "height": HEIGHT}
        panel.pop("$schema")
        panels.append(panel)
    return Plot(
        title=f"{words} at several sizes of the data",
        alternative=f"{words} on parts of {found.records:,} records: {_said(found, rows)}.",
        chart={"$schema": SCHEMA, "concat": panels, "columns": 2, "spacing": 24},
    )


def _rows(runs: Sequence["ComparedRun"], figure: str) -> list[dict[str, Any]]:
    return [
        {
            "choice": run.choice,
            "k": run.k,
            "size": size_text(run.size),
            "percent": float(getattr(run.gain, figure)),
        }
        for run in runs
        if run.gain is not None
    ]


def _lines(found: "ChoiceComparison", rows: Sequence[dict[str, Any]], x: dict[str, Any]) -> dict[str, Any]:
    low = min(0.0, *(row["percent"] for row in rows))
    y = {
        "field": "percent",
        "type": "quantitative",
        "title": "percent",
        "scale": {"domain": [low, 100]},
    }
    color = {"field": "choice", "type": "nominal", "title": None, "sort": list(found.choices)}
    encoding = {"x": x, "y": y, "color": color}
    tips = [{key: one[key] for key in ("field", "type")} for one in (color, x, y)]
    return {
        "$schema": SCHEMA,
        "data": {"values": list(rows)},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": encoding},
            {
                "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
                "encoding": {**encoding, "shape": {**color, "legend": None}, "tooltip": tips},
            },
        ],
    }


def _said(found: "ChoiceComparison", rows: Sequence[dict[str, Any]]) -> str:
    parts = []
    for name in found.choices:
        figures = [row["percent"] for row in rows if row["choice"] == name]
        if figures:
            parts.append(f"{name} {min(figures):.1f} to {max(figures):.1f} percent")
    return "; ".join(parts)
