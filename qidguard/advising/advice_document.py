"""Advice as plain values that JSON knows; it is internal, as a report is."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from qidguard.rendering.isolated import isolated_document

if TYPE_CHECKING:
    from qidguard.advising.advice import Advice, Change, Exposed
    from qidguard.advising.asking import TriedAdvice


def advice_document(advice: "Advice") -> dict[str, Any]:
    """Return advice as plain values: column names, levels and counts, and lines of policy.

    Example:
        >>> from qidguard.advising.advice import Advice
        >>> nothing = Advice(combination="default", qids=("age",), person="records", persons=4, limit=2)
        >>> advice_document(nothing)["changes"]
        []
    """
    return {
        "combination": advice.combination,
        "qids": list(advice.qids),
        "knows_any": advice.knows_any,
        "person": advice.person,
        "persons": advice.persons,
        "limit": advice.limit,
        "diversity": dict(advice.diversity),
        "below": advice.below,
        "alone": advice.alone,
        "without": [_exposed(one) for one in advice.without],
        "smallest": [_exposed(one) for one in advice.smallest],
        "isolated": None if advice.isolated is None else isolated_document(advice.isolated),
        "for_series": None if advice.for_series is None else asdict(advice.for_series),
        "changes": [_change(one) for one in advice.changes],
        "hindrances": list(advice.hindrances),
        "most_left_out": advice.most_left_out,
        "audited": advice.audited,
        "is_exact": advice.is_exact,
        "is_cut_short": advice.is_cut_short,
        "seconds": round(advice.seconds, 6),
    }


def tried_document(tried: "TriedAdvice") -> dict[str, Any] | None:
    """Return advice, or why there is none; nothing where none was asked for."""
    if tried.advice is not None:
        return advice_document(tried.advice)
    return {"fault": tried.fault} if tried.fault else None


def _exposed(one: "Exposed") -> dict[str, Any]:
    return {"columns": list(one.columns), "below": one.below, "alone": one.alone, "added": one.added}


def _change(change: "Change") -> dict[str, Any]:
    return {
        "columns": [asdict(one) for one in change.columns],
        "left_out": change.left_out,
        "records_left_out": change.records_left_out,
        "suppress": change.suppress,
        "loss": change.loss,
        "lines": list(change.lines),
    }
