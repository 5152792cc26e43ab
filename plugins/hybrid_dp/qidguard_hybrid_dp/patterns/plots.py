"""Plots of QIDs: shares by category, and what a forest loses without each (Fig. 9). No value is shown."""

from collections.abc import Sequence
from typing import Any

from qidguard.sdk import Plot, UserError
from qidguard_hybrid_dp.patterns.categories import CATEGORIES
from qidguard_hybrid_dp.patterns.friendly import Examined, FriendlyRule, percent

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_WIDTH, _HEIGHT = 420, 280
_PERCENT = ".0%"


def category_plot(examined: Sequence[Examined]) -> Plot:
    """Return the share of the records in each category of values, a bar for each QID."""
    rows = [
        {"column": one.name, "category": category.value, "rank": rank, "share": _share(one, rank)}
        for one in examined
        for rank, category in enumerate(CATEGORIES)
        if rank in one.ranks
    ]
    said = "; ".join(f"{one.name} {percent(_share(one, 0))}" for one in examined)
    order = [category.value for category in CATEGORIES]
    return Plot(
        title="Records by category of their values",
        alternative=f"A bar for each quasi-identifier; in its super major value: {said or 'none'}.",
        chart={
            "$schema": SCHEMA,
            "width": _WIDTH,
            "data": {"values": rows},
            "mark": "bar",
            "encoding": {
                "y": {"field": "column", "type": "nominal", "title": None, "sort": None},
                "x": {
                    "field": "share",
                    "type": "quantitative",
                    "title": "share of the records",
                    "axis": {"format": _PERCENT},
                    "scale": {"domain": [0, 1]},
                },
                "color": {"field": "category", "type": "nominal", "sort": order, "title": None},
                "order": {"field": "rank", "type": "quantitative"},
            },
        },
    )


def friendly_plot(examined: Sequence[Examined], rule: FriendlyRule) -> Plot:
    """Return permutation loss over the share of the largest value, a point for each QID (Fig. 9).

    Raises:
        UserError: When there is no loss to draw, since nothing was predicted.
    """
    rows = [
        {
            "column": one.name,
            "share": one.shares[0],
            "loss": one.loss,
            "kind": "pattern-friendly" if one.is_friendly else "not",
        }
        for one in examined
        if one.loss is not None and one.shares
    ]
    if not rows:
        raise UserError("there is no permutation loss to draw; name what is predicted with --sensitive")
    named = ", ".join(one.name for one in examined if one.is_friendly) or "none"
    x: dict[str, Any] = {
        "field": "share",
        "type": "quantitative",
        "title": "share of the largest value",
        "axis": {"format": _PERCENT},
        "scale": {"domain": [0, 1]},
    }
    y = {"field": "loss", "type": "quantitative", "title": "permutation loss, points of accuracy"}
    color = {"field": "kind", "type": "nominal", "title": None}
    shape = {"field": "kind", "type": "nominal", "title": None}
    return Plot(
        title="Pattern-friendly quasi-identifiers",
        alternative=(
            "A point for each quasi-identifier: what permuting it costs, over the share of its largest value."
            f" Pattern-friendly: {named}."
        ),
        chart={
            "$schema": SCHEMA,
            "width": _WIDTH,
            "height": _HEIGHT,
            "layer": [
                _rule("y", rule.most_loss),
                _rule("x", rule.largest),
                {
                    "data": {"values": rows},
                    "mark": {"type": "point", "filled": True, "size": 90},
                    "encoding": {"x": x, "y": y, "color": color, "shape": shape},
                },
                {
                    "data": {"values": rows},
                    "mark": {"type": "text", "dy": -12},
                    "encoding": {"x": x, "y": y, "text": {"field": "column", "type": "nominal"}},
                },
            ],
        },
    )


def _rule(axis: str, at: float) -> dict[str, Any]:
    return {
        "data": {"values": [{"limit": at}]},
        "mark": {"type": "rule", "strokeDash": [4, 4], "opacity": 0.5},
        "encoding": {axis: {"field": "limit", "type": "quantitative"}},
    }


def _share(one: Examined, rank: int) -> float:
    return sum(share for share, own in zip(one.shares, one.ranks, strict=True) if own == rank)
