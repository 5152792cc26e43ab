"""A result on one page: a table, what follows from it, and sentences; as text, on a terminal and as HTML."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from qidguard.rendering import html
from qidguard.rendering.printable import ASCII, UNICODE, plain_text, visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

PLAIN_WIDTH = 110
"""Width of what is written to a file, in characters."""
MOST_WIDTH = 120
"""A wider terminal is used so far, in characters."""
_LONGEST_LABEL = 34
_WIDE = 96
"""Characters from which on a table has all columns."""


@dataclass(frozen=True, kw_only=True)
class PageRow:
    """One row of a page's table.

    Args:
        cells: Its label, then one text for each further column.
        looks: ``best`` stands out, ``bad`` is red, ``aside`` is dim; ``plain`` else.

    Example:
        >>> PageRow(cells=("stay 6", "5 %")).looks
        'plain'
    """

    cells: tuple[str, ...]
    looks: Literal["plain", "best", "bad", "aside"] = "plain"


@dataclass(frozen=True, kw_only=True)
class ResultPage:
    """A result on one page, as a notebook, a terminal and a file show it; texts are made printable here.

    Args:
        heading: What was done, in one line.
        best: What is recommended, in a word; empty for nothing.
        columns: Titles of the table, that of the labels first; a line feed divides one into two lines.
        rows: The rows.
        left_out: Titles of the columns that a narrow terminal leaves out.
        legend: What the titles mean.
        sentences: What follows from the table.
        missed_title: The title of what is missed.
        missed: What is missed, one sentence each.
        remarks: What else is worth knowing, one sentence each.
        ending: What is said last, such as that it was interrupted; empty for nothing.

    Example:
        >>> page = ResultPage(heading="2 ways", columns=("way", "loss"), rows=(PageRow(cells=("a", "5 %")),))
        >>> page.text().split()
        ['2', 'ways', 'way', 'loss', '─────────', 'a', '5', '%']
    """

    heading: str
    best: str = ""
    columns: tuple[str, ...]
    rows: tuple[PageRow, ...]
    left_out: tuple[str, ...] = ()
    legend: str = ""
    sentences: tuple[str, ...] = ()
    missed_title: str = ""
    missed: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    ending: str = ""

    def text(self) -> str:
        """Return the page as plain text, lines without white space at their end.

        Example:
            >>> ResultPage(heading="2 ways", columns=(), rows=(), sentences=("None does.",)).text().split()
            ['2', 'ways', 'None', 'does.']
        """
        return plain_text(self.parts(), PLAIN_WIDTH)

    def html(self) -> str:
        """Return the page as one HTML element for a notebook.

        Example:
            >>> "<b" in ResultPage(heading="<b", columns=("way",), rows=(PageRow(cells=("<b>",)),)).html()
            True
        """
        badge = (self.best, html.GOOD) if self.best else ("NONE", html.BAD)
        titles = [" ".join(title.split()) for title in self.columns]
        return html.whole(
            (
                html.badge(*badge, " ".join(self.sentences)),
                html.table(self.heading, titles, [row.cells for row in self.rows]),
                html.items(self.missed_title, self.missed),
                html.items("Remarks", self.remarks),
                html.heading(self.ending) if self.ending else "",
            )
        )

    def parts(self, width: int = PLAIN_WIDTH, *, is_ascii: bool = False) -> "Iterator[RenderableType]":
        """Yield what rich draws of the page.

        Args:
            width: Of the screen, in characters.
            is_ascii: Whether it shows no other signs.

        Example:
            >>> [str(part) for part in ResultPage(heading="2 ways", columns=(), rows=()).parts()]
            ['2 ways']
        """
        from rich.padding import Padding
        from rich.text import Text

        yield Text(visible(self.heading), "bold")
        if self.rows:
            yield self._table(width, is_ascii=is_ascii)
        if self.legend:
            yield Text(self.legend, "dim")
        yield from (Text(visible(sentence)) for sentence in self.sentences)
        mark = (ASCII if is_ascii else UNICODE).missed
        for title, sentences in (
            (self.missed_title, [f"{mark} {visible(one)}" for one in self.missed]),
            ("Remarks", list(map(visible, self.remarks))),
        ):
            if sentences:
                yield Text(f"\n{title}", "bold underline")
            yield from (Padding(Text(sentence), (0, 0, 0, 2)) for sentence in sentences)
        if self.ending:
            yield Text(self.ending, "bold")

    def _table(self, width: int, *, is_ascii: bool) -> "Table":
        from rich import box
        from rich.table import Table
        from rich.text import Text

        shown = [at for at, title in enumerate(self.columns) if width >= _WIDE or title not in self.left_out]
        table = Table(box=box.ASCII if is_ascii else box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
        for at in shown:
            if at:
                table.add_column(self.columns[at], justify="right", no_wrap=True)
            else:
                table.add_column(self.columns[at], overflow="fold", max_width=_LONGEST_LABEL)
        styles = {"best": ("bold", ""), "bad": ("", "red"), "aside": ("dim", "dim"), "plain": ("", "")}
        for row in self.rows:
            label, other = styles[row.looks]
            table.add_row(*(Text(visible(row.cells[at]), other if at else label) for at in shown))
        return table
