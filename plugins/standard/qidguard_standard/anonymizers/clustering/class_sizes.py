"""A plot of how large the classes are that an anonymizer published, with k marked."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.sdk import Plot

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_MOST_BARS = 40
_FEW = 8
_WIDE = 20
"""From this many times the smallest class on the sizes stand on a logarithmic axis."""


def class_size_plot(sizes: "NDArray[np.int64]", k: int) -> Plot:
    """Return the distribution of class sizes, persons, as bars of classes, and k as a line.

    Sizes have a bar each; where they are more than 40, bars are of equal width, or of equal ratio on a
    logarithmic axis where the largest is 20 times k. Heights are numbers of classes.

    Example:
        >>> class_size_plot(np.array([5, 5, 6, 9]), 5).alternative
        '4 classes of 5 to 9 persons, half of them of 5 or fewer; k = 5.'
    """
    smallest, largest = int(sizes.min()), int(sizes.max())
    lowest = min(k, smallest)
    is_wide = largest - lowest >= _MOST_BARS and largest >= _WIDE * lowest
    edges = _edges(lowest, largest, is_wide=is_wide)
    classes, _ = np.histogram(sizes, edges)
    persons, _ = np.histogram(sizes, edges, weights=sizes)
    bars = [
        {
            "low": low,
            "high": high,
            "sizes": f"{round(low + 0.5):,}" if high - low == 1 else f"{low + 0.5:,.0f} to {high - 0.5:,.0f}",
            "classes": int(count),
            "persons": int(people),
        }
        for low, high, count, people in zip(edges[:-1], edges[1:], classes, persons, strict=True)
        if count
    ]
    median = int(np.quantile(sizes, 0.5, method="inverted_cdf"))
    many = "1 class" if len(sizes) == 1 else f"{len(sizes):,} classes"
    span = f"{smallest:,} to {largest:,} persons, half of them of {median:,} or fewer"
    return Plot(
        title="Class sizes",
        alternative=f"{many} of {span if smallest < largest else f'{largest:,} persons'}; k = {k:,}.",
        chart=_chart(bars, k, [lowest, largest], is_wide=is_wide),
    )


def _edges(smallest: int, largest: int, *, is_wide: bool) -> list[float]:
    """Return where bars begin and end, half a person below and above the sizes that they hold."""
    if largest - smallest < _MOST_BARS:
        whole = np.arange(smallest, largest + 2)
    elif is_wide:
        ratio = ((largest + 1) / smallest) ** (1 / _MOST_BARS)
        found = [smallest]
        while found[-1] <= largest:
            # a bar holds no fewer sizes than the one before it
            found.append(max(found[-1] + 1, math.ceil(found[-1] * ratio)))
        whole = np.array(found)
    else:
        step = -(-(largest + 1 - smallest) // _MOST_BARS)
        whole = np.arange(smallest, largest + 1 + step, step)
    return [float(edge) - 0.5 for edge in whole]


def _chart(bars: list[dict[str, Any]], k: int, span: list[int], *, is_wide: bool) -> dict[str, Any]:
    lowest, largest = span
    if is_wide:
        scale: dict[str, Any] = {"type": "log", "domain": [lowest / 1.3, largest * 1.1]}
    else:
        room = 1 + (largest - lowest) / _MOST_BARS
        scale = {"domain": [lowest - room, largest + room]}
    scale |= {"nice": False, "zero": False}
    axis = {"tickMinStep": 1, "format": ",d", "grid": False}
    x: dict[str, Any] = {
        "type": "quantitative",
        "title": "persons in a class",
        "scale": scale,
        "axis": axis,
    }
    top = max(bar["classes"] for bar in bars)
    ticks = {"values": list(range(top + 1))} if top < _FEW else {}
    y = {
        "field": "classes",
        "type": "quantitative",
        "title": "classes",
        "axis": {"format": ",d", **ticks},
    }
    tips = [
        {"field": "sizes", "type": "nominal", "title": "persons in a class"},
        {"field": "classes", "type": "quantitative", "format": ","},
        {"field": "persons", "type": "quantitative", "format": ","},
    ]
    # what is left of the line is smaller than k
    mark = [{"k": k - 0.5, "label": f"k = {k:,}"}]
    return {
        "$schema": _SCHEMA,
        "width": 420,
        "height": 260,
        "layer": [
            {
                "data": {"values": bars},
                "mark": {"type": "bar", "binSpacing": 1},
                "encoding": {
                    "x": {**x, "field": "low"},
                    "x2": {"field": "high"},
                    "y": y,
                    "y2": {"datum": 0},
                    "tooltip": tips,
                },
            },
            {
                "data": {"values": mark},
                "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.5},
                "encoding": {"x": {**x, "field": "k"}},
            },
            {
                "data": {"values": mark},
                "mark": {"type": "text", "align": "left", "dx": -4, "dy": -8, "y": 0},
                "encoding": {
                    "x": {**x, "field": "k"},
                    "text": {"field": "label"},
                },
            },
        ],
    }
