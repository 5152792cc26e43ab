"""A discovery on a console and in a notebook: the best sets first, then why, columns, scores, the search."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from qidguard.core.result_table import ResultTable
from qidguard.discovering import wording
from qidguard.discovering.found import ColumnFinding, EntryStep, FoundSet
from qidguard.rendering import html
from qidguard.rendering.console import heading, item, remark
from qidguard.rendering.printable import ASCII, UNICODE, Marks, listed, plain_text, shown_name, visible
from qidguard.rendering.result_table import html_table, result_lines
from qidguard.search.protocol import StoppedBy

if TYPE_CHECKING:
    from qidguard.discovering.discovery import Discovery


PLAIN_WIDTH = 100
"""Width of what is written to a file, in characters."""

MOST_SETS = 10
"""Sets of the front that are shown."""
MOST_COLUMNS = 40
"""Columns that are shown."""
_BAR = 10


def console_text(discovery: "Discovery", *, has_front: bool = False, has_plan: bool = False) -> str:
    """Return the discovery as plain text.

    Args:
        discovery: The discovery.
        has_front: Whether the Pareto front is shown.
        has_plan: Whether the estimates of each way of measuring are shown.

    Returns:
        Lines of at most 100 characters, names apart.

    Units:
        Figures carry theirs.

    Example:
        >>> from qidguard.discovering.example import small
        >>> console_text(small()).splitlines()[1][:20]
        '┃  FOUND   age, ward'
    """
    return plain_text(parts(discovery, PLAIN_WIDTH, has_front=has_front, has_plan=has_plan), PLAIN_WIDTH)


def parts(
    discovery: "Discovery",
    width: int,
    *,
    is_ascii: bool = False,
    has_front: bool = False,
    has_plan: bool = False,
) -> Iterator[RenderableType]:
    """Yield what rich draws, from the best set down.

    Args:
        discovery: The discovery.
        width: Characters a line.
        is_ascii: Whether the terminal knows ASCII only.
        has_front: Whether the Pareto front is shown.
        has_plan: Whether the estimates of each way of measuring are shown.

    Units:
        Figures carry theirs.

    Example:
        >>> from qidguard.discovering.example import small
        >>> len(list(parts(small(), 100))) > 5
        True
    """
    marks = ASCII if is_ascii else UNICODE
    yield _panel(discovery, width)
    yield heading("Best sets", wording.compared_by(discovery))
    yield _sets(discovery, discovery.sets)
    if has_front:
        yield heading("Pareto front", "no set beats these in every term")
        yield _sets(discovery, discovery.front[:MOST_SETS])
        if len(discovery.front) > MOST_SETS:
            yield remark(f"{len(discovery.front) - MOST_SETS:,} more sets; the JSON document has them all.")
    for at, way in enumerate(discovery.explained):
        yield from _way(discovery, at, way)
    yield from _columns(discovery, marks)
    if discovery.truth is not None:
        yield from _scores(discovery)
    yield from _answers(discovery, width, is_ascii=is_ascii)
    yield from _search(discovery, has_plan=has_plan)
    yield heading("Notes")
    for note in discovery.notes:
        yield item(marks.bullet, Text(visible(note)), "dim")


def _panel(discovery: "Discovery", width: int) -> RenderableType:
    is_whole = discovery.search.stopped_by is StoppedBy.FINISHED
    word, style = ("FOUND", "blue") if is_whole else ("FOUND SO FAR", "yellow")
    text = Text.assemble((f" {word} ", f"bold reverse {style}"), "  ", (wording.headline(discovery), "bold"))
    text.append(f"\n{wording.table_sentence(discovery)}")
    text.append(f"\n{wording.search_sentence(discovery)}", "dim")
    if discovery.search.choice is not None:
        text.append(f"\n{wording.choice_sentence(discovery)}")
    return Panel(text, box=box.HEAVY, border_style=style, width=width, padding=(0, 1))


def _grid(*aligned: str) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for justify in aligned:
        is_number = justify == "right"
        grid.add_column(
            justify="right" if is_number else "left", no_wrap=is_number or justify == "whole", overflow="fold"
        )
    return grid


def _sets(discovery: "Discovery", sets: tuple[FoundSet, ...]) -> RenderableType:
    by_objective = ("right",) if discovery.prefers_known else ()
    grid = _grid("right", "right", *by_objective, "left", "left")
    for place, one in enumerate(sets, start=1):
        grid.add_row(
            Text(f"  {place}", "dim"),
            Text(wording.fitness(one.compared), "bold" if place == 1 else ""),
            *(Text(wording.fitness(one.fitness), "dim") for _ in by_objective),
            Text(wording.columns_of(one, discovery.best)),
            Text(wording.figures(one, discovery.terms), "dim"),
        )
    return grid


def _way(discovery: "Discovery", at: int, way: tuple[EntryStep, ...]) -> Iterator[RenderableType]:
    if at:
        names = (shown_name(e.columns[0]) if len(e.columns) == 1 else f"{len(e.columns)} more" for e in way)
        yield Padding(Text(f"set {at + 1}: " + ", then ".join(names), "dim"), (0, 0, 0, 2))
        return
    yield heading(
        "Why these columns", f"each step takes the column that raises the {_height(discovery)} most"
    )
    grid = _grid("right", "left", "whole", "left")
    for place, entry in enumerate(way, start=1):
        name, height, moved = wording.step(entry, discovery.terms)
        grid.add_row(Text(f"  {place}", "dim"), Text(name, "bold"), Text(height), Text(moved, "dim"))
    yield grid


def _height(discovery: "Discovery") -> str:
    return "preferred fitness" if discovery.prefers_known else "fitness"


def _columns(discovery: "Discovery", marks: Marks) -> Iterator[RenderableType]:
    yield heading("Columns", f"share of the {len(discovery.sets)} best sets that have the column")
    searched = sorted((c for c in discovery.columns if not c.why_not), key=lambda c: (-c.is_found, -c.share))
    grid = _grid("left", "left", "whole", "right", "left")
    for column in searched[:MOST_COLUMNS]:
        grid.add_row(
            Text(f"  {marks.met if column.is_found else ' '}", "green"),
            Text(shown_name(column.facts.name), "bold" if column.is_found else ""),
            Text(marks.bar(column.share, _BAR), "blue"),
            Text(f"{column.share:.0%}"),
            Text(_said(discovery, column), "dim"),
        )
    yield grid
    if len(searched) > MOST_COLUMNS:
        yield remark(f"{len(searched) - MOST_COLUMNS:,} more columns; the JSON document has them all.")
    without = [c for c in discovery.columns if c.why_not]
    if not without:
        return
    yield heading("Not searched")
    by_reason: dict[str, list[str]] = {}
    for column in without:
        by_reason.setdefault(column.why_not, []).append(column.facts.name)
    for why, names in list(by_reason.items())[:MOST_COLUMNS]:
        yield item(marks.bullet, Text.assemble(listed(names), (f"  {visible(why)}", "dim")), "dim")


def _said(discovery: "Discovery", column: ColumnFinding) -> str:
    words = [f"{column.facts.distinct:,} values"]
    if column.plausibility is not None:
        words.append(f"plausible {column.plausibility.share:g}: {column.plausibility.why}")
    if column.is_found and (why := wording.why_found(discovery, column.facts.name)):
        words.append(visible(why))
    if column.known is not None:
        words.append(f"{column.known.decided_by.value} says {column.known.role.value.replace('_', ' ')}")
    return "; ".join(words)


def _scores(discovery: "Discovery") -> Iterator[RenderableType]:
    yield heading("Against the truth", listed(discovery.truth or (), 12))
    grid = _grid("left", *("right" for _ in wording.score_header(discovery)))
    grid.add_row(Text("  score", "dim"), *(Text(word, "dim") for word in wording.score_header(discovery)))
    for name, scores in wording.score_rows(discovery):
        grid.add_row(Text(f"  {visible(name)}"), *map(Text, scores))
    yield grid


def _search(discovery: "Discovery", *, has_plan: bool) -> Iterator[RenderableType]:
    yield heading("Search")
    weights = ", ".join(
        f"{'÷ ' if t.is_divisor else ''}{t.weight:+g} {shown_name(t.label)}" for t in discovery.terms
    )
    parameters = ", ".join(f"{name}={visible(str(value))}" for name, value in discovery.parameters.items())
    budget = (
        "no time budget" if discovery.budget_seconds is None else f"budget {discovery.budget_seconds:g} s"
    )
    said = f": {visible(discovery.search.reason)}" if discovery.search.reason else ""
    rows = [
        ("objective", f"{shown_name(discovery.objective)}: {weights}"),
        ("strategy", f"{discovery.strategy}; {visible(discovery.strategy_reason)}"),
        ("parameters", parameters or "none"),
        ("bounds", f"seed {discovery.search.seed}, {budget}, sets of 1 to {discovery.largest} columns"),
        ("ended", f"{discovery.search.stopped_by.value}{said}"),
        ("measured by", wording.how_measured(discovery)),
    ]
    if has_plan and discovery.plan.seconds:
        rows.append(("estimates", f"{wording.estimates(discovery)}; {discovery.plan.bytes / 1e6:,.0f} MB"))
    rows.append(("took", f"{discovery.seconds:.1f} s, {visible(discovery.engine)}"))
    grid = _grid("whole", "left")
    for name, words in rows:
        grid.add_row(Text(f"  {name}", "dim"), Text(words))
    yield grid


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
    word, color = ("FOUND", html.NEUTRAL) if is_whole else ("FOUND SO FAR", html.UNSURE)
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
    beneath = (
        wording.table_sentence(discovery),
        wording.search_sentence(discovery),
        wording.choice_sentence(discovery),
    )
    return html.whole(
        (
            html.badge(word, color, wording.headline(discovery), *beneath),
            html.table("Best sets", ("", "fitness", "columns", "figures"), sets),
            html.table("Why these columns", ("column", "fitness", "what moved"), steps),
            _columns_table(discovery),
            html.table(
                "Not searched",
                ("column", "why"),
                [(shown_name(name), why) for name, why in discovery.left_out.items()],
            ),
            _scores_table(discovery),
            *_answers_html(discovery),
            html.items("Notes", discovery.notes),
        )
    )


def _columns_table(discovery: "Discovery") -> str:
    rows = []
    for column in sorted(discovery.columns, key=lambda c: (-c.is_found, -c.share)):
        if column.why_not:
            continue
        name, known = shown_name(column.facts.name), column.plausibility
        rows.append(
            (
                html.bold(name) if column.is_found else name,
                html.bar(column.share, html.NEUTRAL),
                f"{column.share:.0%}",
                "" if known is None else f"plausible {known.share:g}: {known.why}",
            )
        )
    title = f"Columns: share of the {len(discovery.sets)} best sets"
    return html.table(title, ("", "", "", ""), rows)


def _scores_table(discovery: "Discovery") -> str:
    if discovery.truth is None:
        return ""
    rows = [(name, *scores) for name, scores in wording.score_rows(discovery)]
    return html.table("Against the truth", ("score", *wording.score_header(discovery)), rows)


def _answers(discovery: "Discovery", width: int, *, is_ascii: bool) -> Iterator[RenderableType]:
    """Yield what rich draws of the classification and the tables; nothing where there is none."""
    for table in _tables(discovery):
        yield heading(visible(table.title))
        lines = result_lines(
            replace(table, rows=table.rows[: wording.MOST_ROWS]), width - 2, is_ascii=is_ascii
        )
        yield Padding(Text("\n".join(lines), no_wrap=True, overflow="ignore"), (0, 0, 0, 2))
        for words in (wording.more_rows(len(table.rows)), visible(table.note)):
            if words:
                yield remark(words)


def _answers_html(discovery: "Discovery") -> Iterator[str]:
    """Yield the classification and the tables as pieces of HTML."""
    for table in _tables(discovery):
        yield html.heading(table.title) + html_table(table, wording.MOST_ROWS)
        yield html.aside(wording.more_rows(len(table.rows))) + html.aside(table.note)


def _tables(discovery: "Discovery") -> tuple[ResultTable, ...]:
    """Return the tables that are shown, the classification first."""
    rows = tuple(wording.classified_rows(discovery))
    tables = tuple(table for table in discovery.search.tables if not table.is_detail)
    if not rows:
        return tables
    roles = ResultTable(name="roles", title="Roles by the strategy", columns=wording.HEADER, rows=rows)
    return (roles, *tables)
