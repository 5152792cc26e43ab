"""Plots of QIDs: shares by category, and what a forest loses without each (Fig. 9). No value is shown."""

from collections.abc import Sequence

from qidguard.sdk import Plot, UserError
from qidguard_hybrid_dp.charts import Part, number, plot, word
from qidguard_hybrid_dp.patterns.categories import CATEGORIES
from qidguard_hybrid_dp.patterns.friendly import LARGEST, MOST_LOSS, Examined, percent

_WIDTH, _HEIGHT = 420, 280


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
    share = number("share", "share of the records", ".0%", scale={"domain": [0, 1]})
    return plot(
        "Records by category of their values",
        f"A bar for each quasi-identifier; in its super major value: {said or 'none'}.",
        rows,
        width=_WIDTH,
        mark="bar",
        encoding={
            "y": word("column", sort=None),
            "x": share,
            "color": word("category", sort=order),
            "order": number("rank"),
        },
    )


def friendly_plot(examined: Sequence[Examined]) -> Plot:
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
    at = {
        "x": number("share", "share of the largest value", ".0%", scale={"domain": [0, 1]}),
        "y": number("loss", "permutation loss, points of accuracy"),
    }
    point = {"type": "point", "filled": True, "size": 90}
    name = {"field": "column", "type": "nominal"}
    data = {"values": rows}
    return plot(
        "Pattern-friendly quasi-identifiers",
        "A point for each quasi-identifier: what permuting it costs, over the share of its largest value."
        f" Pattern-friendly: {named}.",
        width=_WIDTH,
        height=_HEIGHT,
        layer=[
            _rule("y", MOST_LOSS),
            _rule("x", LARGEST),
            {"data": data, "mark": point, "encoding": {**at, "color": word("kind"), "shape": word("kind")}},
            {"data": data, "mark": {"type": "text", "dy": -12}, "encoding": {**at, "text": name}},
        ],
    )


def _rule(axis: str, at: float) -> Part:
    mark = {"type": "rule", "strokeDash": [4, 4], "opacity": 0.5}
    return {"data": {"values": [{"limit": at}]}, "mark": mark, "encoding": {axis: number("limit")}}


def _share(one: Examined, rank: int) -> float:
    return sum(share for share, own in zip(one.shares, one.ranks, strict=True) if own == rank)
