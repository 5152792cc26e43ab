"""The report as a JSON document: stable, versioned, and without a bare infinity or NaN."""

import json
import math
from collections.abc import Mapping
from typing import Any

from qidguard.core.measurement import Measurement
from qidguard.core.new_table import NewTableFacts
from qidguard.core.noised import NoisedCombination, NoisedQids
from qidguard.core.outside import IdentifyingColumn, OutsideQids, ToldApart
from qidguard.core.parameter import plain
from qidguard.core.report import AcceptanceReport, AuditReport, ClassSummary, ColumnReport, ReadBack, Undone
from qidguard.core.statistic import Number
from qidguard.core.verdict import ThresholdResult
from qidguard.rendering.isolated import isolated_document
from qidguard.rendering.outside import identifying_sentence, told_apart_sentences
from qidguard.rendering.sentence import outcome
from qidguard.rendering.threshold import threshold_sentence
from qidguard.rendering.undone import read_back_sentence, undone_sentence

FORMAT = "qidguard-audit/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""


def document(report: AuditReport) -> dict[str, Any]:
    """Return the report as plain values that JSON knows, in a fixed order."""
    verdict = report.verdict
    return {
        "format": FORMAT,
        "source": report.source,
        "outcome": outcome(report).lower(),
        "exit_code": int(report.exit_code),
        "policy": None
        if report.policy is None
        else {"name": report.policy, "sha256": report.policy_digest, "preset": report.preset},
        "table": {
            "records": report.records,
            "entities": report.entities,
            "columns": len(report.columns),
            "person": report.person,
        },
        "is_auto": report.is_auto,
        "thresholds": [] if verdict is None else [_threshold(result) for result in verdict.thresholds],
        "blocks": []
        if verdict is None
        else [{"rule": b.rule, "sentence": b.sentence, "is_internal": b.is_internal} for b in verdict.blocks],
        "undone": [_undone(undone) for undone in report.undone],
        "read_backs": [_read_back(read, report) for read in report.read_backs],
        "outside_qids": None if report.outside is None else _outside(report.outside),
        "accepted": [_accepted(one) for one in report.accepted],
        "noised": [_noised(one) for one in report.noised],
        "new_table": None if report.new_table is None else new_table_document(report.new_table),
        **({"isolated": [isolated_document(one) for one in report.isolated]} if report.isolated else {}),
        "classes": [_summary(summary) for summary in report.summaries],
        "columns": [_column(column) for column in report.columns],
        "notes": list(report.notes),
        "engine": report.engine,
        "versions": dict(sorted(report.versions.items())),
        "seconds": round(report.seconds, 6),
    }


def new_table_document(told: NewTableFacts) -> dict[str, Any]:
    """Return what a new table is as plain values, with the sentence on what its thresholds mean."""
    return {
        "kind": told.kind.value,
        "counts": told.counts,
        "is_guaranteed": told.is_guaranteed,
        "sentence": told.sentence,
    }


def _threshold(result: ThresholdResult) -> dict[str, Any]:
    figure = result.measurement
    value, remark = finite(figure.value)
    distance, _ = finite(result.distance)
    return {
        "metric": figure.metric,
        "title": figure.title,
        "combination": result.limit.combination,
        "qids": list(figure.qids),
        "sensitive": figure.sensitive,
        "arguments": {name: argument(given) for name, given in sorted(figure.arguments.items())},
        "value": value,
        "reason": figure.reason or remark,
        "unit": figure.unit,
        "bound": result.limit.bound.value,
        "limit": result.limit.value,
        "distance": distance,
        "is_met": result.is_met,
        "is_warning": not result.limit.is_blocking,
        "is_fault": figure.is_fault,
        "subsets": figure.subsets,
        "noised": None if figure.noised is None else noised_document(figure.noised),
        "interval": interval_document(figure),
        "remark": figure.remark,
        "sentence": threshold_sentence(result),
    }


def interval_document(figure: Measurement) -> dict[str, float] | None:
    """Return the interval of an estimate as plain values; None for what was counted."""
    if figure.interval is None:
        return None
    return {
        "low": figure.interval.low,
        "high": figure.interval.high,
        "confidence": figure.interval.confidence,
    }


def noised_document(noised: NoisedQids) -> dict[str, list[str]]:
    """Return how columns with noise were read as plain values.

    Example:
        >>> noised_document(NoisedQids(over=("sex",), left_out=("age",)))
        {'over': ['sex'], 'as_published': [], 'left_out': ['age']}
    """
    return {
        "over": list(noised.over),
        "as_published": list(noised.as_published),
        "left_out": list(noised.left_out),
    }


