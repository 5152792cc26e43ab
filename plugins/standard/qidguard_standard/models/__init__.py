"""Model utility: what models that learned from the published table are worth on the original."""

from qidguard import Metric

MODEL_METRICS: tuple[Metric, ...] = ()
"""Every metric of this folder."""
