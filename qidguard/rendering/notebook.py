"""The report as an HTML fragment for notebooks: no script, no style sheet, at home on dark and on light."""

from collections.abc import Iterator
from dataclasses import replace

from qidguard.core.report import AuditReport, ColumnReport
from qidguard.core.verdict import ThresholdResult
from qidguard.rendering import html
from qidguard.rendering.columns import GIVEN_BY, column_notes, kind_word, selected
from qidguard.rendering.figure import short_share
from qidguard.rendering.isolated import isolated_sentences
from qidguard.rendering.outside import (
    has_outside,
    identifying_line,
    outside_sentences,
    told_apart_sentences,
)
from qidguard.rendering.printable import listed, shown_name
from qidguard.rendering.sentence import headline, outcome, reasons, summary_sentence, table_sentence
from qidguard.rendering.threshold import demand, distance, measured, place, subject
from qidguard.rendering.undone import read_back_aside

_BADGE = {"PASSED": ("✓ ", html.GOOD), "BLOCKED": ("✗ ", html.BAD), "DESCRIBED": ("", html.NEUTRAL)}
_MET, _MISSED, _ORANGE = "#2e9e4f", "#e5484d", "#e08a00"
_NAME_LONGEST = 40


def to_html_fragment(report: AuditReport) -> str:
    """Return the report as one HTML element."""
    said = outside_sentences(report)
    notes = (note for note in report.notes if note not in said)
    parts = (_verdict(report), *_reasons(report), *_thresholds(report), _classes(report), _outside(report))
    return html.whole((*parts, *_columns(report), html.items("Notes", notes)))


def _verdict(report: AuditReport) -> str:
    word = outcome(report)
    mark, color = _BADGE[word]
    facts = [f"{report.source}: {table_sentence(report)}"]
    if report.policy is not None:
        facts.append(f"policy {shown_name(report.policy)}")
    if report.preset is not None:
        facts.append(f"preset {shown_name(report.preset)}")
    facts.append(f"{report.engine}, {report.seconds:.1f} s")
    return html.badge(f"{mark}{word}", color, headline(report), " · ".join(facts))


def _reasons(report: AuditReport) -> Iterator[str]:
    if report.verdict is None or report.is_passed:
        return
    yield html.items("Why it is blocked", reasons(report))
    if report.isolated:
        yield html.items("Isolated over releases", isolated_sentences(report))


def _thresholds(report: AuditReport) -> Iterator[str]:
    if report.verdict is None:
        return
    yield _threshold_table("Thresholds", report.verdict.thresholds)
    for read in report.read_backs:
        yield _threshold_table(f"Read back: {read_back_aside(read)}", read.thresholds)


def _threshold_table(title: str, results: tuple[ThresholdResult, ...]) -> str:
    rows = []
    for result in results:
        mark, color = (
            ("✗", _MISSED) if result.is_blocking else ("✓", _MET) if result.is_met else ("!", _MISSED)
        )
        rows.append(
            (
                html.sign(mark, color),
                subject(result.measurement),
                measured(result),
                demand(result.limit, result.measurement.unit),
                distance(result),
                place(result.measurement, result.limit.combination),
            )
        )
    return html.table(title, ("", "metric", "measured", "must be", "distance", "where"), rows, (2,))


def _classes(report: AuditReport) -> str:
    sentences = (
        f"{shown_name(s.combination)}, over {listed(s.qids)}: {summary_sentence(s, report.person)}"
        for s in report.summaries
    )
    return html.items("Equivalence classes", sentences)


def _outside(report: AuditReport) -> str:
    if not has_outside(report) or report.outside is None:
        return ""
    told = (" ".join(told_apart_sentences(one)) for one in report.outside.told_apart)
    named = (identifying_line(one, report) for one in report.outside.identifying)
    return html.items("Outside the QIDs", (*told, *named))


def _columns(report: AuditReport) -> Iterator[str]:
    selection = selected(report.columns)
    selection = replace(
        selection,
        columns=(*selection.columns, *selection.more_qids),
        left_out=selection.unseen,
        more_qids=(),
    )
    rows = [_column(c, report) for _, columns in selection.by_role() for c in columns]
    names = ("column", "role", "role by", "kind", "type", "distinct", "missing", "risk", "", "notes")
    yield html.table("Columns", names, rows, (5, 6, 7))
    if selection.left_out:
        yield html.aside(
            f"{selection.left_out:,} more columns are left out, insensitive and low-risk ones first."
        )


def _column(column: ColumnReport, report: AuditReport) -> tuple[str, ...]:
    facts = column.facts
    missing = facts.missing / facts.records if facts.records else 0.0
    return (
        shown_name(facts.name, _NAME_LONGEST),
        column.assignment.role.value.replace("quasi_", "quasi-").replace("_", " "),
        GIVEN_BY[column.assignment.decided_by],
        kind_word(column) if column.kind else "",
        facts.value_type.value,
        f"{facts.distinct:,}",
        short_share(missing),
        short_share(facts.risk),
        html.bar(facts.risk, _ORANGE),
        column_notes(column, report),
    )
