"""What the plugin provides."""

from collections.abc import Iterable

from qidguard import Metric, Recogniser, hookimpl
from qidguard_standard.metrics import METRICS
from qidguard_standard.recognisers import RECOGNISERS


@hookimpl
def qidguard_metrics() -> Iterable[Metric]:
    """Return the standard privacy models and risk measures."""
    return METRICS


@hookimpl
def qidguard_recognisers() -> Iterable[Recogniser]:
    """Return the lexicon, content and statistics recognisers."""
    return RECOGNISERS
