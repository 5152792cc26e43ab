"""How a search went: what ``qidguard discover --plots`` saves."""

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from qidguard.sdk import NotMeasurable, Plot, SearchPlot, SearchResult
from qidguard_qidlearning.plots.axis import HEIGHT, WIDTH, along, chart, named, quantity, tips
from qidguard_qidlearning.plots.sample import number

MOST_MOMENTS = 500
MOST_STATES = 6
_STATE_HEIGHT = 70
_Step = TypeVar("_Step")


def search_evolution(result: SearchResult, *, label: str = "fitness") -> Plot:
    """Return the best and the mean fitness over a search's steps, and below what else it kept of its run.

    Simões et al. 2025, section 4.6. What a strategy keeps (rates that adapt, a temperature) has a panel each,
    at most six. Beyond 500 steps, 500 even ones are drawn, the first and the last among them. A step whose
    mean is no number (−∞, a set without a figure) has no point in the mean's line.
    """
    steps = [(i + 1, moment) for i, moment in enumerate(result.evolution) if math.isfinite(moment.best)]
    if not steps:
        raise NotMeasurable("the search noted no step, so there is no evolution to plot")
    records = [
        {"step": step, "sets": moment.evaluations, "best": moment.best, "mean": _finite(moment.mean)}
        for step, moment in _thinned(steps)
    ]
    x, best, mean = quantity("step", "step"), along("best", label), along("mean", label)
    sets = {"field": "sets", "type": "quantitative", "title": "sets evaluated"}
    # a panel each: one bad step takes the mean so low that the best would look flat beside it
    panels: list[dict[str, Any]] = [
        {"width": WIDTH, "height": HEIGHT // 2, **_line(x, best, "best", "step-after", tips(x, sets, best))},
        {
            "width": WIDTH,
            "height": HEIGHT // 2,
            **_line(x, mean, "mean of the step", "linear", tips(x, sets, mean)),
        },
    ]
    panels += [
        _state(name, values) for name, values in list(result.state.items())[:MOST_STATES] if len(values)
    ]
    first, last = steps[0][1], steps[-1][1]
    return Plot(
        title="Evolution of the search",
        alternative=(
            f"Best fitness rose from {number(first.best)} to {number(last.best)} over "
            f"{len(result.evolution):,} steps and {result.evaluations:,} evaluated sets"
            + (f"; the mean ended at {number(last.mean)}." if math.isfinite(last.mean) else ".")
        ),
        chart=chart(records, vconcat=panels),
    )


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _line(
    x: dict[str, Any], y: dict[str, Any], name: str, interpolate: str, tooltip: list[dict[str, Any]]
) -> dict[str, Any]:
    mark = {"type": "line", "interpolate": interpolate, "strokeWidth": 2, "point": {"size": 14}}
    return {"mark": mark, "encoding": {"x": x, "y": y, "color": named(name), "tooltip": tooltip}}


def _state(name: str, values: Sequence[float]) -> dict[str, Any]:
    points = [
        {"step": step, "value": float(value)}
        for step, value in _thinned(
            [(i + 1, value) for i, value in enumerate(values) if math.isfinite(value)]
        )
    ]
    x, y = quantity("step", "step"), along("value", name)
    y["axis"] = {"tickCount": 3}
    return {
        "width": WIDTH,
        "height": _STATE_HEIGHT,
        "data": {"values": points},
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {"x": x, "y": y, "tooltip": tips(x, y)},
    }


def _thinned(steps: Sequence[_Step]) -> list[_Step]:
    if len(steps) <= MOST_MOMENTS:
        return list(steps)
    return [steps[i] for i in np.linspace(0, len(steps) - 1, MOST_MOMENTS).round().astype(int)]


class Evolution:
    """The fitness over the steps of a search."""

    name = "evolution"
    title = "best and mean fitness over the steps of a search"

    def draw(self, result: SearchResult) -> Plot:
        """Return the plot; NotMeasurable when the search noted no step."""
        return search_evolution(result)


SEARCH_PLOTS: tuple[SearchPlot, ...] = (Evolution(),)
"""All of them, by name."""
