"""What is published in place of either bound: two distributions that ε keeps close."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Plot
from qidguard_hybrid_dp.charts import Part, number, plot
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale
from qidguard_hybrid_dp.noise.guarantee import scale_in_steps
from qidguard_hybrid_dp.noise.receipt import written

MOST_BINS = 80
LEAST = 1e-5
"""Rarer outcomes are not drawn."""


def density_plot(column: NoisedColumn, epsilon: Fraction, scales: Sequence[NoiseScale]) -> Plot:
    """Return the distributions of what is published, once the value is the lower and once the upper bound.

    The points at both ends hold what was clamped. On a logarithmic axis both distributions stay within ε of
    each other at range scale; at unit scale those of neighbors would.

    Args:
        column: The column.
        epsilon: ε, > 0.
        scales: The scales, a panel each.
    """
    panels, words = [], []
    for scale in scales:
        noise = scale_in_steps(column, epsilon, scale)
        panels.append(_panel(_rows(column, noise), scale, _bounds(column)))
        words.append(f"at {scale.value} scale they differ by up to the factor e^{column.steps / noise:.3g}")
    start, end = map(written, column.bounds)
    return plot(
        f"What is published for {start} and for {end}, ε = {written(epsilon)}",
        f"Probabilities of published values from {start} to {end}, for either bound as the true value:"
        f" {'; '.join(words)}.",
        hconcat=panels,
        spacing=24,
    )


def published_shares(scale: float, edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how often what is published for the lower bound falls between edges, in steps from it.

    Args:
        scale: Of the noise, in steps.
        edges: Rising; a bin holds its lower edge and not its upper one. The first is 0, the last steps + 1.
    """
    # P(more than g steps) = p^(g + 1) / (1 + p); whatever is below the bound is published as the bound
    beyond = np.exp(-edges / scale) / (1 + np.exp(-1 / scale))
    beyond[0], beyond[-1] = 1.0, 0.0
    return np.asarray(-np.diff(beyond))


def _rows(column: NoisedColumn, noise: float) -> list[Part]:
    points = column.steps + 1
    inner = np.unique(np.linspace(1, column.steps, min(MOST_BINS, column.steps)).astype(np.int64))
    edges = np.concatenate([[0], inner, [points]])
    low, high = published_shares(noise, edges), published_shares(noise, points - edges[::-1])[::-1]
    at = column.numbers((edges[:-1] + edges[1:] - 1) // 2)
    start, end = _bounds(column)
    return [
        {
            "published": float(value),
            "share": float(share),
            "true value": name,
            "end": place in {0, len(at) - 1},
        }
        for name, shares in ((start, low), (end, high))
        for place, (value, share) in enumerate(zip(at, shares, strict=True))
        if share > LEAST
    ]


def _bounds(column: NoisedColumn) -> tuple[str, str]:
    low, high = map(written, column.bounds)
    return low, high


def _panel(rows: list[Part], scale: NoiseScale, bounds: tuple[str, str]) -> Part:
    title = {NoiseScale.RANGE: "range scale, (U − L)/ε", NoiseScale.UNIT: "unit scale, 1/ε"}[scale]
    ends = [float(Fraction(one)) for one in bounds]
    return {
        "title": {"text": title, "fontSize": 12},
        "width": 330,
        "height": 240,
        "data": {"values": rows},
        "layer": [
            # what falls outside is published as the bound: a point of its own, far above its neighbors
            {"transform": [{"filter": "datum.end"}], "mark": {"type": "point", "filled": True, "size": 70}},
            {
                "transform": [{"filter": "!datum.end"}],
                "mark": {"type": "line", "point": {"size": 14}, "strokeWidth": 1.5},
            },
        ],
        "encoding": {
            "x": number("published", "published value", scale={"zero": False, "domain": ends, "padding": 8}),
            "y": number(
                "share",
                "probability",
                scale={"type": "log", "domain": [LEAST, 1]},
                axis={"format": "~g", "values": [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1]},
            ),
            "color": {"field": "true value", "type": "nominal", "sort": list(bounds)},
        },
    }
