"""What the plugin provides."""

from collections.abc import Iterable

from qidguard import Anonymiser, Metric, Recogniser, hookimpl
from qidguard_standard.anonymisers import ANONYMISERS
from qidguard_standard.metrics import METRICS
from qidguard_standard.over_time import OVER_TIME_METRICS
from qidguard_standard.recognisers import RECOGNISERS


@hookimpl
def qidguard_metrics() -> Iterable[Metric]:
    """Return the standard privacy models and risk measures, of one table and over several releases."""
    return (*METRICS, *OVER_TIME_METRICS)


@hookimpl
def qidguard_recognisers() -> Iterable[Recogniser]:
    """Return the lexicon, content and statistics recognisers."""
    return RECOGNISERS


@hookimpl
def qidguard_anonymisers() -> Iterable[Anonymiser]:
    """Return the suppression of small classes."""
    return ANONYMISERS
