"""F1 of each model by each published table, with what is significant."""

from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.sdk import Plot
from qidguard_mo_obam.evaluation.models import model_words

if TYPE_CHECKING:
    from qidguard_mo_obam.evaluation.models import ModelComparison, ModelTest

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, ROW_PIXELS = 200, 22
BASELINE = "baseline"
_STANDINGS = ("baseline", "not significant", "p < .05", "p < .05 after Holm")


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
    y = {"field": "table", "type": "nominal", "title": None, "sort": list(tables)}
    color = {
        "field": "standing",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(_STANDINGS)},
        "legend": {"orient": "bottom", "columns": 4, "symbolOpacity": 1},
    }

    def x(field: str) -> dict[str, Any]:
        return {
            "field": field,
            "type": "quantitative",
            "title": "F1",
            "scale": {"zero": False},
            "axis": {"tickCount": 4, "format": ".3f"},
        }

    shape = {**color, "legend": None}
    tips = [{"field": name, "type": "quantitative", "format": ".4f"} for name in ("f1", "p", "p after Holm")]
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
    row = {"table": table, "f1": float(scores.mean()), "low": low, "high": high, "standing": _STANDINGS[0]}
    if test is not None:
        standing = _STANDINGS[3 if test.is_significant else 2 if test.is_raw_significant else 1]
        row |= {"standing": standing, "p": test.p_value, "p after Holm": test.corrected}
    return row
