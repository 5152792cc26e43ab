"""Presets ask for metrics that exist, on the side that is safe."""

from qidguard.core.verdict import Bound
from qidguard.policy import PRESETS
from qidguard.sdk import Direction
from qidguard_standard.metrics import METRICS


def test_every_threshold_of_a_preset_is_on_a_registered_metric() -> None:
    """at_least where higher is safer, at_most where lower is; the limit lies in the metric's range."""
    metrics = {metric.name: metric for metric in METRICS}
    safe = {Direction.HIGHER_IS_SAFER: Bound.AT_LEAST, Direction.LOWER_IS_SAFER: Bound.AT_MOST}
    thresholds = [threshold for preset in PRESETS.values() for threshold in preset.thresholds]
    assert len(thresholds) > 20
    for threshold in thresholds:
        metric = metrics[threshold.metric]
        assert threshold.bound is safe[metric.direction]
        assert metric.minimum <= threshold.value <= metric.maximum
