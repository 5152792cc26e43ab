"""Pieces of HTML for notebooks: escaped, without script or style sheet, at home on dark and on light."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from qidguard.rendering.printable import visible

GOOD, BAD, NEUTRAL, UNSURE = "#1a7f37", "#c62828", "#1565c0", "#b26a00"
"""Colors of badges, signs and bars; text takes the notebook's own."""

_BADGE = "color:#fff;font-weight:700;font-size:18px;padding:3px 12px;border-radius:4px;background:"
_CELL = "padding:2px 12px 2px 0;border-bottom:1px solid rgba(128,128,128,.35);vertical-align:top;"
_TABLE = "border-collapse:collapse;font-size:13px;margin:0;color:inherit"


class Markup(str):
    """Text that is HTML already; any other is escaped where it is put into a page."""

    __slots__ = ()


def whole(parts: Iterable[str]) -> str:
    """Return pieces as one HTML element."""
    style = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.45;max-width:70em"
    return f'<div style="{style}">' + "".join(parts) + "</div>"


def html_page(
    *,
    word: str,
    is_good: bool,
    sentence: str,
    listing: tuple[str, Sequence[str], Iterable[Sequence[str]], Sequence[int]] | None = None,
    lists: Mapping[str, Iterable[str]] | None = None,
    ending: str = "",
) -> str:
    """Return a result as one HTML element for a notebook: how it ended, a table, and lists.

    Args:
        word: How it ended, in a word.
        is_good: Whether that is good.
        sentence: What stands beside the word.
        listing: A table: its title, its heads, the cells of each row, and which columns hold figures.
        lists: Heading → sentences; a list without any is left out.
        ending: What stands last.
    """
    parts = [badge(word, GOOD if is_good else BAD, sentence)]
    if listing is not None:
        parts.append(table(*listing))
    parts += [items(title, sentences) for title, sentences in (lists or {}).items()]
    return whole([*parts, heading(ending) if ending else ""])


def badge(word: str, color: str, sentence: str, *beneath: str) -> str:
    """Return how it ended: a word on a color, a sentence beside it, and lines of facts beneath."""
    shape = f'<span style="{_BADGE}{color}">{escape(word)}</span>'
    first = f'<div style="margin:4px 0 6px">{shape} <b style="margin-left:8px">{_text(sentence)}</b></div>'
    return first + "".join(f'<div style="opacity:.75">{_text(words)}</div>' for words in beneath if words)


def heading(words: str) -> str:
    """Return a heading."""
    return f'<div style="font-weight:700;margin:10px 0 2px">{_text(words)}</div>'


def aside(words: str) -> str:
    """Return a remark on what stands above it; nothing where there is none."""
    return f"<div><i>{_text(words)}</i></div>" if words else ""


def items(title: str, sentences: Iterable[str]) -> str:
    """Return a list under its heading; nothing where it is empty."""
    listed = "".join(f"<li>{_text(sentence)}</li>" for sentence in sentences)
    return f'{heading(title)}<ul style="margin:0;padding-left:1.4em">{listed}</ul>' if listed else ""


def table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], figures: Sequence[int] = ()
) -> str:
    """Return a table under its heading; nothing where it has no row."""
    found = tuple(rows)
    return heading(title) + grid(header, found, figures) if found else ""


def grid(header: Sequence[str], rows: Iterable[Sequence[str]], figures: Sequence[int] = ()) -> str:
    """Return a table without a heading, with columns of figures to the right."""
    heads = "".join(_cell("th", name, at in figures) for at, name in enumerate(header))
    lines = ("".join(_cell("td", cell, at in figures) for at, cell in enumerate(row)) for row in rows)
    body = "".join(f'<tr style="background:transparent">{line}</tr>' for line in lines)
    return f'<table style="{_TABLE}"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'


def sign(words: str, color: str) -> Markup:
    """Return a sign in a color, as a cell of a table."""
    return Markup(f'<b style="color:{color}">{escape(words)}</b>')


def bold(words: str) -> Markup:
    """Return what stands out among its like, as a cell of a table."""
    return Markup(f"<b>{_text(words)}</b>")


def bar(share: float, color: str) -> Markup:
    """Return a share as a bar, as a cell of a table; one above 0 always shows."""
    filled = f"height:9px;background:{color};width:{share * 100:.1f}%;min-width:{1 if share else 0}px"
    around = "width:80px;background:rgba(128,128,128,.25);margin-top:5px"
    return Markup(f'<div style="{around}"><div style="{filled}"></div></div>')


def _cell(tag: str, words: str, is_figure: bool) -> str:  # noqa: FBT001 - the side that it stands on
    side = "text-align:right;white-space:nowrap" if is_figure else "text-align:left"
    return f'<{tag} style="{_CELL}{side}">{_text(words)}</{tag}>'


def _text(words: str) -> str:
    return words if isinstance(words, Markup) else escape(visible(words))
