"""A metric over all subsets of columns, by the number of columns."""

from typing import Any

import numpy as np

from qidguard import NotMeasurable, Plot, SubsetTable
from qidguard_qidlearning.plots.axis import along, chart, heading, tips
from qidguard_qidlearning.plots.sample import number

_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def metric_by_size(table: SubsetTable, figure: int = 0, *, label: str = "figure") -> Plot:
    """Return how a metric's figure spreads over the subsets of each size: extremes, quartiles and median.

    Args:
        table: Figures of many subsets, as ``SubsetMeasurer.every`` gives them.
        figure: Which of its figures, 0..figures−1.
        label: What the figure is, with its unit; the title of the axis.

    Returns:
        A plot with one box a size, whatever the number of subsets; subsets without a figure are left out.

    Units:
        The axis has the metric's unit.

    Raises:
        NotMeasurable: When no subset has a figure.
        IndexError: When there is no such figure.

    Example:
        >>> masks = np.array([0b01, 0b10, 0b11], dtype=np.uint64)
        >>> two = SubsetTable(columns=("a", "b"), sets=masks, values=np.array([[0.2], [0.4], [0.8]]))
        >>> metric_by_size(two, label="separation").alternative
        'Separation by number of columns: median 0.3 of 2 sets of 1 column, 0.8 of 1 set of 2 columns.'
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
