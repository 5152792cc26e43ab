"""A result on one page: a table, what follows from it, and sentences; as text, on a terminal and as HTML."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
_BETWEEN = 2
"""Characters between two columns."""


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
        words: How many of the columns hold words, from the left; those of figures stand to the right.
        left_out: Titles of the columns that a narrow terminal leaves out, in this order.
        legend: Title of a column → what it means, shown with it; without a title it is always shown, last.
        sentences: What follows from the table.
        missed: Heading → what is missed, one sentence each.
        lists: Heading → what else is worth knowing, one sentence each; one without any is left out.
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
    words: int = 1
    left_out: tuple[str, ...] = ()
    legend: Mapping[str, str] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()
    missed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
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
        titles = [" ".join(title.split()) for title in self.columns]
        return html.html_page(
            word=self.best or "NONE",
            is_good=bool(self.best),
            sentence=" ".join(self.sentences),
            listing=(self.heading, titles, [r.cells for r in self.rows], range(self.words, len(titles))),
            lists={**self.missed, **self.lists},
            ending=self.ending,
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

        shown = self._shown(width)
        yield Text(visible(self.heading), "bold")
        if self.rows:
            yield self._table(shown, is_ascii=is_ascii)
        told = [self.legend[self.columns[at]] for at in shown if self.columns[at] in self.legend]
        legend = [f"{'; '.join(told)}."] if told else []
        if "" in self.legend:
            legend.append(self.legend[""])
        if legend:
            yield Text(" ".join(legend), "dim")
        yield from (Text(visible(sentence)) for sentence in self.sentences)
        mark = f"{(ASCII if is_ascii else UNICODE).missed} "
        for sign, lists in ((mark, self.missed), ("", self.lists)):
            for title, sentences in lists.items():
                if sentences:
                    yield Text(f"\n{title}", "bold underline")
                yield from (Padding(Text(f"{sign}{visible(one)}"), (0, 0, 0, 2)) for one in sentences)
        if self.ending:
            yield Text(self.ending, "bold")

    def _shown(self, width: int) -> list[int]:
        """Return the columns that there is room for; those that may be left out go first."""
        needed = [
            max(len(line) for line in (*title.split("\n"), *(visible(row.cells[at]) for row in self.rows)))
            for at, title in enumerate(self.columns)
        ]
        if needed:
            needed[0] = min(needed[0], _LONGEST_LABEL)
        shown = list(range(len(self.columns)))
        for title in self.left_out:
            if sum(needed[at] + _BETWEEN for at in shown) <= width:
                break
            shown = [at for at in shown if self.columns[at] != title]
        return shown

    def _table(self, shown: list[int], *, is_ascii: bool) -> "Table":
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.ASCII if is_ascii else box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
        for at in shown:
            if at == 0:
                table.add_column(self.columns[at], overflow="fold", max_width=_LONGEST_LABEL)
            else:
                side: Literal["left", "right"] = "left" if at < self.words else "right"
                table.add_column(self.columns[at], justify=side, no_wrap=True)
        styles = {"best": ("bold", ""), "bad": ("", "red"), "aside": ("dim", "dim"), "plain": ("", "")}
        for row in self.rows:
            label, other = styles[row.looks]
            table.add_row(*(Text(visible(row.cells[at]), other if at else label) for at in shown))
        return table
