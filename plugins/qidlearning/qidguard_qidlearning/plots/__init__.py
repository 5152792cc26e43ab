"""Plots of metrics and searches (section 4.5).

A plot of a distribution shows how often figures of classes occur, never which class has which, nor a value of
the table. Whatever the number of classes, it holds a few hundred marks: values are binned or taken at
quantiles first.
"""

from qidguard_qidlearning.plots.ecdf import ecdf
from qidguard_qidlearning.plots.heat_map import heat_map
from qidguard_qidlearning.plots.histogram import histogram
from qidguard_qidlearning.plots.metric_by_size import metric_by_size
from qidguard_qidlearning.plots.metric_by_subset import metric_by_subset
from qidguard_qidlearning.plots.metric_plots import metric_plots
from qidguard_qidlearning.plots.qq import qq
from qidguard_qidlearning.plots.search_evolution import search_evolution

__all__ = [
    "ecdf",
    "heat_map",
    "histogram",
    "metric_by_size",
    "metric_by_subset",
    "metric_plots",
    "qq",
    "search_evolution",
]
