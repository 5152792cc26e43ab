"""Words for one judged threshold: what was measured, what was asked and how far apart they are."""

import math

from qidguard.core.measurement import Measurement
from qidguard.core.verdict import RELATIVE_TOLERANCE, Bound, Limit, ThresholdResult
from qidguard.report.figure import SHARE, figure, figure_beside, limit_figure, with_unit
from qidguard.report.printable import listed, shown_name, visible


def subject(measurement: Measurement) -> str:
    """Return what was measured: the metric's title, its parameters and the sensitive attribute.

    Args:
        measurement: The measurement.

    Returns:
        A phrase such as ``distinct l-diversity of income``.

    Example:
        >>> subject(Measurement(metric="k", title="k-anonymity", value=1, unit="records", qids=("age",)))
        'k-anonymity'
    """
    title = visible(measurement.title) or measurement.metric.replace("_", " ")
    set_to = ", ".join(f"{name}={_argument(value)}" for name, value in sorted(measurement.arguments.items()))
    attribute = f" of {shown_name(measurement.sensitive)}" if measurement.sensitive is not None else ""
    return f"{title}{attribute}" + (f" ({set_to})" if set_to else "")


def _argument(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)) and math.isfinite(value):
        return limit_figure(value, "")
    return visible(str(value))


def demand(limit: Limit, unit: str) -> str:
    """Return what the limit asks, as ``at least 5``.

    Args:
        limit: The limit.
        unit: The unit of the figure.

    Returns:
        The phrase, without the unit's word.

    Units:
        The unit given; shares in percent.

    Example:
        >>> demand(Limit(bound=Bound.AT_MOST, value=0.09), "share")
        'at most 9%'
    """
    side = "at least" if limit.bound is Bound.AT_LEAST else "at most"
    return f"{side} {limit_figure(limit.value, unit)}"


def measured(result: ThresholdResult) -> str:
    """Return the figure with its unit, with enough digits to tell it from the limit.

    Args:
        result: The judged threshold.

    Returns:
        The phrase, or ``no number``.

    Units:
        The metric's unit; shares in percent.

    Example:
        >>> limit = Limit(bound=Bound.AT_LEAST, value=5)
        >>> figure = Measurement(metric="k_anonymity", value=1, unit="records", qids=("age",))
        >>> measured(ThresholdResult(limit=limit, measurement=figure))
        '1 record'
    """
    value, unit = result.measurement.value, result.measurement.unit
    if value is None or math.isnan(value):
        return "no number"
    if _is_at_limit(result):
        value = result.limit.value
    return with_unit(figure_beside(value, result.limit.value, unit), unit)


def distance(result: ThresholdResult, point: str = "percentage points") -> str:
    """Return how far the figure is from its limit and on which side.

    Args:
        result: The judged threshold.
        point: The word for a hundredth, between shares.

    Returns:
        A phrase such as ``4 short``, ``3 over`` or ``2 to spare``.

    Units:
        The metric's unit; percentage points between shares.

    Example:
        >>> limit = Limit(bound=Bound.AT_LEAST, value=5)
        >>> figure = Measurement(metric="k_anonymity", value=1, unit="records", qids=("age",))
        >>> distance(ThresholdResult(limit=limit, measurement=figure))
        '4 short'
    """
    gap = result.distance
    if gap is None or math.isnan(gap):
        return "not measured"
    if _is_at_limit(result):
        return "exactly at the limit"
    unit = result.measurement.unit
    amount = figure(abs(gap), unit)
    if unit == SHARE and amount.endswith("%"):
        amount = f"{amount[:-1]} {point}"
    if result.is_met:
        return f"{amount} to spare"
    return f"{amount} {'short' if result.limit.bound is Bound.AT_LEAST else 'over'}"


def _is_at_limit(result: ThresholdResult) -> bool:
    value = result.measurement.value
    return value is not None and math.isclose(value, result.limit.value, rel_tol=RELATIVE_TOLERANCE)


def place(measurement: Measurement, combination: str = "default") -> str:
    """Return over which columns a figure was measured.

    Args:
        measurement: The measurement.
        combination: The QID combination's name.

    Returns:
        A phrase such as ``over age, sex, zip``.

    Example:
        >>> place(Measurement(metric="k", value=1, unit="records", qids=("age", "sex"), subsets=3))
        'over age, sex (the worst of 3 subsets)'
    """
    worst = f" (the worst of {measurement.subsets:,} subsets)" if measurement.subsets > 1 else ""
    named = "" if combination == "default" else f" (combination {shown_name(combination)})"
    return f"over {listed(measurement.qids)}{worst}{named}"


def threshold_sentence(result: ThresholdResult, *, has_place: bool = True) -> str:
    """Return one sentence: the figure, what it must be, how far off, and over which columns.

    Args:
        result: The judged threshold.
        has_place: Whether the columns are named; not where they stand above it.

    Returns:
        The sentence, with a full stop.

    Units:
        The metric's unit; shares in percent.

    Example:
        >>> limit = Limit(bound=Bound.AT_LEAST, value=5)
        >>> figure = Measurement(
        ...     metric="k", title="k-anonymity", value=1, unit="records", qids=("age", "sex", "zip")
        ... )
        >>> threshold_sentence(ThresholdResult(limit=limit, measurement=figure))
        'k-anonymity is 1 record, must be at least 5 (4 short), over age, sex, zip.'
    """
    figure = result.measurement
    what, asked = subject(figure), demand(result.limit, figure.unit)
    where = f", {place(figure, result.limit.combination)}" if has_place else ""
    verb = "must" if result.limit.is_blocking else "should"
    if figure.value is None or math.isnan(figure.value):
        why = visible(figure.reason).rstrip(". ") or "the metric gave no number"
        return f"{what} has no number ({why}), {verb} be {asked}{where}."
    return f"{what} is {measured(result)}, {verb} be {asked} ({distance(result)}){where}."
