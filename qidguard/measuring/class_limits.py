"""Limits that are the worst of the classes: which classes miss one by themselves."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.errors import NotMeasurable
from qidguard.core.metric import GroupBy, Metric
from qidguard.core.parameter import Arguments
from qidguard.core.statistic import CLASS_SIZE, ClassValue, RowSource, Statistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.core.verdict import Limit
    from qidguard.measuring.grouped import GroupedRecords

_EXTREME = re.compile(r"(min|max)\((\w+)\)")
"""A statistic that is the worst value of a class."""


def worst_of_classes(statistic: Statistic) -> ClassValue | None:
    """Return the class value whose worst one a statistic is; None where it is something else.

    Example:
        >>> from qidguard.core.statistic import CLASSES, SMALLEST_CLASS
        >>> worst_of_classes(SMALLEST_CLASS).name, worst_of_classes(CLASSES)
        ('class_size', None)
    """
    found = _EXTREME.fullmatch(statistic.sql) if statistic.source is RowSource.CLASSES else None
    if found is None:
        return None
    known: Mapping[str, ClassValue] = {value.name: value for value in statistic.values}
    return CLASS_SIZE if found[2] == "size" else known.get(found[2])


def is_of_classes(metric: Metric, arguments: Arguments) -> bool:
    """Whether a limit on a metric is one on every class by itself: its figure is the worst of theirs."""
    is_more = metric.needs_population or metric.needs_history or metric.needs_original or metric.needs_rest
    if is_more or not isinstance(metric.method, GroupBy):
        return False
    statistics = metric.method.needs(arguments)
    return bool(statistics) and all(worst_of_classes(one) is not None for one in statistics)


def missing_classes(
    classes: "GroupedRecords", metric: Metric, arguments: Arguments, limit: "Limit"
) -> "NDArray[np.bool_]":
    """Return which classes miss a limit that is one on every class; shape (classes,).

    A class without a figure misses it, as a measurement without one does; one with nothing to learn misses no
    limit beside the attribute.

    Raises:
        NotMeasurable: When the classes lack what the metric is measured beside.
    """
    method = metric.method
    assert isinstance(method, GroupBy)  # noqa: S101 - is_of_classes was asked
    statistics = method.needs(arguments)
    values = [worst_of_classes(one) for one in statistics]
    own = np.stack(
        [
            classes.class_sizes.astype(np.float64) if value is CLASS_SIZE else classes.class_values(value)
            for value in values
            if value is not None
        ],
        axis=1,
    )
    figures, of = np.unique(own, axis=0, return_inverse=True)
    is_missed = np.zeros(len(figures), dtype=np.bool_)
    for at, row in enumerate(figures.tolist()):
        numbers = (None if one != one else int(one) if one.is_integer() else one for one in row)  # noqa: PLR0124 - NaN differs from itself
        try:
            figure = method.compute(dict(zip((s.name for s in statistics), numbers, strict=True)), arguments)
        except NotMeasurable:
            is_missed[at] = True
            continue
        is_missed[at] = not limit.is_met_by(figure)
    found = is_missed[of.reshape(-1)]
    return found if metric.attribute is None else found & classes.is_learned
