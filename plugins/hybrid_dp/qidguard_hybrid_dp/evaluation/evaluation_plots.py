"""Plots of an evaluation: originality, losses, distributions, minorities and time."""

from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.sdk import NotMeasurable, Plot

if TYPE_CHECKING:
    from qidguard_hybrid_dp.evaluation.evaluation import MeasuredTrial, TableEvaluation

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
Row = dict[str, Any]
_THEME_COLORS = 6
_MANY_COLORS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7"),
    *("#b07d00", "#56b4e9", "#8c564b", "#888888"),
)
"""For more methods than the theme has colors; none is lost on a light or a dark ground."""


def plots_of(found: "TableEvaluation") -> dict[str, Plot]:
    """Return the plots by name; NotMeasurable where nothing could be done."""
    if not found.measured:
        raise NotMeasurable("no method could be done, so there is nothing to plot")
    made = {"originality": originality_plot(found), "loss": loss_plot(found), "time": time_plot(found)}
    if found.measured[0].statistics:
        made["distributions"] = distributions_plot(found)
    if any(one.minorities for one in found.measured):
        made["minorities"] = minorities_plot(found)
    return made


def lines_by_k(
    rows: list[Row], field: str, title: str, *, shown: str = "%", height: int = 240
) -> dict[str, Any]:
    """Return a chart of a figure over k, one line a method."""
    method = {"field": "method", "type": "nominal", "title": None, "sort": None}
    color: Row = {**method, "legend": {"labelLimit": 320, "columns": 3}}
    if len({row["method"] for row in rows}) > _THEME_COLORS:
        color["scale"] = {"range": _MANY_COLORS}
    return {
        "width": 380,
        "height": height,
        "mark": {"type": "line", "point": {"filled": True, "size": 45}, "strokeWidth": 2},
        "encoding": {
            "x": {
                "field": "k",
                "type": "ordinal",
                "sort": sorted({row["k"] for row in rows}),
                "title": "k",
                "axis": {"labelAngle": 0},
            },
            "y": {
                "field": field,
                "type": "quantitative",
                "title": title,
                "axis": {"format": shown},
            },
            "color": color,
            # a second legend would say the same
            "shape": {**method, "legend": None},
            "tooltip": [
                {"field": "method", "type": "nominal"},
                {"field": "k", "type": "ordinal"},
                {"field": field, "type": "quantitative", "format": ".4f"},
            ],
        },
    }


def originality_plot(found: "TableEvaluation") -> Plot:
    """Return the share of cells that are as they were over k (Table III)."""
    rows = [
        {"method": one.trial.label, "k": one.trial.k, "share": one.originality.share}
        for one in found.measured
    ]
    return Plot(
        title="Originality: quasi-identifier cells that are as they were",
        alternative=f"Share of cells that are as they were, by method and k: {spans(rows, 'share')}.",
        chart={
            "$schema": SCHEMA,
            "data": {"values": rows},
            **lines_by_k(rows, "share", "share of cells kept"),
        },
    )


def loss_plot(found: "TableEvaluation") -> Plot:
    """Return DM a categorical cell over k in each part, and the distance of numbers (Fig. 11, 12)."""
    rows = []
    for one in found.measured:
        for part in one.losses:
            # a part without records has no loss
            if part.records:
                told = {"method": one.trial.label, "k": one.trial.k, "part": part.partition}
                rows.append({**told, "DM": part.categorical, "distance": part.distance})
    panels = []
    for part_name in dict.fromkeys(row["part"] for row in rows):
        inside = [row for row in rows if row["part"] == part_name]
        for field, title in (("DM", "DM a categorical cell"), ("distance", "distance of numbers")):
            some = [row for row in inside if row[field] is not None]
            if some:
                panels.append(
                    {
                        **lines_by_k(some, field, title, shown="~g", height=170),
                        "title": {"text": f"{part_name} records", "anchor": "start", "fontSize": 12},
                        "transform": [
                            {"filter": {"field": "part", "equal": part_name}},
                        ],
                        "width": 270,
                    }
                )
    categorical = [row for row in rows if row["DM"] is not None and row["part"] == "all"]
    return Plot(
        title="Information loss in each part",
        alternative=f"Losses by part, method and k. DM a cell over all records: {spans(categorical, 'DM')}.",
        chart={
            "$schema": SCHEMA,
            "data": {"values": rows},
            "concat": panels,
            "columns": 2,
            "spacing": 22,
        },
    )


def distributions_plot(found: "TableEvaluation") -> Plot:
    """Return histograms of each numeric column before and after, at the least k (Fig. 14, 15)."""
    least = min(one.trial.k for one in found.measured)
    shown = [one for one in found.measured if one.trial.k == least]
    panels = []
    for at, number in enumerate(shown[0].statistics):
        rows: list[Row] = []
        for one in shown:
            rows += _histogram(one, at)
        panels.append(_histograms(rows, number.column, [one.trial.label for one in shown]))
    moved = ", ".join(
        f"{one.trial.label} {number.column} {number.variation:.3f}"
        for one in shown
        for number in one.statistics
    )
    return Plot(
        title=f"Numbers before and after, k = {least}",
        alternative=f"Histograms of numeric columns before and after. Total variation: {moved}.",
        chart={"$schema": SCHEMA, "vconcat": panels, "spacing": 24},
    )


