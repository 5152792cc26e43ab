"""Plots of metrics and searches (section 4.5).

A plot of a distribution shows how often figures of classes occur, never which class has which, nor a value of
the table. Whatever the number of classes, it holds a few hundred marks: values are binned or taken at
quantiles first.
"""

from qidguard_qidlearning.plots.distribution import ecdf, histogram, metric_plots, qq
from qidguard_qidlearning.plots.heat_map import heat_map
from qidguard_qidlearning.plots.search_evolution import search_evolution
from qidguard_qidlearning.plots.subsets import metric_by_size, metric_by_subset

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
