"""A discovery as an HTML fragment for notebooks: no script, no style sheet, at home on dark and on light."""

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from qidguard.discovering import wording
from qidguard.discovering.answered import answer_html, choice_sentence
from qidguard.discovering.found import ColumnFinding
from qidguard.rendering.printable import shown_name, visible
from qidguard.search.protocol import StoppedBy

if TYPE_CHECKING:
    from qidguard.discovering.discovery import Discovery

_CELL = (
    "padding:2px 12px 2px 0;border-bottom:1px solid rgba(128,128,128,.35);text-align:left;vertical-align:top"
)
_BADGE = "color:#fff;font-weight:700;font-size:18px;padding:3px 12px;border-radius:4px;background:"
_BAR = "width:80px;background:rgba(128,128,128,.25);margin-top:5px"


def to_html_fragment(discovery: "Discovery") -> str:
    """Return the discovery as one HTML element.

    Args:
        discovery: The discovery; names and sentences in it are escaped.

    Returns:
        A ``div`` with inline styles.

    Units:
        Figures carry theirs; shares in percent.

    Example:
        >>> from qidguard.discovering.example import small
        >>> to_html_fragment(small())[:5]
        '<div '
    """
    is_whole = discovery.search.stopped_by is StoppedBy.FINISHED
    word, color = ("FOUND", "#1565c0") if is_whole else ("FOUND SO FAR", "#b26a00")
    sets = (
        (
            str(place),
            wording.compared(one),
            wording.columns_of(one, discovery.best),
            wording.figures(one, discovery.terms),
        )
        for place, one in enumerate(discovery.sets, start=1)
    )
    steps = (
        [wording.step(entry, discovery.terms) for entry in discovery.explained[0]]
        if discovery.explained
        else []
    )
    badge = f'<span style="{_BADGE}{color}">{word}</span>'
    headline = escape(wording.headline(discovery))
    body = [
        f'<div style="margin:4px 0 6px">{badge} <b style="margin-left:8px">{headline}</b></div>',
        f"<div>{escape(wording.table_sentence(discovery))}</div>",
        f'<div style="opacity:.7">{escape(wording.search_sentence(discovery))}</div>',
        f"<div>{escape(choice_sentence(discovery))}</div>" if discovery.search.choice is not None else "",
        _table("Best sets", ("", "fitness", "columns", "figures"), sets),
        _table("Why these columns", ("column", "fitness", "what moved"), steps),
        _columns(discovery),
        _table(
            "Not searched", ("column", "why"), [(shown_name(n), w) for n, w in discovery.left_out.items()]
        ),
        _scores(discovery),
        answer_html(discovery, _heading("{}")),
        _heading("Notes"),
        "<ul>" + "".join(f"<li>{escape(visible(note))}</li>" for note in discovery.notes) + "</ul>",
    ]
    style = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.45;max-width:70em"
    return f'<div style="{style}">' + "".join(body) + "</div>"


def _heading(words: str) -> str:
    return f'<div style="font-weight:700;margin:10px 0 2px">{escape(words)}</div>'


def _table(title: str, header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = ["".join(f'<td style="{_CELL}">{escape(visible(cell))}</td>' for cell in row) for row in rows]
    if not lines:
        return ""
    heads = "".join(f'<th style="{_CELL}">{escape(visible(cell))}</th>' for cell in header)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'{_heading(title)}<table style="border-collapse:collapse"><tr>{heads}</tr>{body}</table>'


def _columns(discovery: "Discovery") -> str:
    rows = []
    for column in sorted(discovery.columns, key=lambda c: (-c.is_found, -c.share)):
        if column.why_not:
            continue
        filled = f'<div style="width:{column.share * 100:.0f}%;background:#1565c0;height:9px"></div>'
        name = escape(shown_name(column.facts.name))
        rows.append(
            f'<tr><td style="{_CELL}">{f"<b>{name}</b>" if column.is_found else name}</td>'
            f'<td style="{_CELL}"><div style="{_BAR}">{filled}</div></td>'
            f'<td style="{_CELL}">{column.share:.0%}</td>{_plausible(column)}</tr>'
        )
    title = f"Columns: share of the {len(discovery.sets)} best sets"
    return f'{_heading(title)}<table style="border-collapse:collapse">{"".join(rows)}</table>'


def _plausible(column: ColumnFinding) -> str:
    known = column.plausibility
    return "" if known is None else f'<td style="{_CELL}">plausible {known.share:g}: {escape(known.why)}</td>'


def _scores(discovery: "Discovery") -> str:
    if discovery.truth is None:
        return ""
    rows = [(name, *scores) for name, scores in wording.score_rows(discovery)]
    return _table("Against the truth", ("score", *wording.score_header(discovery)), rows)
