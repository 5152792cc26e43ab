"""Noisy marginals drawn: shares by rank, without a category's name."""

from collections.abc import Mapping
from math import exp, sqrt
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Plot
from qidguard_hybrid_dp.charts import number, word
from qidguard_hybrid_dp.private.measuring import Marginal, PrivateMeasurements

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CELLS_DRAWN = 30
"""Cells of a column that are drawn, the largest ones."""


def marginals_plot(done: PrivateMeasurements, counted: "Mapping[str, NDArray[np.float64]]") -> Plot:
    """Return the share of each cell of each column, the largest first, beside the noise in it.

    All that is drawn is differentially private. Cells go by rank, for a plot names no value of a table.
    """
    rows: list[dict[str, object]] = []
    for name, counts in counted.items():
        total = max(float(counts.sum()), 1.0)
        noise = _deviation(name, done.marginals) / total
        shares = np.sort(counts)[::-1][:MOST_CELLS_DRAWN] / total
        rows += [
            {"column": name, "rank": rank, "share": float(share), "noise": noise}
            for rank, share in enumerate(shares, start=1)
        ]
    encoding = {
        "x": {
            "field": "rank",
            "type": "ordinal",
            "title": "cell by rank",
            "axis": {"labelAngle": 0, "labelOverlap": True},
        },
        "y": number("share", "share of records", "%"),
    }
    dashed = {"type": "rule", "strokeDash": [4, 3]}
    chart = {
        "data": {"values": rows},
        "facet": word("column", sort=list(done.domains)),
        "columns": 3,
        "spec": {
            "width": 200,
            "height": 120,
            "layer": [
                {"mark": "bar", "encoding": encoding},
                {"mark": dashed, "encoding": {"y": number("noise", aggregate="max")}},
            ],
        },
        "resolve": {"scale": {"x": "independent", "y": "independent"}},
    }
    return Plot(
        title="Noisy marginals",
        alternative=(
            f"Bars of the noisy share of each cell, the largest first, for {len(counted):,} columns; a dashed"
            " line stands at one standard deviation of the noise in a column's counts."
        ),
        chart=chart,
    )


def _deviation(name: str, marginals: tuple[Marginal, ...]) -> float:
    """Return the standard deviation of the noise in a cell of a column, summed from its best marginal."""
    found: list[float] = []
    for marginal in marginals:
        if name in marginal.columns:
            stay = exp(-1 / marginal.scale)
            size = marginal.counts.shape[marginal.columns.index(name)]
            found.append(sqrt(2 * stay / (1 - stay) ** 2 * (marginal.counts.size // size)))
    return min(found)
