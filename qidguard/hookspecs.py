"""What a plugin may provide.

A plugin is a module with some of these functions, marked ``@qidguard.hookimpl``, and one line under
``[project.entry-points.qidguard]``.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from qidguard.anonymize.attack import Attack
    from qidguard.anonymize.protocol import Anonymiser
    from qidguard.core.metric import Metric
    from qidguard.core.recogniser import Recogniser
    from qidguard.core.report import AuditReport
    from qidguard.core.score import RecognitionScore
    from qidguard.engines.base import Engine
    from qidguard.search.objective import Objective
    from qidguard.search.protocol import SearchStrategy
    from qidguard.search.search_plot import SearchPlot

hookspec = pluggy.HookspecMarker("qidguard")
hookimpl = pluggy.HookimplMarker("qidguard")


@hookspec
def qidguard_metrics() -> "Iterable[Metric]":
    """Return metrics. A name that another plugin offers too is an error, and blocks policies that use it."""
    raise NotImplementedError  # pragma: no cover - pluggy never calls a specification


@hookspec
def qidguard_recognisers() -> "Iterable[Recogniser]":
    """Return recognisers, which propose a role for columns they know."""
    raise NotImplementedError  # pragma: no cover - as above


@hookspec
def qidguard_search_strategies() -> "Iterable[SearchStrategy]":
    """Return search strategies, which look for the set of QIDs that is best by an objective."""
    raise NotImplementedError  # pragma: no cover - as above


@hookspec
def qidguard_objectives() -> "Iterable[Objective]":
    """Return objectives: named weights of metrics, which a search maximises."""
    raise NotImplementedError  # pragma: no cover - as above


@hookspec
def qidguard_recognition_scores() -> "Iterable[RecognitionScore]":
    """Return scores of a found set of quasi-identifiers against a ground truth."""
    raise NotImplementedError  # pragma: no cover - as above


@hookspec
def qidguard_search_plots() -> "Iterable[SearchPlot]":
    """Return plots of a search, which ``qidguard discover --plots`` saves."""
    raise NotImplementedError  # pragma: no cover - as above


@hookspec
def qidguard_anonymisers() -> "Iterable[Anonymiser]":
    """Return anonymisers, which transform a table until a policy holds."""
    raise NotImplementedError  # pragma: no cover - as above


@hookspec
def qidguard_attacks() -> "Iterable[Attack]":
    """Return attacks on published tables, which tell what a transformation is worth."""
    raise NotImplementedError  # pragma: no cover - as above


@hookspec
def qidguard_engines() -> "Iterable[Engine]":
    """Return engines, which open sources and answer groupings."""
    raise NotImplementedError  # pragma: no cover - as above


@hookspec
def qidguard_judged(report: "AuditReport") -> None:
    """Hear of a finished audit. An exception here turns a pass into a failure (exit 3): evidence was lost."""
