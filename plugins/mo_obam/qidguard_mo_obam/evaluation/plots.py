"""Plots: the paper's heat maps, the front with its knee, and F1 by model with what is significant."""

from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.sdk import NotMeasurable, Plot
from qidguard_mo_obam.evaluation.case import BASELINE
from qidguard_mo_obam.evaluation.models import model_words
from qidguard_mo_obam.evaluation.study import FREE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qidguard_mo_obam.evaluation.models import ModelComparison, ModelTest
    from qidguard_mo_obam.evaluation.study import Study, WeighedSetting

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
CELL_PIXELS, LOWEST_PIXELS = 20, 26
WIDTH, ROW_PIXELS = 200, 22
IL, AT_RISK, HOMOGENEOUS, F1 = "information loss", "at risk of linkage", "open to homogeneity", "F1"
_ON_FRONT = ("beaten by another", "on the front", "knee")
_SIGNIFICANT = (BASELINE, "not significant", "p < .05", "p < .05 after Holm")


def _channel(field: str, kind: str = "quantitative", **further: Any) -> dict[str, Any]:
    """Return what a chart shows of a field."""
    return {"field": field, "type": kind, **further}


def plots_of(found: "Study") -> dict[str, Plot]:
    """Return the plots by name; NotMeasurable where no setting could be done."""
    knee = found.knee
    if knee is None:
        raise NotMeasurable("no setting could be done, so there is nothing to plot")
    plots = {}
    every_k = tuple(dict.fromkeys(one.setting.k for one in found.weighed))
    if found.title == "grid":
        for k in every_k:
            name = "heat_maps" if len(every_k) == 1 else f"heat_maps_k_{k}"
            plots[name] = heat_maps(found, k)
    plots["front"] = front(found, knee)
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


def _map(rows: "Sequence[dict[str, Any]]", field: str, title: str, shown: str) -> dict[str, Any]:
    numbers = list(dict.fromkeys(row["n_C"] for row in rows))
    weights = sorted({row["λ"] for row in rows}, key=float, reverse=True)
    plain = {"domain": False, "ticks": False}
    axis = {"labelAngle": 0, **plain}
    x = _channel("n_C", "ordinal", sort=numbers, title="number of clusters, n_C", axis=axis)
    y = _channel("λ", "ordinal", sort=weights, title="λ", axis=plain)
    # one value alone has no span to color
    low, high = min(row[field] for row in rows), max(row[field] for row in rows)
    color = _channel(
        field,
        title=None,
        scale={"range": "heatmap", "domain": [min(low, 0), high if high > 0 else 1]},
        legend={"orient": "right", "gradientLength": 90, "format": shown, "tickCount": 4},
    )
    settings = [_channel(name, "ordinal") for name in ("n_C", "λ")]
    tips = [*settings, _channel(field, format=".4g"), _channel("clusters")]
    return {
        "title": {"text": title, "anchor": "start", "fontSize": 12},
        "width": max(160, CELL_PIXELS * len(numbers)),
        "height": LOWEST_PIXELS * len(weights),
        "mark": {"type": "rect"},
        "encoding": {"x": x, "y": y, "color": color, "tooltip": tips},
    }


def front(found: "Study", knee: "WeighedSetting") -> Plot:
    """Return every setting by loss and persons at risk, the front and its knee marked."""
    place = {id(one): 2 if one is knee else 1 for one in found.front}
    placed = sorted(found.measured, key=lambda one: place.get(id(one), 0))
    rows = [{**_cell(one), "standing": _ON_FRONT[place.get(id(one), 0)]} for one in placed]
    panels = [_scatter(AT_RISK, found), _scatter(HOMOGENEOUS, found)]
    if found.design is not None:
        panels.append(_scatter(F1, found))
    return Plot(
        title="The front of loss and protection",
        alternative=f"{len(rows)} settings by information loss, {len(found.front)} of them on the front; the"
        f" knee is {knee.trial.label} with {_told(_cell(knee))}.",
        chart={"$schema": SCHEMA, "data": {"values": rows}, "concat": panels, "columns": 2, "spacing": 24},
    )


