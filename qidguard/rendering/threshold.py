"""Words for one judged threshold: what was measured, what was asked and how far apart they are."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qidguard.core.measurement import Measurement
from qidguard.core.noised import NoisedQids
from qidguard.core.statistic import Number
from qidguard.core.verdict import RELATIVE_TOLERANCE, Bound, Limit, ThresholdResult
from qidguard.rendering.figure import SHARE, figure, figure_against_limit, limit_figure, with_unit
from qidguard.rendering.printable import listed, shown_name, visible


def subject(measurement: Measurement) -> str:
    """Return what was measured: the metric's title, its parameters and the sensitive attribute."""
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

    Example:
        >>> demand(Limit(bound=Bound.AT_MOST, value=0.09), "share")
        'at most 9%'
    """
    side = "at least" if limit.bound is Bound.AT_LEAST else "at most"
    return f"{side} {limit_figure(limit.value, unit)}"


def measured(result: ThresholdResult) -> str:
    """Return the figure with its unit, with enough digits to tell it from the limit."""
    figure = result.measurement
    if figure.value is None or math.isnan(figure.value):
        return "no number"
    return _beside(figure.value, result.limit.value, figure.unit) + interval_words(figure)


def _beside(value: Number, limit: Number, unit: str) -> str:
    near = limit if math.isclose(value, limit, rel_tol=RELATIVE_TOLERANCE) else value
    return with_unit(figure_against_limit(near, limit, unit), unit)


def interval_words(measurement: Measurement) -> str:
    """Return the interval of an estimate; empty for what was counted.

    Example:
        >>> from qidguard.core.measurement import Interval
        >>> interval = Interval(low=0.01, high=0.04, confidence=0.95)
        >>> interval_words(
        ...     Measurement(metric="u", value=0.02, unit="share", qids=("age",), interval=interval)
        ... )
        ' (95% interval 1% to 4%)'
    """
    interval, unit = measurement.interval, measurement.unit
    return "" if interval is None else _interval(interval.low, interval.high, interval.confidence, unit)


def _interval(low: Number, high: Number, confidence: Number, unit: str) -> str:
    return f" ({figure(confidence, SHARE)} interval {figure(low, unit)} to {figure(high, unit)})"


@dataclass(frozen=True, kw_only=True)
class ThresholdWords:
    """A judged threshold in words: over which columns, what was measured, and what the limit asks."""

    over: str
    measured: str
    asked: str


def threshold_words(listed_threshold: Mapping[str, Any]) -> ThresholdWords:
    """Return the words for a threshold as an audit's document lists it; where there is no number, why.

    Example:
        >>> one = {"value": 0.0312, "unit": "share", "bound": "at_most", "limit": 0.05, "qids": ["age"]}
        >>> words = threshold_words(one)
        >>> words.over, words.measured, words.asked
        ('age', '3.12%', 'at most 5%')
    """
    value, limit = listed_threshold["value"], listed_threshold["limit"]
    unit, bound = str(listed_threshold["unit"]), Bound(listed_threshold["bound"])
    interval, noised = listed_threshold.get("interval"), noised_of(listed_threshold.get("noised"))
    if value is None:
        found = visible(str(listed_threshold.get("reason") or "not measured"))
    else:
        found = _beside(value, limit, unit) + ("" if interval is None else _interval(**interval, unit=unit))
    return ThresholdWords(
        over=listed(listed_threshold.get("qids", ())) + noised_words(noised),
        measured=found,
        asked=demand(Limit(bound=bound, value=limit), unit),
    )


def distance(result: ThresholdResult, point: str = "percentage points") -> str:
    """Return how far the figure is from its limit and on which side."""
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

    Example:
        >>> place(Measurement(metric="k", value=1, unit="records", qids=("age", "sex"), subsets=3))
        'over age, sex (the worst of 3 subsets)'
    """
    worst = f" (the worst of {measurement.subsets:,} subsets)" if measurement.subsets > 1 else ""
    named = "" if combination == "default" else f" (combination {shown_name(combination)})"
    return f"over {listed(measurement.qids)}{worst}{named}{noised_words(measurement.noised)}"


def noised_words(noised: NoisedQids | None) -> str:
    """Return how columns with noise were read; empty where none has any.

    Example:
        >>> noised_words(NoisedQids(over=("sex",), left_out=("age",)))
        ', without age, which has noise: it holds for these columns only'
    """
    if noised is None or not noised.over:
        return ""
    if noised.left_out:
        has = "has" if len(noised.left_out) == 1 else "have"
        return f", without {listed(noised.left_out)}, which {has} noise: it holds for these columns only"
    return f", noised values of {listed(noised.as_published)} as published"


def noised_of(document: Mapping[str, Sequence[str]] | None) -> NoisedQids | None:
    """Return what a document says of columns with noise; None where it says nothing.

    Example:
        >>> noised_of({"over": ["sex"], "as_published": [], "left_out": ["age"]}).left_out
        ('age',)
    """
    return (
        None if document is None else NoisedQids(**{name: tuple(names) for name, names in document.items()})
    )


_NO_NUMBER = {"infinite": math.inf, "minus infinite": -math.inf, "not a number": math.nan}


def listed_figure(item: Mapping[str, Any]) -> tuple[str, str]:
    """Return the figure of a judged threshold, and how far it is from its limit, as people read them.

    Args:
        item: The threshold as an audit's document lists it; what it lacks has its default.

    Returns:
        The figure with its unit, and the distance in the same unit; no figure, and why, where there is none.

    Raises:
        KeyError: When it lacks its limit or the side of it.

    Example:
        >>> listed_figure(
        ...     {"metric": "k_anonymity", "value": 4, "unit": "records", "bound": "at_least", "limit": 5}
        ... )
        ('4 records', '1 short')
        >>> listed_figure({"metric": "k", "reason": "no records", "bound": "at_least", "limit": 5})
        ('', 'no records')
    """
    reason, value = str(item.get("reason") or ""), item.get("value")
    measurement = Measurement(
        metric=str(item.get("metric")),
        value=_NO_NUMBER.get(reason) if value is None else value,
        unit=str(item.get("unit", "")),
        qids=tuple(item.get("qids", ())),
    )
    limit = Limit(
        bound=Bound(item["bound"]), value=item["limit"], is_blocking=not item.get("is_warning", False)
    )
    judged = ThresholdResult(limit=limit, measurement=measurement)
    if judged.distance is None:
        return "", visible(reason or "not measured")
    warning = "" if judged.is_met or limit.is_blocking else ", a warning only"
    return measured(judged), f"{distance(judged)}{warning}"


def threshold_sentence(result: ThresholdResult, *, has_place: bool = True) -> str:
    """Return one sentence: the figure, what it must be, how far off, and over which columns."""
    return f"{threshold_clause(result, has_place=has_place)}."


def threshold_clause(result: ThresholdResult, *, has_place: bool = False) -> str:
    """Return the words of a threshold's sentence without its full stop, for a longer one."""
    figure = result.measurement
    what, asked = subject(figure), demand(result.limit, figure.unit)
    where = f", {place(figure, result.limit.combination)}" if has_place else ""
    verb = "must" if result.limit.is_blocking else "should"
    if figure.value is None or math.isnan(figure.value):
        why = visible(figure.reason).rstrip(". ") or "the metric gave no number"
        return f"{what} has no number ({why}), {verb} be {asked}{where}"
    return f"{what} is {measured(result)}, {verb} be {asked} ({distance(result)}){where}"
