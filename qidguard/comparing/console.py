"""A comparison on a console: one row a method, then which to take, and why the others do not do."""

from collections.abc import Callable, Iterator, Sequence
from io import StringIO

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qidguard.comparing.comparison import (
    AVERAGE_RISK,
    HIGHEST_RISK,
    INFORMATION_LOSS,
    LOSS,
    SMALLEST_CLASS,
    Comparison,
)
from qidguard.comparing.row import MethodRow, Standing
from qidguard.report.marks import ASCII, UNICODE
from qidguard.report.printable import visible

PLAIN_WIDTH = 110
"""Width of what is written to a file, in characters."""
MODEL_CHANGE = "model_f1_change"

_LONGEST_LABEL = 30
_BETWEEN = 3
"""Characters between two columns."""
_LEFT_OUT = ("MB", "IL", "cells", "s", "highest risk", "F1 change", "suppressed")
"""Columns that a narrow table leaves out, in this order."""

_Column = tuple[str, Callable[[MethodRow], str]]

_STYLES = {
    Standing.PASSED: "green",
    Standing.BLOCKED: "red",
    Standing.UNREACHABLE: "red",
    Standing.FAILED: "bold red",
    Standing.AS_IT_IS: "dim",
}


def console_text(found: Comparison) -> str:
    """Return the comparison as plain text.

    Args:
        found: The comparison.

    Returns:
        Lines, each without white space at its end.

    Units:
        Risks and losses in percent; seconds; megabytes.

    Raises:
        Nothing.

    Example:
        >>> import inspect
        >>> list(inspect.signature(console_text).parameters)
        ['found']
    """
    stream = StringIO()
    screen = Console(file=stream, width=PLAIN_WIDTH, markup=False, emoji=False, highlight=False)
    for part in parts(found, PLAIN_WIDTH):
        screen.print(part)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def parts(found: Comparison, width: int, *, is_ascii: bool = False) -> Iterator[RenderableType]:
    """Yield what rich draws: the table, what is recommended, and the reasons of the rest.

    Args:
        found: The comparison.
        width: Characters a line; a narrow table leaves columns out.
        is_ascii: Whether the terminal knows ASCII only.

    Units:
        Risks and losses in percent; seconds; megabytes.

    Raises:
        Nothing.

    Example:
        >>> import inspect
        >>> list(inspect.signature(parts).parameters)
        ['found', 'width', 'is_ascii']
    """
    heading = f"{visible(found.source)}: {found.records:,} records, policy {visible(found.policy)}"
    yield Text(heading, "bold")
    yield _table(found, width, is_ascii=is_ascii)
    for line in recommended(found):
        yield Text(line)
    told = [row for row in found.methods if row.sentences]
    if told:
        yield Text("\nWhat the others miss", "bold underline")
    marks = ASCII if is_ascii else UNICODE
    for row in told:
        yield Padding(Text(visible(row.label), "bold"), (0, 0, 0, 2))
        for sentence in row.sentences:
            yield Padding(Text(f"{marks.missed} {visible(sentence)}"), (0, 0, 0, 4))
    for row in found.methods:
        for attack in row.attacks:
            yield Padding(Text(f"{visible(row.label)}: {visible(attack.sentence)}"), (0, 0, 0, 2))
    if found.is_interrupted:
        yield Text("Interrupted: methods are missing.", "bold")


def recommended(found: Comparison) -> Iterator[str]:
    """Yield which method to take and why, and which are beaten by another.

    Args:
        found: The comparison.

    Yields:
        Sentences.

    Units:
        Shares in percent.

    Raises:
        Nothing.

    Example:
        >>> import inspect
        >>> list(inspect.signature(recommended).parameters)
        ['found']
    """
    best = found.best
    if best is None:
        yield "No method makes the policy hold."
        return
    loss = "" if LOSS not in best.figures else f" ({_percent(best.figures[LOSS])} NCP)"
    yield f"{visible(best.label)} loses least{loss} among those on which the policy holds."
    front = {row.label for row in found.frontier}
    beaten = [visible(row.label) for row in found.methods if row.is_made and row.label not in front]
    if beaten:
        yield f"Beaten in both risk and loss, or equal in one and worse in the other: {', '.join(beaten)}."


def _table(found: Comparison, width: int, *, is_ascii: bool) -> Table:
    rows = (found.original, *found.methods)
    columns = _fitting(rows, width)
    table = Table(box=box.ASCII if is_ascii else box.SIMPLE, pad_edge=False, padding=(0, 1))
    table.add_column("method", overflow="fold", max_width=_LONGEST_LABEL)
    table.add_column("policy", no_wrap=True)
    for title, _ in columns:
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        cells = [read(row) or "-" for _, read in columns]
        style = _STYLES[row.standing] if row.standing is not Standing.PASSED else ""
        is_best = found.best is not None and row.label == found.best.label
        name = Text(visible(row.label), "bold" if is_best else "")
        table.add_row(name, Text(_word(row), _STYLES[row.standing]), *(Text(cell, style) for cell in cells))
    return table


def _fitting(rows: Sequence[MethodRow], width: int) -> list[_Column]:
    """Return the columns that some row fills, as many as there is room for."""
    columns = [one for one in _COLUMNS if any(one[1](row) for row in rows)]
    label = min(_LONGEST_LABEL, max(len(visible(row.label)) for row in rows))
    room = width - label - max(len(_word(row)) for row in rows) - 2 * _BETWEEN

    def needed() -> int:
        return sum(max(len(title), *(len(read(row)) for row in rows)) + _BETWEEN for title, read in columns)

    for title in _LEFT_OUT:
        if needed() <= room:
            break
        columns = [one for one in columns if one[0] != title]
    return columns


def _word(row: MethodRow) -> str:
    if row.standing is Standing.AS_IT_IS:
        return "holds" if row.is_passed else "does not hold"
    words = {Standing.PASSED: "holds", Standing.BLOCKED: "does not hold", Standing.UNREACHABLE: "cannot"}
    return words.get(row.standing, "FAILED")


def _figure(row: MethodRow, metric: str, *, is_share: bool = True) -> str:
    if metric not in row.figures:
        return ""
    value = row.figures[metric]
    return _percent(value) if is_share else f"{value:,.4g}"


def _percent(share: float) -> str:
    return f"{share * 100:.3g} %"


def _excess(row: MethodRow) -> str:
    return _percent(max(one.excess for one in row.attacks)) if row.attacks else ""


_COLUMNS: tuple[_Column, ...] = (
    ("k", lambda row: _figure(row, SMALLEST_CLASS, is_share=False)),
    ("highest risk", lambda row: _figure(row, HIGHEST_RISK)),
    ("average risk", lambda row: _figure(row, AVERAGE_RISK)),
    ("NCP", lambda row: _figure(row, LOSS)),
    ("IL", lambda row: _figure(row, INFORMATION_LOSS, is_share=False)),
    ("F1 change", lambda row: _figure(row, MODEL_CHANGE, is_share=False)),
    ("attack excess", _excess),
    (
        "suppressed",
        lambda row: "" if row.records_suppressed is None else f"{row.records_suppressed:,}",
    ),
    ("cells", lambda row: "" if row.cells_changed is None else f"{row.cells_changed:,}"),
    ("s", lambda row: "" if row.seconds is None else f"{row.seconds:.2f}"),
    ("MB", lambda row: "" if row.peak_bytes is None else f"{row.peak_bytes / 1e6:,.0f}"),
)
"""Titles of the columns, and what a row has in each; a column that no row fills is left out."""
