"""Pieces of HTML for notebooks: escaped, without script or style sheet, at home on dark and on light."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from qidguard.rendering.printable import visible

GOOD, BAD, NEUTRAL = "#1a7f37", "#c62828", "#1565c0"
"""Colors of badges; text takes the notebook's own."""

_BADGE = "color:#fff;font-weight:700;font-size:18px;padding:3px 12px;border-radius:4px;background:"
_CELL = (
    "padding:2px 12px 2px 0;border-bottom:1px solid rgba(128,128,128,.35);text-align:left;vertical-align:top"
)


def whole(parts: Iterable[str]) -> str:
    """Return pieces as one HTML element."""
    style = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.45;max-width:70em"
    return f'<div style="{style}">' + "".join(parts) + "</div>"


def html_page(
    *,
    word: str,
    is_good: bool,
    sentence: str,
    listing: tuple[str, Sequence[str], Iterable[Sequence[str]]] | None = None,
    lists: Mapping[str, Iterable[str]] | None = None,
    ending: str = "",
) -> str:
    """Return a result as one HTML element for a notebook: how it ended, a table, and lists.

    Args:
        word: How it ended, in a word.
        is_good: Whether that is good.
        sentence: What stands beside the word.
        listing: A table: its title, its heads and the cells of each row.
        lists: Heading → sentences; a list without any is left out.
        ending: What stands last.

    Example:
        >>> from qidguard.sdk import html_page
        >>> "&lt;b&gt;" in html_page(word="PASSED", is_good=True, sentence="<b>", lists={"Notes": ()})
        True
    """
    parts = [badge(word, GOOD if is_good else BAD, sentence)]
    if listing is not None:
        parts.append(table(*listing))
    parts += [items(title, sentences) for title, sentences in (lists or {}).items()]
    return whole([*parts, heading(ending) if ending else ""])


def badge(word: str, color: str, sentence: str) -> str:
    """Return how it ended: a word on a color, and a sentence beside it."""
    shape = f'<span style="{_BADGE}{color}">{escape(word)}</span>'
    return f'<div style="margin:4px 0 6px">{shape} <b style="margin-left:8px">{_text(sentence)}</b></div>'


def heading(words: str) -> str:
    """Return a heading."""
    return f'<div style="font-weight:700;margin:10px 0 2px">{_text(words)}</div>'


def items(title: str, sentences: Iterable[str]) -> str:
    """Return a list under its heading; nothing where it is empty."""
    listed = "".join(f"<li>{_text(sentence)}</li>" for sentence in sentences)
    return f'{heading(title)}<ul style="margin:0;padding-left:1.4em">{listed}</ul>' if listed else ""


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table under its heading; nothing where it has no row."""
    lines = ["".join(f'<td style="{_CELL}">{_text(cell)}</td>' for cell in row) for row in rows]
    if not lines:
        return ""
    heads = "".join(f'<th style="{_CELL}">{_text(cell)}</th>' for cell in header)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'{heading(title)}<table style="border-collapse:collapse"><tr>{heads}</tr>{body}</table>'


def _text(words: str) -> str:
    return escape(visible(words))
