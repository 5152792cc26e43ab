"""The empirical cumulative distribution of a metric over classes, beside the normal's."""

import numpy as np

from qidguard import Plot
from qidguard_qidlearning.plots.axis import along, chart, heading, named, share, tips
from qidguard_qidlearning.plots.sample import Figures, Sample, label_of

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
    Φ((x − mean) / deviation). Beyond 500 distinct figures, steps are taken at 500 even shares, so that the
    curve is nowhere off by more than 0.2 percent.

    Args:
        distribution: A figure and a size for each class, such as ``Distribution``; NaN figures are left out
            and counted in the text alternative.
        label: What the figure is, with its unit; the title of the axis. Empty takes the distribution's own.
        by: What a share is of: ``classes``, or the ``persons`` in them.
        is_logarithmic: Whether the axis is; None decides: where all figures are positive and spread a
            hundredfold.

    Returns:
        A plot; without the normal where all figures are the same, for it then has no deviation.

    Units:
        Shares 0..1; the axis has the metric's unit.

    Raises:
        NotMeasurable: When no class has a figure, as in an empty table.
        ValueError: When ``by`` is neither, or a logarithmic axis is asked for figures that are not positive.

    Example:
        >>> from types import SimpleNamespace
        >>> sizes = SimpleNamespace(values=np.array([1.0, 1.0, 3.0]), sizes=np.array([1.0, 1.0, 3.0]))
        >>> ecdf(sizes).alternative[:44]
        'Cumulative distribution: figure of a class o'
    """
    label = label or label_of(distribution)
    from scipy.special import ndtr

    sample = Sample.of(distribution, by)
    is_log = sample.is_skewed if is_logarithmic is None else is_logarithmic
    if is_log and sample.values[0] <= 0:
        raise ValueError("a logarithmic axis needs positive figures; ask for a linear one")
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


def _steps(sample: Sample) -> list[dict[str, float]]:
    values, shares = sample.values, sample.cumulated
    if len(values) > MOST_STEPS:
        at = np.searchsorted(shares, np.linspace(0, 1, MOST_STEPS + 1) - 1e-12)
        place = np.unique(np.minimum(at, len(values) - 1))
        values, shares = values[place], shares[place]
    steps = [{"at": float(a), "share": float(b)} for a, b in zip(values, shares, strict=True)]
    return [{"at": float(sample.values[0]), "share": 0.0}, *steps]
