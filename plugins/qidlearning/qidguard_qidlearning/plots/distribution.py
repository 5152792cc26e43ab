"""Plots of how a metric spreads over classes: histogram, empirical CDF, Q-Q plot, and the four panels."""

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Plot
from qidguard_qidlearning.plots.axis import along, chart, heading, named, quantity, share, tips
from qidguard_qidlearning.plots.sample import CountedUnit, Figures, WeightedSample, label_of

MOST_BARS = 60
FEWEST_BINS = 10


def histogram(
    distribution: Figures,
    *,
    label: str = "",
    by: str = "classes",
    is_logarithmic: bool | None = None,
) -> Plot:
    """Return the histogram of a metric over the equivalence classes (Simões et al. 2025, Figure 2).

    Bins have equal width, of equal ratio on a logarithmic axis; their number is Freedman & Diaconis' (1981),
    10 to 60. Whole numbers are never parted within a bin. Bars count ``classes``, or the ``persons`` in them.
    ``is_logarithmic`` is decided by the figures where it is None: all positive and spread a hundredfold.
    """
    label = label or label_of(distribution)
    sample = WeightedSample.of(distribution, by)
    is_log = _is_log(sample, asked=is_logarithmic)
    # bins are those of the classes, so that both histograms can stand side by side
    edges = _edges(WeightedSample.of(distribution, CountedUnit.CLASSES), is_log=is_log)
    counts, _ = np.histogram(sample.values, bins=edges, weights=sample.weights)
    bars = [
        {"from": float(a), "to": float(b), "count": float(n)}
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
        if n
    ]
    x = along("from", label, is_log=is_log, bin="binned")
    y = quantity("count", str(sample.counted), axis={"tickMinStep": 1, "format": ",~f"})
    tooltip = tips(x, {"field": "to", "type": "quantitative", "title": "to"}, y)
    return Plot(
        title=f"{heading(label)}: histogram over {sample.counted}",
        alternative=f"Histogram: {sample.words(label)}",
        chart=chart(
            bars,
            # bars of a logarithmic axis have no base of their own but the axis' end
            mark={"type": "bar", "binSpacing": 1},
            encoding={"x": x, "x2": {"field": "to"}, "y": y, "tooltip": tooltip},
        ),
    )


def _is_log(sample: WeightedSample, *, asked: bool | None) -> bool:
    is_log = sample.is_skewed if asked is None else asked
    if is_log and sample.values[0] <= 0:
        raise ValueError("a logarithmic axis needs positive figures; ask for a linear one")
    return is_log


