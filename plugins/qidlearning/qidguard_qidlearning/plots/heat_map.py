"""Correlations as a heat map."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Plot
from qidguard_qidlearning.plots.axis import chart, labels, quantity, tips

MOST_NAMES = 60
STRONG = 0.85
"""From here on a cell is so dark that its number is white."""
_CELL_PIXELS, _SMALL_CELL_PIXELS, _MANY = 38, 14, 24


def heat_map(
    correlations: NDArray[np.float64], names: Sequence[str], *, title: str = "Correlations", said: str = ""
) -> Plot:
    """Return a matrix of correlations as colored cells with their numbers (Simões et al. 2025, Figure 1).

    Orange is negative, blue positive; a cell without a correlation (NaN) is left empty. There are 1 to 60
    names, and above 24 of them cells are too small for numbers. ``said`` is added to the text alternative.
    """
    many = len(names)
    if not 1 <= many <= MOST_NAMES or correlations.shape != (many, many):
        raise ValueError(f"a heat map has 1 to {MOST_NAMES} names and a row and a column for each")
    if (np.abs(correlations[np.isfinite(correlations)]) > 1 + 1e-9).any():
        raise ValueError("a correlation is a number from −1 to 1")
    cells = [
        {"row": i, "column": j, "r": float(np.clip(correlations[i, j], -1, 1)), "a": names[i], "b": names[j]}
        for i in range(many)
        for j in range(many)
        if np.isfinite(correlations[i, j])
    ]
    # places stand for the names, which may be any text and come twice
    order = list(range(many))
    axis = {"labelExpr": labels(names), "labelLimit": 220, "domain": False, "ticks": False, "title": None}
    scale = {"domain": order, "padding": 0}
    y = {"field": "row", "type": "ordinal", "scale": scale, "axis": axis}
    x = {"field": "column", "type": "ordinal", "scale": scale, "axis": {**axis, "labelAngle": -45}}
    r = quantity("r", "correlation")
    legend = {"title": "correlation", "format": ".1f", "orient": "right", "gradientLength": 160}
    # the range named "diverging" is the theme's
    color = {**r, "scale": {"domain": [-1, 1], "range": "diverging", "interpolate": "rgb"}, "legend": legend}
    tooltip = tips(
        {"field": "a", "type": "nominal", "title": "of"}, {"field": "b", "type": "nominal", "title": "and"}, r
    )
    layers: list[dict[str, object]] = [
        {"mark": {"type": "rect"}, "encoding": {"x": x, "y": y, "color": color, "tooltip": tooltip}}
    ]
    if many <= _MANY:
        number = {"field": "r", "type": "quantitative", "format": ".2f"}
        layers += [
            {
                "transform": [{"filter": f"abs(datum.r) {test} {STRONG}"}],
                "mark": {"type": "text", "fontSize": 10, **shade},
                "encoding": {"x": x, "y": y, "text": number},
            }
            for test, shade in (("<", {}), (">=", {"color": "white"}))
        ]
    strongest = _strongest(correlations, names)
    size = (_CELL_PIXELS if many <= _MANY else _SMALL_CELL_PIXELS) * many
    return Plot(
        title=title,
        alternative=f"Heat map of {many} by {many} correlations: {strongest}{said and ' ' + said}",
        chart={**chart(cells, layer=layers), "width": size, "height": size},
    )


def _strongest(correlations: NDArray[np.float64], names: Sequence[str]) -> str:
    strength = np.triu(np.nan_to_num(np.abs(correlations), nan=-1.0), 1)
    i, j = divmod(int(strength.argmax()), len(names))
    if strength[i, j] <= 0:
        return "no two are correlated."
    shown = f"{correlations[i, j]:.2f}".replace("-", "−")
    return f"the strongest is {shown}, of {names[i]} and {names[j]}."
