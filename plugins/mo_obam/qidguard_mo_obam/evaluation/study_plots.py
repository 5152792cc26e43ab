"""Plots of a study: the paper's heat maps, and the front with its knee."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qidguard.sdk import NotMeasurable, Plot
from qidguard_mo_obam.evaluation.study import FREE

if TYPE_CHECKING:
    from qidguard_mo_obam.evaluation.study import Study, WeighedSetting

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
CELL_PIXELS, LOWEST_PIXELS = 20, 26
IL, AT_RISK, HOMOGENEOUS, F1 = "information loss", "at risk of linkage", "open to homogeneity", "F1"


def plots_of(found: "Study") -> dict[str, Plot]:
    """Return the plots by name; NotMeasurable where no setting could be done."""
    if not found.measured:
        raise NotMeasurable("no setting could be done, so there is nothing to plot")
    plots = {}
    every_k = tuple(dict.fromkeys(one.setting.k for one in found.weighed))
    if found.title == "grid":
        for k in every_k:
            name = "heat_maps" if len(every_k) == 1 else f"heat_maps_k_{k}"
            plots[name] = heat_maps(found, k)
    plots["front"] = front(found)
    return plots


def heat_maps(found: "Study", k: int) -> Plot:
    """Return IL, persons at risk and homogeneous persons over n_C and λ at one k (the paper's Fig. 2)."""
    some = [one for one in found.measured if one.setting.k == k]
    if not some:
        raise NotMeasurable(f"no setting with k={k} could be done, so there is nothing to plot")
    rows = [_cell(one) for one in some]
    threshold = _threshold(found)
    panels = [
        _map(rows, IL, "a  Information loss", "~g"),
        _map(rows, AT_RISK, f"b  Persons at risk of linkage (τ = {threshold:g})", ",d"),
        _map(rows, HOMOGENEOUS, "c  Persons open to homogeneity", ",d"),
    ]
    spans = ", ".join(
        f"{name} {min(row[name] for row in rows):.4g} to {max(row[name] for row in rows):.4g}"
        for name in (IL, AT_RISK, HOMOGENEOUS)
    )
    return Plot(
        title=f"Loss and protection over n_C and λ, k = {k}",
        alternative=f"Three heat maps of {len(rows)} settings over the number of clusters and λ: {spans}.",
        chart={
            "$schema": SCHEMA,
            "data": {"values": rows},
            "vconcat": panels,
            "spacing": 18,
            "resolve": {"scale": {"color": "independent"}},
        },
    )


def _map(rows: Sequence[dict[str, Any]], field: str, title: str, shown: str) -> dict[str, Any]:
    numbers = list(dict.fromkeys(row["n_C"] for row in rows))
    weights = sorted({row["λ"] for row in rows}, key=float, reverse=True)
    x = {
        "field": "n_C",
        "type": "ordinal",
        "sort": numbers,
        "title": "number of clusters, n_C",
        "axis": {"labelAngle": 0, "domain": False, "ticks": False},
    }
    y = {
        "field": "λ",
        "type": "ordinal",
        "sort": weights,
        "title": "λ",
        "axis": {"domain": False, "ticks": False},
    }
    value = {"field": field, "type": "quantitative"}
    # one value alone has no span to color
    low, high = min(row[field] for row in rows), max(row[field] for row in rows)
    color = {
        **value,
        "title": None,
        "scale": {"range": "heatmap", "domain": [min(low, 0), high if high > 0 else 1]},
        "legend": {"orient": "right", "gradientLength": 90, "format": shown, "tickCount": 4},
    }
    tips = [
        {"field": "n_C", "type": "ordinal"},
        {"field": "λ", "type": "ordinal"},
        {**value, "format": ".4g"},
        {"field": "clusters", "type": "quantitative"},
    ]
    return {
        "title": {"text": title, "anchor": "start", "fontSize": 12},
        "width": max(160, CELL_PIXELS * len(numbers)),
        "height": LOWEST_PIXELS * len(weights),
        "mark": {"type": "rect"},
        "encoding": {"x": x, "y": y, "color": color, "tooltip": tips},
    }


def front(found: "Study") -> Plot:
    """Return every setting by loss and persons at risk, the front and its knee marked."""
    knee = found.knee
    if knee is None or not found.measured:
        raise NotMeasurable("no setting could be done, so there is nothing to plot")
    on_front = {id(one) for one in found.front}
    rows = [
        {**_cell(one), "standing": _standing(one, knee, is_on=id(one) in on_front)} for one in found.measured
    ]
    rows.sort(key=lambda row: _STANDINGS.index(row["standing"]))
    panels = [_scatter(AT_RISK, found), _scatter(HOMOGENEOUS, found)]
    if found.design is not None:
        panels.append(_scatter(F1, found))
    return Plot(
        title="The front of loss and protection",
        alternative=f"{len(rows)} settings by information loss, {len(found.front)} of them on the front; the"
        f" knee is {knee.trial.label} with {_told(_cell(knee))}.",
        chart={"$schema": SCHEMA, "data": {"values": rows}, "concat": panels, "columns": 2, "spacing": 24},
    )


_STANDINGS = ("beaten by another", "on the front", "knee")


def _standing(one: "WeighedSetting", knee: "WeighedSetting", *, is_on: bool) -> str:
    return _STANDINGS[2 if one is knee else 1 if is_on else 0]


def _scatter(field: str, found: "Study") -> dict[str, Any]:
    titles = {
        AT_RISK: f"persons at risk of linkage (τ = {_threshold(found):g})",
        HOMOGENEOUS: "persons open to homogeneity",
        F1: "mean F1",
    }
    standing = {"field": "standing", "type": "nominal", "title": None}
    scale = {"domain": list(_STANDINGS)}
    tips = [{"field": name, "type": "ordinal"} for name in ("k", "n_C", "λ")]
    names = (IL, AT_RISK, HOMOGENEOUS, *((F1,) if found.design is not None else ()))
    tips += [{"field": name, "type": "quantitative", "format": ".4g"} for name in names]
    return {
        "width": 330,
        "height": 220,
        "mark": {"type": "point", "filled": True},
        "encoding": {
            "x": {"field": IL, "type": "quantitative", "title": "information loss (raw units)"},
            "y": {
                "field": field,
                "type": "quantitative",
                "title": titles[field],
                "scale": {"zero": field != F1},
            },
            "color": {**standing, "scale": scale},
            "shape": {**standing, "scale": {**scale, "range": ["circle", "circle", "diamond"]}},
            "size": {**standing, "scale": {**scale, "range": [18, 50, 260]}},
            "opacity": {**standing, "scale": {**scale, "range": [0.35, 0.9, 1]}},
            "tooltip": tips,
        },
    }


def _cell(one: "WeighedSetting") -> dict[str, Any]:
    figures, setting = one.trial.figures, one.setting
    if figures is None:
        raise NotMeasurable(one.trial.reason)
    cell = {
        "k": setting.k,
        "n_C": FREE if setting.n_c is None else str(setting.n_c),
        "λ": f"{setting.weight:.4g}",
        "clusters": figures.clusters,
        IL: figures.information_loss,
        AT_RISK: figures.at_risk[0],
        HOMOGENEOUS: figures.homogeneous,
    }
    return cell if one.f1 is None else {**cell, F1: one.f1}


def _told(cell: dict[str, Any]) -> str:
    return ", ".join(f"{name} {cell[name]:.4g}" for name in (IL, AT_RISK, HOMOGENEOUS, F1) if name in cell)


def _threshold(found: "Study") -> float:
    figures = found.measured[0].trial.figures
    return 0.0 if figures is None else figures.thresholds[0]