def _scatter(field: str, found: "Study") -> dict[str, Any]:
    titles = {
        AT_RISK: f"persons at risk of linkage (τ = {_threshold(found):g})",
        HOMOGENEOUS: "persons open to homogeneity",
        F1: "mean F1",
    }
    names = (IL, AT_RISK, HOMOGENEOUS, *((F1,) if found.design is not None else ()))
    tips = [_channel(name, "ordinal") for name in ("k", "n_C", "λ")]
    tips += [_channel(name, format=".4g") for name in names]

    def standing(**scale: Any) -> dict[str, Any]:
        return _channel("standing", "nominal", title=None, scale={"domain": list(_ON_FRONT), **scale})

    return {
        "width": 330,
        "height": 220,
        "mark": {"type": "point", "filled": True},
        "encoding": {
            "x": _channel(IL, title="information loss (raw units)"),
            "y": _channel(field, title=titles[field], scale={"zero": field != F1}),
            "color": standing(),
            "shape": standing(range=["circle", "circle", "diamond"]),
            "size": standing(range=[18, 50, 260]),
            "opacity": standing(range=[0.35, 0.9, 1]),
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


def f1_by_model(found: "ModelComparison") -> Plot:
    """Return for each model the mean F1 and the quartiles of the splits, by table."""
    models = tuple(dict.fromkeys(test.model for test in found.tests))
    tables = (BASELINE, *dict.fromkeys(test.table for test in found.tests))
    panels = [_panel(found, model, tables) for model in models]
    raw = sum(test.is_raw_significant for test in found.tests)
    corrected = sum(test.is_significant for test in found.tests)
    return Plot(
        title="F1 of models that learned from published records",
        alternative=f"Mean F1 and quartiles over {found.design.repeats:,} splits of {len(models)} models by"
        f" {len(tables) - 1} published tables beside the baseline: of {len(found.tests)} tests {raw} are"
        f" below .05, {corrected} after Holm's correction.",
        chart={"$schema": SCHEMA, "concat": panels, "columns": 3, "spacing": 20},
    )


def _panel(found: "ModelComparison", model: str, tables: tuple[str, ...]) -> dict[str, Any]:
    tests = {test.table: test for test in found.tests if test.model == model}
    rows = [_row(found, model, table, tests.get(table)) for table in tables]
    y = _channel("table", "nominal", title=None, sort=list(tables))
    legend = {"orient": "bottom", "columns": 4, "symbolOpacity": 1}

    def x(field: str) -> dict[str, Any]:
        return _channel(field, title="F1", scale={"zero": False}, axis={"tickCount": 4, "format": ".3f"})

    def standing(legend: dict[str, Any] | None) -> dict[str, Any]:
        scale = {"domain": list(_SIGNIFICANT)}
        return _channel("standing", "nominal", title=None, scale=scale, legend=legend)

    color, shape = standing(legend), standing(None)
    tips = [_channel(name, format=".4f") for name in ("f1", "p", "p after Holm")]
    return {
        "title": {"text": model_words(model), "anchor": "start", "fontSize": 12},
        "width": WIDTH,
        "height": ROW_PIXELS * len(tables),
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": {"y": y, "x": x("low"), "x2": {"field": "high"}, "color": color},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {"y": y, "x": x("f1"), "color": color, "shape": shape, "tooltip": tips},
            },
        ],
    }


def _row(found: "ModelComparison", model: str, table: str, test: "ModelTest | None") -> dict[str, Any]:
    label = table if test is not None else next(iter(found.scores))
    utility = found.scores[label]
    scores = (utility.original_f1 if test is None else utility.published_f1)[utility.models.index(model)]
    low, high = np.quantile(scores, [0.25, 0.75]).tolist()
    row = {"table": table, "f1": float(scores.mean()), "low": low, "high": high, "standing": _SIGNIFICANT[0]}
    if test is not None:
        standing = _SIGNIFICANT[3 if test.is_significant else 2 if test.is_raw_significant else 1]
        row |= {"standing": standing, "p": test.p_value, "p after Holm": test.corrected}
    return row
