"""A plan of a series drawn: loss and stale records over the releases, a line a way."""

from typing import Any, Final

from qidguard.sdk import Plot, visible
from qidguard_series.plan import SeriesPlan

MOST_POINTS: Final = 60
"""Releases that are drawn of each way; of more, evenly chosen ones."""
_WIDTH, _HEIGHT = 330, 240
_LOSS, _STALE = "loss", "stale"
_MOST_TICKS: Final = 13
_ROOM: Final = 1.08
_LEAST_TOP: Final = 0.05
_COLORS: Final = 6
_DASHES: Final = ([1, 0], [6, 3], [2, 2])
_NEUTRAL: Final = "#80868d"


def plan_plot(plan: SeriesPlan) -> Plot:
    """Return two panels: NCP, with each release alone beside it, and the share of stale records."""
    drawn = [way for way in plan.ways if way.releases]
    rows: list[dict[str, Any]] = [
        {
            "way": visible(way.label),
            "release": one.release,
            _LOSS: round(one.ncp, 5),
            _STALE: round(one.stale_share, 5),
        }
        for way in drawn
        for one in way.releases[:: _step(len(way.releases))]
    ]
    alone: list[dict[str, Any]] = [
        {"release": at + 1, _LOSS: round(plan.alone[at], 5)}
        for at in range(0, len(plan.alone), _step(len(plan.alone)))
    ]
    ways = [visible(way.label) for way in drawn]
    most = max(one[_LOSS] for one in [*rows, *alone])
    loss = _panel(_LOSS, "NCP of what is shown", ways, plan.releases, most)
    stale = _panel(
        _STALE, "stale records, of those shown", ways, plan.releases, max(row[_STALE] for row in rows)
    )
    dashed = f"; dashed: each release alone, by {plan.plain_method}" if alone else ""
    if alone:
        loss["layer"].append(_alone(alone))
    return Plot(
        title="What keeping the series costs",
        alternative=_sentence(plan),
        chart={
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "title": {"subtitle": f"k = {plan.k:,}; from one release to the next {plan.turnover}{dashed}"},
            "data": {"values": rows},
            "hconcat": [loss, stale],
            "spacing": 36,
        },
    )


def _step(releases: int) -> int:
    return max(1, -(-releases // MOST_POINTS))


def _ticks(releases: int) -> list[int]:
    return list(range(1, releases + 1, max(1, -(-releases // _MOST_TICKS))))


def _panel(figure: str, title: str, ways: list[str], releases: int, most: float) -> dict[str, Any]:
    legend = {"orient": "bottom", "columns": 3, "symbolType": "stroke", "symbolStrokeWidth": 3}
    way = {"field": "way", "type": "nominal", "title": None, "sort": ways, "legend": legend}
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "encoding": {
            "x": {
                "field": "release",
                "type": "quantitative",
                "title": "release",
                "scale": {"domain": [1, releases], "nice": False},
                "axis": {"values": _ticks(releases), "format": "d", "grid": False},
            },
            "y": {
                "field": figure,
                "type": "quantitative",
                "title": title,
                "scale": {"domain": [0, min(1.0, most * _ROOM) or _LEAST_TOP], "nice": False},
                "axis": {"format": "~%", "tickCount": 6},
            },
        },
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 22, "filled": True}},
                "encoding": {
                    "color": {**way, "scale": {"domain": ways}},
                    "strokeDash": {**way, "scale": {"domain": ways, "range": _dashes(len(ways))}},
                    "tooltip": [
                        {"field": "way", "type": "nominal"},
                        {"field": "release", "type": "quantitative"},
                        {"field": figure, "type": "quantitative", "title": title, "format": ".2%"},
                    ],
                },
            }
        ],
    }


def _dashes(ways: int) -> list[list[int]]:
    """Return how each line is drawn: where colors are used up they come again with another dash."""
    return [_DASHES[min(at // _COLORS, len(_DASHES) - 1)] for at in range(ways)]


def _alone(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "data": {"values": rows},
        "mark": {"type": "line", "strokeWidth": 1.5, "strokeDash": [5, 4], "color": _NEUTRAL},
    }


def _sentence(plan: SeriesPlan) -> str:
    told = [
        f"{way.label}: NCP {way.releases[-1].ncp * 100:.3g} % and {way.releases[-1].stale_share * 100:.3g} %"
        f" stale after {len(way.releases):,} releases"
        for way in plan.ways
        if way.releases
    ]
    if plan.alone:
        told.append(f"each release alone: NCP {plan.alone[-1] * 100:.3g} %")
    return visible(f"{'; '.join(told)}.")
