"""A comparison on a console: one row a method, then which to take, and why the others do not do."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qidguard.sdk import html_page, visible
from qidguard_comparison.recommendation import sentences_of
from qidguard_comparison.row import (
    AVERAGE_RISK,
    HIGHEST_RISK,
    INFORMATION_LOSS,
    LOSS,
    SMALLEST_CLASS,
    MethodRow,
    Status,
)

if TYPE_CHECKING:
    from qidguard_comparison.comparison import Comparison

A_PAGE = 110
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


def html_text(comparison: "Comparison") -> str:
    """Return the comparison as one HTML element for a notebook."""
    rows, columns = _filled(comparison)
    best = comparison.best
    cells = [(row.label, _word(row), *(read(row) or "-" for _, read in columns)) for row in rows]
    return html_page(
        word="NONE" if best is None else best.label,
        is_good=best is not None,
        sentence=" ".join(recommended(comparison)),
        listing=(_heading(comparison), ("method", "policy", *(title for title, _ in columns)), cells),
        lists={
            "What the others miss": [
                f"{row.label}: {text}" for row in comparison.methods for text in row.sentences
            ],
            "Attacks": _beside(rows, attacks=True),
            "Noise": _beside(rows, attacks=False),
        },
        ending=_INTERRUPTED if comparison.is_interrupted else "",
    )


def parts(
    comparison: "Comparison", width: int = A_PAGE, *, is_ascii: bool = False
) -> Iterator[RenderableType]:
    """Yield what rich draws: the table, what is recommended, and the reasons of the rest.

    Args:
        comparison: The comparison.
        width: Characters a line; a narrow table leaves columns out.
        is_ascii: Whether the terminal knows ASCII only.

    Units:
        Risks and losses in percent; seconds; megabytes.
    """
    yield Text(visible(_heading(comparison)), "bold")
    yield _table(comparison, width, is_ascii=is_ascii)
    yield from (Text(words, "dim") for words in _legend(comparison, width))
    for line in recommended(comparison):
        yield Text(line)
    explained = [row for row in comparison.methods if row.sentences]
    if explained:
        yield Text("\nWhat the others miss", "bold underline")
    missed = "NO" if is_ascii else "✗"
    for row in explained:
        yield Padding(Text(visible(row.label), "bold"), (0, 0, 0, 2))
        for sentence in row.sentences:
            yield Padding(Text(f"{missed} {visible(sentence)}"), (0, 0, 0, 4))
    for has_attacks in (True, False):
        for line in _beside(comparison.methods, attacks=has_attacks):
            yield Padding(Text(visible(line)), (0, 0, 0, 2))
    if comparison.is_interrupted:
        yield Text(_INTERRUPTED, "bold")


_INTERRUPTED = "Interrupted: methods are missing."


def _heading(comparison: "Comparison") -> str:
    return f"{comparison.source}: {comparison.records:,} records, policy {comparison.policy}"


def _beside(rows: Sequence[MethodRow], *, attacks: bool) -> list[str]:
    """Return what attacks found, or what was noised, each after its method."""
    said = [(row, [one.sentence for one in row.attacks] if attacks else row.noised) for row in rows]
    return [f"{row.label}: {sentence}" for row, sentences in said for sentence in sentences]


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
    rows, columns = _fitting(comparison, width)
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


def _filled(comparison: "Comparison") -> tuple[tuple[MethodRow, ...], list[_Column]]:
    """Return all rows, and the columns that some row fills."""
    rows = (comparison.original, *comparison.methods)
    return rows, [column for column in _COLUMNS if any(column[1](row) for row in rows)]


def _fitting(comparison: "Comparison", width: int) -> tuple[tuple[MethodRow, ...], list[_Column]]:
    """Return all rows, and as many of the columns as there is room for."""
    rows, columns = _filled(comparison)
    label = min(_LONGEST_LABEL, max(len(visible(row.label)) for row in rows))
    room = width - label - max(len(_word(row)) for row in rows) - 2 * _BETWEEN

    def needed() -> int:
        return sum(max(len(title), *(len(read(row)) for row in rows)) + _BETWEEN for title, read in columns)

    for title in _LEFT_OUT:
        if needed() <= room:
            break
        columns = [column for column in columns if column[0] != title]
    return rows, columns


def _legend(comparison: "Comparison", width: int) -> Iterator[str]:
    """Yield what the titles of measures mean, as far as they are shown."""
    titles = {title for title, _ in _fitting(comparison, width)[1]}
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
