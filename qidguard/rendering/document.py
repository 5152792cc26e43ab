"""The report as a JSON document: stable, versioned, and without a bare infinity or NaN."""

import json
from typing import Any

from qidguard.core.new_table import NewTableFacts
from qidguard.core.noised import NoisedQids
from qidguard.core.outside import IdentifyingColumn, OutsideQids, ToldApart
from qidguard.core.report import AuditReport, ColumnReport, ReadBack
from qidguard.core.verdict import ThresholdResult
from qidguard.rendering.audit_document import (
    FORMAT,
    AcceptedDocument,
    AdviceDocument,
    AuditDocument,
    BlockDocument,
    ClassesDocument,
    ColumnDocument,
    IdentifyingDocument,
    IntervalDocument,
    IsolatedDocument,
    KindDocument,
    NewTableDocument,
    NoAdviceDocument,
    NoisedDocument,
    NoisedQidsDocument,
    OutsideDocument,
    PolicyDocument,
    ProposalDocument,
    ReadBackDocument,
    SensitivityDocument,
    TableDocument,
    TellingDocument,
    ThresholdDocument,
    ToldApartDocument,
    UndoneDocument,
)
from qidguard.rendering.figure import argument, finite
from qidguard.rendering.outside import identifying_sentence, told_apart_sentences
from qidguard.rendering.threshold import threshold_sentence
from qidguard.rendering.undone import read_back_sentence, undone_sentence


def audit_document(
    report: AuditReport, advice: AdviceDocument | NoAdviceDocument | None = None
) -> AuditDocument:
    """Return the report as the document, with advice where there is some."""
    verdict, policy = report.verdict, report.policy
    results = () if verdict is None else verdict.thresholds
    return AuditDocument.of(
        report,
        format=FORMAT,
        outcome="described" if verdict is None else "passed" if report.is_passed else "blocked",
        policy=None
        if policy is None
        else PolicyDocument(name=policy, sha256=report.policy_digest, preset=report.preset),
        table=TableDocument.of(report, columns=len(report.columns)),
        thresholds=tuple(map(_threshold, results)),
        blocks=() if verdict is None else BlockDocument.of_each(verdict.blocks),
        undone=tuple(UndoneDocument.of(one, sentence=undone_sentence(one)) for one in report.undone),
        read_backs=tuple(_read_back(read, results) for read in report.read_backs),
        outside_qids=None if report.outside is None else _outside(report.outside),
        accepted=AcceptedDocument.of_each(report.accepted),
        noised=NoisedDocument.of_each(report.noised),
        new_table=NewTableDocument.of_any(report.new_table),
        isolated=IsolatedDocument.of_each(report.isolated),
        classes=ClassesDocument.of_each(report.summaries),
        columns=tuple(map(_column, report.columns)),
        versions=dict(sorted(report.versions.items())),
        advice=advice,
    )


def document(report: AuditReport) -> dict[str, Any]:
    """Return the report as plain values that JSON knows, in a fixed order."""
    return audit_document(report).model_dump(mode="json")


def json_text(report: AuditReport, advice: AdviceDocument | NoAdviceDocument | None = None) -> str:
    """Return the document as JSON text, ASCII only, two spaces a level; with advice where there is some."""
    plain_values = audit_document(report, advice).model_dump(mode="json")
    return json.dumps(plain_values, indent=2, allow_nan=False) + "\n"


def new_table_document(told: NewTableFacts) -> dict[str, str | bool | None]:
    """Return what a new table is as plain values, with the sentence on what its thresholds mean."""
    return NewTableDocument.of(told).model_dump(mode="json")


def noised_document(noised: NoisedQids) -> dict[str, list[str]]:
    """Return how columns with noise were read as plain values.

    Example:
        >>> noised_document(NoisedQids(over=("sex",), left_out=("age",)))
        {'over': ['sex'], 'as_published': [], 'left_out': ['age']}
    """
    return NoisedQidsDocument.of(noised).model_dump(mode="json")


def _threshold(result: ThresholdResult) -> ThresholdDocument:
    figure, limit = result.measurement, result.limit
    value, remark = finite(figure.value)
    return ThresholdDocument.of(
        figure,
        combination=limit.combination,
        arguments={name: argument(given) for name, given in sorted(figure.arguments.items())},
        value=value,
        reason=figure.reason or remark,
        bound=limit.bound,
        limit=limit.value,
        distance=finite(result.distance)[0],
        is_met=result.is_met,
        is_warning=not limit.is_blocking,
        noised=NoisedQidsDocument.of_any(figure.noised),
        interval=IntervalDocument.of_any(figure.interval),
        sentence=threshold_sentence(result),
    )


def _read_back(read: ReadBack, published: tuple[ThresholdResult, ...]) -> ReadBackDocument:
    thresholds = tuple(map(_threshold, read.thresholds))
    return ReadBackDocument.of(read, thresholds=thresholds, sentence=read_back_sentence(read, published))


def _outside(outside: OutsideQids) -> OutsideDocument:
    return OutsideDocument(
        told_apart=tuple(map(_told_apart, outside.told_apart)),
        identifying=tuple(map(_identifying, outside.identifying)),
    )


def _told_apart(told: ToldApart) -> ToldApartDocument:
    return ToldApartDocument.of(
        told,
        alone=told.found.alone,
        persons=told.found.persons,
        share=told.found.share,
        smallest=TellingDocument.of_each(told.smallest),
        sentence=told_apart_sentences(told)[0],
    )


def _identifying(one: IdentifyingColumn) -> IdentifyingDocument:
    return IdentifyingDocument.of(
        one,
        alone=None if one.found is None else one.found.alone,
        persons=None if one.found is None else one.found.persons,
        sentence=identifying_sentence(one),
    )


def _column(column: ColumnReport) -> ColumnDocument:
    assignment = column.assignment
    return ColumnDocument.of(
        column.facts,
        role=assignment.role,
        decided_by=assignment.decided_by,
        reason=assignment.reason,
        is_sensitive=assignment.is_sensitive,
        sensitivity=SensitivityDocument.of_any(column.sensitivity),
        proposals=tuple(
            ProposalDocument.of(proposal.assignment, confidence=proposal.confidence, is_sure=proposal.is_sure)
            for proposal in column.proposals
        ),
        kind=KindDocument.of_any(column.kind),
        type=column.facts.value_type,
    )
