"""Advice as plain values that JSON knows; it is internal, as a report is."""

from typing import TYPE_CHECKING, Any

from qidguard.rendering.audit_document import AdviceDocument, NoAdviceDocument

if TYPE_CHECKING:
    from qidguard.advising.asking import TriedAdvice


def advice_document(tried: "TriedAdvice") -> AdviceDocument | NoAdviceDocument | None:
    """Return advice, or why there is none: column names, levels and counts, and lines of policy.

    Example:
        >>> from qidguard.advising.advice import Advice
        >>> from qidguard.advising.asking import TriedAdvice
        >>> nothing = Advice(combination="default", qids=("age",), person="records", persons=4, limit=2)
        >>> advice_document(TriedAdvice(advice=nothing)).changes
        ()
    """
    if tried.advice is not None:
        return AdviceDocument.of(tried.advice)
    return NoAdviceDocument(fault=tried.fault) if tried.fault else None


def tried_document(tried: "TriedAdvice") -> dict[str, Any] | None:
    """Return advice as plain values, or why there is none; nothing where none was asked for."""
    told = advice_document(tried)
    return None if told is None else told.model_dump(mode="json")
