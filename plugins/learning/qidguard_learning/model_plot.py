"""A plot of model utility: scores by original and by published records, model by model."""

from typing import Any

import numpy as np

from qidguard.sdk import NotMeasurable, Plot
from qidguard_learning.utility import ModelUtility

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_FIVE = ("low", "q1", "median", "q3", "high")
_ROW_PIXELS = 56
_MOST_DOTS = 4000


def model_plot(utility: ModelUtility) -> Plot:
    """Return the F1 scores of each model, learned from original and from published records.

    A box goes from the lower to the upper quartile of the splits with a tick at the median; a dot is a split.
    Dots are left out where there are more than 4,000.

    Example:
        >>> from qidguard_learning.example import utility_example
        >>> model_plot(utility_example()).alternative
        'Median F1 over 3 splits, by original and by published records: decision tree 0.800 and 0.600.'
    """
    if not utility.models or not utility.original_f1.shape[1]:
        raise NotMeasurable("no model was tried, so there is nothing to plot")
    boxes: list[dict[str, Any]] = []
    dots: list[dict[str, Any]] = []
    for place, model in enumerate(utility.models):
        name = model.replace("_", " ").replace("bayes", "Bayes")
        for kind, scores in (("original", utility.original_f1), ("published", utility.published_f1)):
            five = np.quantile(scores[place], [0, 0.25, 0.5, 0.75, 1]).tolist()
            row = {"model": name, "records": kind}
            boxes.append({**row, **dict(zip(_FIVE, five, strict=True))})
            dots += [{**row, "f1": score} for score in scores[place].tolist()]
    score = "macro F1" if utility.design is None or utility.design.positive is None else "F1"
    splits = utility.original_f1.shape[1]
    pairs = zip(boxes[::2], boxes[1::2], strict=True)
    medians = ", ".join(f"{o['model']} {o['median']:.3f} and {p['median']:.3f}" for o, p in pairs)
    return Plot(
        title="Model utility: F1 by original and by published records",
        alternative=f"Median F1 over {splits:,} splits, by original and by published records: {medians}.",
        chart=_chart(boxes, dots if len(dots) <= _MOST_DOTS else [], rows=len(utility.models), title=score),
    )


def _chart(
    boxes: list[dict[str, Any]], dots: list[dict[str, Any]], *, rows: int, title: str
) -> dict[str, Any]:
    y = {
        "field": "model",
        "type": "nominal",
        "title": None,
        "sort": None,
        "axis": {"labelLimit": 220},
    }
    offset = {"field": "records", "type": "nominal", "sort": None}
    color = {"field": "records", "type": "nominal", "title": "learned from", "sort": None}
    by = {"y": y, "yOffset": offset, "color": color}

    def x(field: str) -> dict[str, Any]:
        return {"field": field, "type": "quantitative", "title": title, "scale": {"zero": False}}

    tips = [{"field": field, "type": "quantitative", "format": ".3f"} for field in _FIVE]
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "rule", "strokeWidth": 1.5},
            "encoding": {**by, "x": x("low"), "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "bar", "size": 12, "opacity": 0.45},
            "encoding": {**by, "x": x("q1"), "x2": {"field": "q3"}, "tooltip": tips},
        },
        {
            "mark": {"type": "tick", "size": 16, "thickness": 2.5},
            "encoding": {**by, "x": x("median")},
        },
    ]
    if dots:
        layers.append(
            {
                "data": {"values": dots},
                "mark": {"type": "point", "filled": True, "size": 12, "opacity": 0.7},
                "encoding": {**by, "x": x("f1")},
            }
        )
    return {
        "$schema": _SCHEMA,
        "data": {"values": boxes},
        "width": 420,
        "height": _ROW_PIXELS * rows,
        "layer": layers,
    }
