"""A comparison on a console: one row a method, then which to take, and why the others do not do."""

from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qidguard.rendering import html
from qidguard.rendering.printable import ASCII, UNICODE, visible
from qidguard.trials.comparing.recommendation import sentences_of
from qidguard.trials.comparing.row import (
    AVERAGE_RISK,
    HIGHEST_RISK,
    INFORMATION_LOSS,
    LOSS,
    SMALLEST_CLASS,
    MethodRow,
    Status,
)

if TYPE_CHECKING:
    from qidguard.trials.comparing.comparison import Comparison

PLAIN_WIDTH = 110
"""Width of what is written to a file, in characters."""
MODEL_CHANGE = "model_f1_change"

_LONGEST_LABEL = 30
_BETWEEN = 3
"""Characters between two columns."""
_LEFT_OUT = (
    *("MB", "IL", "cells", "correlations", "s", "means", "highest risk", "NCP by groups", "1-way"),
    *("F1 change", "suppressed", "changed"),
)
"""Columns that a narrow table leaves out, in this order."""

_Column = tuple[str, Callable[[MethodRow], str]]

_STYLES = {
    Status.PASSED: "green",
    Status.BLOCKED: "red",
    Status.UNREACHABLE: "red",
    Status.FAILED: "bold red",
    Status.AS_IT_IS: "dim",
}


def console_text(comparison: "Comparison") -> str:
    """Return the comparison as plain text.

    Args:
        comparison: The comparison.

    Returns:
        Lines, each without white space at its end.

    Units:
        Risks and losses in percent; seconds; megabytes.
    """
    stream = StringIO()
    screen = Console(file=stream, width=PLAIN_WIDTH, markup=False, emoji=False, highlight=False)
    for part in parts(comparison, PLAIN_WIDTH):
        screen.print(part)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def html_text(comparison: "Comparison") -> str:
    """Return the comparison as one HTML element for a notebook."""
    rows = (comparison.original, *comparison.methods)
    columns = [column for column in _COLUMNS if any(column[1](row) for row in rows)]
    cells = [(row.label, _word(row), *(read(row) or "-" for _, read in columns)) for row in rows]
    best, missed = (
        comparison.best,
        [f"{row.label}: {text}" for row in comparison.methods for text in row.sentences],
    )
    word, color = ("NONE", html.BAD) if best is None else (best.label, html.GOOD)
    source = f"{comparison.source}: {comparison.records:,} records, policy {comparison.policy}"
    return html.whole(
        (
            html.badge(word, color, " ".join(recommended(comparison))),
            html.table(source, ("method", "policy", *(title for title, _ in columns)), cells),
            html.items("What the others miss", missed),
            html.items(
                "Attacks", [f"{row.label}: {attack.sentence}" for row in rows for attack in row.attacks]
            ),
            html.items("Noise", [f"{row.label}: {sentence}" for row in rows for sentence in row.noised]),
            html.heading("Interrupted: methods are missing.") if comparison.is_interrupted else "",
        )
    )


def parts(comparison: "Comparison", width: int, *, is_ascii: bool = False) -> Iterator[RenderableType]:
    """Yield what rich draws: the table, what is recommended, and the reasons of the rest.

    Args:
        comparison: The comparison.
        width: Characters a line; a narrow table leaves columns out.
        is_ascii: Whether the terminal knows ASCII only.

    Units:
        Risks and losses in percent; seconds; megabytes.
    """
    heading = (
        f"{visible(comparison.source)}: {comparison.records:,} records, policy {visible(comparison.policy)}"
    )
    yield Text(heading, "bold")
    yield _table(comparison, width, is_ascii=is_ascii)
    yield from (Text(words, "dim") for words in _legend(comparison, width))
    for line in recommended(comparison):
        yield Text(line)
    explained = [row for row in comparison.methods if row.sentences]
    if explained:
        yield Text("\nWhat the others miss", "bold underline")
    marks = ASCII if is_ascii else UNICODE
    for row in explained:
        yield Padding(Text(visible(row.label), "bold"), (0, 0, 0, 2))
        for sentence in row.sentences:
            yield Padding(Text(f"{marks.missed} {visible(sentence)}"), (0, 0, 0, 4))
    for row in comparison.methods:
        for attack in row.attacks:
            yield Padding(Text(f"{visible(row.label)}: {visible(attack.sentence)}"), (0, 0, 0, 2))
    for row in comparison.methods:
        for sentence in row.noised:
            yield Padding(Text(f"{visible(row.label)}: {visible(sentence)}"), (0, 0, 0, 2))
    if comparison.is_interrupted:
        yield Text("Interrupted: methods are missing.", "bold")


def recommended(comparison: "Comparison") -> Iterator[str]:
    """Yield which method to take and why, and which are beaten by another.

    Args:
        comparison: The comparison.

    Yields:
        Sentences.

    Units:
        Shares in percent.
    """
    best = comparison.best
    if best is None:
        yield "No method makes the policy hold."
        return
    found = comparison.recommendation
    if LOSS in best.figures:
        loss = _percent(best.figures[LOSS])
        yield f"{visible(best.label)} loses least ({loss} NCP) among those on which the policy holds."
    else:
        yield (
            f"{visible(best.label)} leaves least average risk among those on which the policy holds; NCP was"
            " not measured."
        )
    yield from (visible(sentence) for sentence in (sentences_of(found) if found is not None else ()))
    front = {row.label for row in comparison.frontier}
    beaten = [visible(row.label) for row in comparison.methods if row.is_made and row.label not in front]
    if beaten:
        yield f"Beaten in both risk and loss, or equal in one and worse in the other: {', '.join(beaten)}."


