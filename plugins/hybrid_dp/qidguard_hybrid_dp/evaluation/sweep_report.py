"""A sweep over ε as a table and as the paper's Fig. 16 and 17."""

from typing import TYPE_CHECKING, Any

from qidguard.sdk import NotMeasurable, Plot, ResultTable
from qidguard_hybrid_dp.evaluation.evaluation_plots import SCHEMA, Row, histogram

if TYPE_CHECKING:
    from qidguard_hybrid_dp.evaluation.sweep import Sweep, SweepRow


def sweep_table(found: "Sweep") -> ResultTable:
    """Return each scale and ε as a row."""
    return ResultTable(
        name="sweep",
        title=f"ε and what it costs and gives away, k = {found.k} (Fig. 16, 17)",
        columns=(
            *("scale", "ε", "numbers changed", "distance"),
            *(f"histogram of {name}" for name in found.qids),
            *("sensitive", "sensitive from", "sensitive to", "identity"),
        ),
        rows=tuple(
            (
                row.scale,
                float(row.epsilon),
                _digits(row.loss.changed),
                _digits(row.loss.distance),
                *(_digits(number.variation) for number in row.statistics),
                *(_digits(one) for one in (row.sensitive.value, row.sensitive.low, row.sensitive.high)),
                _digits(row.identity.value),
            )
            for row in found.rows
        ),
        note="numbers changed is the paper's IL of numbers; histogram is the total variation, 0..1; sensitive"
        " and identity are mean posteriors of what is true.",
    )


def _digits(number: float | None) -> float | None:
    return None if number is None else round(number, 5)


def sweep_plots(found: "Sweep") -> dict[str, Plot]:
    """Return the distributions (Fig. 16), and loss and disclosure over ε (Fig. 17)."""
    if not found.rows:
        raise NotMeasurable("no ε was tried, so there is nothing to plot")
    return {"epsilon": _over_epsilon(found), "epsilon_distributions": _distributions(found)}


def _over_epsilon(found: "Sweep") -> Plot:
    rows: list[Row] = [
        {
            "scale": row.scale,
            "epsilon": float(row.epsilon),
            "changed": row.loss.changed,
            "sensitive": row.sensitive.value,
            "low": row.sensitive.low,
            "high": row.sensitive.high,
            "identity": row.identity.value,
        }
        for row in found.rows
    ]
    panels = [
        _panel("changed", "numbers changed", "a  Loss of numbers", shown="%"),
        _panel(
            "sensitive", "mean posterior", "b  Disclosure of the sensitive value", shown="~g", is_banded=True
        ),
        _panel("identity", "mean posterior", "c  Disclosure of identity", shown="~g"),
    ]
    told = "; ".join(
        f"{row['scale']} ε {row['epsilon']:g}: changed {row['changed']:.3f}, sensitive {row['sensitive']:.3f}"
        for row in rows
    )
    return Plot(
        title=f"Loss and disclosure over ε, k = {found.k}",
        alternative=f"Lines over ε. {told}.",
        chart={"$schema": SCHEMA, "data": {"values": rows}, "concat": panels, "columns": 3, "spacing": 24},
    )


def _panel(field: str, title: str, name: str, *, shown: str, is_banded: bool = False) -> dict[str, Any]:
    x = {
        "field": "epsilon",
        "type": "quantitative",
        "title": "ε",
        "scale": {"type": "log"},
        "axis": {"format": "~g", "tickCount": 4, "grid": False, "labelOverlap": True},
    }
    scale = {"field": "scale", "type": "nominal", "title": "scale of noise"}
    y = {"type": "quantitative", "title": title, "axis": {"format": shown}, "scale": {"zero": False}}
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "line", "point": {"filled": True, "size": 45}},
            "encoding": {"x": x, "y": {**y, "field": field}, "color": scale},
        }
    ]
    if is_banded:
        band = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": scale}
        layers.insert(0, {"mark": {"type": "area", "opacity": 0.2}, "encoding": band})
    return {
        "title": {"text": name, "anchor": "start", "fontSize": 12},
        "width": 220,
        "height": 180,
        "layer": layers,
    }


def _distributions(found: "Sweep") -> Plot:
    panels = []
    for at, name in enumerate(found.qids):
        for scale in dict.fromkeys(row.scale for row in found.rows):
            some = [row for row in found.rows if row.scale == scale]
            panels.append(_histograms(some, at, f"{name}, {scale} scale"))
    moved = "; ".join(
        f"{number.column} {row.scale} ε {float(row.epsilon):g}: {number.variation:.3f}"
        for row in found.rows
        for number in row.statistics
    )
    return Plot(
        title=f"Numbers by ε, k = {found.k}",
        alternative=f"Histograms of numeric columns before and after by ε. Total variation: {moved}.",
        chart={"$schema": SCHEMA, "vconcat": panels, "spacing": 22},
    )


def _histograms(rows: "list[SweepRow]", at: int, title: str) -> dict[str, Any]:
    data: list[Row] = []
    for row in rows:
        number = row.statistics[at]
        for place, (low, high) in enumerate(zip(number.edges, number.edges[1:], strict=False)):
            told = {"epsilon": f"ε = {float(row.epsilon):g}", "low": float(low), "high": float(high)}
            data.append({**told, "records": "original", "share": float(number.before[place])})
            data.append({**told, "records": "published", "share": float(number.after[place])})
    low, high = min(one["low"] for one in data), max(one["high"] for one in data)
    return {
        "title": {"text": title, "anchor": "start", "fontSize": 12},
        "data": {"values": data},
        "facet": {
            "column": {
                "field": "epsilon",
                "type": "nominal",
                "title": None,
                "sort": list(dict.fromkeys(one["epsilon"] for one in data)),
            }
        },
        "spacing": 10,
        "spec": histogram((low, high), size=(130, 100), title=None),
    }
