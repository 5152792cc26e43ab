"""A metric over subsets of columns, the highest first."""

from typing import Any

import numpy as np

from qidguard import NotMeasurable, Plot, SubsetTable
from qidguard_qidlearning.plots.axis import SCHEMA, heading, quantity, tips
from qidguard_qidlearning.plots.expression import labels
from qidguard_qidlearning.plots.sample import number

MOST_SUBSETS = 200
_ROW_PIXELS = 18
_BARS_PIXELS = 300


def metric_by_subset(
    table: SubsetTable,
    figure: int = 0,
    *,
    label: str = "figure",
    most: int = 30,
    is_lowest_first: bool = False,
) -> Plot:
    """Return the subsets of columns with the highest figures of a metric, or the lowest.

    A row is a subset: dots show which columns it holds (an UpSet plot, Lex et al. 2014), a bar its figure.
    Names of columns so stand once, however long they and however large the subsets are.

    Args:
        table: Figures of many subsets, as ``SubsetMeasurer.every`` gives them.
        figure: Which of its figures, 0..figures−1.
        label: What the figure is, with its unit; the title of the axis.
        most: How many subsets are shown, 1..200; the title says of how many.
        is_lowest_first: Whether the lowest come first.

    Returns:
        A plot with one row a subset; of equals the one with fewer columns comes first. Columns that none of
        them holds are left out.

    Units:
        The axis has the metric's unit.

    Raises:
        NotMeasurable: When no subset has a figure.
        ValueError: When ``most`` is outside its range.
        IndexError: When there is no such figure.

    Example:
        >>> masks = np.array([0b01, 0b10, 0b11], dtype=np.uint64)
        >>> two = SubsetTable(columns=("a", "b"), sets=masks, values=np.array([[0.2], [0.4], [0.8]]))
        >>> metric_by_subset(two, label="separation", most=1).alternative
        'Separation: of 3 subsets the highest is 0.8, of a + b; 1 is shown.'
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
