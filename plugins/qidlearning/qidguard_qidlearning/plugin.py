"""What the plugin provides."""

from collections.abc import Iterable

from qidguard.sdk import Metric, Objective, RecognitionScore, Recognizer, SearchPlot, SearchStrategy, hookimpl
from qidguard_qidlearning.metrics import METRICS
from qidguard_qidlearning.objectives import OBJECTIVES
from qidguard_qidlearning.plots.search_evolution import SEARCH_PLOTS
from qidguard_qidlearning.recognizers import RECOGNIZERS
from qidguard_qidlearning.scores import RECOGNITION_SCORES
from qidguard_qidlearning.searches import SEARCH_STRATEGIES


@hookimpl
def qidguard_metrics() -> Iterable[Metric]:
    """Return the metrics of causality, privacy, utility and of quasi-identifiers themselves."""
    return METRICS


@hookimpl
def qidguard_search_strategies() -> Iterable[SearchStrategy]:
    """Return the search strategies."""
    return SEARCH_STRATEGIES


@hookimpl
def qidguard_objectives() -> Iterable[Objective]:
    """Return the linear and the ratio objective, and the one that recognizes quasi-identifiers."""
    return OBJECTIVES


@hookimpl
def qidguard_recognition_scores() -> Iterable[RecognitionScore]:
    """Return the scores of a recognition against a ground truth."""
    return RECOGNITION_SCORES


@hookimpl
def qidguard_recognizers() -> Iterable[Recognizer]:
    """Return the recognizer that searches."""
    return RECOGNIZERS


@hookimpl
def qidguard_search_plots() -> Iterable[SearchPlot]:
    """Return the plots of a search."""
    return SEARCH_PLOTS
