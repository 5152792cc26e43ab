"""The report as an HTML fragment for notebooks: no script, no style sheet, at home on dark and on light."""

from collections.abc import Iterator
from dataclasses import replace
from html import escape

from qidguard.core.report import AuditReport, ColumnReport
from qidguard.core.verdict import ThresholdResult
from qidguard.rendering.columns import GIVEN_BY, column_notes, kind_word, selected
from qidguard.rendering.figure import short_share
from qidguard.rendering.isolated import isolated_sentences
from qidguard.rendering.outside import (
    has_outside,
    identifying_line,
    outside_sentences,
    told_apart_sentences,
)
from qidguard.rendering.printable import listed, shown_name, visible
from qidguard.rendering.sentence import headline, outcome, reasons, summary_sentence, table_sentence
from qidguard.rendering.threshold import demand, distance, measured, place, subject
from qidguard.rendering.undone import read_back_aside

# Text takes the notebook's own color; only signs and badges have one, readable on black and on white.
_BADGE = {"PASSED": "#1a7f37", "BLOCKED": "#c62828", "DESCRIBED": "#1565c0"}
_BADGE_SHAPE = "color:#fff;font-weight:700;font-size:18px;padding:3px 12px;border-radius:4px"
_SIGN = {"PASSED": "✓ ", "BLOCKED": "✗ ", "DESCRIBED": ""}
_BAR, _BAR_FULL = (
    "width:80px;background:rgba(128,128,128,.25);margin-top:5px",
    "height:9px;background:#e08a00",
)
_GOOD, _BAD = "#2e9e4f", "#e5484d"
_LINE = "1px solid rgba(128,128,128,.35)"
_CELL = f"padding:2px 12px 2px 0;border-bottom:{_LINE};text-align:left;vertical-align:top"
_WORD = f"{_CELL};white-space:nowrap"
_NAME_LONGEST = 40
_NUMBER = _CELL.replace("text-align:left", "text-align:right;white-space:nowrap")


def to_html_fragment(report: AuditReport) -> str:
    """Return the report as one HTML element."""
    parts = [*_verdict(report), *_reasons(report), *_thresholds(report), *_classes(report), *_outside(report)]
    parts += _columns(report)
    said = outside_sentences(report)
    notes = [visible(note) for note in report.notes if note not in said]
    if notes:
        parts.append(_heading("Notes") + _items(notes))
    style = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.45;max-width:70em"
    return f'<div style="{style}">' + "".join(parts) + "</div>"


def _verdict(report: AuditReport) -> Iterator[str]:
    word = outcome(report)
    badge = f"background:{_BADGE[word]};{_BADGE_SHAPE}"
    yield (
        f'<div style="margin:4px 0 6px"><span style="{badge}">{_SIGN[word]}{word}</span> '
        f'<b style="margin-left:8px">{escape(headline(report))}</b></div>'
    )
    facts = [f"{visible(report.source)}: {table_sentence(report)}"]
    if report.policy is not None:
        facts.append(f"policy {shown_name(report.policy)}")
    if report.preset is not None:
        facts.append(f"preset {shown_name(report.preset)}")
    facts.append(f"{visible(report.engine)}, {report.seconds:.1f} s")
    yield f'<div style="opacity:.75">{escape(" · ".join(facts))}</div>'


def _reasons(report: AuditReport) -> Iterator[str]:
    if report.verdict is None or report.is_passed:
        return
    yield _heading("Why it is blocked") + _items(reasons(report))
    if report.isolated:
        yield _heading("Isolated over releases") + _items(isolated_sentences(report))


def _thresholds(report: AuditReport) -> Iterator[str]:
    if report.verdict is None or not report.verdict.thresholds:
        return
    yield _heading("Thresholds") + _threshold_table(report.verdict.thresholds)
    for read in report.read_backs:
        if read.thresholds:
            yield _heading(f"Read back: {read_back_aside(read)}") + _threshold_table(read.thresholds)


def _threshold_table(results: tuple[ThresholdResult, ...]) -> str:
    rows = []
    for result in results:
        sign, color = ("✗", _BAD) if result.is_blocking else ("✓", _GOOD) if result.is_met else ("!", _BAD)
        rows.append(
            f'<td style="{_CELL};color:{color};font-weight:700">{sign}</td>'
            + _cell(subject(result.measurement))
            + _cell(measured(result), _NUMBER)
            + _cell(demand(result.limit, result.measurement.unit))
            + _cell(distance(result))
            + _cell(place(result.measurement, result.limit.combination))
        )
    return _table(("", "metric", "measured", "must be", "distance", "where"), rows)


def _classes(report: AuditReport) -> Iterator[str]:
    if not report.summaries:
        return
    sentences = [
        f"{shown_name(s.combination)}, over {listed(s.qids)}: {summary_sentence(s, report.person)}"
        for s in report.summaries
    ]
    yield _heading("Equivalence classes") + _items(sentences)


def _outside(report: AuditReport) -> Iterator[str]:
    if not has_outside(report) or report.outside is None:
        return
    told = (" ".join(told_apart_sentences(one)) for one in report.outside.told_apart)
    named = (identifying_line(one, report) for one in report.outside.identifying)
    yield _heading("Outside the QIDs") + _items([visible(line) for line in (*told, *named)])


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
    yield _heading("Columns") + _table(names, rows)
    if selection.left_out:
        left_out = f"{selection.left_out:,} more columns are left out, insensitive and low-risk ones first."
        yield f"<div><i>{left_out}</i></div>"


def _column(column: ColumnReport, report: AuditReport) -> str:
    facts = column.facts
    missing = facts.missing / facts.records if facts.records else 0.0
    full = f"width:{facts.risk * 100:.1f}%;min-width:{1 if facts.risk else 0}px;{_BAR_FULL}"
    bar = f'<div style="{_BAR}"><div style="{full}"></div></div>'
    return (
        _cell(shown_name(facts.name, _NAME_LONGEST), _WORD)
        + _cell(column.assignment.role.value.replace("quasi_", "quasi-").replace("_", " "), _WORD)
        + _cell(GIVEN_BY[column.assignment.decided_by])
        + _cell(kind_word(column) if column.kind else "")
        + _cell(facts.value_type.value)
        + _cell(f"{facts.distinct:,}", _NUMBER)
        + _cell(short_share(missing), _NUMBER)
        + _cell(short_share(facts.risk), _NUMBER)
        + f'<td style="{_CELL}">{bar}</td>'
        + _cell(column_notes(column, report))
    )


def _heading(words: str) -> str:
    return f'<div style="font-weight:700;margin:10px 0 2px">{escape(words)}</div>'


def _items(sentences: Iterator[str] | list[str]) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f'<ul style="margin:0;padding-left:1.4em">{items}</ul>'


def _cell(text: str, style: str = _CELL) -> str:
    return f'<td style="{style}">{escape(visible(text))}</td>'


def _table(names: tuple[str, ...], rows: list[str]) -> str:
    head = "".join(f'<th style="{_CELL};font-weight:600;opacity:.75">{escape(name)}</th>' for name in names)
    body = "".join(f'<tr style="background:transparent">{row}</tr>' for row in rows)
    table = "border-collapse:collapse;font-size:13px;margin:0;color:inherit"
    return f'<table style="{table}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