def finite(value: Number | None) -> tuple[Number | None, str]:
    """Return the value and no remark, or None and the words for what JSON has no number for.

    Example:
        >>> finite(5), finite(float("inf")), finite(None)
        ((5, ''), (None, 'infinite'), (None, 'not measured'))
    """
    if value is None:
        return None, "not measured"
    if math.isnan(value):
        return None, "not a number"
    if math.isinf(value):
        return None, "infinite" if value > 0 else "minus infinite"
    return value, ""


def argument(value: Any) -> Any:
    """Return the value of a parameter as JSON holds it.

    Example:
        >>> argument(5), argument(float("inf"))
        (5, 'infinite')
    """
    if isinstance(value, float) and not math.isfinite(value):
        return finite(value)[1]
    return plain(value)


def _summary(summary: ClassSummary) -> dict[str, Any]:
    return {
        "combination": summary.combination,
        "qids": list(summary.qids),
        "classes": summary.classes,
        "smallest": summary.smallest,
        "uniques": summary.uniques,
    }


def _undone(undone: Undone) -> dict[str, Any]:
    return {
        "columns": list(undone.columns),
        "qid": undone.qid,
        "kind": undone.kind,
        "part": undone.part,
        "beside": undone.beside,
        "persons": undone.persons,
        "generalized": undone.generalized,
        "precision": undone.precision,
        "is_undone": undone.is_undone,
        "accepted": undone.accepted,
        "sentence": undone_sentence(undone),
    }


def _read_back(read: ReadBack, report: AuditReport) -> dict[str, Any]:
    published = () if report.verdict is None else report.verdict.thresholds
    return {
        "columns": list(read.columns),
        "qids": list(read.qids),
        "is_accepted": read.is_accepted,
        "is_met": read.is_met,
        "thresholds": [_threshold(result) for result in read.thresholds],
        "uniques": read.uniques,
        "below": read.below,
        "sentence": read_back_sentence(read, published),
    }


def _outside(outside: OutsideQids) -> dict[str, Any]:
    return {
        "told_apart": [_told_apart(told) for told in outside.told_apart],
        "identifying": [_identifying(one) for one in outside.identifying],
    }


def _told_apart(told: ToldApart) -> dict[str, Any]:
    return {
        "columns": list(told.columns),
        "has_sensitive": told.has_sensitive,
        "alone": told.found.alone,
        "persons": told.found.persons,
        "share": told.found.share,
        "smallest": [{"columns": list(few.columns), "alone": few.alone} for few in told.smallest],
        "sentence": told_apart_sentences(told)[0],
    }


def _identifying(one: IdentifyingColumn) -> dict[str, Any]:
    return {
        "column": one.column,
        "role": one.role.value,
        "reason": one.reason,
        "alone": None if one.found is None else one.found.alone,
        "persons": None if one.found is None else one.found.persons,
        "accepted": one.accepted,
        "sentence": identifying_sentence(one),
    }


def _accepted(one: AcceptanceReport) -> dict[str, Any]:
    return {
        "columns": list(one.columns),
        "tells": one.tells,
        "reason": one.reason,
        "by": one.by,
        "is_needed": one.is_needed,
    }


def _noised(one: NoisedCombination) -> dict[str, Any]:
    return {
        "combination": one.combination,
        "qids": list(one.qids),
        "noised": list(one.noised),
        "sentence": one.sentence,
    }


def _sensitivity(column: ColumnReport) -> dict[str, Any] | None:
    why = column.sensitivity
    if why is None:
        return None
    return {
        "tier": why.tier.value,
        "category": why.category,
        "article": why.article,
        "sentence": why.sentence,
    }


def _column(column: ColumnReport) -> dict[str, Any]:
    facts, assignment = column.facts, column.assignment
    return {
        "name": facts.name,
        "role": assignment.role.value,
        "decided_by": assignment.decided_by.value,
        "reason": assignment.reason,
        "is_sensitive": assignment.is_sensitive,
        "sensitivity": _sensitivity(column),
        "proposals": [
            {
                "role": proposal.assignment.role.value,
                "confidence": proposal.confidence,
                "is_sure": proposal.is_sure,
                "decided_by": proposal.assignment.decided_by.value,
                "reason": proposal.assignment.reason,
            }
            for proposal in column.proposals
        ],
        "kind": None
        if column.kind is None
        else {
            "kind": column.kind.kind.value,
            "decided_by": column.kind.decided_by.value,
            "confidence": column.kind.confidence,
            "is_sure": column.kind.is_sure,
            "reason": column.kind.reason,
        },
        "type": facts.value_type.value,
        "distinct": facts.distinct,
        "missing": facts.missing,
        "not_a_number": facts.not_a_number,
        "risk": facts.risk,
    }


def json_text(report: AuditReport, advice: Mapping[str, Any] | None = None) -> str:
    """Return the document as JSON text, ASCII only, two spaces a level; with advice where there is some."""
    more = {} if advice is None else {"advice": dict(advice)}
    return json.dumps({**document(report), **more}, indent=2, allow_nan=False) + "\n"