def _table(comparison: "Comparison", width: int, *, is_ascii: bool) -> Table:
    rows = (comparison.original, *comparison.methods)
    columns = _fitting(rows, width)
    table = Table(box=box.ASCII if is_ascii else box.SIMPLE, pad_edge=False, padding=(0, 1))
    table.add_column("method", overflow="fold", max_width=_LONGEST_LABEL)
    table.add_column("policy", no_wrap=True)
    for title, _ in columns:
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        cells = [read(row) or "-" for _, read in columns]
        style = _STYLES[row.status] if row.status is not Status.PASSED else ""
        is_best = comparison.best is not None and row.label == comparison.best.label
        name = Text(visible(row.label), "bold" if is_best else "")
        table.add_row(name, Text(_word(row), _STYLES[row.status]), *(Text(cell, style) for cell in cells))
    return table


def _fitting(rows: Sequence[MethodRow], width: int) -> list[_Column]:
    """Return the columns that some row fills, as many as there is room for."""
    columns = [column for column in _COLUMNS if any(column[1](row) for row in rows)]
    label = min(_LONGEST_LABEL, max(len(visible(row.label)) for row in rows))
    room = width - label - max(len(_word(row)) for row in rows) - 2 * _BETWEEN

    def needed() -> int:
        return sum(max(len(title), *(len(read(row)) for row in rows)) + _BETWEEN for title, read in columns)

    for title in _LEFT_OUT:
        if needed() <= room:
            break
        columns = [column for column in columns if column[0] != title]
    return columns


def _legend(comparison: "Comparison", width: int) -> Iterator[str]:
    """Yield what the titles of measures mean, as far as they are shown."""
    titles = {title for title, _ in _fitting((comparison.original, *comparison.methods), width)}
    said = [words for title, words in _WORDS.items() if title in titles]
    if said:
        yield f"{'; '.join(said)}. Smaller is better."


_WORDS = {
    "NCP": "NCP: share of detail lost, a set by its own values",
    "NCP by groups": "by groups: a set by the group of its hierarchy",
    "1-way": "1-way: tables of one quasi-identifier moved, at most",
    "2-way": "2-way: tables of two moved, on average",
    "means": "means: moved by standard deviations",
    "changed": "changed: cells that are not the original's",
}


def _word(row: MethodRow) -> str:
    if row.status is Status.AS_IT_IS:
        return "holds" if row.is_passed else "does not hold"
    words = {Status.PASSED: "holds", Status.BLOCKED: "does not hold", Status.UNREACHABLE: "cannot"}
    return words.get(row.status, "FAILED")


def _figure(row: MethodRow, metric: str, *, is_share: bool = True) -> str:
    if metric not in row.figures:
        return ""
    value = row.figures[metric]
    return _percent(value) if is_share else f"{value:,.4g}"


def _percent(share: float) -> str:
    return f"{share * 100:.3g} %"


def _excess(row: MethodRow) -> str:
    return _percent(max(attack.excess for attack in row.attacks)) if row.attacks else ""


_COLUMNS: tuple[_Column, ...] = (
    ("k", lambda row: _figure(row, SMALLEST_CLASS, is_share=False)),
    ("highest risk", lambda row: _figure(row, HIGHEST_RISK)),
    ("average risk", lambda row: _figure(row, AVERAGE_RISK)),
    ("NCP", lambda row: _figure(row, LOSS)),
    ("NCP by groups", lambda row: _figure(row, "hierarchy_ncp")),
    ("1-way", lambda row: _figure(row, "marginal_total_variation")),
    ("2-way", lambda row: _figure(row, "two_way_total_variation")),
    ("correlations", lambda row: _figure(row, "correlation_shift", is_share=False)),
    ("means", lambda row: _figure(row, "mean_shift", is_share=False)),
    ("IL", lambda row: _figure(row, INFORMATION_LOSS, is_share=False)),
    ("F1 change", lambda row: _figure(row, MODEL_CHANGE, is_share=False)),
    ("attack excess", _excess),
    ("rehearsed, charges", lambda row: row.would_charge or ""),
    (
        "suppressed",
        lambda row: "" if row.records_suppressed is None else f"{row.records_suppressed:,}",
    ),
    ("changed", lambda row: "" if row.changed_share is None else _percent(row.changed_share)),
    ("cells", lambda row: "" if row.cells_changed is None else f"{row.cells_changed:,}"),
    ("s", lambda row: "" if row.seconds is None else f"{row.seconds:.2f}"),
    ("MB", lambda row: "" if row.peak_bytes is None else f"{row.peak_bytes / 1e6:,.0f}"),
)
"""Titles of the columns, and what a row has in each; a column that no row fills is left out."""