def _histogram(one: "MeasuredTrial", at: int) -> list[Row]:
    number = one.statistics[at]
    rows = []
    for place, (low, high) in enumerate(zip(number.edges, number.edges[1:], strict=False)):
        for kind, shares in (("original", number.before), ("published", number.after)):
            told = {"method": one.trial.label, "low": float(low), "high": float(high), "records": kind}
            rows.append({**told, "share": float(shares[place])})
    return rows


def _histograms(rows: list[Row], column: str, methods: list[str]) -> dict[str, Any]:
    low, high = min(row["low"] for row in rows), max(row["high"] for row in rows)
    return {
        "data": {"values": rows},
        "facet": {
            "field": "method",
            "type": "nominal",
            "title": None,
            "sort": methods,
            "header": {"labelLimit": 240},
        },
        "columns": 3,
        "spacing": 14,
        "spec": histogram((low, high), size=(190, 120), title=column),
    }


def histogram(domain: tuple[float, float], *, size: tuple[int, int], title: str | None) -> dict[str, Any]:
    """Return shares by bins of a number, original and published over one another."""
    width, height = size
    return {
        "width": width,
        "height": height,
        "mark": {"type": "bar", "opacity": 0.55},
        "encoding": {
            "x": {
                "field": "low",
                "type": "quantitative",
                "bin": {"binned": True},
                "title": title,
                "scale": {"domain": list(domain), "nice": False},
                "axis": {"tickCount": 4},
            },
            "x2": {"field": "high"},
            "y": {
                "field": "share",
                "type": "quantitative",
                "stack": None,
                "title": "share of records",
                "axis": {"format": "%", "tickCount": 4},
            },
            "color": {"field": "records", "type": "nominal", "title": None},
        },
    }


def minorities_plot(found: "TableEvaluation") -> Plot:
    """Return the share of each category's records whose value can still be read, over k."""
    rows: list[Row] = [
        {
            "method": one.trial.label,
            "k": one.trial.k,
            "what": f"{rare.column}: {rare.category}",
            "readable": rare.readable,
        }
        for one in found.measured
        for rare in one.minorities
    ]
    panels = []
    for what in dict.fromkeys(row["what"] for row in rows):
        some = [row for row in rows if row["what"] == what]
        chart = lines_by_k(some, "readable", "readable", height=120)
        chart["encoding"]["y"]["scale"] = {"domain": [0, 1]}
        panels.append(
            {
                **chart,
                "data": {"values": some},
                "width": 190,
                "title": {"text": what, "anchor": "start", "fontSize": 12},
            }
        )
    return Plot(
        title="Minorities that remain readable",
        alternative="Share of records whose value can still be read, by column, category, method and k; "
        f"from {min(row['readable'] for row in rows):.2f} to {max(row['readable'] for row in rows):.2f}.",
        chart={"$schema": SCHEMA, "concat": panels, "columns": 3, "spacing": 20},
    )


def time_plot(found: "TableEvaluation") -> Plot:
    """Return the wall time of each step at each k (Fig. 18)."""
    rows = [
        {"method": one.trial.label, "k": f"k = {one.trial.k}", "step": step, "seconds": seconds}
        for one in found.measured
        for step, seconds in one.trial.seconds.items()
    ]
    totals = ", ".join(
        f"{one.trial.label} at k={one.trial.k} {one.trial.total:.2f} s" for one in found.measured
    )
    return Plot(
        title="Time of each step",
        alternative=f"Stacked bars of seconds by step: {totals}.",
        chart={
            "$schema": SCHEMA,
            "data": {"values": rows},
            "facet": {
                "row": {
                    "field": "k",
                    "type": "nominal",
                    "title": None,
                    "sort": list(dict.fromkeys(row["k"] for row in rows)),
                    "header": {"labelAngle": 0, "labelAlign": "left"},
                }
            },
            "spacing": 8,
            "spec": {
                "width": 380,
                "height": {"step": 16},
                "mark": {"type": "bar"},
                "encoding": {
                    "y": {
                        "field": "method",
                        "type": "nominal",
                        "sort": None,
                        "title": None,
                        "axis": {"labelLimit": 240},
                    },
                    "x": {"field": "seconds", "type": "quantitative", "title": "seconds"},
                    "color": {"field": "step", "type": "nominal", "title": "step", "sort": None},
                    "tooltip": [
                        {"field": "step", "type": "nominal"},
                        {"field": "seconds", "type": "quantitative", "format": ".3f"},
                    ],
                },
            },
        },
    )


def spans(rows: list[Row], field: str) -> str:
    """Return for each method from where to where a figure goes."""
    told = []
    for method in dict.fromkeys(row["method"] for row in rows):
        figures = np.array([row[field] for row in rows if row["method"] == method])
        told.append(f"{method} {figures.min():.3f} to {figures.max():.3f}")
    return "; ".join(told)
