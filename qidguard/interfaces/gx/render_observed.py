"""What was observed for an expectation, as a phrase beside its demand."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from qidguard.core.measurement import Measurement
from qidguard.core.verdict import Bound, Limit, ThresholdResult
from qidguard.interfaces.gx.render_words import Sentence, Words
from qidguard.report.printable import visible
from qidguard.report.threshold import distance, measured

_NO_NUMBER = {"infinite": math.inf, "minus infinite": -math.inf, "not a number": math.nan}


def observed(result: Mapping[str, Any], *, is_met: bool | None = None) -> Sentence:
    """Return what was observed.

    Args:
        result: The ``result`` of an expectation's validation result.
        is_met: Whether the expectation is met; None where that is not known.

    Returns:
        A phrase such as ``3 records — 2 short``; why there is no number, where there is none; and why the
        expectation is not met although its threshold is.

    Units:
        Those of the measured figure; shares in percent.

    Raises:
        Nothing of its own: an expectation that raised shows two dashes, as Data Docs do.

    Example:
        >>> threshold = {"metric": "k_anonymity", "value": 3, "unit": "records", "bound": "at_least"}
        >>> observed({"details": {"threshold": threshold | {"limit": 5}}}).text
        '3 records — 2 short'
    """
    words = Words()
    details = _mapping(result.get("details"))
    threshold, document = _mapping(details.get("threshold")), _mapping(details.get("document"))
    if threshold:
        reason = details.get("reason") if is_met is False and threshold.get("is_met") else None
        why = f"\n• {words.part(visible(str(reason)))}" if reason else ""
        return words.sentence(_threshold(words, threshold) + why)
    if document:
        return words.sentence(_verdict(words, document, details.get("sentences") or ()))
    if details.get("reason"):
        return words.sentence(words.part(visible(str(details["reason"]))))
    if details.get("approved"):
        return words.sentence(words.part("the approved columns"))
    value = result.get("observed_value")
    return words.sentence("--" if value is None else words.part(visible(str(value))))


def _threshold(words: Words, item: Mapping[str, Any]) -> str:
    reason = str(item.get("reason") or "")
    value = item.get("value")
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
        return f"no number: {words.part(visible(reason or 'not measured'))}"
    warning = "" if judged.is_met or limit.is_blocking else ", a warning only"
    return f"{words.part(measured(judged))} — {distance(judged)}{warning}"


def _verdict(words: Words, document: Mapping[str, Any], sentences: Sequence[Any]) -> str:
    """Return the verdict of a whole policy, with each reason to block on a line of its own."""
    judged = document.get("thresholds") or ()
    missed = sum(not item.get("is_met") for item in judged)
    counts = f"{words.part(f'{len(judged) - missed:,}')} of {words.part(f'{len(judged):,}')} thresholds hold"
    outcome = words.part("passed" if document.get("outcome") == "passed" else "blocked")
    return f"{outcome} — {counts}" + "".join(f"\n• {words.part(visible(str(s)))}" for s in sentences)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
