"""The histogram of a metric over classes."""

import numpy as np
from numpy.typing import NDArray

from qidguard import Plot
from qidguard_qidlearning.plots.axis import along, chart, heading, quantity, tips
from qidguard_qidlearning.plots.sample import Counted, Figures, Sample, label_of

MOST_BARS = 60
FEWEST_BINS = 10


def histogram(
    distribution: Figures,
    *,
    label: str = "",
    by: str = "classes",
    is_logarithmic: bool | None = None,
) -> Plot:
    """Return the histogram of a metric over the equivalence classes.

    Simões et al. 2025, section 4.5 and Figure 2. Bins have equal width, of equal ratio on a logarithmic axis;
    their number is Freedman & Diaconis' (1981), 10 to 60. Whole numbers are never parted within a bin.

    Args:
        distribution: A figure and a size for each class, such as ``Distribution``; NaN figures are left out
            and counted in the text alternative.
        label: What the figure is, with its unit; the title of the axis. Empty takes the distribution's own.
        by: What bars count: ``classes``, or the ``persons`` in them.
        is_logarithmic: Whether the axis is; None decides: where all figures are positive and spread a
            hundredfold.

    Returns:
        A plot that holds counts and bounds of bins. It does not tell which class has which figure.

    Units:
        Bars count classes or persons; the axis has the metric's unit.

    Raises:
        NotMeasurable: When no class has a figure, as in an empty table.
        ValueError: When ``by`` is neither, or a logarithmic axis is asked for figures that are not positive.

    Example:
        >>> from types import SimpleNamespace
        >>> sizes = SimpleNamespace(values=np.array([1.0, 1.0, 3.0]), sizes=np.array([1.0, 1.0, 3.0]))
        >>> histogram(sizes, label="class size, records").title
        'Class size: histogram over classes'
    """
    label = label or label_of(distribution)
    sample = Sample.of(distribution, by)
    is_log = sample.is_skewed if is_logarithmic is None else is_logarithmic
    if is_log and sample.values[0] <= 0:
        raise ValueError("a logarithmic axis needs positive figures; ask for a linear one")
    # bins are those of the classes, so that both histograms can stand side by side
    edges = _edges(Sample.of(distribution, Counted.CLASSES), is_log=is_log)
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


def _edges(sample: Sample, *, is_log: bool) -> NDArray[np.float64]:
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


def _bins(sample: Sample, *, is_log: bool) -> int:
    """Return Freedman & Diaconis' number of bins, width 2·IQR/∛n, kept from 10 to 60."""
    ends = np.array([0.0, 0.25, 0.75, 1.0])
    scaled = np.log(sample.quantiles(ends)) if is_log else sample.quantiles(ends)
    spread, width = scaled[3] - scaled[0], 2 * (scaled[2] - scaled[1]) / np.cbrt(sample.total)
    # not divided where the width is 0, or so small that the quotient is no float
    return MOST_BARS if width * MOST_BARS <= spread else max(FEWEST_BINS, int(np.ceil(spread / width)))
