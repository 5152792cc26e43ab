"""Whether a limit can judge: what no figure of its metric could ever miss is no limit."""

import math

from qidguard.core.metric import Direction, Metric
from qidguard.core.statistic import Number
from qidguard.core.verdict import Bound


def limit_fault(metric: Metric, bound: Bound, value: Number) -> str:
    """Return what is wrong with a limit on a metric, in words with a remedy; empty where it can judge.

    Args:
        metric: The metric; its range, its direction and whether its figures are whole decide.
        bound: Which side of the limit is allowed.
        value: The limit, in the metric's unit.

    Returns:
        One phrase, or nothing.

    Raises:
        TypeError: When the limit is no number.

    Example:
        >>> from qidguard.host import load_host
        >>> k = load_host().metric("k_anonymity")
        >>> limit_fault(k, Bound.AT_LEAST, 1)
        'at_least 1 can never be missed, since the figure is never below 1; write at least 2'
        >>> limit_fault(k, Bound.AT_LEAST, 1.5)
        'at_least 1.5 lies between two figures, which are whole numbers; write 2'
        >>> limit_fault(k, Bound.AT_LEAST, 2)
        ''
    """
    if not metric.minimum <= value <= metric.maximum:
        return (
            f"{bound.value} {value} lies outside the metric's range"
            f" {metric.minimum:g}..{metric.maximum:g} ({metric.unit.value}); correct the limit"
        )
    safe = {Direction.HIGHER_IS_SAFER: Bound.AT_LEAST, Direction.LOWER_IS_SAFER: Bound.AT_MOST}
    if safe.get(metric.direction, bound) is not bound:
        higher = "higher" if bound is Bound.AT_MOST else "lower"
        return (
            f"it is safer the {higher} it is, so {bound.value} would let every unsafe table through;"
            f" write {safe[metric.direction].value}"
        )
    return _never_missed(metric, bound, value) or _between(metric, bound, value)


def _never_missed(metric: Metric, bound: Bound, value: Number) -> str:
    is_least = bound is Bound.AT_LEAST
    end = metric.minimum if is_least else metric.maximum
    # ends are compared as verdicts compare: what is as good as the end is the end
    if not math.isclose(value, end, rel_tol=1e-12):
        return ""
    side, beyond = ("below", "above") if is_least else ("above", "below")
    step = end + 1 if is_least else end - 1
    remedy = (
        f"at {'least' if is_least else 'most'} {step:g}" if metric.is_whole else f"a limit {beyond} {end:g}"
    )
    never = f"{bound.value} {value:g} can never be missed, since the figure is never {side} {end:g}"
    return f"{never}; write {remedy}"


def _between(metric: Metric, bound: Bound, value: Number) -> str:
    if not metric.is_whole or value == math.floor(value):
        return ""
    meant = math.ceil(value) if bound is Bound.AT_LEAST else math.floor(value)
    return f"{bound.value} {value:g} lies between two figures, which are whole numbers; write {meant}"
