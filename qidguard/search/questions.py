"""Questions: what has to be measured so that an objective has a value, and who answers."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qidguard.core.errors import UserError
from qidguard.core.metric import Metric
from qidguard.core.parameter import bind
from qidguard.core.role import Role
from qidguard.measuring.question import Question
from qidguard.search.objective import Objective, Term


class Measurer(Protocol):
    """Measures figures on sets of columns, as ``qidguard.measuring.subset_measurer.SubsetMeasurer`` does."""

    @property
    def questions(self) -> Sequence[Question]:
        """What is asked of each set."""

    def measure(self, sets: Sequence[frozenset[str]]) -> NDArray[np.float64]:
        """Return the figures; shape (sets, figures), NaN where no number exists."""

    def reason(self, qids: frozenset[str], figure: int) -> str:
        """Return why a figure of a set does not exist; empty where it does."""


def measured_within(
    measurer: Measurer, sets: Sequence[frozenset[str]], seconds: float
) -> NDArray[np.float64] | None:
    """Return the figures of sets; None where that took longer and the measurer could be interrupted.

    A measurer that has ``measure_within``, as ``SubsetMeasurer`` has, can be.
    """
    within: Callable[..., NDArray[np.float64] | None] | None = getattr(measurer, "measure_within", None)
    if within is None or seconds == math.inf:
        return measurer.measure(sets)
    return within(sets, seconds)


def questions_of(
    objective: Objective,
    find: Callable[[str], tuple[Metric, str]],
    columns: Mapping[Role, str],
) -> tuple[Question, ...]:
    """Return one question for each of the objective's ``every_term``; UserError where there is none.

    A term that is a change (``Metric.change_of``) gets the question of the metric it is the change of: the
    search itself takes the difference. ``find`` gives a metric and the plugin that offers it, by name; a
    term's own column goes before those in ``columns``.
    """
    return tuple(_question(term, find, columns) for term in objective.every_term)


def _question(term: Term, find: Callable[[str], tuple[Metric, str]], columns: Mapping[Role, str]) -> Question:
    metric, owner = find(term.metric)
    if metric.change_of:
        metric, owner = find(metric.change_of)
    if metric.needs_population or metric.needs_history or metric.needs_original:
        lacks = "a population table" if metric.needs_population else "earlier releases"
        raise UserError(f"metric {metric.name!r} needs {lacks}, which a search has not; take another metric")
    attribute = None
    if metric.attribute is not None:
        attribute = term.attribute or columns.get(metric.attribute)
        if attribute is None:
            role = metric.attribute.value
            raise UserError(f"metric {metric.name!r} is measured beside a {role} column; name one")
    elif term.attribute is not None:
        raise UserError(
            f"metric {metric.name!r} is measured beside no column; do not name {term.attribute!r}"
        )
    try:
        arguments = bind(metric.parameters, term.arguments)
    except UserError as error:
        raise UserError(f"metric {metric.name!r}: {error}") from None
    return Question(metric=metric, arguments=arguments, attribute=attribute, owner=owner)
