"""Metric selection (section 4.4): which metrics say the same, and which few say it all."""

from qidguard_qidlearning.selection.metric_selection import MetricSelection
from qidguard_qidlearning.selection.select_metrics import select_metrics

__all__ = ["MetricSelection", "select_metrics"]
