"""What the plugin provides."""

from collections.abc import Iterable

from qidguard import Anonymiser, Attack, Metric, Recogniser, hookimpl
from qidguard_standard.anonymisers import ANONYMISERS
from qidguard_standard.attacks import ATTACKS
from qidguard_standard.metrics import METRICS
from qidguard_standard.models import MODEL_METRICS
from qidguard_standard.over_time import OVER_TIME_METRICS
from qidguard_standard.recognisers import RECOGNISERS
from qidguard_standard.utility import UTILITY_METRICS


@hookimpl
def qidguard_metrics() -> Iterable[Metric]:
    """Return privacy models and risk measures, of one table and over several, and measures of utility."""
    return (*METRICS, *OVER_TIME_METRICS, *UTILITY_METRICS, *MODEL_METRICS)


@hookimpl
def qidguard_recognisers() -> Iterable[Recogniser]:
    """Return the lexicon, content and statistics recognisers."""
    return RECOGNISERS


@hookimpl
def qidguard_anonymisers() -> Iterable[Anonymiser]:
    """Return the field's standard anonymisers."""
    return ANONYMISERS


@hookimpl
def qidguard_attacks() -> Iterable[Attack]:
    """Return linkage, homogeneity, inference and singling out."""
    return ATTACKS
