"""What a strategy answered beside its sets, in words and on a console: its choice, roles and tables."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.auditing.proposed import SPOKEN_ROLES
from qidguard.core.result_table import ResultTable
from qidguard.rendering import html
from qidguard.rendering.printable import listed, shown_name, visible
from qidguard.rendering.result_table import html_table, result_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qidguard.discovering.discovery import Discovery

MOST_ROWS = 40
"""Rows of a table that are shown; the JSON document has them all."""

HEADER = ("column", "found to be", "confidence", "why")
"""What stands above the classification."""


def choice_sentence(discovery: "Discovery") -> str:
    """Return why the set is the chosen one, and which fitter one was not taken; empty where none was chosen.

    Example:
        >>> from qidguard.discovering.example import answered
        >>> choice_sentence(answered()).partition("; ")[2]
        'the fittest set seen, age, ward (1.0000), was not taken for that.'
    """
    choice = discovery.search.choice
    if choice is None:
        return ""
    why = f" ({visible(choice.reason)})" if choice.reason else ""
    best = f"{discovery.best.compared:.4f}"
    chosen = f"The strategy chose {listed(discovery.quasi_identifiers, 12)} by a rule of its own{why}"
    fittest = [name for name in discovery.names if name in choice.fittest.qids]
    if set(fittest) == set(discovery.quasi_identifiers):
        return f"{chosen}, which is the fittest set seen ({best}), too."
    if choice.fittest.own_fitness == discovery.best.compared:
        return f"{chosen}; no set seen is fitter ({best})."
    other = f"{listed(fittest, 12)} ({choice.fittest.own_fitness:.4f})"
    return f"{chosen}, with the fitness {best}; the fittest set seen, {other}, was not taken for that."


def classified_rows(discovery: "Discovery") -> list[tuple[str, str, str, str]]:
    """Return the classification as rows of texts, in the order of the columns.

    Example:
        >>> from qidguard.discovering.example import answered
        >>> classified_rows(answered())
        [('ward', 'a sensitive attribute', '0.80', 'two values only')]
    """
    return [
        (
            shown_name(one.assignment.column),
            SPOKEN_ROLES[one.assignment.role] if one.is_sure else f"{SPOKEN_ROLES[one.assignment.role]}?",
            f"{one.confidence:.2f}",
            visible(one.assignment.reason),
        )
        for one in discovery.search.classification
    ]


def more_rows(rows: int) -> str:
    """Return what is said of rows that are not shown; empty where all are.

    Example:
        >>> more_rows(41)
        '1 more rows; the JSON document has them all.'
    """
    return f"{rows - MOST_ROWS:,} more rows; the JSON document has them all." if rows > MOST_ROWS else ""


def answer_parts(discovery: "Discovery", width: int, *, is_ascii: bool) -> "Iterator[RenderableType]":
    """Yield what rich draws of the classification and the tables; nothing where there is none."""
    from rich.padding import Padding
    from rich.text import Text

    from qidguard.rendering.console import heading, remark

    for table in _tables(discovery):
        yield heading(visible(table.title))
        lines = result_lines(replace(table, rows=table.rows[:MOST_ROWS]), width - 2, is_ascii=is_ascii)
        yield Padding(Text("\n".join(lines), no_wrap=True, overflow="ignore"), (0, 0, 0, 2))
        for words in (more_rows(len(table.rows)), visible(table.note)):
            if words:
                yield remark(words)


def answer_html(discovery: "Discovery") -> Iterator[str]:
    """Yield the classification and the tables as pieces of HTML."""
    for table in _tables(discovery):
        yield html.heading(table.title) + html_table(table, MOST_ROWS)
        yield html.aside(more_rows(len(table.rows))) + html.aside(table.note)


def _tables(discovery: "Discovery") -> tuple[ResultTable, ...]:
    """Return the tables that are shown, the classification first."""
    rows = tuple(classified_rows(discovery))
    tables = tuple(table for table in discovery.search.tables if not table.is_detail)
    if not rows:
        return tables
    roles = ResultTable(name="roles", title="Roles by the strategy", columns=HEADER, rows=rows)
    return (roles, *tables)