def _edges(sample: WeightedSample, *, is_log: bool) -> NDArray[np.float64]:
    low, high = sample.values[0], sample.values[-1]
    is_whole = bool((sample.values == np.round(sample.values)).all())
    if low == high:
        half = 0.5 if is_whole or not low else abs(low) / 20
        return np.array([low - half, high + half])
    if is_whole and not is_log:
        step = max(1, int(np.ceil((high - low + 1) / MOST_BARS)))
        count = int((high - low) // step) + 1
        edges: NDArray[np.float64] = low - 0.5 + step * np.arange(count + 1, dtype=np.float64)
        return edges
    bins = _bins(sample, is_log=is_log)
    edges = np.geomspace(low, high, bins + 1) if is_log else np.linspace(low, high, bins + 1)
    if is_whole:
        edges = np.append(np.unique(np.floor(edges[:-1])) - 0.5, high + 0.5)  # between two whole numbers
    return edges


def _bins(sample: WeightedSample, *, is_log: bool) -> int:
    """Return Freedman & Diaconis' number of bins, width 2·IQR/∛n, kept from 10 to 60."""
    ends = np.array([0.0, 0.25, 0.75, 1.0])
    scaled = np.log(sample.quantiles(ends)) if is_log else sample.quantiles(ends)
    spread, width = scaled[3] - scaled[0], 2 * (scaled[2] - scaled[1]) / np.cbrt(sample.total)
    # not divided where the width is 0, or so small that the quotient is no float
    return MOST_BARS if width * MOST_BARS <= spread else max(FEWEST_BINS, int(np.ceil(spread / width)))


MOST_STEPS = 500
CURVE_POINTS = 120


def ecdf(
    distribution: Figures,
    *,
    label: str = "",
    by: str = "classes",
    is_logarithmic: bool | None = None,
) -> Plot:
    """Return the share of classes at or below each figure, and the normal's with the same mean and deviation.

    Simões et al. 2025, section 4.5 and Figure 2: F(x) = share of classes with a figure ≤ x, and
    Φ((x − mean) / deviation), which a constant does not have. Beyond 500 distinct figures, steps are taken at
    500 even shares, so that the curve is nowhere off by more than 0.2 percent.
    """
    label = label or label_of(distribution)
    from scipy.special import ndtr

    sample = WeightedSample.of(distribution, by)
    is_log = _is_log(sample, asked=is_logarithmic)
    x, y = along("at", label, is_log=is_log), share("share", f"share of {sample.counted} at or below")
    layers = [
        {
            "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
            "encoding": {"x": x, "y": y, "color": named("observed"), "tooltip": tips(x, y)},
        }
    ]
    low, high = sample.values[0], sample.values[-1]
    if sample.deviation > 0:
        points = np.geomspace(low, high, CURVE_POINTS) if is_log else np.linspace(low, high, CURVE_POINTS)
        normal = ndtr((points - sample.mean) / sample.deviation)
        curve = [{"at": float(a), "share": float(b)} for a, b in zip(points, normal, strict=True)]
        layers.append(
            {
                "data": {"values": curve},
                "mark": {"type": "line", "strokeDash": [6, 4], "strokeWidth": 2},
                "encoding": {"x": x, "y": y, "color": named("normal, same mean and deviation")},
            }
        )
    return Plot(
        title=f"{heading(label)}: cumulative distribution over {sample.counted}",
        alternative=f"Cumulative distribution: {sample.words(label)}",
        chart=chart(_steps(sample), layer=layers),
    )


def _steps(sample: WeightedSample) -> list[dict[str, float]]:
    values, shares = sample.values, sample.cumulated
    if len(values) > MOST_STEPS:
        at = np.searchsorted(shares, np.linspace(0, 1, MOST_STEPS + 1) - 1e-12)
        place = np.unique(np.minimum(at, len(values) - 1))
        values, shares = values[place], shares[place]
    steps = [{"at": float(a), "share": float(b)} for a, b in zip(values, shares, strict=True)]
    return [{"at": float(sample.values[0]), "share": 0.0}, *steps]


MOST_POINTS = 300


def qq(distribution: Figures, *, label: str = "", by: str = "classes") -> Plot:
    """Return the figures' quantiles against those of the normal with the same mean and deviation.

    Simões et al. 2025, section 4.5 and Figure 2. With m points (as many as there are classes or persons, at
    most 300), point i stands at the share (i − ½) / m of both (Hazen 1914). On the line, figures are as the
    normal's.
    """
    label = label or label_of(distribution)
    from scipy.special import ndtri

    sample = WeightedSample.of(distribution, by)
    points = int(np.clip(sample.total, 1, MOST_POINTS))
    shares = (np.arange(points) + 0.5) / points
    normal = sample.mean + sample.deviation * ndtri(shares)
    seen = sample.quantiles(shares)
    pairs = [{"normal": float(a), "seen": float(b)} for a, b in zip(normal, seen, strict=True)]
    ends = [float(min(normal[0], seen[0])), float(max(normal[-1], seen[-1]))]
    x, y = along("normal", f"quantiles of the normal: {label}"), along("seen", f"observed quantiles: {label}")
    line = {
        "data": {"values": [{"normal": ends[0], "seen": ends[0], "to": ends[1]}]},
        # a rule has the theme's quiet color
        "mark": {"type": "rule", "strokeDash": [6, 4], "strokeWidth": 2},
        "encoding": {"x": x, "y": y, "x2": {"field": "to"}, "y2": {"field": "to"}},
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 28, "opacity": 0.75},
        "encoding": {"x": x, "y": y, "tooltip": tips(x, y)},
    }
    return Plot(
        title=f"{heading(label)}: Q-Q plot over {sample.counted}",
        alternative=f"Q-Q plot against the normal: {sample.words(label)}",
        chart=chart(
            pairs, layer=[line, dots], title={"subtitle": "on the dashed line, figures are as the normal's"}
        ),
    )


def metric_plots(distribution: Figures, *, label: str = "", title: str = "") -> Plot:
    """Return four plots of a metric's distribution over classes: two histograms, the ECDF and the Q-Q plot.

    Simões et al. 2025, Figure 2, whose panels are the histogram, the empirical CDF, the normal's CDF and the
    Q-Q plot. Here the normal's CDF stands in the panel of the empirical one, and the fourth panel counts
    persons: a few large classes may hold most of them.
    """
    label = label or label_of(distribution)
    is_log = WeightedSample.of(
        distribution, CountedUnit.CLASSES
    ).is_skewed  # one axis for the panels side by side
    panels = [
        histogram(distribution, label=label, is_logarithmic=is_log),
        ecdf(distribution, label=label, is_logarithmic=is_log),
        histogram(distribution, label=label, by=CountedUnit.PERSONS, is_logarithmic=is_log),
        qq(distribution, label=label),
    ]
    return Plot.grid(panels, title=title or f"{heading(label)} over the equivalence classes")
