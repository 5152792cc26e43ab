"""The Q-Q plot of a metric over classes against the normal."""

import numpy as np

from qidguard import Plot
from qidguard_qidlearning.plots.axis import along, chart, heading, tips
from qidguard_qidlearning.plots.sample import Figures, Sample, label_of

MOST_POINTS = 300


def qq(distribution: Figures, *, label: str = "", by: str = "classes") -> Plot:
    """Return the figures' quantiles against those of the normal with the same mean and deviation.

    Simões et al. 2025, section 4.5 and Figure 2. With m points (as many as there are classes or persons, at
    most 300), point i stands at the share (i − ½) / m of both (Hazen 1914). On the line, figures are as the
    normal's.

    Args:
        distribution: A figure and a size for each class, such as ``Distribution``; NaN figures are left out
            and counted in the text alternative.
        label: What the figure is, with its unit; the title of the axis. Empty takes the distribution's own.
        by: What a quantile counts: ``classes``, or the ``persons`` in them.

    Returns:
        A plot; where all figures are the same, all points are one point on the line.

    Units:
        Both axes have the metric's unit.

    Raises:
        NotMeasurable: When no class has a figure, as in an empty table.
        ValueError: When ``by`` is neither.

    Example:
        >>> from types import SimpleNamespace
        >>> sizes = SimpleNamespace(values=np.array([1.0, 1.0, 3.0]), sizes=np.array([1.0, 1.0, 3.0]))
        >>> len(qq(sizes).vega_lite["data"]["values"])
        3
    """
    label = label or label_of(distribution)
    from scipy.special import ndtri

    sample = Sample.of(distribution, by)
    points = int(np.clip(sample.total, 1, MOST_POINTS))
    shares = (np.arange(points) + 0.5) / points
    normal = sample.mean + sample.deviation * ndtri(shares)
    seen = sample.quantiles(shares)
    pairs = [{"normal": float(a), "seen": float(b)} for a, b in zip(normal, seen, strict=True)]
    ends = [float(min(normal[0], seen[0])), float(max(normal[-1], seen[-1]))]
    x, y = along("normal", f"quantiles of the normal: {label}"), along("seen", f"observed quantiles: {label}")
    line = {
        "data": {"values": [{"normal": ends[0], "seen": ends[0], "to": ends[1]}]},
        # a rule has the theme's quiet colour
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
