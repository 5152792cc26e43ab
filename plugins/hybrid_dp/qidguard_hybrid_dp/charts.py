"""The pieces of Vega-Lite that the plots are made of: fields, panels, and lines over k."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from qidguard.sdk import Plot

Part = dict[str, Any]
"""A part of a chart, or a row of its data."""

BY_K_COLORS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7"),
    *("#b07d00", "#56b4e9", "#8c564b", "#888888"),
)
"""For more methods than the theme has colors; none is lost on a light or a dark ground."""
_THEME_COLORS = 6


def plot(title: str, alternative: str, rows: Sequence[Part] | None = None, **chart: Any) -> Plot:
    """Return a plot of some rows, if it has any of its own, by a chart's further parts."""
    data = {} if rows is None else {"data": {"values": rows}}
    schema = "https://vega.github.io/schema/vega-lite/v6.json"
    return Plot(title=title, alternative=alternative, chart={"$schema": schema, **data, **chart})


def number(field: str, title: str | None = "", shown: str = "", **more: Any) -> Part:
    """Return a field of numbers, written as ``shown`` says on its axis; no title where it is empty.

    Example:
        >>> number("share", "share of records", "%")["axis"]
        {'format': '%'}
    """
    told = {"field": field, "type": "quantitative", **({} if title == "" else {"title": title})}
    return {**told, **({"axis": {"format": shown}} if shown else {}), **more}


def word(field: str, title: str | None = None, **more: Any) -> Part:
    """Return a field of words.

    Example:
        >>> word("method", sort=None)
        {'field': 'method', 'type': 'nominal', 'title': None, 'sort': None}
    """
    return {"field": field, "type": "nominal", "title": title, **more}


def over_k(ks: Iterable[int] | None = None) -> Part:
    """Return the axis of k, in the order of the k that are named, else of the data."""
    sort = {} if ks is None else {"sort": sorted(set(ks))}
    return {"field": "k", "type": "ordinal", "title": "k", "axis": {"labelAngle": 0}, **sort}


METHOD = word("method", sort=None)
"""The method of a row, in the order of the data."""
METHOD_COLOR = {**METHOD, "legend": {"labelLimit": 320, "columns": 3}}


def panel(title: str, chart: Mapping[str, Any], rows: Sequence[Part] | None = None, **more: Any) -> Part:
    """Return one panel of several under a heading of its own, with rows of its own if it has any."""
    data = {} if rows is None else {"data": {"values": rows}}
    return {**chart, **data, "title": {"text": title, "anchor": "start", "fontSize": 12}, **more}


def lines_by_k(rows: Sequence[Part], field: str, title: str, shown: str = "%", **more: Any) -> Part:
    """Return a chart of a figure over k, one line a method; ``more`` is said of its vertical axis."""
    color = METHOD_COLOR
    if len({row["method"] for row in rows}) > _THEME_COLORS:
        color = {**color, "scale": {"range": BY_K_COLORS}}
    return {
        "width": 380,
        "height": 240,
        "mark": {"type": "line", "point": {"filled": True, "size": 45}, "strokeWidth": 2},
        "encoding": {
            "x": over_k(row["k"] for row in rows),
            "y": number(field, title, shown, **more),
            "color": color,
            # a second legend would say the same
            "shape": {**METHOD, "legend": None},
            "tooltip": [
                {"field": "method", "type": "nominal"},
                {"field": "k", "type": "ordinal"},
                number(field, format=".4f"),
            ],
        },
    }


def histogram(rows: Sequence[Part], *, size: tuple[int, int], title: str | None) -> Part:
    """Return shares by bins of a number, original and published over one another."""
    domain = [min(row["low"] for row in rows), max(row["high"] for row in rows)]
    width, height = size
    x = number("low", title, bin={"binned": True}, scale={"domain": domain, "nice": False})
    return {
        "width": width,
        "height": height,
        "mark": {"type": "bar", "opacity": 0.55},
        "encoding": {
            "x": {**x, "axis": {"tickCount": 4}},
            "x2": {"field": "high"},
            "y": number("share", "share of records", stack=None, axis={"format": "%", "tickCount": 4}),
            "color": word("records"),
        },
    }


def spans(rows: Sequence[Part], field: str) -> str:
    """Return for each method from where to where a figure goes.

    Example:
        >>> spans([{"method": "a", "loss": 0.5}, {"method": "a", "loss": 0.25}], "loss")
        'a 0.250 to 0.500'
    """
    told = []
    for method in dict.fromkeys(row["method"] for row in rows):
        figures = [row[field] for row in rows if row["method"] == method]
        told.append(f"{method} {min(figures):.3f} to {max(figures):.3f}")
    return "; ".join(told)
