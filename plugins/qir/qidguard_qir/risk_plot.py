"""The risks of the columns as sorted bars, with the thresholds drawn (the paper's Figures 3 and 5)."""

from typing import TYPE_CHECKING, Any

from qidguard.sdk import Plot

if TYPE_CHECKING:
    from qidguard_qir.classification import Classification

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, ROW = 420, 20
MOST = 60
"""Columns that are drawn: those with the highest risk."""
_LOGARITHMIC_FROM = 50
_LONGEST = 20
_CLASSES = {"ID": "direct identifier?", "SA": "SA, above α", "QID": "QID, β to α", "NS": "NS, below β"}


def risk_plot(found: "Classification") -> Plot:
    """Return sorted bars of risk in percent, colored by class, with a rule at α and at β.

    The axis is logarithmic where the highest risk drawn is 50 times the least one or more. Of more than 60
    columns those with the highest risk are drawn.
    """
    ordered = found.by_risk
    shown = ordered[:MOST]
    limits = found.thresholds
    limit_of = {"α": limits.alpha, "β": limits.beta}
    # a logarithmic axis has no 0
    figures = [one.risk.risk_percent for one in shown] + [limit for limit in limit_of.values() if limit > 0]
    is_log = max(figures) >= _LOGARITHMIC_FROM * min(figures)
    rules = [{"limit": at, "name": name} for name, at in limit_of.items() if at > 0 or not is_log]
    rows = [
        {
            "place": at,
            "name": short_name(one.column),
            "risk": one.risk.risk_percent,
            "class": _CLASSES[one.attribute_class.value],
        }
        for at, one in enumerate(shown)
    ]
    counts = ", ".join(
        f"{len(found.columns(key))} {key}" for key in dict.fromkeys(o.attribute_class for o in ordered)
    )
    left = f" The {len(shown)} with the highest risk are drawn." if len(shown) < len(ordered) else ""
    return Plot(
        title=f"Re-identification risk of {len(ordered)} columns",
        alternative=(
            f"Risk of each column alone, sorted: highest {ordered[0].column} with"
            f" {ordered[0].risk.risk_percent:.4g} %, lowest {ordered[-1].column} with"
            f" {ordered[-1].risk.risk_percent:.4g} %; α at {limits.alpha:.4g} %, β at {limits.beta:.4g} %:"
            f" {counts}.{left}"
        ),
        chart=_chart(rows, rules, min(figures), is_log=is_log),
    )


def short_name(name: str) -> str:
    """Return a name that fits beside a bar: of a long one beginning and end, which tell it from others.

    Example:
        >>> short_name("a rather long column name number 7")
        'a rather lo…number 7'
    """
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST // 2 + 1]}…{name[-(_LONGEST // 2 - 2) :]}"


def _chart(
    rows: list[dict[str, Any]], rules: list[dict[str, Any]], least: float, *, is_log: bool
) -> dict[str, Any]:
    title = "risk, %" + (" (logarithmic)" if is_log else "")
    floor = least / 2 if is_log else 0
    scale = {"type": "log", "domainMin": floor, "nice": False} if is_log else {"domainMin": 0}
    x = {
        "field": "risk",
        "type": "quantitative",
        "title": title,
        "scale": scale,
        "axis": {"tickCount": 6, "labelOverlap": "greedy"} | ({"format": "~g"} if is_log else {}),
    }
    label = {"field": "name", "type": "nominal", "title": "column"}
    place = {"field": "place", "type": "ordinal", "title": None, "axis": None}
    color = {
        "field": "class",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(_CLASSES.values())},
        "legend": {"orient": "bottom"},
    }
    figure = {"field": "risk", "type": "quantitative", "title": "risk, %", "format": ".4~g"}
    names = {
        "mark": {"type": "text", "align": "right", "dx": -6, "limit": 150},
        "encoding": {"x": {"value": 0}, "y": place, "text": label},
    }
    bars = {
        "mark": {"type": "bar", "height": ROW - 6},
        "encoding": {
            "x": x,
            "x2": {"datum": floor},
            "y": place,
            "color": color,
            "tooltip": [label, figure],
        },
    }
    figures = {
        "mark": {"type": "text", "align": "left", "dx": 4},
        "encoding": {"x": x, "y": place, "text": figure},
    }
    limit = {**x, "field": "limit"}
    drawn = {
        "data": {"values": rules},
        "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.5},
        "encoding": {"x": limit},
    }
    named = {
        "data": {"values": rules},
        "mark": {"type": "text", "baseline": "bottom", "dy": -4},
        "encoding": {"x": limit, "y": {"value": 0}, "text": {"field": "name", "type": "nominal"}},
    }
    return {
        "$schema": SCHEMA,
        "data": {"values": rows},
        "width": WIDTH,
        "height": ROW * len(rows),
        "padding": {"left": 130, "right": 60, "top": 5, "bottom": 5},
        "layer": [names, bars, figures, drawn, named],
    }
