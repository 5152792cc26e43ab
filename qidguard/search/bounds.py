"""Bounds: how good a set between two others can be at most, from the metrics' monotony.

A metric that is monotone goes one way while columns are added, so between x ⊆ y ⊆ z its figure lies between
those of x and z. A metric of the size has one figure for each number of columns. A change counts 0 in a set's
own fitness. With these three, each size |x|..|z| has an interval for every term, and interval arithmetic
(Moore 1966) gives the bound of a sum and of a ratio.
"""

import math
from collections.abc import Callable, Sequence

from qidguard.core.metric import Direction, Metric
from qidguard.search.scoring import Row, Scoring

_SLACK = 1e-9
"""How far figures may be off by rounding, relative to themselves; bounds give way outwards by it."""

Interval = tuple[float, float]


class FitnessBounds:
    """Bounds of the own fitness, from the terms and the metric of each of the measurer's figures."""

    def __init__(self, scoring: Scoring, metrics: Sequence[Metric]) -> None:
        self._scoring = scoring
        self._metrics = tuple(metrics[column] for column in scoring.columns)
        self.is_known = all(
            is_change or metric.is_of_size or (metric.is_monotone and metric.direction in _RISES)
            for metric, is_change in zip(self._metrics, scoring.is_change, strict=True)
        )

    def bound(self, inside: Row | None, outside: Row, sizes: range, of_size: Callable[[int], Row]) -> float:
        """Return a number that no own fitness of a set between two others is above.

        ``inside`` and ``outside`` are the figures of the two (None for the empty set), ``of_size`` those of
        some set of a size. It is inf where nothing is known, −inf where there is no such set.
        """
        if not self.is_known:
            return math.inf
        fixed = [self._interval(i, inside, outside) for i in range(len(self._metrics))]
        if any(found is None for found in fixed):
            return max((self._bound_of_size(fixed, of_size(size)) for size in sizes), default=-math.inf)
        return self._combined([found for found in fixed if found is not None]) if sizes else -math.inf

    def _bound_of_size(self, fixed: Sequence[Interval | None], row: Row) -> float:
        figures = [float(row[column]) for column in self._scoring.columns]
        if any(found is None and math.isnan(figures[i]) for i, found in enumerate(fixed)):
            return -math.inf
        every = [(figures[i], figures[i]) if found is None else found for i, found in enumerate(fixed)]
        return self._combined(every)

    def _interval(self, term: int, inside: Row | None, outside: Row) -> Interval | None:
        """Return where a term's figure lies; None where only the size says."""
        metric, column = self._metrics[term], self._scoring.columns[term]
        if self._scoring.is_change[term]:
            return 0.0, 0.0
        if metric.is_of_size:
            return None
        few = math.nan if inside is None else float(inside[column])
        many = float(outside[column])
        low, high = (few, many) if _RISES[metric.direction] else (many, few)
        # where there is no figure, the metric's own range holds
        return (
            metric.minimum if math.isnan(low) else low,
            metric.maximum if math.isnan(high) else high,
        )

    def _combined(self, figures: Sequence[Interval]) -> float:
        objective = self._scoring.objective
        ends = [
            _times(term.weight, figure) for term, figure in zip(objective.every_term, figures, strict=True)
        ]
        terms, divisors = ends[: len(objective.terms)], ends[len(objective.terms) :]
        _, most = _sum(terms)
        return _quotient(most, _sum(divisors)) if divisors else most


_RISES = {Direction.LOWER_IS_SAFER: True, Direction.HIGHER_IS_SAFER: False}
"""Whether a monotone metric rises when a column is added: finer classes are never safer."""


def _times(weight: float, figure: Interval) -> Interval:
    if not weight:
        return 0.0, 0.0
    one, other = weight * figure[0], weight * figure[1]
    return min(one, other), max(one, other)


def _sum(ends: Sequence[Interval]) -> Interval:
    """Return the sum of intervals, its ends moved out by what rounding may do."""
    slack = _SLACK * math.fsum(abs(e) for end in ends for e in end if math.isfinite(e))
    low = -math.inf if any(low == -math.inf for low, _ in ends) else math.fsum(low for low, _ in ends)
    high = math.inf if any(high == math.inf for _, high in ends) else math.fsum(high for _, high in ends)
    return low - slack, high + slack


def _quotient(most: float, by: Interval) -> float:
    """Return the highest quotient of a number up to ``most`` by a positive one in ``by``."""
    least, largest = by
    if largest <= 0:
        return -math.inf
    if most > 0:
        return most / least if least > 0 else math.inf
    return most / largest if math.isfinite(most) or math.isfinite(largest) else -math.inf
