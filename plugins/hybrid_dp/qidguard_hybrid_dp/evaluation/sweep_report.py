"""A sweep over ε as a table and as the paper's Fig. 16 and 17."""

from typing import TYPE_CHECKING

from qidguard.sdk import NotMeasurable, Plot, ResultTable
from qidguard_hybrid_dp.charts import Part, histogram, number, panel, plot, word

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
    rows: list[Part] = [
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
        _panel("changed", "numbers changed", "a  Loss of numbers", "%"),
        _panel("sensitive", "mean posterior", "b  Disclosure of the sensitive value", "~g", is_banded=True),
        _panel("identity", "mean posterior", "c  Disclosure of identity", "~g"),
    ]
    told = "; ".join(
        f"{row['scale']} ε {row['epsilon']:g}: changed {row['changed']:.3f}, sensitive {row['sensitive']:.3f}"
        for row in rows
    )
    return plot(
        f"Loss and disclosure over ε, k = {found.k}",
        f"Lines over ε. {told}.",
        rows,
        concat=panels,
        columns=3,
        spacing=24,
    )


def _panel(field: str, title: str, name: str, shown: str, *, is_banded: bool = False) -> Part:
    axis = {"format": "~g", "tickCount": 4, "grid": False, "labelOverlap": True}
    by = {
        "x": number("epsilon", "ε", scale={"type": "log"}, axis=axis),
        "color": word("scale", "scale of noise"),
    }
    middle, low = (number(one, title, shown, scale={"zero": False}) for one in (field, "low"))
    line = {"mark": {"type": "line", "point": {"filled": True, "size": 45}}, "encoding": {**by, "y": middle}}
    band = {
        "mark": {"type": "area", "opacity": 0.2},
        "encoding": {**by, "y": low, "y2": {"field": "high"}},
    }
    return panel(name, {"width": 220, "height": 180, "layer": [band, line] if is_banded else [line]})


def _distributions(found: "Sweep") -> Plot:
    panels = [
        _histograms([row for row in found.rows if row.scale == scale], at, f"{name}, {scale} scale")
        for at, name in enumerate(found.qids)
        for scale in dict.fromkeys(row.scale for row in found.rows)
    ]
    moved = "; ".join(
        f"{number.column} {row.scale} ε {float(row.epsilon):g}: {number.variation:.3f}"
        for row in found.rows
        for number in row.statistics
    )
    return plot(
        f"Numbers by ε, k = {found.k}",
        f"Histograms of numeric columns before and after by ε. Total variation: {moved}.",
        vconcat=panels,
        spacing=22,
    )


def _histograms(rows: "list[SweepRow]", at: int, title: str) -> Part:
    data: list[Part] = [
        {"epsilon": f"ε = {float(row.epsilon):g}", **one} for row in rows for one in row.statistics[at].bins
    ]
    by = word("epsilon", sort=list(dict.fromkeys(one["epsilon"] for one in data)))
    spec = histogram(data, size=(130, 100), title=None)
    return panel(title, {"facet": {"column": by}, "spacing": 10, "spec": spec}, data)
