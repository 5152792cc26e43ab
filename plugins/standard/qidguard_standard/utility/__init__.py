"""Utility: what a published table lost against its original, as ordinary metrics."""

from qidguard import Metric

UTILITY_METRICS: tuple[Metric, ...] = ()
"""Every metric of this folder."""
