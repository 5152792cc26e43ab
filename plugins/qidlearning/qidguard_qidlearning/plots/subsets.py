"""Plots of a metric over subsets of columns: by the number of columns, and the highest first."""

from typing import Any

import numpy as np

from qidguard.sdk import NotMeasurable, Plot, SubsetFigures
from qidguard_qidlearning.plots.axis import SCHEMA, along, chart, heading, labels, quantity, tips
from qidguard_qidlearning.plots.sample import number

_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def metric_by_size(table: SubsetFigures, figure: int = 0, *, label: str = "figure") -> Plot:
    """Return how a metric's figure spreads over the subsets of each size: extremes, quartiles and median.

    Subsets without a figure are left out; NotMeasurable where none has one.
    """
    values = table.values[:, figure]
    sizes = np.array([int(mask).bit_count() for mask in table.sets])
    is_there = np.isfinite(values)
    boxes: list[dict[str, Any]] = []
    for size in sorted(set(sizes[is_there].tolist())):
        one = values[is_there & (sizes == size)]
        five = dict(
            zip(("low", "q1", "median", "q3", "high"), np.quantile(one, _SHARES).tolist(), strict=True)
        )
        boxes.append({"size": size, "sets": len(one), **five})
    if not boxes:
        raise NotMeasurable("no subset has a figure, so there is nothing to plot")
    x = {"field": "size", "type": "ordinal", "title": "number of columns", "axis": {"labelAngle": 0}}
    y = along("low", label)
    tooltip = tips(x, *({"field": f, "type": "quantitative", "title": f} for f in ("sets", *five)))
    layers = [
        {"mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": {"x": x, "y": y, "y2": {"field": "high"}}},
        {
            "mark": {"type": "bar", "size": 22},
            "encoding": {"x": x, "y": {**y, "field": "q1"}, "y2": {"field": "q3"}, "tooltip": tooltip},
        },
        {
            "mark": {"type": "tick", "size": 22, "thickness": 2},
            "encoding": {"x": x, "y": {**y, "field": "median"}},
        },
    ]
    said = ", ".join(
        f"{number(box['median'])} of {_many(box['sets'], 'set')} of {_many(box['size'], 'column')}"
        for box in boxes
    )
    title = f"{heading(label)} by number of columns"
    return Plot(title=title, alternative=f"{title}: median {said}.", chart=chart(boxes, layer=layers))


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


MOST_SUBSETS = 200
_ROW_PIXELS = 18
_BARS_PIXELS = 300


def metric_by_subset(
    table: SubsetFigures,
    figure: int = 0,
    *,
    label: str = "figure",
    most: int = 30,
    is_lowest_first: bool = False,
) -> Plot:
    """Return the subsets of columns with the highest figures of a metric, or the lowest.

    A row is a subset: dots show which columns it holds (an UpSet plot, Lex et al. 2014), a bar its figure.
    Names of columns so stand once, however long they and however large the subsets are. Up to 200 are shown;
    of equals the one with fewer columns comes first.
    """
    if not 1 <= most <= MOST_SUBSETS:
        raise ValueError(f"a plot shows 1 to {MOST_SUBSETS} subsets, not {most}")
    values = table.values[:, figure]
    there = np.flatnonzero(np.isfinite(values)).tolist()
    if not there:
        raise NotMeasurable("no subset has a figure, so there is nothing to plot")
    sign = 1 if is_lowest_first else -1
    there.sort(key=lambda row: (sign * values[row], int(table.sets[row]).bit_count(), row))
    shown = there[:most]
    inside = [table.names(row) for row in shown]
    used = [name for name in table.columns if any(name in one for one in inside)]
    bars = [
        {"place": i, "subset": " + ".join(one), "figure": float(values[row])}
        for i, (row, one) in enumerate(zip(shown, inside, strict=True))
    ]
    dots = [{"place": i, "column": used.index(name)} for i, one in enumerate(inside) for name in one]
    which = "lowest" if is_lowest_first else "highest"
    return Plot(
        title=f"{heading(label)}: the {len(bars)} {which} of {len(there):,} subsets",
        alternative=(
            f"{heading(label)}: of {len(there):,} subsets the {which} is {number(values[shown[0]])}, of "
            f"{' + '.join(inside[0])}; {len(bars)} {'is' if len(bars) == 1 else 'are'} shown."
        ),
        chart={
            "$schema": SCHEMA,
            "hconcat": [_members(dots, used, len(bars)), _bars(bars, label)],
            "spacing": 12,
            "resolve": {"scale": {"y": "shared"}},
        },
    )


def _rows(many: int) -> dict[str, Any]:
    axis = {"ticks": False, "labels": False, "domain": False, "grid": True, "bandPosition": 0.5}
    scale = {"domain": list(range(many))}
    return {"field": "place", "type": "ordinal", "title": None, "axis": axis, "scale": scale}


def _members(dots: list[dict[str, Any]], used: list[str], rows: int) -> dict[str, Any]:
    axis = {
        "orient": "top",
        "labelAngle": -45,
        "labelExpr": labels(used),
        "labelLimit": 150,
        "ticks": False,
        "domain": False,
        "grid": True,
        "title": None,
        "labelOverlap": False,
    }
    x = {"field": "column", "type": "ordinal", "scale": {"domain": list(range(len(used)))}, "axis": axis}
    return {
        "data": {"values": dots},
        "width": _ROW_PIXELS * len(used),
        "height": _ROW_PIXELS * rows,
        "mark": {"type": "circle", "size": 70, "opacity": 1},
        "encoding": {"x": x, "y": _rows(rows)},
    }


def _bars(bars: list[dict[str, Any]], label: str) -> dict[str, Any]:
    x, y = quantity("figure", label, axis={"tickCount": 5}), _rows(len(bars))
    y["axis"] = None
    name = {"field": "subset", "type": "nominal", "title": "columns"}
    text = {"field": "figure", "type": "quantitative", "format": ".4~g"}
    return {
        "data": {"values": bars},
        "width": _BARS_PIXELS,
        "height": _ROW_PIXELS * len(bars),
        "layer": [
            {
                "mark": {"type": "bar", "height": _ROW_PIXELS - 5},
                "encoding": {"x": x, "y": y, "tooltip": tips(name, x)},
            },
            {"mark": {"type": "text", "align": "left", "dx": 5}, "encoding": {"x": x, "y": y, "text": text}},
        ],
    }
