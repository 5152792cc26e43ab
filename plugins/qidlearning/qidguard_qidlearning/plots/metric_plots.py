"""The plots of a metric's distribution, together."""

from qidguard import Plot
from qidguard_qidlearning.plots.axis import heading
from qidguard_qidlearning.plots.ecdf import ecdf
from qidguard_qidlearning.plots.histogram import histogram
from qidguard_qidlearning.plots.qq import qq
from qidguard_qidlearning.plots.sample import Counted, Figures, Sample, label_of


def metric_plots(distribution: Figures, *, label: str = "", title: str = "") -> Plot:
    """Return four plots of a metric's distribution over classes: two histograms, the ECDF and the Q-Q plot.

    Simões et al. 2025, Figure 2, whose panels are the histogram, the empirical CDF, the normal's CDF and the
    Q-Q plot. Here the normal's CDF stands in the panel of the empirical one, and the fourth panel counts
    persons: a few large classes may hold most of them.

    Args:
        distribution: A figure and a size for each class, such as ``Distribution``.
        label: What the figure is, with its unit; the title of the axes. Empty takes the distribution's own.
        title: What they show together; empty takes the label.

    Returns:
        One plot of four panels.

    Units:
        Those of the panels.

    Raises:
        NotMeasurable: When no class has a figure, as in an empty table.

    Example:
        >>> from types import SimpleNamespace
        >>> import numpy as np
        >>> sizes = SimpleNamespace(values=np.array([1.0, 1.0, 3.0]), sizes=np.array([1.0, 1.0, 3.0]))
        >>> len(metric_plots(sizes).vega_lite["concat"])
        4
    """
    label = label or label_of(distribution)
    is_log = Sample.of(distribution, Counted.CLASSES).is_skewed  # one axis for the panels side by side
    panels = [
        histogram(distribution, label=label, is_logarithmic=is_log),
        ecdf(distribution, label=label, is_logarithmic=is_log),
        histogram(distribution, label=label, by=Counted.PERSONS, is_logarithmic=is_log),
        qq(distribution, label=label),
    ]
    return Plot.grid(panels, title=title or f"{heading(label)} over the equivalence classes")
