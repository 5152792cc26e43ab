"""What the plugin provides."""

from collections.abc import Iterable

from qidguard.sdk import Anonymizer, Attack, Metric, Recognizer, hookimpl
from qidguard_standard.anonymizers import ANONYMIZERS
from qidguard_standard.attacks import ATTACKS
from qidguard_standard.metrics import METRICS
from qidguard_standard.models import MODEL_METRICS
from qidguard_standard.over_time import OVER_TIME_METRICS
from qidguard_standard.recognizers import RECOGNIZERS
from qidguard_standard.utility import UTILITY_METRICS


@hookimpl
def qidguard_metrics() -> Iterable[Metric]:
    """Return privacy models and risk measures, of one table and over several, and measures of utility."""
    return (*METRICS, *OVER_TIME_METRICS, *UTILITY_METRICS, *MODEL_METRICS)


@hookimpl
def qidguard_recognizers() -> Iterable[Recognizer]:
    """Return the lexicon, content and statistics recognizers."""
    return RECOGNIZERS


@hookimpl
def qidguard_anonymizers() -> Iterable[Anonymizer]:
    """Return the field's standard anonymizers."""
    return ANONYMIZERS


@hookimpl
def qidguard_attacks() -> Iterable[Attack]:
    """Return linkage, homogeneity, inference and singling out."""
    return ATTACKS
